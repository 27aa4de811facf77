/**
 * Where vectors are searched: the seam between what a search asks and the places that can answer it. A place holds the
 * vectors of some sets of chunks, in whatever form makes them quick to find. It names candidates; their cosines are
 * counted from the vectors in the database, so every place ranks alike.
 *
 * A set is held by one place at a time, and the snapshot that a search reads says by which. What no other place holds
 * is in memory. So a search finds a set from the moment at which it is visible, wherever it moves, and nothing that its
 * snapshot does not allow.
 */
import type { Connection } from '../../database.ts'
import type { VectorPlace } from '../vector-places.ts'

export interface VectorSpace {
  readonly row: number
  readonly dimensions: number
}

/** What a search may look at. */
export interface AllowedSets {
  readonly sets: number
  readonly chunks: number
  /** All sets, allowed or not. */
  readonly ofSets: number
  /** Whether the search may look at the set in this slot of the memory. */
  readonly has: (slot: number) => boolean
  /** Rows of the allowed sets that this place holds. */
  readonly setsIn: (place: VectorPlace) => readonly number[]
  /** Whether the chunk belongs to an allowed set that this place holds. */
  readonly isIn: (place: VectorPlace, row: number) => boolean
}

export interface NearQuery {
  readonly space: VectorSpace
  readonly vector: Float32Array
  /** How many of the nearest the search wants. */
  readonly limit: number
  /** Chunks of the space that this place holds, allowed or not. */
  readonly held: number
}

/** A chunk that may be among the nearest. */
export interface NearRow {
  readonly row: number
  /** The squared distance between the unit vectors is seldom less than this. */
  readonly atLeast: number
}

export interface VectorIndex {
  readonly place: VectorPlace
  /**
   * Candidates among the allowed chunks that this place holds, the one that may be nearest first. Rejects with
   * VectorsUnavailable when the place does not answer.
   */
  near(reading: Connection, allowed: AllowedSets, query: NearQuery): Promise<readonly NearRow[]>
}

/** Another server that holds vectors does not answer, or not as it should. */
export class VectorsUnavailable extends Error {
  override readonly name = 'VectorsUnavailable'
}

/** Distances of places that keep vectors with fewer bits are this wrong at most. */
const roundingMax = 0.002

/** A candidate by its cosine, as a place counts it. */
export function nearRow(row: number, cosine: number): NearRow {
  // A vector without a direction has no cosine, and is at right angles to all.
  return { row, atLeast: 2 - 2 * (Number.isFinite(cosine) ? cosine : 0) - roundingMax }
}

/** How many candidates make sure of the nearest, when a place ranks almost as the vectors themselves do. */
export function candidatesFor(limit: number): number {
  return Math.max(100, 2 * limit)
}
