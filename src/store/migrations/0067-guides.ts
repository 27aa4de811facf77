/** Whether a user has put "Getting started" away. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** 1: it is hidden. The version before shows it by what the account has done. */
export async function guides(trx: Transaction<Tables>): Promise<void> {
  await sql`alter table users add column guide_hidden integer not null default 0`.execute(trx)
}
