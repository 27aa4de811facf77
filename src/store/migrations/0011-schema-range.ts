/**
 * Which schema the code of each process knows: what older code uses is taken away only when none of it runs. And what
 * each process says about itself.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the newest schema that a process knows, 0 for one of version 0.1, which does not say, and its status. */
export async function schemaRange(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`
    alter table replicas
      add column schema_version integer not null default 0,
      add column status text not null default ''
  `.execute(trx)
}
