/** Writes the metadata of documents: what people set, what files state, and the fields that filters look up. */
import type { Transaction } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import type { Completion, DocumentStore } from '../document-store.ts'
import { fieldsOf, metadataFault, patched, withStated, type Metadata } from '../metadata/metadata.ts'
import { logChanges } from '../rows/changes.ts'
import { documentAt, recordOrNull, type DocumentRow } from '../rows/document-row.ts'
import { insertRows } from '../statements.ts'
import { lockedDocument } from './locked-document.ts'

/** Changes of metadata in this database. */
export function documentDescribing({ engine, kysely }: Connection): Pick<DocumentStore, 'describe'> {
  return {
    describe: (id, viewer, { patch, now }) =>
      kysely.transaction().execute(async (trx) => {
        const document = await lockedDocument(engine, trx, { id, viewer })
        if (document === undefined) return null
        const metadata = patched(JSON.parse(document.metadata) as Metadata, patch)
        const fault = metadataFault(metadata)
        if (fault !== null) return { refused: fault }
        await writeMetadata(trx, document.row, metadata)
        await trx.updateTable('documents').set({ updated_at: now }).where('row', '=', document.row).execute()
        // A search that has looked up filters looks this document up again.
        await logChanges(trx, [document.visible_set])
        const record = await recordOrNull({ engine, kysely: trx }, await documentAt(trx, document.row))
        return record && { document: record }
      }),
  }
}

/** Takes over what a file states about itself, now that it was read. */
export async function writeStated(
  trx: Transaction<Tables>,
  { row, metadata, stated_metadata: before }: DocumentRow,
  { metadata: stated = {} }: Completion,
): Promise<void> {
  const now = JSON.stringify(stated)
  if (now === before) return
  const merged = withStated(JSON.parse(metadata) as Metadata, JSON.parse(before) as Metadata, stated)
  await trx
    .updateTable('documents')
    .set({ stated_metadata: storedMetadata(stated) })
    .where('row', '=', row)
    .execute()
  await writeMetadata(trx, row, merged)
}

/** Sets the metadata of a document. */
export async function writeMetadata(trx: Transaction<Tables>, row: number, metadata: Metadata): Promise<void> {
  await trx
    .updateTable('documents')
    .set({ metadata: storedMetadata(metadata) })
    .where('row', '=', row)
    .execute()
  await trx.deleteFrom('document_fields').where('document_row', '=', row).execute()
  await writeFields(trx, row, metadata)
}

/** Adds the fields of a document that has none. */
export async function writeFields(trx: Transaction<Tables>, row: number, metadata: Metadata): Promise<void> {
  const fields = fieldsOf(metadata).map((field, place) => ({ document_row: row, place, ...field }))
  await insertRows(trx, 'document_fields', fields)
}

/** As JSON that both engines hold; it is text to them. */
export function storedMetadata(metadata: Metadata | undefined): string {
  return JSON.stringify(metadata ?? {})
}
