/**
 * All visible sets of chunks with their classes, in memory and as of one version of the database. A change of the
 * database is applied by reading the sets that its log names, however many they are; only when the log no longer
 * reaches back is the list of all sets read and compared. A set has a number of its own, its slot, while it is visible.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../../database.ts'
import type { FindQuery } from '../document-store.ts'
import { indexStates, vectorPlaces, type VectorPlace } from '../vector-places.ts'
import type { AllowedSets } from '../places/vector-index.ts'
import type { MetadataFilter } from '../metadata/metadata-filter.ts'
import { changedSince } from '../rows/changes.ts'
import { setOf } from '../rows/chunk-row.ts'
import { matchesFilter } from '../rows/visibility.ts'
import { isOneOf } from '../statements.ts'
import { grown } from './grown.ts'
import { FilteredSets } from './filtered-sets.ts'
import { SetTable } from './set-table.ts'
import { VisibleClasses, type ChosenClasses, type ClassTraits } from './visible-classes.ts'

export interface Allowed extends AllowedSets, Pick<ChosenClasses, 'spaces'> {
  readonly hasSet: (setRow: number) => boolean
  readonly setRows: () => Iterable<number>
  /** Chunks of a set that is visible to anyone. */
  readonly chunksOf: (setRow: number) => number
}

/**
 * What the memory is to hold from now on, and what no longer: sets that became visible or vanished, or that moved from
 * another place or to it. A set whose owners or category changed is in neither.
 */
export interface SetChanges {
  readonly added: readonly { readonly slot: number; readonly setRow: number; readonly spaceRow: number }[]
  readonly removed: readonly { readonly slot: number; readonly spaceRow: number }[]
}

/** Sets that one statement reads. */
const readTogether = 5000
const none = 0xffff_ffff

interface Pending {
  readonly added: Map<number, { readonly setRow: number; readonly spaceRow: number }>
  /** The vector space of each slot. */
  readonly removed: Map<number, number>
}

interface SetRow extends Omit<ClassTraits, 'owners'> {
  readonly setRow: number
  readonly chunks: number
  /** The place that holds all of its vectors. */
  readonly place: number
  /** As in a class, one a line in any order, since sorting each here takes as long as reading the rest; null for none. */
  readonly owners: string | null
  /** Which bytes of which document, and which attempt at them. */
  readonly content: string
}

export class VisibleSets {
  readonly #classes = new VisibleClasses()
  readonly #filtered = new FilteredSets()
  readonly #slots = new SetTable((slot) => this.#setRows[slot] ?? 0)
  #setRows = new Float64Array(16)
  #chunks = new Uint32Array(16)
  /** A number that tells a set's content from what had the same number in a database that was put back. */
  #marks = new Uint32Array(16)
  #classOf = new Uint32Array(16).fill(none)
  #placeOf = new Uint8Array(16)
  /** Chunks of each vector space in each place. */
  readonly #held = new Map<string, number>()
  readonly #unused: number[] = []
  #used = 0
  #pending: Pending = { added: new Map(), removed: new Map() }
  /** Null before the first reading. */
  #version: number | null = null

  get version(): number | null {
    return this.#version
  }

  get size(): number {
    return this.#slots.size
  }

  /** Visible chunks of a vector space that a place holds. */
  heldBy(place: VectorPlace, spaceRow: number): number {
    return this.#held.get(`${vectorPlaces[place]} ${spaceRow}`) ?? 0
  }

  slotOf(setRow: number): number | undefined {
    return this.#slots.get(setRow)
  }

  setRowOf(slot: number): number {
    return this.#setRows[slot] ?? 0
  }

  /** Brings this up to `version`, which `reading` sees. */
  async catchUp(reading: Connection, version: number): Promise<void> {
    const seen = this.#version
    if (seen === version) return
    const changed = seen === null ? null : await changedSince(reading.kysely, { seen, current: version })
    // An error on the way leaves what was applied so far, and the next call reads everything.
    this.#version = null
    if (changed === null) await this.#readAll(reading)
    else await this.#readSome(reading, changed)
    this.#version = version
  }

  /** What has changed since the last call. Slots that were given up may be taken again: removals come first. */
  takeChanges(): SetChanges {
    const { added, removed } = this.#pending
    this.#pending = { added: new Map(), removed: new Map() }
    return {
      added: [...added].map(([slot, each]) => ({ slot, ...each })),
      removed: [...removed].map(([slot, spaceRow]) => ({ slot, spaceRow })),
    }
  }

  markOf(slot: number): number {
    return this.#marks[slot] ?? 0
  }

  /** The sets of a vector space that are in memory, by their slots. */
  *inSpace(spaceRow: number): Iterable<readonly [slot: number, setRow: number]> {
    for (let slot = 0; slot < this.#used; slot += 1) {
      const setRow = this.#setRows[slot] ?? 0
      if (setRow === 0 || this.#placeOf[slot] !== vectorPlaces.memory) continue
      if (this.#classes.spaceOf(this.#classOf[slot] ?? none) === spaceRow) yield [slot, setRow]
    }
  }

  /** What the query may look at; until the next change. */
  async allowed(reading: Connection, query: Pick<FindQuery, 'viewer' | 'filter'>): Promise<Allowed> {
    const { mask, sets, chunks, spaces } = this.#classes.choose(query)
    const classOf = this.#classOf
    const inClass = (slot: number): boolean => mask[classOf[slot] ?? none] === 1
    const { ids, metadata } = query.filter
    if (ids === undefined && metadata === undefined) return this.#within(inClass, { sets, chunks, spaces })
    if (ids === undefined && metadata !== undefined) return this.#matching(reading, metadata, inClass)
    const rows = await reading.kysely
      .selectFrom('documents')
      .select('visible_set')
      .where(matchesFilter(reading.engine, { ids, metadata }))
      .execute()
    const slots = rows
      .map(({ visible_set: setRow }) => (setRow === null ? undefined : this.#slots.get(setRow)))
      .filter((slot) => slot !== undefined && inClass(slot)) as number[]
    const listed = new Set(slots)
    return this.#within((slot) => listed.has(slot), this.#countsOf(slots))
  }

  async #matching(reading: Connection, filter: MetadataFilter, inClass: (slot: number) => boolean): Promise<Allowed> {
    const mask = await this.#filtered.maskOf(reading, filter, (setRow) => this.#slots.get(setRow))
    const has = (slot: number): boolean => mask[slot] === 1 && inClass(slot)
    return this.#within(has, this.#countsOf(this.#slotsWhere(has)))
  }

  #countsOf(slots: Iterable<number>): Pick<Allowed, 'sets' | 'chunks' | 'spaces'> {
    const spaces = new Set<number>()
    let [sets, chunks] = [0, 0]
    for (const slot of slots) {
      sets += 1
      chunks += this.#chunks[slot] ?? 0
      spaces.add(this.#classes.spaceOf(this.#classOf[slot] ?? none))
    }
    return { sets, chunks, spaces }
  }

  #within(has: (slot: number) => boolean, counts: Pick<Allowed, 'sets' | 'chunks' | 'spaces'>): Allowed {
    const hasSet = (setRow: number): boolean => {
      const slot = this.#slots.get(setRow)
      return slot !== undefined && has(slot)
    }
    const isIn = (place: VectorPlace, row: number): boolean => {
      const slot = this.#slots.get(setOf(row))
      return slot !== undefined && this.#placeOf[slot] === vectorPlaces[place] && has(slot)
    }
    const setRows = () => this.#setRowsWhere(has)
    const setsIn = (place: VectorPlace) => [
      ...this.#setRowsWhere((slot) => this.#placeOf[slot] === vectorPlaces[place] && has(slot)),
    ]
    const chunksOf = (setRow: number): number => this.#chunks[this.#slots.get(setRow) ?? none] ?? 0
    return { ...counts, has, hasSet, setsIn, isIn, ofSets: this.#slots.size, setRows, chunksOf }
  }

  *#setRowsWhere(has: (slot: number) => boolean): Iterable<number> {
    for (const slot of this.#slotsWhere(has)) yield this.#setRows[slot] ?? 0
  }

  *#slotsWhere(has: (slot: number) => boolean): Iterable<number> {
    for (let slot = 0; slot < this.#used; slot += 1) if ((this.#setRows[slot] ?? 0) > 0 && has(slot)) yield slot
  }

  async #readSome(reading: Connection, changed: readonly number[]): Promise<void> {
    this.#filtered.changed(changed)
    for (let start = 0; start < changed.length; start += readTogether) {
      const some = changed.slice(start, start + readTogether)
      const rows = await setRowsOf(reading, isOneOf(reading.engine, 'documents.visible_set', some))
      const visible = new Set(rows.map(({ setRow }) => setRow))
      for (const setRow of some) if (!visible.has(setRow)) this.#remove(setRow)
      for (const row of rows) this.#put(row)
    }
  }

  async #readAll(reading: Connection): Promise<void> {
    this.#filtered.forget()
    const seen = new Uint8Array(this.#used)
    for (let after = 0; ;) {
      const rows = await setRowsOf(reading, sql<SqlBool>`documents.visible_set > ${after}`)
      for (const row of rows) {
        const slot = this.#slots.get(row.setRow)
        if (slot !== undefined) seen[slot] = 1
        this.#put(row)
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < readTogether) break
      after = last.setRow
    }
    for (const [slot, visible] of seen.entries()) {
      const setRow = this.#setRows[slot] ?? 0
      if (visible === 0 && setRow > 0) this.#remove(setRow)
    }
  }

  #put({ setRow, chunks, place, owners, content, importerId, category, spaceRow }: SetRow): void {
    const known = this.#slots.get(setRow)
    const slot = known ?? this.#newSlot()
    if (known !== undefined) this.#leave(slot)
    this.#setRows[slot] = setRow
    if (known === undefined) this.#slots.add(slot)
    this.#chunks[slot] = chunks
    this.#marks[slot] = Bun.hash.crc32(`${content} ${chunks}`)
    this.#classOf[slot] = this.#classes.enter({ importerId, category, spaceRow, owners: ownersOf(owners) }, chunks)
    const wasInMemory = known !== undefined && this.#placeOf[slot] === vectorPlaces.memory
    this.#placeOf[slot] = place
    this.#count(slot, 1)
    if (wasInMemory && place !== vectorPlaces.memory) this.#forget(slot, spaceRow)
    else if (!wasInMemory && place === vectorPlaces.memory) {
      this.#pending.added.set(slot, { setRow, spaceRow })
    }
  }

  #remove(setRow: number): void {
    const slot = this.#slots.get(setRow)
    if (slot === undefined) return
    const spaceRow = this.#classes.spaceOf(this.#classOf[slot] ?? none)
    this.#leave(slot)
    if (this.#placeOf[slot] === vectorPlaces.memory) this.#forget(slot, spaceRow)
    this.#slots.delete(setRow)
    this.#setRows[slot] = 0
    this.#classOf[slot] = none
    this.#unused.push(slot)
  }

  /** The memory no longer has to hold the set in this slot. */
  #forget(slot: number, spaceRow: number): void {
    if (!this.#pending.added.delete(slot)) this.#pending.removed.set(slot, spaceRow)
  }

  #leave(slot: number): void {
    this.#count(slot, -1)
    this.#classes.leave(this.#classOf[slot] ?? none, this.#chunks[slot] ?? 0)
  }

  #count(slot: number, sign: number): void {
    const key = `${this.#placeOf[slot]} ${this.#classes.spaceOf(this.#classOf[slot] ?? none)}`
    this.#held.set(key, (this.#held.get(key) ?? 0) + sign * (this.#chunks[slot] ?? 0))
  }

  #newSlot(): number {
    const slot = this.#unused.pop() ?? this.#used++
    this.#setRows = grown(this.#setRows, slot + 1)
    this.#chunks = grown(this.#chunks, slot + 1)
    this.#marks = grown(this.#marks, slot + 1)
    this.#classOf = grown(this.#classOf, slot + 1)
    this.#placeOf = grown(this.#placeOf, slot + 1)
    return slot
  }
}

/** Sorted by their principals, the same for all documents that have them. */
function ownersOf(lines: string | null): readonly string[] {
  if (lines === null) return []
  if (!lines.includes('\n')) return [lines]
  return lines.split('\n').sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1))
}

/** Sets with their traits, in their order. */
async function setRowsOf({ kysely }: Connection, among: RawBuilder<SqlBool>): Promise<readonly SetRow[]> {
  const { rows } = await sql<SetRow>`
    select documents.visible_set as "setRow", documents.importer_id as "importerId", documents.category as category,
      chunk_sets.space_row as "spaceRow", chunk_sets.chunks as chunks,
      case when chunk_sets.index_state = ${sql.lit(indexStates.ready)} then chunk_sets.index_place else 0 end as place,
      documents.id || ' ' || chunk_sets.fence || ' ' || coalesce(documents.visible_sha256, '') as content,
      (select string_agg(
          case when owner.from_version <= documents.visible_version then '+' else '-' end || owner.principal, ${sql.lit('\n')})
        from document_owners as owner where owner.document_row = documents.row) as owners
    from documents join chunk_sets on chunk_sets.row = documents.visible_set
    where ${among} order by documents.visible_set limit ${sql.lit(readTogether)}
  `.execute(kysely)
  return rows
}
