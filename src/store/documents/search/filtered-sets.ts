/**
 * Which visible sets a filter over metadata lets through. The database answers that for all of them once; after that,
 * only what has changed is asked about again, so a filter that comes back costs nothing. What is kept has a bound in
 * bytes: callers who bring ever new filters push out each other's.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import { matchesMetadata } from '../metadata/filter-condition.ts'
import type { MetadataFilter } from '../metadata/metadata-filter.ts'
import { isOneOf } from '../statements.ts'
import { grown } from './grown.ts'

interface Mask {
  /** 1 for each slot whose set the filter lets through. */
  slots: Uint8Array
  /** Changes that this mask knows. */
  at: number
}

/** Masks together; one of a million documents has a million bytes. */
const bytesMax = 16_000_000
/** After more changes all masks are made again. */
const changesMax = 5000

export class FilteredSets {
  readonly #masks = new Map<string, Mask>()
  /** Sets that have changed, the oldest first, and how many came before them. */
  #changes: number[] = []
  #before = 0

  /** Notes sets that came, went, or have other metadata now. */
  changed(setRows: readonly number[]): void {
    if (this.#masks.size === 0) return
    if (this.#changes.length + setRows.length > changesMax) this.forget()
    else this.#changes.push(...setRows)
  }

  /** Forgets everything: any set may have changed. */
  forget(): void {
    this.#masks.clear()
    this.#before += this.#changes.length
    this.#changes = []
  }

  /** What the filter lets through in this snapshot, by slots. Valid until the next change. */
  async maskOf(
    reading: Connection,
    filter: MetadataFilter,
    slotOf: (setRow: number) => number | undefined,
  ): Promise<Uint8Array> {
    const name = createHash('sha256').update(JSON.stringify(filter)).digest('base64')
    const known = this.#masks.get(name)
    const at = this.#before + this.#changes.length
    const mask = known ?? { slots: new Uint8Array(16), at }
    const changed = known && new Set(this.#changes.slice(known.at - this.#before))
    const set = (setRow: number, value: number): void => {
      const slot = slotOf(setRow)
      if (slot === undefined) return
      mask.slots = grown(mask.slots, slot + 1)
      mask.slots[slot] = value
    }
    if (changed === undefined || changed.size > 0) {
      const matching = await matchingSets(reading, filter, changed && [...changed])
      for (const setRow of changed ?? []) set(setRow, 0)
      for (const setRow of matching) set(setRow, 1)
    }
    mask.at = at
    this.#masks.delete(name)
    // What was forgotten while the database answered cannot be looked up again.
    if (at < this.#before) return mask.slots
    this.#masks.set(name, mask)
    this.#bound()
    return mask.slots
  }

  #bound(): void {
    let bytes = this.#masks.values().reduce((sum, { slots }) => sum + slots.length, 0)
    for (const [name, { slots }] of this.#masks) {
      if (bytes <= bytesMax || this.#masks.size === 1) return
      this.#masks.delete(name)
      bytes -= slots.length
    }
  }
}

/** The visible sets that the filter lets through, among these; among all when left out. */
async function matchingSets(
  { engine, kysely }: Connection,
  filter: MetadataFilter,
  among?: readonly number[],
): Promise<readonly number[]> {
  const within = among === undefined ? sql`visible_set is not null` : isOneOf(engine, 'visible_set', among)
  // One text: reading as many rows takes ten times as long.
  const { rows } = await sql<{ readonly sets: string | null }>`
    select string_agg(cast(visible_set as text), ',') as sets from documents
    where ${within} and ${matchesMetadata(engine, filter)}`.execute(kysely)
  const sets = rows[0]?.sets ?? null
  return sets === null ? [] : sets.split(',').map(Number)
}
