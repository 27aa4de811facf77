/** A row of `document_chunks` as a chunk. */
import type { DocumentChunksTable } from '../../schema.ts'
import type { StoredChunk } from '../document-chunks.ts'
import { ordinalOf } from './chunk-row.ts'

/** The chunk in this row, of this version of its document. */
export function storedChunk(row: DocumentChunksTable, documentId: string, version: number): StoredChunk {
  const ordinal = ordinalOf(row.row)
  return {
    id: `${documentId}/${version}/${ordinal}`,
    documentId,
    ordinal,
    start: row.start_at,
    end: row.end_at,
    page: row.page,
    pageLabel: row.page_label,
    headingPath: JSON.parse(row.heading_path) as readonly string[],
    tableHeader: row.table_header,
    tokens: row.tokens,
    text: row.text,
  }
}
