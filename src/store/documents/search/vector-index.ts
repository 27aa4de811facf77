/**
 * Where vectors are searched: the seam between what a search asks and the places that can answer it. A place holds the
 * vectors of some sets of chunks, in whatever form makes them quick to find. It names candidates; their cosines are
 * counted from the vectors in the database, so every place ranks alike.
 *
 * A set is held by one place at a time, which `VisibleSets` knows as of the snapshot that the search reads. What no
 * other place holds is in memory. So a search finds a set from the moment at which it is visible, wherever it moves, and
 * nothing that its snapshot does not allow.
 */
import type { Connection } from '../../database.ts'
import type { Allowed } from './visible-sets.ts'

/** The places by the numbers that the database knows them by. */
export const vectorPlaces = { memory: 0, pgvector: 1, qdrant: 2 } as const

/** How far a set is in its place: `copied` ones are there and not found yet; one that is not `ready` is in memory. */
export const indexStates = { none: 0, copied: 1, ready: 2 } as const

export type VectorPlace = keyof typeof vectorPlaces

export interface VectorSpace {
  readonly row: number
  readonly dimensions: number
}

export interface NearQuery {
  readonly space: VectorSpace
  readonly vector: Float32Array
  /** How many of the nearest the search wants. */
  readonly limit: number
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
  near(reading: Connection, allowed: Allowed, query: NearQuery): Promise<readonly NearRow[]>
}
