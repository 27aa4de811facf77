/**
 * Sums of rows that were written without them: those of before the sums, in steps that begin with the newest, and on
 * PostgreSQL those of older versions that run beside this one. A step that is broken off is done again.
 */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import { usageColumns } from './usage-record.ts'
import { floorTo, hourMs } from './usage-spans.ts'
import {
  addSums,
  noTimes,
  SeriesNumbers,
  sumsOf,
  summandNames,
  summands,
  type HourSums,
  type Summand,
} from './usage-sums.ts'
import type { UsageWork } from './usage.ts'

/** Rows of one step. SQLite holds its only write lock for the sums of a step: a few milliseconds. */
const stepRows = { sqlite: 2000, postgres: 20_000 } as const
const lateRows = 2000

/** Catching up on this database. */
export function usageBackfill(connection: Connection): Pick<UsageWork, 'sumSome'> {
  const { engine, kysely } = connection
  const numbers = new SeriesNumbers()
  let complete = false
  return {
    async sumSome() {
      if (!complete) {
        const { remaining } = await kysely.selectFrom('usage_backfill').select('remaining').executeTakeFirstOrThrow()
        complete = remaining === 0
        if (!complete) return await sumStep(connection, numbers, remaining)
      }
      return engine === 'postgres' && (await sumLate(connection, numbers))
    },
  }
}

/** The rows below `remaining` are only read here, and nobody deletes them before they are summed: no lock is needed. */
async function sumStep({ engine, kysely }: Connection, numbers: SeriesNumbers, remaining: number): Promise<boolean> {
  const table = sql.table(engine === 'sqlite' ? 'usage_records' : 'usage_past')
  const next = await sql<{ id: number }>`
    select id from ${table} where id <= ${remaining} order by id desc limit 1 offset ${stepRows[engine]}`.execute(
    kysely,
  )
  const below = next.rows[0]?.id ?? 0
  const values = summandNames.map((name) => sql`cast(sum(${summands[name]}) as bigint) as ${sql.ref(name)}`)
  const { rows } = await sql<SummedRow>`
    select at - at % ${hourMs} as at, user_id, key_id, model_served, provider, ${sql.join(values)}
    from ${table} where id > ${below} and id <= ${remaining} group by 1, 2, 3, 4, 5`.execute(kysely)
  const sums = rows.map(hourSums)
  const numberOf = await numbers.of(
    kysely,
    sums.map(({ series }) => series),
  )
  await kysely.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('usage_backfill')
      .set({ remaining: below })
      .where('remaining', '=', remaining)
      .executeTakeFirst()
    // Otherwise another process has done this step.
    if (numUpdatedRows === 1n) await addSums(trx, engine, sums, numberOf)
  })
  return true
}

interface SummedRow extends Record<Summand, number> {
  readonly at: number
  readonly user_id: string | null
  readonly key_id: string | null
  readonly model_served: string | null
  readonly provider: string | null
}

function hourSums(row: SummedRow): HourSums {
  return {
    at: floorTo(row.at, hourMs),
    series: [row.user_id ?? '', row.key_id ?? '', row.model_served ?? '', row.provider ?? ''],
    values: summandNames.map((name) => row[name]),
    times: noTimes,
  }
}

/** Rows that an older version has written since: their column says that they are not counted. */
async function sumLate({ engine, kysely }: Connection, numbers: SeriesNumbers): Promise<boolean> {
  return await kysely.transaction().execute(async (trx) => {
    const late = await sql<Record<string, string | number | null> & { id: number }>`
      select * from usage_records where uncounted = 1 and id > (select boundary from usage_backfill)
      order by id limit ${lateRows} for update skip locked`.execute(trx)
    if (late.rows.length === 0) return false
    const sums = sumsOf(late.rows.map((row) => usageColumns.map((column) => row[column] ?? null)))
    // The numbers come from another connection than the transaction's: a series stays when the transaction fails.
    const numberOf = await numbers.of(
      kysely,
      sums.map(({ series }) => series),
    )
    const ids = late.rows.map(({ id }) => id)
    await sql`update usage_records set uncounted = null where uncounted = 1 and id in (${sql.join(ids)})`.execute(trx)
    await addSums(trx, engine, sums, numberOf)
    return true
  })
}
