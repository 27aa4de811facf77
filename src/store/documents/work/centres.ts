/**
 * The centre of a vector space: the mean of the directions of its first vectors. Codes that are made before there is
 * one have none. A centre never changes, since codes are made with it.
 */
import type { Connection } from '../../database.ts'
import { rowsOf } from '../rows/chunk-row.ts'
import { meanDirection, signCoder } from '../indexing/sign-code.ts'
import { floatsOf } from '../indexing/vector-bytes.ts'

export interface Centre {
  readonly row: number
  readonly rotated: Float32Array
}

/** Vectors that a centre is the mean of, and most of them from one set: no document decides alone. */
const sample = { vectors: 256, ofSet: 128, sets: 500 }
/** Vectors of a space that are stored before its centre is looked for once more. */
const lookAgainAfter = 128

export class Centres {
  readonly #connection: Connection
  readonly #known = new Map<string, Centre>()
  /** Vectors stored since the centre of a space was last looked for. */
  readonly #stored = new Map<string, number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The centre for codes of this space; null while it has none. */
  async of({ key, dimensions }: { readonly key: string; readonly dimensions: number }): Promise<Centre | null> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const stored = await this.#connection.kysely
      .selectFrom('vector_centres')
      .innerJoin('vector_spaces', 'vector_spaces.row', 'vector_centres.space_row')
      .select(['vector_centres.row', 'vector_centres.centre'])
      .where('vector_spaces.key', '=', key)
      .where('vector_spaces.dimensions', '=', dimensions)
      .orderBy('vector_centres.row')
      .executeTakeFirst()
    if (stored === undefined) return null
    const centre = { row: stored.row, rotated: signCoder(dimensions).rotate(floatsOf(stored.centre)) }
    this.#known.set(key, centre)
    return centre
  }

  /** Makes the centre of the space when enough vectors are there; to be called after each time that some are stored. */
  async afterStoring(key: string, vectors: number): Promise<void> {
    if (this.#known.has(key)) return
    const stored = (this.#stored.get(key) ?? 0) + vectors
    this.#stored.set(key, stored % lookAgainAfter)
    if (stored >= lookAgainAfter) await this.#make(key)
  }

  async #make(key: string): Promise<void> {
    const { kysely } = this.#connection
    const sets = await kysely
      .selectFrom('chunk_sets')
      .innerJoin('vector_spaces', 'vector_spaces.row', 'chunk_sets.space_row')
      .select(['chunk_sets.row', 'chunk_sets.space_row as spaceRow'])
      .where('vector_spaces.key', '=', key)
      .orderBy('chunk_sets.row', 'desc')
      .limit(sample.sets)
      .execute()
    const vectors: Float32Array[] = []
    for (const { row } of sets) {
      const { from, to } = rowsOf(row)
      const some = await kysely
        .selectFrom('chunk_vectors')
        .select('vector')
        .where('row', '>=', from)
        .where('row', '<', to)
        .limit(sample.ofSet)
        .execute()
      vectors.push(...some.map(({ vector }) => floatsOf(vector)))
      if (vectors.length >= sample.vectors) break
    }
    const spaceRow = sets[0]?.spaceRow
    if (vectors.length < sample.vectors || spaceRow === undefined) return
    const { buffer } = meanDirection(vectors)
    await kysely
      .insertInto('vector_centres')
      .values({ space_row: spaceRow, centre: Buffer.from(buffer) })
      .execute()
  }
}
