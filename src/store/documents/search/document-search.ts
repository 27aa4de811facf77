/**
 * The search over chunks. It holds the codes of the vectors that were searched lately and the lists of
 * what viewers may see; the database says at each search what of that has changed, and everything is
 * read in one snapshot. So a search that begins after a change has been made sees it, and none ever
 * finds a chunk that is not visible to its viewer.
 *
 * One search at a time: the thread queues the others.
 */
import { sql, type Kysely } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { changedSince, changeVersion } from '../rows/changes.ts'
import type { Component, DocumentStore, RankedChunk } from '../document-store.ts'
import { isOneOf } from '../statements.ts'
import { AllowedSetsCache, type AllowedSets } from './allowed-sets.ts'
import { CodeIndex } from './code-index.ts'
import type { KeywordSearch } from './keyword-search.ts'
import { PostgresWords } from './postgres-words.ts'
import { signCoder } from '../indexing/sign-code.ts'
import { SqliteWords } from './sqlite-words.ts'

export type ChunkSearch = Pick<DocumentStore, 'spaces' | 'find'>

/** Vectors that are compared with the query themselves, after their codes. */
const compared = { min: 400, times: 4 }
/** Sets whose codes are read by one statement. */
const loadedTogether = 2000

const snapshot = { sqlite: 'begin deferred', postgres: 'begin isolation level repeatable read read only' } as const

/** The search in this database. */
export function documentSearch(connection: Connection): ChunkSearch {
  const searcher = new Searcher(connection.engine === 'sqlite' ? new SqliteWords() : new PostgresWords())
  const inSnapshot = <T>(read: (reading: Connection) => Promise<T>): Promise<T> =>
    connection.kysely.connection().execute(async (kysely) => {
      await sql.raw(snapshot[connection.engine]).execute(kysely)
      try {
        return await read({ engine: connection.engine, kysely })
      } finally {
        await sql`rollback`.execute(kysely)
      }
    })
  return {
    spaces: (viewer, filter) => inSnapshot((reading) => searcher.spaces(reading, { viewer, filter })),
    find: (query) => inSnapshot((reading) => searcher.find(reading, query)),
  }
}

class Searcher {
  readonly #words: KeywordSearch
  readonly #allowed = new AllowedSetsCache()
  readonly #indexes = new Map<number, CodeIndex>()
  /** Version of the database up to which vanished sets have been dropped. */
  #version = 0

  constructor(words: KeywordSearch) {
    this.#words = words
  }

  async spaces(
    reading: Connection,
    query: Pick<Parameters<DocumentStore['find']>[0], 'viewer' | 'filter'>,
  ): ReturnType<DocumentStore['spaces']> {
    const allowed = await this.#allowed.of(reading, query, await changeVersion(reading.kysely))
    const rows = [...allowed.inSpace.keys()]
    const spaces = await reading.kysely
      .selectFrom('vector_spaces')
      .select(['key', 'embedder', 'dimensions'])
      .where(isOneOf(reading.engine, 'row', rows))
      .orderBy('key')
      .execute()
    return spaces.map((space) => ({ ...space, embedder: JSON.parse(space.embedder) as Component }))
  }

  async find(reading: Connection, query: Parameters<DocumentStore['find']>[0]): ReturnType<DocumentStore['find']> {
    const version = await changeVersion(reading.kysely)
    await this.#dropVanished(reading, version)
    const allowed = await this.#allowed.of(reading, query, version)
    const vector = []
    for (const { spaceKey, vector: asked } of query.vectors) {
      const nearest = await this.#nearest(reading, allowed, { spaceKey, asked, limit: query.limit })
      vector.push(...nearest.map((ranked) => ({ ...ranked, spaceKey })))
    }
    const { keywords, viewer, filter, limit } = query
    const keyword =
      keywords === null ? [] : await this.#words.search(reading, { keywords, viewer, filter, limit, allowed, version })
    return { keyword, vector }
  }

  /** Frees the memory of codes that no search will use again. */
  async #dropVanished({ engine, kysely }: Connection, version: number): Promise<void> {
    const seen = this.#version
    this.#version = version
    if (version === seen || this.#indexes.size === 0) return
    const changed = await changedSince(kysely, { seen, current: version })
    if (changed === null) {
      this.#indexes.clear()
      return
    }
    const rows = await kysely
      .selectFrom('documents')
      .select('visible_set')
      .where(isOneOf(engine, 'visible_set', changed))
      .execute()
    const visible = new Set(rows.map((row) => row.visible_set))
    for (const setRow of changed) {
      if (!visible.has(setRow)) for (const index of this.#indexes.values()) index.remove(setRow)
    }
  }

  async #nearest(
    reading: Connection,
    { inSpace }: AllowedSets,
    { spaceKey, asked, limit }: { readonly spaceKey: string; readonly asked: Float32Array; readonly limit: number },
  ): Promise<readonly RankedChunk[]> {
    const space = await reading.kysely
      .selectFrom('vector_spaces')
      .select(['row', 'dimensions'])
      .where('key', '=', spaceKey)
      .executeTakeFirst()
    if (space === undefined) return []
    const sets = inSpace.get(space.row) ?? new Set<number>()
    const index = this.#indexOf(space)
    await load(reading, index, sets)
    const rows = index.nearest(asked, sets, Math.max(compared.min, limit * compared.times))
    const ranked = await cosines(reading, rows, asked)
    return ranked.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, limit)
  }

  #indexOf({ row, dimensions }: { readonly row: number; readonly dimensions: number }): CodeIndex {
    const known = this.#indexes.get(row)
    if (known !== undefined) return known
    const made = new CodeIndex(signCoder(dimensions))
    this.#indexes.set(row, made)
    return made
  }
}

/** Reads the codes that are not in the index yet. */
async function load({ engine, kysely }: Connection, index: CodeIndex, wanted: Iterable<number>): Promise<void> {
  const sets: number[] = []
  for (const setRow of wanted) if (!index.has(setRow)) sets.push(setRow)
  for (let start = 0; start < sets.length; start += loadedTogether) {
    const some = sets.slice(start, start + loadedTogether)
    const rows = await codesOf({ engine, kysely }, some)
    const piecesOf = Map.groupBy(rows, ({ set_row: setRow }) => setRow)
    for (const [setRow, pieces] of piecesOf) {
      index.add(
        setRow,
        pieces.length === 1 && pieces[0] ? pieces[0].codes : Buffer.concat(pieces.map(({ codes }) => codes)),
      )
    }
  }
}

async function codesOf(
  { engine, kysely }: { engine: Connection['engine']; kysely: Kysely<Tables> },
  sets: readonly number[],
) {
  return kysely
    .selectFrom('chunk_codes')
    .selectAll()
    .where(isOneOf(engine, 'set_row', sets))
    .orderBy('set_row')
    .orderBy('first')
    .execute()
}

/** The cosine of each row's vector to the one that was asked for; a vector without a direction is at right angles to all. */
async function cosines(
  { engine, kysely }: Connection,
  rows: readonly number[],
  asked: Float32Array,
): Promise<RankedChunk[]> {
  const stored = await kysely
    .selectFrom('chunk_vectors')
    .selectAll()
    .where(isOneOf(engine, 'row', rows))
    .execute()
  return stored.map(({ row, vector: bytes }) => ({ row, score: cosine(asked, floatsOf(bytes)) }))
}

/** The engines return bytes that may begin anywhere in their buffer. */
function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.length / Float32Array.BYTES_PER_ELEMENT)
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0
  let squaresA = 0
  let squaresB = 0
  // A plain loop: an iterator takes ten times as long, and this runs for hundreds of vectors a search.
  for (let at = 0; at < a.length; at += 1) {
    const value = a[at] ?? 0
    const other = b[at] ?? 0
    product += value * other
    squaresA += value * value
    squaresB += other * other
  }
  const lengths = Math.sqrt(squaresA * squaresB)
  return lengths === 0 ? 0 : product / lengths
}
