/** Where vectors may be kept and searched: names, numbers, and how far a move has got. What a place does is in places/. */

/** The places by the numbers that the database knows them by. */
export const vectorPlaces = { memory: 0, pgvector: 1, qdrant: 2 } as const

export type VectorPlace = keyof typeof vectorPlaces

export const placeNames = Object.keys(vectorPlaces) as readonly VectorPlace[]

/** How far a set is in its place: `copied` ones are there and not found yet; one that is not `ready` is in memory. */
export const indexStates = { none: 0, copied: 1, ready: 2 } as const

/** A place, or `auto`: pgvector where it is installed and there is much to search, else the memory. */
export const vectorChoices = ['auto', 'memory', 'pgvector', 'qdrant'] as const satisfies readonly (
  | 'auto'
  | VectorPlace
)[]

export type VectorChoice = (typeof vectorChoices)[number]

/** What a step of a move did. */
export interface MoveStep {
  /** Where vectors are moved to. */
  readonly target: VectorPlace
  /** Sets that were moved, noted or removed; 0 when there is nothing left to do. */
  readonly sets: number
  /** Another process is at it. */
  readonly busy: boolean
  /** Why the place cannot be used, as a sentence. */
  readonly refusal: string | null
}

/** How many chunks of visible documents a place holds, and how many are there and wait for its index. */
export interface PlacedChunks {
  readonly place: VectorPlace
  readonly ready: number
  readonly copied: number
}

/** A Qdrant server. */
export interface QdrantAddress {
  /** Without a slash at the end. */
  readonly url: string
  readonly apiKey: string | null
  /** What the names of all collections begin with. */
  readonly collections: string
}
