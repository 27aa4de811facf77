/**
 * Which sets of chunks a search may look at, for the viewers and filters that were asked for lately.
 * What changes in the database is looked up again set by set, so that imports under way do not make
 * every search read the list of all documents.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../../database.ts'
import { changedSince } from '../rows/changes.ts'
import type { FindQuery } from '../document-store.ts'
import { isOneOf } from '../statements.ts'
import { matchesFilter, canSeeContent } from '../rows/visibility.ts'

export interface AllowedSets {
  /** The sets with the number of their chunks. */
  readonly chunksOf: ReadonlyMap<number, number>
  /** The sets of each vector space. */
  readonly inSpace: ReadonlyMap<number, ReadonlySet<number>>
  /** Chunks in all of them. */
  readonly chunks: number
}

interface Entry {
  readonly chunksOf: Map<number, number>
  readonly inSpace: Map<number, Set<number>>
  chunks: number
  version: number
}

/** Sets over all entries; past it the entry that was asked for longest ago is forgotten. */
const setsMax = 300_000

export class AllowedSetsCache {
  /** Entries in the order of their last use. */
  readonly #entries = new Map<string, Entry>()

  /** The sets that the query may look at as of this version of the database, which `reading` sees. */
  async of(reading: Connection, query: Pick<FindQuery, 'viewer' | 'filter'>, version: number): Promise<AllowedSets> {
    const key = keyOf(query)
    const entry = (await this.#updated(reading, query, version)) ?? (await read(reading, query, version))
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#forgetOldest()
    return entry
  }

  async #updated(
    reading: Connection,
    query: Pick<FindQuery, 'viewer' | 'filter'>,
    version: number,
  ): Promise<Entry | undefined> {
    const entry = this.#entries.get(keyOf(query))
    if (entry === undefined || entry.version === version) return entry
    const changed = await changedSince(reading.kysely, { seen: entry.version, current: version })
    if (changed === null) return undefined
    for (const setRow of changed) removeSet(entry, setRow)
    const among = isOneOf(reading.engine, 'documents.visible_set', changed)
    for (const set of await setsOf(reading, query, among)) addSet(entry, set)
    entry.version = version
    return entry
  }

  #forgetOldest(): void {
    let sets = [...this.#entries.values()].reduce((sum, { chunksOf }) => sum + chunksOf.size, 0)
    for (const [key, { chunksOf }] of this.#entries) {
      if (sets <= setsMax || this.#entries.size === 1) return
      this.#entries.delete(key)
      sets -= chunksOf.size
    }
  }
}

async function read(reading: Connection, query: Pick<FindQuery, 'viewer' | 'filter'>, version: number): Promise<Entry> {
  const entry: Entry = { chunksOf: new Map(), inSpace: new Map(), chunks: 0, version }
  for (const set of await setsOf(reading, query, sql<SqlBool>`documents.visible_set is not null`)) addSet(entry, set)
  return entry
}

interface SetRow {
  readonly setRow: number
  readonly spaceRow: number
  readonly chunks: number
}

async function setsOf(
  { engine, kysely }: Connection,
  { viewer, filter }: Pick<FindQuery, 'viewer' | 'filter'>,
  among: RawBuilder<SqlBool>,
): Promise<readonly SetRow[]> {
  return kysely
    .selectFrom('documents')
    .innerJoin('chunk_sets', 'chunk_sets.row', 'documents.visible_set')
    .select(['chunk_sets.row as setRow', 'chunk_sets.space_row as spaceRow', 'chunk_sets.chunks'])
    .where(among)
    .where(canSeeContent(engine, viewer))
    .where(matchesFilter(engine, filter))
    .execute()
}

function addSet(entry: Entry, { setRow, spaceRow, chunks }: SetRow): void {
  entry.chunksOf.set(setRow, chunks)
  const sets = entry.inSpace.get(spaceRow)
  if (sets === undefined) entry.inSpace.set(spaceRow, new Set([setRow]))
  else sets.add(setRow)
  entry.chunks += chunks
}

function removeSet(entry: Entry, setRow: number): void {
  entry.chunks -= entry.chunksOf.get(setRow) ?? 0
  entry.chunksOf.delete(setRow)
  for (const [spaceRow, sets] of entry.inSpace) {
    if (sets.delete(setRow) && sets.size === 0) entry.inSpace.delete(spaceRow)
  }
}

function keyOf({ viewer, filter }: Pick<FindQuery, 'viewer' | 'filter'>): string {
  const who = viewer.all ? null : [viewer.userId, ...viewer.principals.toSorted()]
  return JSON.stringify([who, filter.categories ?? null, filter.owners ?? null, filter.ids ?? null])
}
