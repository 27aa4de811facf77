/** Accounts of programs. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Every account so far is a person's; so is one that a process of the version before adds. */
export async function serviceAccounts(trx: Transaction<Tables>): Promise<void> {
  await sql`alter table users add column kind text not null default 'person'`.execute(trx)
}
