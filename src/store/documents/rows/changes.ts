/**
 * Which sets of chunks have become visible, have vanished, or are seen by others than before: how a
 * search keeps its memory equal to the database, also when another process writes. Only the number
 * of a set is logged; its present state is read again.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../../schema.ts'
import { insertRows } from '../statements.ts'

/** Entries that are kept. A search that is further behind compares the list of all sets. */
const changesKept = 100_000

/**
 * Notes changes, in the transaction that makes them. Taking the version holds the counter's only row
 * until the commit, so that on PostgreSQL versions are in the order of the commits: a reader of
 * the counter sees all changes up to it.
 */
export async function logChanges(trx: Transaction<Tables>, sets: readonly (number | null)[]): Promise<void> {
  const changed = sets.filter((setRow) => setRow !== null)
  if (changed.length === 0) return
  const { version } = await trx
    .updateTable('document_change_counter')
    .set(({ eb }) => ({ version: eb('version', '+', changed.length) }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow()
  const first = version - changed.length + 1
  await insertRows(
    trx,
    'document_changes',
    changed.map((setRow, index) => ({ version: first + index, set_row: setRow })),
  )
  await trx
    .deleteFrom('document_changes')
    .where('version', '<=', version - changesKept)
    .execute()
}

/** Version of the newest change. */
export async function changeVersion(kysely: Kysely<Tables>): Promise<number> {
  const row = await kysely.selectFrom('document_change_counter').select('version').executeTakeFirst()
  return row?.version ?? 0
}

/** The sets that were changed after this version, up to the current one; null when the log no longer reaches back. */
export async function changedSince(
  kysely: Kysely<Tables>,
  versions: { readonly seen: number; readonly current: number },
): Promise<readonly number[] | null> {
  const { seen, current } = versions
  // Also behind: a copy of the database that was put back.
  if (current - seen > changesKept || current < seen) return null
  const rows = await kysely
    .selectFrom('document_changes')
    .select(sql<number>`distinct set_row`.as('setRow'))
    .where('version', '>', seen)
    .execute()
  return rows.map(({ setRow }) => setRow)
}
