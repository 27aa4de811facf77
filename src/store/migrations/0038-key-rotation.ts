/** The secret of a key before its last rotation, which may work on for a while. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** A process of the version before knows only the new secret: it refuses the old one at once. */
export async function keyRotation(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  for (const column of ['previous_public_id text', 'previous_digest text', `previous_until ${integer}`])
    await sql.raw(`alter table api_keys add column ${column}`).execute(trx)
}
