/** Whether a person remains an administrator: asked inside the transaction that takes one away. */
import type { Transaction } from 'kysely'
import type { Database } from '../database.ts'
import { LastAdministrator } from '../errors.ts'
import type { Tables } from '../schema.ts'

/**
 * True when another person is an enabled administrator, and stays one until the transaction ends: two
 * changes at once follow one another, and the second sees what the first has left.
 */
export async function hasOtherAdministrator(
  { engine }: Pick<Database, 'engine'>,
  trx: Transaction<Tables>,
  userId: string,
): Promise<boolean> {
  const administrators = trx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled', '=', 0)
    .where('kind', '=', 'person')
    // One order for all, or two transactions could each hold what the other waits for.
    .orderBy('id')
  // SQLite has no row locks: a transaction holds the only write lock from its beginning.
  const rows = await (engine === 'sqlite' ? administrators : administrators.forUpdate()).execute()
  return rows.some(({ id }) => id !== userId)
}

/** Throws LastAdministrator when the user is the only person who is an enabled administrator. */
export async function requireOtherAdministrator(
  database: Pick<Database, 'engine'>,
  trx: Transaction<Tables>,
  userId: string,
): Promise<void> {
  if (await hasOtherAdministrator(database, trx, userId)) return
  const user = await trx
    .selectFrom('users')
    .select(['role', 'disabled', 'kind'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user?.role === 'admin' && user.disabled === 0 && user.kind === 'person') throw new LastAdministrator()
}
