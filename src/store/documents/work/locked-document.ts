/** A document that a user wants to change, read so that nothing else changes it first. */
import type { Transaction } from 'kysely'
import type { Engine } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import type { Viewer } from '../document-store.ts'
import { plainText } from '../plain-text.ts'
import { needsRowLocks, type DocumentRow } from '../rows/document-row.ts'
import { canSeeRecord } from '../rows/visibility.ts'

/** The document of this id, locked until the transaction ends; undefined when the viewer does not see its record. */
export function lockedDocument(
  engine: Engine,
  trx: Transaction<Tables>,
  { id, viewer }: { readonly id: string; readonly viewer: Viewer },
): Promise<DocumentRow | undefined> {
  const query = trx
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', plainText(id))
    .where(canSeeRecord(engine, viewer))
  return (needsRowLocks(engine) ? query.forUpdate() : query).executeTakeFirst()
}
