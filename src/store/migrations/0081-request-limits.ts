/** Which limits a request counted in, and what each had left. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Requests that a process of the version before records have none. */
export async function requestLimits(trx: Transaction<Tables>): Promise<void> {
  await sql.raw('alter table usage_records add column limits text').execute(trx)
}
