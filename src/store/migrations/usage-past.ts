/** The bound between the rows of usage that stay in one table and those in daily partitions. */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

const dayMs = 86_400_000
/** Where there are rows, those of so many days more go to the old table: a change-over that is broken off must not refuse any. */
const marginDays = 31

/** The first moment that no row of the old table may have: as its constraint says when there is one. */
export async function pastUntil(kysely: Kysely<Tables>): Promise<number> {
  const existing = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint
    where conname = 'usage_past_check' and conrelid = to_regclass('usage_records')`.execute(kysely)
  const bound = /(\d+)/.exec(existing.rows[0]?.text ?? '')?.[1]
  if (bound !== undefined) return Number(bound)
  const { rows } = await sql<{ latest: number | null; now: number }>`
    select max(at) as latest, (extract(epoch from now()) * 1000)::bigint as now from usage_records`.execute(kysely)
  const { latest = null, now = 0 } = rows[0] ?? {}
  const days = latest === null ? Math.floor(now / dayMs) : Math.floor(Math.max(latest, now) / dayMs) + marginDays
  return days * dayMs
}
