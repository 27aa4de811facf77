/**
 * The gateway app with its documents: files in, states out, and the shapes of the answers. Documents are
 * embedded by the built-in embedder unless a test says otherwise.
 */
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { everyoneGroupId } from '#identity/records.ts'
import type { BlobStore } from '#documents/blobs/blob-store.ts'
import { directoryBlobs } from '#documents/blobs/directory-blobs.ts'
import type { ChunkOnWire, DocumentOnWire } from '#documents/records/document-record.ts'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import { startGateway, type ChatOptions, type GatewayApp, type GatewayOptions } from './gateway-app.ts'
import type { StockKey } from './gateway-catalog.ts'

export interface SearchHitOnWire {
  readonly doc_id: string
  readonly name: string
  readonly text: string
  readonly start: number
  readonly end: number
  readonly page: number | null
  readonly heading_path: readonly string[]
  readonly score: number
  readonly scores: {
    readonly vector: { readonly score: number; readonly rank: number } | null
    readonly keyword: { readonly score: number; readonly rank: number } | null
  }
  readonly before: readonly { readonly ordinal: number }[]
  readonly after: readonly { readonly ordinal: number }[]
}

export interface SearchOnWire {
  readonly object: 'list'
  readonly data: readonly SearchHitOnWire[]
  readonly mode: string
  readonly warnings: readonly string[]
}

export interface AnsweredImport extends ImportAnswer {
  readonly status: number
}

/** What a request does not say. */
type Item = Readonly<Record<string, unknown>>

export interface DocumentsApp extends GatewayApp {
  /** The stored bytes. */
  readonly blobs: BlobStore
  /** Names of what was received and belongs to nothing, and of what is being read. */
  onTheirWay(): Promise<readonly string[]>
  /** POST /api/v1/documents with these items, each a text of category `notes` unless it says otherwise. */
  import(items: readonly Item[] | string, fields?: object, options?: ChatOptions): Promise<Response>
  /** The same, answered with 202 or 207. */
  answer(items: readonly Item[], fields?: object, options?: ChatOptions): Promise<AnsweredImport>
  /** The only item of an import with one, which was refused as this code says; its message. */
  invalid(item: Item, code: string, fields?: object, options?: ChatOptions): Promise<string>
  /** The same as a form. */
  form(form: FormData, options?: ChatOptions): Promise<Response>
  /** The same, accepted: ids of the documents. */
  accepted(items: readonly Item[], fields?: object, options?: ChatOptions): Promise<readonly string[]>
  /** One accepted document, at its end. */
  imported(item: Item, fields?: object, options?: ChatOptions): Promise<DocumentOnWire>
  /** GET /api/v1/document/{id}. */
  document(id: string, options?: ChatOptions): Promise<Response>
  /** The record of a document that the caller sees. */
  record(id: string, options?: ChatOptions): Promise<DocumentOnWire>
  /** A key of this user for these areas only. */
  keyFor(owner: StockKey, areas: readonly string[]): Promise<StockKey>
  /** Status of a request about this document. */
  statusOf(method: string, path: string, key: StockKey | null): Promise<number>
  /** The chunks of a document that the caller sees, the first hundred. */
  chunks(id: string, options?: ChatOptions): Promise<readonly ChunkOnWire[]>
  /** Ids of a list of documents. */
  listed(query?: string, options?: ChatOptions): Promise<readonly string[]>
  /** The record once the document has ended. */
  ended(id: string, options?: ChatOptions): Promise<DocumentOnWire>
  search(body: object, options?: ChatOptions): Promise<Response>
  /** Hits of a search that was answered. */
  hits(body: object, options?: ChatOptions): Promise<readonly SearchHitOnWire[]>
}

const settings = ['documents.concurrency=4', 'documents.reader_processes=1']
const endStates: readonly string[] = ['completed', 'failed', 'cancelled']
const jsonType = { 'content-type': 'application/json' }

/**
 * Resolves when the condition holds, with a moment between two looks: the process that reads files has
 * the lower priority, and a busy loop would starve it.
 */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Nothing is processed: what is imported stays queued, and every answer is quick. */
export const idle = ['documents.concurrency=0']

export interface DocumentsOptions extends GatewayOptions {
  /** Whether every user has the permission `documents.share`; yes when left out. */
  readonly sharing?: boolean
}

/** Opens an app for the tests of a file, and closes it after them. */
export function documentsOfFile(options?: DocumentsOptions): () => DocumentsApp {
  let app: DocumentsApp
  beforeAll(async () => void (app = await startDocuments(options)))
  afterAll(() => app[Symbol.asyncDispose]())
  return () => app
}

export async function startDocuments({
  set = [],
  sharing = true,
  ...more
}: DocumentsOptions = {}): Promise<DocumentsApp> {
  const app = await startGateway({ ...more, set: [...settings, ...set] })
  if (sharing) await app.operate('PATCH', `/groups/${everyoneGroupId}`, { permissions: ['documents.share'] })
  const send = (path: string, body: string, options: ChatOptions = {}): Promise<Response> =>
    app.request('POST', path, { ...options, headers: { ...jsonType, ...options.headers }, body })

  const importFiles: DocumentsApp['import'] = (items, fields = {}, options = {}) => {
    const files =
      typeof items === 'string' ? items : items.map((item) => ({ name: 'note.txt', category: 'notes', ...item }))
    return send('/api/v1/documents', JSON.stringify({ files, ...fields }), options)
  }
  const document: DocumentsApp['document'] = (id, options) => app.request('GET', `/api/v1/document/${id}`, options)
  const answered: DocumentsApp['answer'] = async (items, fields, options) => {
    const response = await importFiles(items, fields, options)
    const body = (await response.json()) as ImportAnswer
    expect([response.status, body]).toEqual([
      [202, 207].includes(response.status) ? response.status : 202,
      { accepted: expect.any(Array), duplicate: expect.any(Array), invalid: expect.any(Array) },
    ])
    return { status: response.status, ...body }
  }
  const record: DocumentsApp['record'] = async (id, options) => {
    const response = await document(id, options)
    expect(response.status).toBe(200)
    return (await response.json()) as DocumentOnWire
  }
  const accepted: DocumentsApp['accepted'] = async (items, fields, options) => {
    const response = await importFiles(items, fields, options)
    const answer = (await response.json()) as ImportAnswer
    expect({ status: response.status, answer }).toMatchObject({ status: 202, answer: { duplicate: [], invalid: [] } })
    return answer.accepted.map(({ doc_id: id }) => id!)
  }
  const ended: DocumentsApp['ended'] = async (id, options) => {
    let last: DocumentOnWire | undefined
    await eventually(async () => {
      last = await record(id, options)
      return endStates.includes(last.state)
    })
    return last!
  }
  const search: DocumentsApp['search'] = (body, options) => send('/api/v1/search', JSON.stringify(body), options)
  return {
    ...app,
    blobs: directoryBlobs(join(app.directory, 'documents', 'blobs')),
    async onTheirWay() {
      const incoming = join(app.directory, 'documents', 'incoming')
      if (!existsSync(incoming)) return []
      const spools = await readdir(incoming)
      return (await Promise.all(spools.map((spool) => readdir(join(incoming, spool))))).flat()
    },
    import: importFiles,
    answer: answered,
    async invalid(item, code, fields, options) {
      const { status, accepted: kept, duplicate, invalid } = await answered([item], fields, options)
      expect([status, kept, duplicate, invalid.map(({ reason }) => reason?.code)]).toEqual([207, [], [], [code]])
      expect(invalid[0]?.bytes).toBe('')
      return invalid[0]?.reason?.message ?? ''
    },
    form: (form, options) => app.request('POST', '/api/v1/documents', { ...options, body: form }),
    accepted,
    record,
    async keyFor({ userId }, areas) {
      const made = await app.operate('POST', `/users/${userId}/keys`, { name: 'scoped', scopes: { areas } })
      expect(made.status).toBe(201)
      const { id, secret } = (await made.json()) as { id: string; secret: string }
      return { id, userId, secret }
    },
    async statusOf(method, path, key) {
      const response = await app.request(method, path, { key })
      await response.arrayBuffer()
      return response.status
    },
    async chunks(id, options) {
      const response = await app.request('GET', `/api/v1/document/${id}/chunks`, options)
      expect(response.status).toBe(200)
      return ((await response.json()) as { data: ChunkOnWire[] }).data
    },
    async listed(query = '', options) {
      const response = await app.request('GET', `/api/v1/documents${query}`, options)
      expect(response.status).toBe(200)
      return ((await response.json()) as { data: DocumentOnWire[] }).data.map(({ doc_id: id }) => id)
    },
    async imported(item, fields, options) {
      const [id] = await accepted([item], { ...fields, wait_for_completion: true }, options)
      const last = await record(id!, options)
      expect(endStates).toContain(last.state)
      return last
    },
    document,
    ended,
    search,
    async hits(body, options) {
      const response = await search(body, options)
      expect(response.status).toBe(200)
      return ((await response.json()) as SearchOnWire).data
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
