/**
 * The search by vectors: asks each place that holds some of them for candidates, and ranks those by the cosines of the
 * vectors themselves.
 */
import type { Connection } from '../../database.ts'
import type { RankedChunk } from '../document-store.ts'
import { floatsOf } from '../indexing/vector-bytes.ts'
import { isOneOf } from '../statements.ts'
import { placeNames } from '../vector-places.ts'
import { VectorsUnavailable, type NearRow, type VectorIndex } from '../places/vector-index.ts'
import type { Allowed, VisibleSets } from './visible-sets.ts'

interface Asked {
  readonly spaceKey: string
  readonly vector: Float32Array
  readonly limit: number
}

/** How many vectors one statement reads. */
const compared = { first: 200, further: 256 }

export interface Nearest {
  readonly chunks: readonly RankedChunk[]
  /** What could not be searched: a sentence for each place that did not answer. */
  readonly silent: readonly string[]
}

/** The nearest of what is allowed, by their cosines. */
export async function nearestChunks(
  reading: Connection,
  { sets, places }: { readonly sets: VisibleSets; readonly places: readonly VectorIndex[] },
  allowed: Allowed,
  { spaceKey, vector, limit }: Asked,
): Promise<Nearest> {
  const space = await reading.kysely
    .selectFrom('vector_spaces')
    .select(['row', 'dimensions'])
    .where('key', '=', spaceKey)
    .executeTakeFirst()
  if (space === undefined || !allowed.spaces.has(space.row)) return { chunks: [], silent: [] }
  const near: NearRow[] = []
  const silent: string[] = []
  for (const place of placeNames) {
    const held = sets.heldBy(place, space.row)
    if (held === 0) continue
    const index = places.find((each) => each.place === place)
    try {
      if (index === undefined) throw new VectorsUnavailable(`This server is not set up for ${place}.`)
      near.push(...(await index.near(reading, allowed, { space, vector, limit, held })))
    } catch (thrown) {
      if (!(thrown instanceof VectorsUnavailable)) throw thrown
      silent.push(thrown.message)
    }
  }
  near.sort((a, b) => a.atLeast - b.atLeast)
  return { chunks: await compare(reading, near, { vector, limit }), silent }
}

/**
 * The best by the cosine to their vectors, which are read in the order of how near they may be, until what is left is
 * farther than the last of the best.
 */
async function compare(
  reading: Connection,
  near: readonly NearRow[],
  { vector, limit }: { readonly vector: Float32Array; readonly limit: number },
): Promise<readonly RankedChunk[]> {
  const ranked: RankedChunk[] = []
  for (let start = 0; start < near.length;) {
    const next = near[start]
    const last = ranked[limit - 1]
    if (next && last && next.atLeast > 2 - 2 * last.score) break
    const most = start === 0 ? Math.max(compared.first, limit) : compared.further
    const some = near.slice(start, start + most)
    start += some.length
    ranked.push(...(await cosines(reading, some, vector)))
    ranked.sort((a, b) => b.score - a.score || a.row - b.row)
  }
  return ranked.slice(0, limit)
}

/** The cosine of each row's vector to the one that was asked for; a vector without a direction is at right angles to all. */
async function cosines(
  { engine, kysely }: Connection,
  near: readonly NearRow[],
  asked: Float32Array,
): Promise<RankedChunk[]> {
  const rows = near.map(({ row }) => row)
  const stored = await kysely
    .selectFrom('chunk_vectors')
    .selectAll()
    .where(isOneOf(engine, 'row', rows))
    .execute()
  return stored.map(({ row, vector: bytes }) => ({ row, score: cosine(asked, floatsOf(bytes)) }))
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
