/** Whether a worker still has the lease in whose name it writes. Asked in the transaction of the write. */
import type { Connection } from '../../database.ts'
import { needsRowLocks, type DocumentRow } from '../rows/document-row.ts'
import { LeaseLost } from '../../errors.ts'
import type { Lease } from '../document-store.ts'
import { plainText } from '../plain-text.ts'

/** The row of a document whose job is leased under this fence, locked. Throws LeaseLost. */
export async function leasedDocument(connection: Connection, lease: Lease): Promise<DocumentRow> {
  const document = await leasedDocumentOrUndefined(connection, lease)
  if (document === undefined) throw new LeaseLost('The document was taken over, changed or deleted in the meantime.')
  return document
}

/** As leasedDocument; undefined when the lease is lost. */
export async function leasedDocumentOrUndefined(
  { engine, kysely }: Connection,
  { id, fence }: Lease,
): Promise<DocumentRow | undefined> {
  let query = kysely.selectFrom('documents').selectAll().where('id', '=', plainText(id)).where('fence', '=', fence)
  if (needsRowLocks(engine)) query = query.forUpdate()
  const document = await query.executeTakeFirst()
  if (document === undefined) return undefined
  const job = await kysely
    .selectFrom('document_jobs')
    .select('fence')
    .where('document_row', '=', document.row)
    .where('fence', '=', fence)
    .where('lease_until', 'is not', null)
    .executeTakeFirst()
  return job === undefined ? undefined : document
}
