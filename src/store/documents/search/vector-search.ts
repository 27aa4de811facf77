/**
 * The search by vectors: the codes of each vector space that was searched, kept equal to the visible sets, and the
 * comparison of what they find with the vectors themselves.
 */
import type { Connection } from '../../database.ts'
import type { RankedChunk } from '../document-store.ts'
import { plainScales, signCoder } from '../indexing/sign-code.ts'
import { floatsOf } from '../indexing/vector-bytes.ts'
import { isOneOf } from '../statements.ts'
import { CodeIndex, type CodePiece, type NearRow } from './code-index.ts'
import type { Allowed, VisibleSets } from './visible-sets.ts'

interface Space {
  readonly index: CodeIndex
  /** Sets in these slots whose codes have not been read yet. */
  readonly missing: Map<number, number>
}

/** Sets whose codes are read by one statement. */
const readTogether = 2000
/** Rows that the codes give at most, and how many vectors one statement reads. */
const compared = { max: 2048, first: 200, further: 256 }

export class VectorSearch {
  readonly #sets: VisibleSets
  readonly #spaces = new Map<number, Space>()

  constructor(sets: VisibleSets) {
    this.#sets = sets
  }

  /** Takes over what has changed in the visible sets; the codes of new ones are read when they are needed. */
  takeChanges(): void {
    const { added, removed } = this.#sets.takeChanges()
    for (const { slot, spaceRow } of removed) {
      const space = this.#spaces.get(spaceRow)
      space?.index.remove(slot)
      space?.missing.delete(slot)
    }
    for (const { slot, setRow, spaceRow } of added) this.#spaces.get(spaceRow)?.missing.set(slot, setRow)
  }

  /** Reads the codes of all spaces that have been searched. */
  async load(reading: Connection): Promise<void> {
    for (const space of this.#spaces.values()) await load(reading, space)
  }

  /** The nearest of what is allowed, by their cosines. */
  async nearest(
    reading: Connection,
    allowed: Allowed,
    { spaceKey, vector, limit }: { readonly spaceKey: string; readonly vector: Float32Array; readonly limit: number },
  ): Promise<readonly RankedChunk[]> {
    const stored = await reading.kysely
      .selectFrom('vector_spaces')
      .select(['row', 'dimensions'])
      .where('key', '=', spaceKey)
      .executeTakeFirst()
    if (stored === undefined || !allowed.spaces.has(stored.row)) return []
    const space = this.#spaceOf(stored)
    await load(reading, space)
    const { has } = allowed
    const setRowOf = (slot: number): number => this.#sets.setRowOf(slot)
    const near = space.index.nearest({ vector, has, setRowOf, count: Math.max(compared.max, limit) })
    return compare(reading, near, { vector, limit })
  }

  #spaceOf({ row, dimensions }: { readonly row: number; readonly dimensions: number }): Space {
    const known = this.#spaces.get(row)
    if (known !== undefined) return known
    const made = { index: new CodeIndex(signCoder(dimensions)), missing: new Map(this.#sets.inSpace(row)) }
    this.#spaces.set(row, made)
    return made
  }
}

async function load(reading: Connection, { index, missing }: Space): Promise<void> {
  while (missing.size > 0) {
    const some = new Map<number, number>()
    for (const [slot, setRow] of missing) {
      some.set(setRow, slot)
      if (some.size === readTogether) break
    }
    const rows = await codesOf(reading, [...some.keys()])
    await addCentres(reading, index, rows)
    const piecesOf = Map.groupBy(rows, ({ set_row: setRow }) => setRow)
    for (const [setRow, slot] of some) {
      missing.delete(slot)
      index.add(
        slot,
        (piecesOf.get(setRow) ?? []).map((row) => pieceOf(row, index)),
      )
    }
  }
}

type CodeRow = Awaited<ReturnType<typeof codesOf>>[number]

function codesOf({ engine, kysely }: Connection, sets: readonly number[]) {
  return kysely
    .selectFrom('chunk_codes')
    .selectAll()
    .where(isOneOf(engine, 'set_row', sets))
    .orderBy('set_row')
    .orderBy('first')
    .execute()
}

async function addCentres({ engine, kysely }: Connection, index: CodeIndex, rows: readonly CodeRow[]): Promise<void> {
  const unknown = new Set(rows.map((row) => row.centre_row ?? 0).filter((number) => !index.hasCentre(number)))
  if (unknown.size === 0) return
  const centres = await kysely
    .selectFrom('vector_centres')
    .select(['row', 'centre'])
    .where(isOneOf(engine, 'row', [...unknown]))
    .execute()
  for (const { row, centre } of centres) index.addCentre(row, floatsOf(centre))
}

function pieceOf({ first, codes, centre_row: centre, scales }: CodeRow, index: CodeIndex): CodePiece {
  if (scales !== null) return { first, codes, centre: centre ?? 0, scales }
  const count = codes.length / Uint32Array.BYTES_PER_ELEMENT / index.coder.words
  const plain = Uint16Array.from({ length: 2 * count }, (_each, at) => plainScales[at % 2] ?? 0)
  return { first, codes, centre: 0, scales: new Uint8Array(plain.buffer) }
}

/**
 * The best by the cosine to their vectors, which are read in the order of the estimates, until the next one would have
 * to be nearer than its estimate's error allows.
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
    if (next && last && next.distance - next.error > 2 - 2 * last.score) break
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
