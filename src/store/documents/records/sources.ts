/** The documents of a source: which file has which id, and the list of all of them. */
import type { Connection } from '../../database.ts'
import type { DocumentState, DocumentStore } from '../document-store.ts'
import type { DocumentSource } from '../document-source.ts'
import { plainText } from '../plain-text.ts'
import { sourceKey } from '../rows/document-row.ts'
import { isOneOf } from '../statements.ts'

/** A new file gets the id that its key makes, so that two imports of it at once mean one document. */
export async function idsOfSources(
  { engine, kysely }: Connection,
  importerId: string,
  sources: readonly Pick<DocumentSource, 'name' | 'id'>[],
): ReturnType<DocumentStore['idsOfSources']> {
  if (sources.length === 0) return []
  const keys = sources.map((source) => sourceKey(importerId, source))
  const rows = await kysely
    .selectFrom('documents')
    .select(['id', 'source_key'])
    .where(isOneOf(engine, 'source_key', keys))
    .execute()
  const idOf = new Map(rows.map(({ id, source_key: key }) => [key, id]))
  const made = keys.map(idOfKey)
  const used = await kysely
    .selectFrom('documents')
    .select('id')
    .where(isOneOf(engine, 'id', made))
    .execute()
  const taken = new Set(used.map(({ id }) => id))
  return keys.map((key, index) => {
    const id = made[index] ?? idOfKey(key)
    // The document that had this file once is that of another file since it was renamed.
    return idOf.get(key) ?? (taken.has(id) ? crypto.randomUUID() : id)
  })
}

/** A UUID of version 8 (RFC 9562 section 5.8). */
function idOfKey(key: string): string {
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-a${key.slice(17, 20)}-${key.slice(20, 32)}`
}

/** In the order of the keys, which the index has. */
export async function manifest(
  { kysely }: Connection,
  { importerId, source, after, limit }: Parameters<DocumentStore['manifest']>[0],
): ReturnType<DocumentStore['manifest']> {
  let query = kysely
    .selectFrom('documents')
    .select(['id', 'source_id', 'source_version', 'source_key', 'sha256', 'bytes', 'state'])
    .where('importer_id', '=', importerId)
    .where('source_name', '=', plainText(source))
    .where('source_key', 'is not', null)
  if (after !== null) query = query.where('source_key', '>', after)
  const rows = await query.orderBy('source_key').limit(limit).execute()
  return {
    entries: rows.map((row) => ({
      documentId: row.id,
      sourceId: row.source_id ?? '',
      sourceVersion: row.source_version,
      sha256: row.sha256,
      bytes: row.bytes,
      state: row.state as DocumentState,
    })),
    next: rows.length < limit ? null : (rows.at(-1)?.source_key ?? null),
  }
}
