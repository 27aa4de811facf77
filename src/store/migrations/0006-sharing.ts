/**
 * What the members of a group may do beyond their own affairs, and the importer as part of what makes two imports
 * the same: nobody learns from an import that another user has the same file.
 */
import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Adds the permissions of groups, and recomputes the content keys of all documents. */
export async function sharing(trx: Transaction<Tables>): Promise<void> {
  await sql.raw("alter table groups add column permissions text not null default '[]'").execute(trx)
  const owners = Map.groupBy(
    await trx.selectFrom('document_owners').select(['document_row', 'principal']).execute(),
    (owner) => owner.document_row,
  )
  const documents = await trx.selectFrom('documents').select(['row', 'sha256', 'category', 'importer_id']).execute()
  for (const { row, sha256, category, importer_id: importerId } of documents) {
    const principals = (owners.get(row) ?? []).map(({ principal }) => principal).sort()
    const parts = [sha256, category, importerId, ...principals]
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    await trx.updateTable('documents').set({ content_key: key }).where('row', '=', row).execute()
  }
}
