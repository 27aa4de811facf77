/**
 * Which provider holds an answer of the Responses API, or a conversation, and whose it is. The
 * answer itself is never here.
 */
import type { Transaction } from 'kysely'
import type { Database } from './database.ts'
import { flag, type Tables } from './schema.ts'

export interface StoredResponse {
  /** The provider's own id of it. */
  readonly id: string
  /** Who asked for it: nobody else can see it. */
  readonly userId: string
  readonly providerId: string
  /** The model that was asked, whose access is checked again. */
  readonly modelId: string
  /** Its tokens are not in any usage record yet: it was not ready when its request ended. */
  readonly usageDue: boolean
  readonly createdAt: number
}

/** What names one. */
export type StoredResponseKey = Pick<StoredResponse, 'id' | 'userId'>

export interface StoredResponseStore {
  /** Adds or replaces rows, all or none. No two may have the same key. */
  putMany(responses: readonly StoredResponse[]): Promise<void>
  /** Every row with this id, of whatever user. */
  listOfId(id: string): Promise<readonly StoredResponse[]>
  /** Marks its tokens as counted; false when they were already, or there is no such row. */
  takeUsage(key: StoredResponseKey): Promise<boolean>
  /** False when there was none. */
  delete(key: StoredResponseKey): Promise<boolean>
  /** Removes the rows from before this moment; returns how many. */
  purgeBefore(at: number): Promise<number>
}

/** Well below the parameters that either engine takes in one statement. */
const rowsPerStatement = 500

/** The answers that providers hold, by this database. */
export function storedResponseStore({ kysely }: Database): StoredResponseStore {
  return {
    putMany: (responses) => kysely.transaction().execute((trx) => putAll(trx, responses)),
    async listOfId(id) {
      const rows = await kysely.selectFrom('stored_responses').selectAll().where('id', '=', id).execute()
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        providerId: row.provider_id,
        modelId: row.model_id,
        usageDue: row.usage_due === 1,
        createdAt: row.created_at,
      }))
    },
    // One statement decides, so that of two readers on two processes one counts.
    async takeUsage({ id, userId }) {
      const result = await kysely
        .updateTable('stored_responses')
        .set({ usage_due: 0 })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('usage_due', '=', 1)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    async delete({ id, userId }) {
      const result = await kysely
        .deleteFrom('stored_responses')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async purgeBefore(at) {
      const result = await kysely.deleteFrom('stored_responses').where('created_at', '<', at).executeTakeFirst()
      return Number(result.numDeletedRows)
    },
  }
}

async function putAll(trx: Transaction<Tables>, responses: readonly StoredResponse[]): Promise<void> {
  for (let from = 0; from < responses.length; from += rowsPerStatement) {
    const values = responses.slice(from, from + rowsPerStatement).map((response) => ({
      id: response.id,
      user_id: response.userId,
      provider_id: response.providerId,
      model_id: response.modelId,
      usage_due: flag(response.usageDue),
      created_at: response.createdAt,
    }))
    await trx
      .insertInto('stored_responses')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['id', 'user_id']).doUpdateSet((row) => ({
          provider_id: row.ref('excluded.provider_id'),
          model_id: row.ref('excluded.model_id'),
          usage_due: row.ref('excluded.usage_due'),
          created_at: row.ref('excluded.created_at'),
        })),
      )
      .execute()
  }
}
