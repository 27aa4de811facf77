/** The end of a document's work, for receivers of webhooks. */
import type { Transaction } from 'kysely'
import type { Tables } from '../../schema.ts'
import { addEvent } from '../../webhooks/outbox.ts'
import type { DocumentError } from '../document-store.ts'
import type { DocumentRow } from '../rows/document-row.ts'

interface DocumentEnd {
  readonly type: 'document.completed' | 'document.failed'
  readonly at: number
  readonly error?: DocumentError | null
}

/** Stores the event with the change that it tells. */
export async function tellEnded(
  trx: Transaction<Tables>,
  { id, importer_id: userId, name, category, version }: DocumentRow,
  { type, at, error = null }: DocumentEnd,
): Promise<void> {
  const data = {
    name,
    category,
    version,
    ...(error !== null && { error: { code: error.code, message: error.message } }),
  }
  await addEvent(trx, { type, subject: id, at, userId, data })
}
