/** Accounts' own in-flight limits for single models. */
import type { InflightOverride } from '#catalog/records.ts'
import type { Kysely, Transaction } from 'kysely'
import { changingNamed, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'
import type { Tables } from '../schema.ts'

/** Gets the limit as it is, null when there is none. */
export type LimitCheck = Check<number | null>

export interface InflightOverrideStore {
  /** Every override, by model and user. */
  all(): Promise<readonly InflightOverride[]>
  /** The overrides for one model, by user. */
  listOfModel(modelId: string): Promise<readonly InflightOverride[]>
  /** Sets the limit of this user for this model, replacing an earlier one. Throws Missing. */
  set(override: InflightOverride, check?: LimitCheck): Promise<void>
  /** False when there was none. */
  delete(userId: string, modelId: string, check?: LimitCheck): Promise<boolean>
  /** Null when there is none. */
  get(userId: string, modelId: string): Promise<number | null>
}

const columns = ['user_id as userId', 'model_id as modelId', 'inflight_limit as inflightLimit'] as const

/** The overrides of this database. */
export function inflightOverrideStore(database: Database): InflightOverrideStore {
  const { kysely } = database
  const select = kysely.selectFrom('inflight_overrides').select(columns).orderBy('model_id').orderBy('user_id')
  return {
    all: () => select.execute(),
    listOfModel: (modelId) => select.where('model_id', '=', modelId).execute(),
    get: (userId, modelId) => limitOf(kysely, userId, modelId),
    async set({ userId, modelId, inflightLimit }, check) {
      await refusing({ reference: new Missing('user or model') }, () =>
        changing(database, { userId, modelId, check }, (trx) =>
          trx
            .insertInto('inflight_overrides')
            .values({ user_id: userId, model_id: modelId, inflight_limit: inflightLimit })
            .onConflict((conflict) =>
              conflict.columns(['user_id', 'model_id']).doUpdateSet({ inflight_limit: inflightLimit }),
            )
            .execute(),
        ),
      )
    },
    async delete(userId, modelId, check) {
      const result = await changing(database, { userId, modelId, check }, (trx) =>
        trx
          .deleteFrom('inflight_overrides')
          .where('user_id', '=', userId)
          .where('model_id', '=', modelId)
          .executeTakeFirst(),
      )
      return result.numDeletedRows > 0n
    },
  }
}

interface LimitChange {
  readonly userId: string
  readonly modelId: string
  readonly check: LimitCheck | undefined
}

function changing<T>(
  database: Database,
  { userId, modelId, check }: LimitChange,
  write: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return changingNamed(database, `inflight ${userId} ${modelId}`, async (trx) => {
    check?.(await limitOf(trx, userId, modelId))
    return write(trx)
  })
}

async function limitOf(on: Kysely<Tables>, userId: string, modelId: string): Promise<number | null> {
  const row = await on
    .selectFrom('inflight_overrides')
    .select('inflight_limit')
    .where('user_id', '=', userId)
    .where('model_id', '=', modelId)
    .executeTakeFirst()
  return row?.inflight_limit ?? null
}
