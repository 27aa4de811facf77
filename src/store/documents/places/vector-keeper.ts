/** The other side of a place: what moving sets of chunks to it and away from it needs. */
import type { VectorPlace } from '../vector-places.ts'
import type { VectorSpace } from './vector-index.ts'

export interface PlacedChunk {
  readonly row: number
  readonly setRow: number
  readonly vector: Float32Array
}

export interface VectorKeeper {
  readonly place: Exclude<VectorPlace, 'memory'>
  /** Most dimensions of a vector; spaces of more stay in memory. */
  readonly dimensionsMax: number
  /** Why nothing can be kept there, as a sentence; null when it can. */
  refusal(): Promise<string | null>
  /** Makes room for a space; does nothing when it is there. */
  prepare(space: VectorSpace): Promise<void>
  /** Keeps these chunks; those that are there already are replaced. */
  put(space: VectorSpace, chunks: readonly PlacedChunk[]): Promise<void>
  /** Whether what was put is quick to find. */
  isBuilt(space: VectorSpace): Promise<boolean>
  /** Makes it so, however long it takes. */
  build(space: VectorSpace): Promise<void>
  /** Removes these sets; those that are not there are no obstacle. */
  remove(space: VectorSpace, setRows: readonly number[]): Promise<void>
  /** Gives up the room for a space in which nothing is left. */
  dropIfEmpty(space: VectorSpace): Promise<void>
  /** Chunks that are there. */
  count(space: VectorSpace): Promise<number>
}
