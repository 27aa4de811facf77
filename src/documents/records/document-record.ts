/** How a document and its chunks look on the wire. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import type { StoredChunk } from '#store/documents/document-chunks.ts'
import { documentStates, type DocumentRecord } from '#store/documents/document-store.ts'

const done = z.strictObject({ done: z.int(), total: z.int() })
const component = z.looseObject({ name: z.string() })

export const documentAnswer = z
  .strictObject({
    doc_id: z.string(),
    name: z.string(),
    title: z.string().nullable().describe('The title that the file itself states'),
    other_names: z.array(z.string()).describe('Names under which the same file was imported again, the first hundred'),
    category: z.string(),
    metadata: z.looseObject({}).describe('What was set, and what the file itself states, for example its author'),
    owners: z.array(z.string()),
    state: z.enum(documentStates),
    progress: z.strictObject({ pages: done, chunks: done, embedded: done }),
    attempts: z.int(),
    error: z
      .strictObject({ code: z.string(), stage: z.string(), message: z.string(), retryable: z.boolean() })
      .nullable(),
    warnings: z.array(z.string()),
    bytes: z.int(),
    sha256: z.string(),
    media_type: z.string().nullable().describe('Told by the content; null until it was read'),
    version: z.int().describe('Rises when the document is given other bytes'),
    source: z.string().nullable().describe('Where the file comes from; null when its import did not say'),
    source_id: z.string().nullable().describe('The file within its source'),
    source_version: z.string().nullable(),
    searchable: z
      .boolean()
      .describe('A version of it can be found: this one, or the one before while this one is made'),
    reader: component,
    chunker: component,
    embedder: component,
    created_at: instant,
    updated_at: instant,
    timestamps: z.partialRecord(z.enum(documentStates), instant).describe('When each state was last entered'),
  })
  .meta({ id: 'Document' })

export const manifestAnswer = z
  .strictObject({
    data: z.array(
      z.strictObject({
        doc_id: z.string(),
        source_id: z.string(),
        source_version: z.string().nullable().describe('As the last import of the file said'),
        sha256: z.string().describe('Of the newest version, whatever its state'),
        bytes: z.int(),
        state: z.enum(documentStates),
      }),
    ),
    next: z.string().nullable().describe('Send it as `after` for those that follow; null at the end'),
  })
  .meta({ id: 'SourceManifest' })

export type DocumentOnWire = z.input<typeof documentAnswer>

export function documentOnWire(record: DocumentRecord, ownerOnWire: (principal: string) => string): DocumentOnWire {
  const { pages, chunks, embedded } = record.progress
  return {
    doc_id: record.id,
    name: record.name,
    title: record.title,
    other_names: [...record.otherNames],
    category: record.category,
    metadata: { ...record.metadata },
    owners: record.owners.map(ownerOnWire),
    state: record.state,
    progress: { pages: { ...pages }, chunks: { ...chunks }, embedded: { ...embedded } },
    attempts: record.attempts,
    error: record.error && { ...record.error },
    warnings: [...record.warnings],
    bytes: record.bytes,
    sha256: record.sha256,
    media_type: record.mediaType,
    version: record.version,
    source: record.source?.name ?? null,
    source_id: record.source?.id ?? null,
    source_version: record.source?.version ?? null,
    searchable: record.visible,
    reader: { ...record.reader },
    chunker: { ...record.chunker },
    embedder: { ...record.embedder },
    created_at: instantOf(record.createdAt),
    updated_at: instantOf(record.updatedAt),
    timestamps: Object.fromEntries(Object.entries(record.stateAt).map(([state, at]) => [state, instantOf(at)])),
  }
}

export const chunkAnswer = z
  .strictObject({
    id: z.string(),
    ordinal: z.int().describe('Place in the document, from 0'),
    start: z.int().describe("Offset in the document's text, in Unicode code points"),
    end: z.int(),
    page: z.int().nullable(),
    page_label: z.string().nullable().describe('Name of the sheet or attachment'),
    heading_path: z.array(z.string()),
    table_header: z.string().nullable().describe('Header of the table in which the chunk begins'),
    tokens: z.int(),
    text: z.string(),
  })
  .meta({ id: 'Chunk' })

export type ChunkOnWire = z.input<typeof chunkAnswer>

export function chunkOnWire(chunk: StoredChunk): ChunkOnWire {
  const { id, ordinal, start, end, page, tokens, text } = chunk
  const headings = [...chunk.headingPath]
  return {
    id,
    ordinal,
    start,
    end,
    page,
    page_label: chunk.pageLabel,
    heading_path: headings,
    table_header: chunk.tableHeader,
    tokens,
    text,
  }
}
