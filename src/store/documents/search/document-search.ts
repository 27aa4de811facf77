/**
 * The search over chunks. It holds what is visible to whom and the codes of the vectors; the database says at each
 * search what of that has changed, and everything is read in one snapshot. So a search that begins after a change has
 * been made sees it, and none ever finds a chunk that is not visible to its viewer.
 *
 * One search at a time: the thread queues the others. Between them, it follows the database by itself, so that no
 * search has to catch up with a long import.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import { changeVersion } from '../rows/changes.ts'
import type { Component, DocumentStore, FacetsQuery } from '../document-store.ts'
import { isOneOf } from '../statements.ts'
import { facetsOf } from './facets.ts'
import { KeywordSearch } from './keyword-search.ts'
import { MemoryIndex, type CodeFiles } from './memory-index.ts'
import type { VectorIndex } from '../places/vector-index.ts'
import { nearestChunks } from './vector-search.ts'
import { VisibleSets } from './visible-sets.ts'

export type ChunkSearch = Pick<DocumentStore, 'spaces' | 'find' | 'facets' | 'fillSearch'>

export interface SearchOptions {
  /** Whether to follow the database between searches; `close` ends it. */
  readonly follow: boolean
  readonly files: CodeFiles
  /** Where vectors may be, besides the memory. */
  readonly places: readonly VectorIndex[]
}

const snapshot = { sqlite: 'begin deferred', postgres: 'begin isolation level repeatable read read only' } as const
/** Memory for the pages of an SQLite file, in KiB: a search reads some thousand of them, from all over the file. */
const pagesKiB = 16_384
/** How long after the last look the next one comes: soon while there are changes, seldom without any. */
const followMs = { min: 500, max: 16_000 }

/** The search in this database. */
export function documentSearch(
  connection: Connection,
  { follow, files, places }: SearchOptions,
): { readonly search: ChunkSearch; close(): Promise<void> } {
  const searcher = new Searcher(files, places)
  let waitMs = followMs.min
  let timer: ReturnType<typeof setTimeout> | null = null
  let closed = false
  /** What reads at the moment; nothing else does, since all share one connection and one memory. */
  let reading: Promise<unknown> = Promise.resolve()
  let prepared: Promise<unknown> | null = null
  const inSnapshot = <T>(read: (reading: Connection) => Promise<T>): Promise<T> => {
    prepared ??= prepare(connection)
    const mine = Promise.all([prepared, reading]).then(() => readSnapshot(connection, read))
    reading = mine.catch(() => undefined)
    return mine
  }
  const lookAgain = (after: number): void => {
    if (timer !== null) clearTimeout(timer)
    waitMs = after
    timer = follow && !closed ? setTimeout(() => void followOnce(), after) : null
  }
  const followOnce = async (): Promise<void> => {
    // The database may be away; a search says so, and this tries again.
    const changed = await inSnapshot((snapshotted) => searcher.follow(snapshotted)).catch(() => false)
    await searcher.save('much changed')
    lookAgain(changed ? followMs.min : Math.min(followMs.max, waitMs * 2))
  }
  const search: ChunkSearch = {
    spaces: (viewer, filter) => inSnapshot((snapshotted) => searcher.spaces(snapshotted, { viewer, filter })),
    async find(query) {
      const found = await inSnapshot((snapshotted) => searcher.find(snapshotted, query))
      lookAgain(followMs.min)
      return found
    },
    facets: (query) => inSnapshot((snapshotted) => searcher.facets(snapshotted, query)),
    async fillSearch() {
      await inSnapshot((snapshotted) => searcher.fill(snapshotted))
      lookAgain(followMs.min)
    },
  }
  return {
    search,
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await reading
      await searcher.save('changed')
    },
  }
}

async function prepare({ engine, kysely }: Connection): Promise<void> {
  if (engine === 'sqlite') await sql.raw(`pragma cache_size = -${pagesKiB}`).execute(kysely)
}

function readSnapshot<T>(connection: Connection, read: (reading: Connection) => Promise<T>): Promise<T> {
  return connection.kysely.connection().execute(async (kysely) => {
    await sql.raw(snapshot[connection.engine]).execute(kysely)
    try {
      return await read({ engine: connection.engine, kysely })
    } finally {
      await sql`rollback`.execute(kysely)
    }
  })
}

class Searcher {
  readonly #words = new KeywordSearch()
  readonly #sets = new VisibleSets()
  readonly #memory: MemoryIndex
  readonly #places: readonly VectorIndex[]

  constructor(files: CodeFiles, places: readonly VectorIndex[]) {
    this.#memory = new MemoryIndex(this.#sets, files)
    this.#places = [this.#memory, ...places]
  }

  async spaces(
    reading: Connection,
    query: Pick<Parameters<DocumentStore['find']>[0], 'viewer' | 'filter'>,
  ): ReturnType<DocumentStore['spaces']> {
    await this.#catchUp(reading)
    const { spaces: rows } = await this.#sets.allowed(reading, query)
    const spaces = await reading.kysely
      .selectFrom('vector_spaces')
      .select(['key', 'embedder', 'dimensions'])
      .where(isOneOf(reading.engine, 'row', [...rows]))
      .orderBy('key')
      .execute()
    return spaces.map((space) => ({ ...space, embedder: JSON.parse(space.embedder) as Component }))
  }

  async find(reading: Connection, query: Parameters<DocumentStore['find']>[0]): ReturnType<DocumentStore['find']> {
    const version = await this.#catchUp(reading)
    const allowed = await this.#sets.allowed(reading, query)
    const { keywords, limit } = query
    const vectors = { sets: this.#sets, places: this.#places }
    const vector = []
    const silent = new Set<string>()
    for (const { spaceKey, vector: asked } of query.vectors) {
      const nearest = await nearestChunks(reading, vectors, allowed, { spaceKey, vector: asked, limit })
      vector.push(...nearest.chunks.map((ranked) => ({ ...ranked, spaceKey })))
      for (const sentence of nearest.silent) silent.add(sentence)
    }
    const keyword = keywords === null ? [] : await this.#words.search(reading, { keywords, limit, allowed, version })
    return { keyword, vector, silent: [...silent] }
  }

  async facets(reading: Connection, query: FacetsQuery): ReturnType<DocumentStore['facets']> {
    await this.#catchUp(reading)
    return facetsOf(reading, await this.#sets.allowed(reading, query), query)
  }

  /** Brings everything in memory up to date; whether anything had changed. */
  async follow(reading: Connection): Promise<boolean> {
    const before = this.#sets.version
    const version = await this.#catchUp(reading)
    await this.#memory.load(reading)
    return version !== before
  }

  /** Takes over what the process before had searched. */
  async fill(reading: Connection): Promise<void> {
    await this.#catchUp(reading)
    await this.#memory.fill(reading)
  }

  /** Writes codes for the next process, if they have changed. */
  save(which: 'changed' | 'much changed'): Promise<void> {
    return this.#memory.save(which)
  }

  async #catchUp(reading: Connection): Promise<number> {
    const version = await changeVersion(reading.kysely)
    try {
      await this.#sets.catchUp(reading, version)
    } finally {
      this.#memory.takeChanges()
    }
    return version
  }
}
