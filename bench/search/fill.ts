/**
 * Fills a new database with documents to search, many times faster than importing them: rows go in by the ten thousand, and
 * PostgreSQL builds its index of words at the end. `bun bench/search/fill.ts CHUNKS URL [common]`; then
 * `bun bench/search/run.ts CHUNKS URL [common]` searches it.
 */
import { Database as SqliteFile } from 'bun:sqlite'
import { CompiledQuery, sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase } from '#store/database.ts'
import { nameRow, chunkRow } from '#store/documents/rows/chunk-row.ts'
import { packWords } from '#store/documents/indexing/packed-words.ts'
import { termColumns, wordsOfChunk, wordsOfName } from '#store/documents/indexing/word-columns.ts'
import { meanDirection, signCoder } from '#store/documents/indexing/sign-code.ts'
import { bytesOf } from '#store/documents/indexing/vector-bytes.ts'
import { openStore } from '#store/store.ts'
import { corpus, dimensions } from './corpus.ts'

type Value = string | number | Uint8Array | null
type Insert = (table: string, columns: readonly string[], rows: readonly (readonly Value[])[]) => Promise<void>

const [total, url] = [Number(process.argv[2]), process.argv[3] ?? '']
const perDocument = 10
const documentsTogether = 1000
const made = corpus(1, process.argv[4] === 'common')
const engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'

await (await openStore({ url, sealer: sealer(new Uint8Array(32)) })).close()
const database = openDatabase({ url, patient: true })
const run = (text: string) => sql.raw(text).execute(database.kysely)

function sqliteInsert(file: string): Insert {
  const open = new SqliteFile(file)
  open.run('pragma synchronous = off')
  return async (table, columns, rows) => {
    const marks = columns.map(() => '?').join(', ')
    const statement = open.prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})`)
    open.transaction(() => {
      for (const row of rows) statement.run(...row)
    })()
  }
}

const copyInsert: Insert = async (table, columns, rows) => {
  const text = (value: Value): string => {
    if (value === null) return '\\N'
    return value instanceof Uint8Array ? `\\\\x${Buffer.from(value).toString('hex')}` : String(value)
  }
  const data = Buffer.from(rows.map((row) => row.map(text).join('\t')).join('\n') + '\n')
  const statement = `copy ${table} (${columns.join(', ')}) from stdin`
  await database.kysely.executeQuery(CompiledQuery.raw(statement, [data]))
}

const insert = engine === 'sqlite' ? sqliteInsert(url.slice('sqlite:'.length)) : copyInsert
const [termsRow, terms] = engine === 'sqlite' ? ['rowid', 'words'] : ['row', 'terms']

const documentColumns =
  'row id importer_id name name_folded category sha256 content_key bytes reader chunker embedder state progress attempts error warnings media_type title version fence visible_set visible_version visible_sha256 state_at created_at updated_at'.split(
    ' ',
  )

function documentRow(row: number, importer: string): readonly Value[] {
  const id = crypto.randomUUID()
  const names = [row, id, importer, 'a.txt', 'a.txt', 'bench', id, id, 1]
  const components = ['{"name":"auto"}', '{"name":"token"}', '{"name":"bench"}']
  return [
    ...names,
    ...components,
    'completed',
    '{}',
    1,
    null,
    '[]',
    'text/plain',
    null,
    1,
    1,
    row,
    1,
    id,
    '{}',
    row,
    row,
  ]
}

if (engine === 'postgres') await run('drop index chunk_terms_terms')
await insert('vector_spaces', ['key', 'dimensions', 'embedder'], [['bench', dimensions, '{"name":"bench"}']])
const nameWords = wordsOfName('a.txt', null)
const coder = signCoder(dimensions)
const mean = meanDirection(Array.from({ length: 256 }, () => made.vector()))
await insert('vector_centres', ['space_row', 'centre'], [[1, bytesOf(mean)]])
const centre = coder.rotate(mean)
const began = performance.now()
for (let first = 0; first < total / perDocument; first += documentsTogether) {
  const tables: Record<
    'documents' | 'owners' | 'sets' | 'chunks' | 'vectors' | 'codes' | 'terms' | 'words',
    (readonly Value[])[]
  > = { documents: [], owners: [], sets: [], chunks: [], vectors: [], codes: [], terms: [], words: [] }
  for (let number = first; number < Math.min(first + documentsTogether, total / perDocument); number += 1) {
    const row = number + 1
    const importer = number % 100 === 0 ? 'bob' : 'eve'
    tables.documents.push(documentRow(row, importer))
    tables.owners.push([`user:${importer}`, row, 1])
    if (importer === 'eve') tables.owners.push(['group:everyone', row, 1])
    tables.sets.push([row, row, 1, 1, perDocument, 0])
    const chunks = Array.from({ length: perDocument }, (_each, ordinal) => made.chunk(ordinal))
    const { codes, scales } = coder.encodeAll(
      chunks.map(({ vector }) => vector),
      centre,
    )
    tables.codes.push([row, 0, codes, 1, scales])
    const words = chunks.map((chunk) => wordsOfChunk(chunk, null))
    tables.words.push([chunkRow(row, 0), packWords(words)], [nameRow(row), packWords([nameWords])])
    for (const [index, chunk] of chunks.entries()) {
      const at = chunkRow(row, chunk.ordinal)
      tables.chunks.push([
        at,
        chunk.start,
        chunk.end,
        1,
        null,
        JSON.stringify(chunk.headingPath),
        null,
        256,
        chunk.text,
      ])
      tables.vectors.push([at, bytesOf(chunk.vector)])
      tables.terms.push([at, Object.values(termColumns(engine, words[index] ?? new Map()))[0] ?? ''])
    }
    tables.terms.push([nameRow(row), Object.values(termColumns(engine, nameWords))[0] ?? ''])
  }
  await insert('documents', documentColumns, tables.documents)
  await insert('document_owners', ['principal', 'document_row', 'from_version'], tables.owners)
  await insert('chunk_sets', ['row', 'document_row', 'fence', 'space_row', 'chunks', 'doomed'], tables.sets)
  const chunkColumns = 'row start_at end_at page page_label heading_path table_header tokens text'.split(' ')
  await insert('document_chunks', chunkColumns, tables.chunks)
  await insert('chunk_vectors', ['row', 'vector'], tables.vectors)
  await insert('chunk_codes', ['set_row', 'first', 'codes', 'centre_row', 'scales'], tables.codes)
  await insert('chunk_words', ['row', 'words'], tables.words)
  await insert('chunk_terms', [termsRow, terms].map(String), tables.terms)
  if (first % 10_000 === 0)
    console.log(`${first * perDocument} chunks, ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
if (engine === 'postgres') {
  await run("set maintenance_work_mem = '1GB'")
  await run('create index chunk_terms_terms on chunk_terms using gin (terms)')
  for (const table of ['documents', 'chunk_sets']) {
    await run(`select setval(pg_get_serial_sequence('${table}', 'row'), (select max(row) from ${table}))`)
  }
  await run('vacuum analyze')
} else await run("insert into chunk_terms (chunk_terms) values ('optimize')")
console.log(`${total} chunks in ${((performance.now() - began) / 1000).toFixed(0)} s`)
await database.close()
