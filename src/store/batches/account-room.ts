/** How much an account has of what is limited. What adds to it holds the account's lock until its transaction ends. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Others that add something for this account wait; on SQLite the transaction has the only write lock. */
export async function lockAccount(trx: Transaction<Tables>, engine: Engine, userId: string): Promise<void> {
  if (engine === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtext('sluice files ' || current_schema()), hashtext(${userId}))`.execute(
    trx,
  )
}

/** Bytes of the account's files, and those that its pending uploads may still become. */
export async function bytesOfAccount(trx: Transaction<Tables>, userId: string): Promise<number> {
  const { used } = await trx
    .selectFrom('files')
    .select(sql<number>`coalesce(sum(bytes), 0)`.as('used'))
    .where('user_id', '=', userId)
    .where('purpose', '<>', 'upload_part')
    .executeTakeFirstOrThrow()
  const { announced } = await trx
    .selectFrom('uploads')
    .select(sql<number>`coalesce(sum(bytes), 0)`.as('announced'))
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(used) + Number(announced)
}
