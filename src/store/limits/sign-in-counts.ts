/** Failed sign-ins, counted for all processes on one PostgreSQL. What they mean is decided in src/admin/sign-in-guard.ts. */
import { sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import { flag, type Tables } from '../schema.ts'

export interface SignInCount {
  readonly failures: number
  /** Milliseconds; in the past when nothing waits. */
  readonly lockedUntil: number
  /** The wait before the next attempt is set or over. */
  readonly hasWaited: boolean
}

export interface SignInCountStore {
  /**
   * Reads the counts of these keys, lets `work` change them, and writes what it left, in one step for all
   * processes. `now` is the database's clock in milliseconds.
   */
  change<T>(keys: readonly string[], work: (counts: Map<string, SignInCount>, now: number) => T): Promise<T>
  /** Deletes counts that have not changed for this long. */
  purge(idleMs: number): Promise<void>
}

const nowMs = sql<number>`extract(epoch from clock_timestamp())::double precision * 1000`

/** The counts of this database. */
export function signInCountStore({ kysely }: Database): SignInCountStore {
  return {
    change: (keys, work) =>
      kysely.transaction().execute(async (trx) => {
        await lockKeys(trx, keys)
        const found = await trx.selectFrom('sign_in_counts').selectAll().where('key', 'in', keys).execute()
        const { rows } = await sql<{ now: number }>`select ${nowMs} as now`.execute(trx)
        const counts = new Map(
          found.map((row) => [
            row.key,
            { failures: row.failures, lockedUntil: row.locked_until, hasWaited: row.has_waited === 1 },
          ]),
        )
        const answer = work(counts, Number(rows[0]?.now))
        await write(trx, keys, counts)
        return answer
      }),
    async purge(idleMs) {
      await sql`delete from sign_in_counts where locked_until < ${nowMs} - ${idleMs}`.execute(kysely)
    },
  }
}

/** Locks of keys, not of rows: there is no row before the first failure. Sorted, so that two attempts never wait for each other. */
async function lockKeys(trx: Transaction<Tables>, keys: readonly string[]): Promise<void> {
  for (const key of [...keys].sort()) {
    await sql`select pg_advisory_xact_lock(hashtext('sluice sign-ins ' || current_schema()), hashtext(${key}))`.execute(
      trx,
    )
  }
}

async function write(
  trx: Transaction<Tables>,
  keys: readonly string[],
  counts: ReadonlyMap<string, SignInCount>,
): Promise<void> {
  const gone = keys.filter((key) => !counts.has(key))
  if (gone.length > 0) await trx.deleteFrom('sign_in_counts').where('key', 'in', gone).execute()
  const kept = [...counts].map(([key, { failures, lockedUntil, hasWaited }]) => ({
    key,
    failures,
    locked_until: lockedUntil,
    has_waited: flag(hasWaited),
  }))
  if (kept.length === 0) return
  await trx
    .insertInto('sign_in_counts')
    .values(kept)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        failures: sql`excluded.failures`,
        locked_until: sql`excluded.locked_until`,
        has_waited: sql`excluded.has_waited`,
      }),
    )
    .execute()
}
