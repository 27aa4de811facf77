/**
 * What does a search cost, how good is it, and what does an import beside it do to it?
 * `bun bench/search/run.ts [chunks] [database URL] [common]`: 100,000 chunks of 384 dimensions in documents of
 * ten, of which every hundredth belongs to one user, in an SQLite file that is made and removed.
 *
 * `common` as the third argument makes vectors of a power-law spectrum that all lean to one side. `together` as the fourth
 * only measures 50 viewers, one after the other and four at once, alone and beside an import of 200 files a second.
 *
 * A database that holds documents already, from an earlier run, is searched as it is.
 *
 * Recall is against the exact cosine of every vector. Times are those of the calls as a request makes
 * them, thread and all; CPU time is that of the whole process, and tells the cost on a busy machine too.
 * Figures go to stdout.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase } from '#store/database.ts'
import { setOf } from '#store/documents/rows/chunk-row.ts'
import type { NewChunk } from '#store/documents/document-chunks.ts'
import type { Completion, DocumentStore, FindQuery, NewDocument, Viewer } from '#store/documents/document-store.ts'
import { openStore } from '#store/store.ts'
import { corpus, dimensions } from './corpus.ts'

const total = Number(process.argv[2] ?? 100_000)
const perDocument = 10
const longDocument = 1000
const searches = 200
const viewers = 50
const space = { key: 'bench', dimensions }
const everything: Viewer = { userId: 'admin', principals: [], all: true }
const bob: Viewer = { userId: 'bob', principals: ['user:bob'], all: false }

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-search-'))
const url = process.argv[3] ?? `sqlite:${join(folder, 'bench.db')}`
const opened = () => openStore({ url, searchDirectory: join(folder, 'search'), sealer: sealer(new Uint8Array(32)) })
let store = await opened()
let { documents } = store
const made = corpus(1, process.argv[4] === 'common')

function aDocument(importerId: string): NewDocument {
  const id = crypto.randomUUID()
  return {
    id,
    importerId,
    owners: [`user:${importerId}`, 'group:everyone'].slice(0, importerId === 'eve' ? 2 : 1),
    name: 'a.txt',
    category: 'bench',
    sha256: id,
    place: null,
    bytes: 1,
    createdAt: 1,
    reader: { name: 'auto' },
    chunker: { name: 'token' },
    embedder: { name: 'bench' },
  }
}

/** Each sees what is shared with everyone, and some of them what is bob's. */
function viewerOf(number: number): Viewer {
  const principals = [`user:${number}`, 'group:everyone', ...(number % 2 === 0 ? ['user:bob'] : [])]
  return { userId: `viewer ${number}`, principals, all: false }
}

const stageTimes: number[] = []

async function imported(document: NewDocument, chunks: number, ready?: readonly NewChunk[]): Promise<void> {
  await documents.insert([document])
  const [claim] = await documents.claim({ worker: 'bench', max: 1, leaseUntil: 2 ** 50, now: 2 ** 49 })
  if (claim === undefined) throw new Error('The document was not queued.')
  const held = { id: document.id, fence: claim.fence }
  for (let start = 0; start < chunks; start += 25) {
    const slice =
      ready?.slice(start, start + 25) ??
      Array.from({ length: Math.min(25, chunks - start) }, (_each, index) => made.chunk(start + index))
    const began = performance.now()
    await documents.stage(held, space, slice)
    stageTimes.push(performance.now() - began)
  }
  await documents.complete(held, completionOf(chunks), 3)
}

function completionOf(chunks: number): Completion {
  const done = { done: chunks, total: chunks }
  const progress = { pages: done, chunks: done, embedded: done }
  const what = { spaceKey: space.key, mediaType: 'text/plain', title: null }
  return { ...what, pages: [], warnings: [], progress, stateAt: {} }
}

function percentile(times: readonly number[], part: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)
}

function report(what: string, times: readonly number[]): void {
  console.log(
    `${what.padEnd(48)} p50 ${percentile(times, 0.5)} ms  p95 ${percentile(times, 0.95)} ms  max ${percentile(times, 1)} ms`,
  )
}

async function measured(what: string, query: () => Partial<FindQuery>, atOnce = 1): Promise<void> {
  const times: number[] = []
  const cpu = process.cpuUsage()
  const ask = async (): Promise<void> => {
    for (let run = 0; run < searches / atOnce; run += 1) {
      const asked = { viewer: everything, filter: {}, keywords: null, vectors: [], limit: 50, ...query() }
      const began = performance.now()
      await documents.find(asked)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  const { user, system } = process.cpuUsage(cpu)
  report(`${what} (CPU ${((user + system) / 1000 / searches).toFixed(1)} ms)`, times)
}

const vectors = (): FindQuery['vectors'] => [{ spaceKey: space.key, vector: made.vector() }]

/** The part of the 10 and of the 50 nearest by exact cosine that the search has among its 10 and 50. */
async function recall(viewer: Viewer): Promise<string> {
  const database = openDatabase({ url })
  const ids = (await documents.list({ viewer, limit: 10 ** 6 })).items.map(({ id }) => id)
  const visible = await sql<{ set: number; id: string }>`select visible_set as "set", id from documents`.execute(
    database.kysely,
  )
  const mine = new Set(ids)
  const sets = new Set(visible.rows.filter(({ id }) => mine.has(id)).map(({ set }) => set))
  const stored = (await database.kysely.selectFrom('chunk_vectors').selectAll().execute()).filter(({ row }) =>
    sets.has(setOf(row)),
  )
  const rows = stored.map(({ row, vector: bytes }) => ({ row, vector: new Float32Array(new Uint8Array(bytes).buffer) }))
  await database.close()
  const hits = { 10: 0, 50: 0 }
  const questions = 50
  for (let run = 0; run < questions; run += 1) {
    const asked = made.vector()
    const exact = rows
      .map((each) => ({
        row: each.row,
        score: each.vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 50)
    const found = await documents.find({
      viewer,
      filter: {},
      keywords: null,
      vectors: [{ spaceKey: space.key, vector: asked }],
      limit: 50,
    })
    for (const depth of [10, 50] as const) {
      const near = new Set(found.vector.slice(0, depth).map(({ row }) => row))
      hits[depth] += exact.slice(0, depth).filter(({ row }) => near.has(row)).length
    }
  }
  return `recall@10 ${(hits[10] / questions / 10).toFixed(4)}, @50 ${(hits[50] / questions / 50).toFixed(4)}`
}

async function importAll(store_: DocumentStore): Promise<void> {
  const began = performance.now()
  for (let count = 0; count < total / perDocument; count += 1) {
    await imported(aDocument(count % 100 === 0 ? 'bob' : 'eve'), perDocument)
    if (count % 20 === 0) await store_.purgeSome()
  }
  console.log(`${total} chunks imported in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  report('staging ten chunks', stageTimes)
}

async function bench(store_: DocumentStore): Promise<void> {
  if ((await store_.counts())['completed'] === undefined) await importAll(store_)
  const before = process.memoryUsage.rss()
  const cold = performance.now()
  await documents.find({ viewer: everything, filter: {}, keywords: null, vectors: vectors(), limit: 10 })
  console.log(
    `first search: ${(performance.now() - cold).toFixed(0)} ms, ${((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(0)} MB more`,
  )
  await store.close()
  store = await opened()
  documents = store.documents
  const restarted = performance.now()
  await documents.find({ viewer: everything, filter: {}, keywords: null, vectors: vectors(), limit: 10 })
  console.log(`first search after a restart: ${(performance.now() - restarted).toFixed(0)} ms`)
  await measured('vectors, everything', () => ({ vectors: vectors() }))
  let turn = 0
  await measured('vectors, 50 viewers in turns', () => ({
    viewer: viewerOf((turn += 1) % viewers),
    vectors: vectors(),
  }))
  await measured('words, everything', () => ({ keywords: made.question() }))
  await measured('hybrid, everything', () => ({ vectors: vectors(), keywords: made.question() }))
  await measured('vectors, an owner of 1 %', () => ({ viewer: bob, vectors: vectors() }))
  await measured('words, an owner of 1 %', () => ({ viewer: bob, keywords: made.question() }))
  await measured('hybrid, an owner of 1 %', () => ({ viewer: bob, vectors: vectors(), keywords: made.question() }))
  console.log(`everything: ${await recall(everything)}; 1 %: ${await recall(bob)}`)
}

/** Imports files of one chunk, each of another of the viewers, at a steady rate until it is aborted; resolves with how many a second. */
async function importSteadily(perSecond: number, signal: AbortSignal): Promise<number> {
  const ready = Array.from({ length: 500 }, () => made.chunk(0))
  const batch = 20
  const began = performance.now()
  let files = 0
  while (!signal.aborted) {
    const some = Array.from({ length: batch }, (_each, index) => aDocument(`${(files + index) % viewers}`))
    await documents.insert(some)
    const claims = await documents.claim({ worker: 'bench', max: batch, leaseUntil: 2 ** 50, now: 2 ** 49 })
    for (const { document, fence } of claims) {
      const held = { id: document.id, fence }
      await documents.stage(held, space, [ready[files % ready.length] ?? made.chunk(0)])
      await documents.complete(held, completionOf(1), 3)
      files += 1
    }
    await Bun.sleep(Math.max(0, (files / perSecond) * 1000 - (performance.now() - began)))
  }
  return (files / (performance.now() - began)) * 1000
}

async function together(): Promise<void> {
  let turn = 0
  const query = (): Partial<FindQuery> => ({
    viewer: viewerOf((turn += 1) % viewers),
    vectors: vectors(),
    keywords: made.question(),
  })
  for (const how of ['alone', 'beside an import']) {
    const stop = new AbortController()
    const importing = how === 'alone' ? null : importSteadily(200, stop.signal)
    for (const atOnce of [1, 4]) await measured(`hybrid, 50 viewers, ${atOnce} at once, ${how}`, query, atOnce)
    await measured(`words, 50 viewers, ${how}`, () => ({ ...query(), vectors: [] }))
    await measured(`hybrid, an owner of 1 %, ${how}`, () => ({ ...query(), viewer: bob }))
    stop.abort()
    if (importing !== null) console.log(`${(await importing).toFixed(0)} files/s were imported`)
  }
}

async function beside(): Promise<void> {
  const document = aDocument('eve')
  const ready = Array.from({ length: longDocument }, (_each, ordinal) => made.chunk(ordinal))
  stageTimes.length = 0
  let importing = true
  const importingOne = imported(document, longDocument, ready).finally(() => (importing = false))
  const times: number[] = []
  while (importing) {
    const began = performance.now()
    await documents.find({ viewer: everything, filter: {}, keywords: made.question(), vectors: vectors(), limit: 50 })
    times.push(performance.now() - began)
  }
  await importingOne
  report('hybrid, everything, during an import', times)
  report('staging 25 chunks, during searches', stageTimes)
  const settings: number[] = []
  let deleting = true
  const began = performance.now()
  const removed = documents.delete(document.id, everything).finally(() => (deleting = false))
  while (deleting) {
    const write = performance.now()
    await store.settings.set('bench', settings.length, 1)
    settings.push(performance.now() - write)
    await Bun.sleep(2)
  }
  await removed
  console.log(
    `deleting ${longDocument} chunks: ${(performance.now() - began).toFixed(0)} ms with writes of settings in between`,
  )
  report('a write of the main thread in the meantime', settings)
  const again = aDocument('eve')
  await imported(again, longDocument, ready)
  const alone = performance.now()
  await documents.delete(again.id, everything)
  console.log(`deleting ${longDocument} chunks alone: ${(performance.now() - alone).toFixed(0)} ms`)
}

try {
  if (process.argv[5] === 'together') await together()
  else {
    await bench(documents)
    await beside()
  }
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
