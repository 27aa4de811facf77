/**
 * How good are searches on public data sets, by words, by meaning, by both, and reranked?
 * `bun bench/retrieval/run.ts FOLDER… --url http://127.0.0.1:3001/ai/v1 --model NAME [--key KEY] [--rerank NAME]`
 *
 * A folder holds one data set in the layout of BEIR; none is part of this repository. `chunking` in place of a folder is
 * the texts and questions of `bench/chunking`, cut as an import cuts them. The model is any embedding model
 * behind an address of the OpenAI kind: this gateway's own, or a server for it. Passages go into an SQLite file as they do
 * at an import, one chunk each. Vectors are kept in `bench/results`, so that a second run asks for nothing.
 *
 * The table has nDCG@10, in hundredths. `exact` is the reference: every passage scored by plain BM25 and by its cosine,
 * and the two orders fused by reciprocal rank.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { fused } from '#documents/search/fuse.ts'
import { sealer } from '#lib/seal.ts'
import type { DocumentStore, Viewer } from '#store/documents/document-store.ts'
import { openStore } from '#store/store.ts'
import { figure, markdown } from '../table.ts'
import { chunkingDataSet } from './chunking-set.ts'
import { ndcgAt10, readDataSet, type DataSet } from './data-set.ts'
import { exactVectors, exactWords } from './reference.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:3001/ai/v1' },
    model: { type: 'string' },
    key: { type: 'string', default: '' },
    rerank: { type: 'string' },
    language: { type: 'string', default: 'en' },
  },
})
const { url, model, key, rerank, language } = values
if (positionals.length === 0 || model === undefined)
  throw new Error('Name folders of data sets, and a model with --model.')

const depth = 50
const batch = 32
const everything: Viewer = { userId: 'bench', principals: [], all: true }

async function call(path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify({ model, ...body }) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

async function embedded(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let start = 0; start < texts.length; start += batch) {
    const { data } = (await call('/embeddings', { input: texts.slice(start, start + batch) })) as {
      data: readonly { embedding: readonly number[] }[]
    }
    vectors.push(...data.map(({ embedding }) => unit(Float32Array.from(embedding))))
  }
  return vectors
}

/** Vectors of a data set from an earlier run with the same model, or new ones. */
async function vectorsOf(name: string, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const folder = join(import.meta.dir, '../results')
  mkdirSync(folder, { recursive: true })
  const hash = Bun.hash(JSON.stringify([model, texts])).toString(36)
  const file = Bun.file(join(folder, `${name}-${hash}.vectors`))
  if (await file.exists()) {
    const all = new Float32Array(await file.arrayBuffer())
    const dimensions = all.length / texts.length
    return texts.map((_text, at) => all.slice(at * dimensions, (at + 1) * dimensions))
  }
  const made = await embedded(texts)
  const all = new Float32Array(made.reduce((sum, { length }) => sum + length, 0))
  for (const [at, vector] of made.entries()) all.set(vector, at * vector.length)
  await Bun.write(file, all)
  return made
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Imports every passage as a document of one chunk; its id is found again by the chunk's text. */
async function imported(documents: DocumentStore, { passages }: DataSet, vectors: readonly Float32Array[]) {
  const space = { key: 'bench', dimensions: vectors[0]?.length ?? 0 }
  const idOf = new Map<string, string>()
  for (let start = 0; start < passages.length; start += 500) {
    const some = passages
      .slice(start, start + 500)
      .map(({ text }, index) => ({ text, at: start + index, id: crypto.randomUUID() }))
    await documents.insert(
      some.map(({ id, at }) => ({
        id,
        importerId: 'bench',
        owners: ['user:bench'],
        name: `${at}`,
        category: 'bench',
        sha256: id,
        place: null,
        bytes: 1,
        createdAt: 1,
        reader: { name: 'auto' },
        chunker: { name: 'token' },
        embedder: { name: 'bench' },
      })),
    )
    const claims = await documents.claim({ worker: 'bench', max: 500, leaseUntil: 2 ** 50, now: 2 ** 49 })
    const fenceOf = new Map(claims.map(({ document, fence }) => [document.id, fence]))
    for (const { text, at, id } of some) {
      const lease = { id, fence: fenceOf.get(id) ?? 0 }
      const vector = vectors[at] ?? new Float32Array(space.dimensions)
      const chunk = {
        ordinal: 0,
        start: 0,
        end: text.length,
        page: null,
        pageLabel: null,
        headingPath: [],
        tableHeader: null,
      }
      await documents.stage(lease, space, [{ ...chunk, tokens: 1, text, vector }])
      const done = { done: 1, total: 1 }
      const progress = { pages: done, chunks: done, embedded: done }
      await documents.complete(
        lease,
        { spaceKey: 'bench', mediaType: 'text/plain', title: null, warnings: [], pages: [], progress, stateAt: {} },
        3,
      )
      idOf.set(id, passages[at]?.id ?? '')
    }
  }
  return idOf
}

async function measured(name: string, data: DataSet): Promise<readonly string[]> {
  const texts = data.passages.map(({ text }) => text)
  const vectors = await vectorsOf(name, texts)
  const asked = await vectorsOf(
    `${name}-questions`,
    data.questions.map(({ text }) => text),
  )
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-retrieval-'))
  const store = await openStore({ url: `sqlite:${join(folder, 'bench.db')}`, sealer: sealer(new Uint8Array(32)) })
  const sums = new Map<string, number>()
  const add = (what: string, found: readonly string[], relevant: ReadonlyMap<string, number>): void =>
    void sums.set(what, (sums.get(what) ?? 0) + ndcgAt10(found, relevant))
  try {
    const { documents } = store
    const idOf = await imported(documents, data, vectors)
    const byWords = exactWords(texts, language)
    for (const [at, { text, relevant }] of data.questions.entries()) {
      const vector = asked[at] ?? new Float32Array()
      const found = await documents.find({
        viewer: everything,
        filter: {},
        keywords: text,
        vectors: [{ spaceKey: 'bench', vector }],
        limit: 2 * depth,
      })
      const hybrid = fused(found).slice(0, depth)
      const all = [...found.keyword, ...found.vector, ...hybrid].map(({ row }) => row)
      const chunks = await documents.chunksInContext([...new Set(all)], everything, 0)
      const passageOf = new Map(chunks.map(({ row, documentId }) => [row, idOf.get(documentId) ?? '']))
      const ids = (rows: readonly { readonly row: number }[]) => rows.map(({ row }) => passageOf.get(row) ?? '')
      add('words', ids(found.keyword), relevant)
      add('vectors', ids(found.vector), relevant)
      add('hybrid', ids(hybrid), relevant)
      if (rerank !== undefined) {
        const textOf = new Map(chunks.map(({ row, text: its }) => [row, its]))
        const { results } = (await call('/rerank', {
          model: rerank,
          query: text,
          documents: hybrid.map(({ row }) => textOf.get(row) ?? ''),
        })) as { results: readonly { index: number; relevance_score: number }[] }
        const order = results.toSorted((x, y) => y.relevance_score - x.relevance_score)
        add('reranked', ids(order.flatMap(({ index }) => hybrid[index] ?? [])), relevant)
      }
      const exact = { words: byWords(text), vectors: exactVectors(vectors, vector) }
      const named = (numbers: readonly number[]) => numbers.map((number) => data.passages[number]?.id ?? '')
      add('exact words', named(exact.words), relevant)
      add('exact vectors', named(exact.vectors), relevant)
      const ranked = (numbers: readonly number[]) =>
        numbers.slice(0, 1000).map((row, place) => ({ row, score: 1 / (place + 1) }))
      const reference = fused({
        keyword: ranked(exact.words),
        vector: ranked(exact.vectors).map((each) => ({ ...each, spaceKey: '' })),
      })
      add('exact hybrid', named(reference.map(({ row }) => row)), relevant)
    }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return columns.map((what) => figure((100 * (sums.get(what) ?? Number.NaN)) / data.questions.length, 1))
}

const ways = ['words', 'vectors', 'hybrid', ...(rerank === undefined ? [] : ['reranked'])]
const columns = [...ways, 'exact words', 'exact vectors', 'exact hybrid']
const rows: string[][] = []
for (const folder of positionals) {
  const data = await (folder === 'chunking' ? chunkingDataSet() : readDataSet(folder))
  const name = basename(folder)
  rows.push([
    `${name} (${data.passages.length} passages, ${data.questions.length} questions)`,
    ...(await measured(name, data)),
  ])
}
console.log(
  markdown({
    title: `Retrieval with ${model}`,
    method: 'nDCG@10, in hundredths.',
    columns: ['data set', ...columns],
    rows,
    rounds: [],
  }),
)
