/** The content of a document that was imported by its address, once its worker has fetched it. */
import type { Connection } from '../../database.ts'
import { namedColumns, recordOrNull } from '../rows/document-row.ts'
import type { DocumentStore, FetchedContent, Lease } from '../document-store.ts'
import { leasedDocument } from './lease.ts'

/** Writes of contents in this database. */
export function documentReceiving({ engine, kysely }: Connection): Pick<DocumentStore, 'receive'> {
  return {
    receive: (lease, content, now) =>
      kysely.transaction().execute((trx) => receive({ engine, kysely: trx }, lease, content, now)),
  }
}

async function receive(
  within: Connection,
  lease: Lease,
  { version, ...received }: FetchedContent,
  now: number,
): Promise<void> {
  const document = await recordOrNull(within, await leasedDocument(within, lease))
  if (document === null) return
  const source = document.source && { ...document.source, version }
  const { content_key: key, source_version: sourceVersion } = namedColumns({ ...document, ...received, source })
  const { sha256, bytes, place, reader } = received
  await within.kysely
    .updateTable('documents')
    .set({ sha256, bytes, place, reader: JSON.stringify(reader), content_key: key, source_version: sourceVersion })
    .set({ updated_at: now })
    .where('id', '=', document.id)
    .execute()
}
