/** GET /api/v1/document/{doc_id}: the record of a document, from queued to its end. */
import { createHash } from 'node:crypto'
import { expect, test } from 'bun:test'
import { documentAnswer } from '#documents/records/document-record.ts'
import { documentsOfFile, startDocuments, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'

const app = documentsOfFile()

test('a completed document says everything about itself, as documented', async () => {
  const pdf = writePdf({
    title: 'A title',
    pages: [{ texts: column(['The first page has some text on it.']) }, { texts: column(['And so has the second.']) }],
  })
  const before = Date.now()
  const options = { chunker: { name: 'page' } }
  const record = await app().imported({ name: 'two pages.pdf', bytes: Buffer.from(pdf).toString('base64') }, options)
  expect(documentAnswer.parse(record)).toEqual(record)
  const time = expect.any(String) as unknown as string
  expect(record).toEqual({
    doc_id: expect.any(String) as string,
    name: 'two pages.pdf',
    title: 'A title',
    other_names: [],
    category: 'notes',
    metadata: {},
    owners: [`${app().keys.main.userId}@example.com`],
    state: 'completed',
    progress: { pages: { done: 2, total: 2 }, chunks: { done: 2, total: 2 }, embedded: { done: 2, total: 2 } },
    attempts: 1,
    error: null,
    warnings: [expect.stringContaining('built-in')] as string[],
    bytes: pdf.length,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    media_type: 'application/pdf',
    version: 1,
    source: null,
    source_id: null,
    source_version: null,
    searchable: true,
    reader: { name: 'auto' },
    chunker: { name: 'page', units: 1, overlap: 0, tokenizer: expect.any(String) as string },
    embedder: { name: 'hashing' },
    created_at: time,
    updated_at: time,
    timestamps: { queued: time, reading: time, chunking: time, embedding: time, storing: time, completed: time },
  })
  const { queued, reading, chunking, embedding, storing, completed } = record.timestamps
  const times = [record.created_at, queued, reading, chunking, embedding, storing, completed].map((at) =>
    Date.parse(at!),
  )
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(before)
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now())
})

test('a document under way says in which state it is and how much is done', async () => {
  await using quick = await startDocuments({
    set: ['documents.lease_seconds=2', 'documents.embed_batch=2', 'documents.embed_concurrency=1'],
  })
  quick.upstream.script(embedsWhenReleased)
  const [id] = await quick.accepted([{ bytes: 'one two three four five six' }], {
    chunker: 'character',
    chunk_units: 7,
    embedder: 'plain',
  })
  await eventually(() => quick.upstream.requests.length >= 2)
  quick.upstream.release(1)
  let record = await quick.record(id!)
  // The next heartbeat writes how far it is.
  await eventually(async () => (record = await quick.record(id!)).progress.embedded.done > 0)
  const { state, progress, attempts, error, searchable } = record
  const total = progress.chunks.total
  expect({ state, attempts, error, searchable, progress }).toEqual({
    state: 'embedding',
    attempts: 1,
    error: null,
    searchable: false,
    progress: {
      pages: { done: 0, total: 0 },
      chunks: { done: total, total },
      embedded: { done: 2, total },
    },
  })
  expect(total).toBeGreaterThan(2)
  quick.upstream.release(10)
  expect((await quick.ended(id!)).progress.embedded).toEqual({ done: total, total })
})

test('the id may be written in capitals', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'capitals' })
  expect((await app().record(id.toUpperCase())).doc_id).toBe(id)
})
