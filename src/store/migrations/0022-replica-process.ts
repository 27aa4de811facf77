/** Which process of which machine a replica is, so that others on that machine see at once when it has ended. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Null: written by an earlier version, or not known. */
export async function replicaProcess(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'postgres') await sql`alter table replicas add column process text`.execute(trx)
}
