/**
 * The daily partitions of usage records on PostgreSQL. They are made before they are needed and dropped when all
 * of their rows are too old. The rows of the time before partitions are in one of their own (`usage_past`).
 */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../schema.ts'
import { dayMs, floorTo } from './usage-spans.ts'

const pastTable = 'usage_past'

export class DayPartitions {
  readonly #kysely: Kysely<Tables>
  /** Beginnings of days that have a partition. */
  readonly #known = new Set<number>()
  #pastUntil: number | null = null

  constructor(kysely: Kysely<Tables>) {
    this.#kysely = kysely
  }

  /** Makes the partitions of these moments, those that are missing. */
  async ensure(moments: readonly number[]): Promise<void> {
    const days = new Set<number>()
    for (const at of moments) {
      const day = floorTo(at, dayMs)
      if (!this.#known.has(day)) days.add(day)
    }
    if (days.size === 0) return
    this.#pastUntil ??= await pastUntil(this.#kysely)
    for (const day of days) {
      if (day >= this.#pastUntil) await makePartition(this.#kysely, day)
      this.#known.add(day)
    }
  }

  /** Whether a write failed because a partition is gone; all are looked up again then. */
  missed(thrown: unknown): boolean {
    const missed = thrown instanceof Error && thrown.message.startsWith('no partition of relation "usage_records"')
    if (missed) {
      this.#known.clear()
      this.#pastUntil = null
    }
    return missed
  }
}

/** Attaching a table that was made before takes no lock that a reader or writer of the others waits for. */
async function makePartition(kysely: Kysely<Tables>, day: number): Promise<void> {
  const name = `usage_day_${day / dayMs}`
  await kysely.transaction().execute(async (trx) => {
    await lockPartitions(trx)
    const { rows } = await sql<{ present: boolean }>`select to_regclass(${name}) is not null as present`.execute(trx)
    if (rows[0]?.present === true) return
    await sql.raw(`create table ${name} (like usage_records including defaults)`).execute(trx)
    await sql
      .raw(`alter table usage_records attach partition ${name} for values from (${day}) to (${day + dayMs})`)
      .execute(trx)
  })
}

/**
 * Drops the partitions that end at or before this moment. A report that takes long is not waited for, since
 * everything else would wait behind it: the next purge tries again.
 */
export async function dropPartitions(kysely: Kysely<Tables>, before: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass('usage_records')`.execute(kysely)
  const past = await pastUntil(kysely)
  const ends = rows.map(({ name }) => ({
    name,
    end: name === pastTable ? past : (Number(/^usage_day_(\d+)$/.exec(name)?.[1] ?? Infinity) + 1) * dayMs,
  }))
  for (const { name, end } of ends) {
    if (end <= before && !(await drop(kysely, name))) return
  }
}

async function drop(kysely: Kysely<Tables>, name: string): Promise<boolean> {
  try {
    await kysely.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '1s'`.execute(trx)
      await lockPartitions(trx)
      // Another process may have dropped it.
      await sql.raw(`drop table if exists ${name}`).execute(trx)
      if (name === pastTable) await trx.updateTable('usage_backfill').set({ past_until: 0 }).execute()
    })
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === lockNotAvailable) return false
    throw thrown
  }
}

const lockNotAvailable = '55P03'

async function lockPartitions(kysely: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('sluice usage partitions'), hashtext(current_schema()))`.execute(
    kysely,
  )
}

async function pastUntil(kysely: Kysely<Tables>): Promise<number> {
  const { past_until: until } = await kysely.selectFrom('usage_backfill').select('past_until').executeTakeFirstOrThrow()
  return until
}
