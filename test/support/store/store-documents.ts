/** Documents, claims and chunks for tests of their store. */
import type { NewChunk } from '#store/documents/document-chunks.ts'
import type {
  Claim,
  Completion,
  DocumentError,
  DocumentProgress,
  DocumentStore,
  NewDocument,
  Viewer,
} from '#store/documents/document-store.ts'

export const everything: Viewer = { userId: 'admin', principals: [], all: true }
export const space = { key: 'built-in/8', dimensions: 8 }

let made = 0

export function aDocument(fields: Partial<NewDocument> = {}): NewDocument {
  made += 1
  const id = crypto.randomUUID()
  return {
    id,
    importerId: 'ada',
    owners: ['user:ada'],
    name: `report ${made}.pdf`,
    category: 'reports',
    sha256: id.replaceAll('-', '').padEnd(64, '0'),
    bytes: 1000,
    place: null,
    reader: { name: 'auto' },
    chunker: { name: 'token', units: 256 },
    embedder: { name: 'built-in' },
    createdAt: 1_770_000_000_000 + made,
    ...fields,
  }
}

export function viewer(userId: string, ...principals: string[]): Viewer {
  return { userId, principals: [`user:${userId}`, ...principals], all: false }
}

/** A unit vector near one of the axes. */
export function aVector(axis: number, dimensions = space.dimensions): Float32Array {
  return Float32Array.from({ length: dimensions }, (_each, index) => (index === axis % dimensions ? 1 : 0.01 * index))
}

export function aChunk(ordinal: number, fields: Partial<NewChunk> = {}): NewChunk {
  return {
    ordinal,
    start: ordinal * 100,
    end: ordinal * 100 + 90,
    page: 1,
    pageLabel: null,
    headingPath: [],
    tableHeader: null,
    tokens: 20,
    text: `chunk number ${ordinal}`,
    vector: aVector(ordinal),
    ...fields,
  }
}

export function chunks(count: number, fields: (ordinal: number) => Partial<NewChunk> = () => ({})): NewChunk[] {
  return Array.from({ length: count }, (_each, ordinal) => aChunk(ordinal, fields(ordinal)))
}

export const progress: DocumentProgress = {
  pages: { done: 1, total: 1 },
  chunks: { done: 2, total: 2 },
  embedded: { done: 2, total: 2 },
}

export const completion: Completion = {
  spaceKey: space.key,
  mediaType: 'application/pdf',
  title: 'Annual report',
  warnings: ['page 3 has no text'],
  progress,
  pages: [{ number: 1, label: null, start: 0 }],
  stateAt: { reading: 1, completed: 5 },
}

export const anError: DocumentError = {
  code: 'unreadable',
  stage: 'reading',
  message: 'The file is damaged.',
  retryable: true,
}

/** Claims what waits, for a minute from `now` on. */
export function claim(documents: DocumentStore, fields: { now?: number; max?: number; worker?: string } = {}) {
  const { now = 1_780_000_000_000, max = 10, worker = 'worker' } = fields
  return documents.claim({ worker, max, leaseUntil: now + 60_000, now })
}

export function heldBy({ document, fence }: Claim) {
  return { id: document.id, fence }
}

/** Imports a document and completes it with these chunks. */
export async function complete(
  documents: DocumentStore,
  document: NewDocument,
  its: readonly NewChunk[],
  inSpace: typeof space = space,
): Promise<void> {
  await completeAll(documents, [{ document, its }], inSpace)
}

/** Imports documents and completes them with their chunks. */
export async function completeAll(
  documents: DocumentStore,
  imported: readonly { readonly document: NewDocument; readonly its: readonly NewChunk[] }[],
  inSpace: typeof space = space,
): Promise<void> {
  await documents.insert(imported.map(({ document }) => document))
  const chunksOf = new Map(imported.map(({ document, its }) => [document.id, its]))
  for (const each of await claim(documents, { max: 1000 })) {
    const its = chunksOf.get(each.document.id)
    if (its === undefined) continue
    if (its.length > 0) await documents.stage(heldBy(each), inSpace, its)
    await documents.complete(heldBy(each), { ...completion, spaceKey: inSpace.key }, 1_780_000_000_001)
  }
}
