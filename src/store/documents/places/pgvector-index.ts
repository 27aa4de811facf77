/**
 * The place in PostgreSQL: an HNSW index that is read on, in the order of distance, until enough of what was found is
 * allowed; where little is allowed, all of that is compared, which is exact and quicker.
 */
import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database.ts'
import { halfvec, pgvectorOf, tableOf, type Pgvector } from './pgvector.ts'
import {
  candidatesFor,
  nearRow,
  type AllowedSets,
  type NearQuery,
  type NearRow,
  type VectorIndex,
} from './vector-index.ts'

/** Neighbours that are kept in view on the way: recall@10 is .99 on the vectors of real models from about here on. */
const efSearch = { min: 400, max: 1000 }
/** Allowed chunks that are always compared one by one. */
const comparedMin = 1000
/** Comparing costs a chunk; finding one through the index costs about as many. */
const costOfFound = 5

interface Found {
  readonly row: number
  readonly distance: number
}

/** The search in the tables of pgvector. */
export function pgvectorIndex(): VectorIndex {
  let extension: Pgvector | null = null
  return {
    place: 'pgvector',
    async near(reading, allowed, query) {
      extension ??= await pgvectorOf(reading)
      if (extension === null) return []
      const distance = distanceTo(extension, query.vector)
      const wanted = candidatesFor(query.limit)
      if (isNarrow(allowed, wanted, query.held)) return compared(reading, allowed, { ...query, distance, wanted })
      const found = await throughIndex(reading, allowed, { ...query, distance, wanted })
      // The index ends early when its memory is full or vectors lie far apart; but what is allowed must be found.
      return found.length >= Math.min(wanted, query.limit)
        ? found
        : compared(reading, allowed, { ...query, distance, wanted })
    },
  }
}

/** Whether comparing all that is allowed costs less than reading the index until enough of it was allowed. */
function isNarrow({ chunks }: AllowedSets, wanted: number, held: number): boolean {
  return chunks <= comparedMin || chunks * chunks <= costOfFound * wanted * held
}

type Search = NearQuery & { readonly distance: RawBuilder<number>; readonly wanted: number }

function distanceTo(extension: Pgvector, vector: Float32Array): RawBuilder<number> {
  return sql<number>`vector operator(${sql.id(extension.schema)}.<=>) ${halfvec(extension, vector)}`
}

async function compared({ kysely }: Connection, allowed: AllowedSets, { space, distance, wanted }: Search) {
  // The sum keeps the planner from the index, which would be read completely for what few sets have.
  const { rows } = await sql<Found>`
    select row, ${distance} as distance from ${tableOf(space)} where set_row = any(${allowed.setsIn('pgvector')})
    order by (${distance}) + 0, row limit ${wanted}`.execute(kysely)
  return rows.map(asNear)
}

async function throughIndex({ kysely }: Connection, allowed: AllowedSets, search: Search): Promise<readonly NearRow[]> {
  const { space, distance, wanted, held } = search
  const step = Math.min(efSearch.max, Math.max(efSearch.min, wanted))
  const perAllowed = Math.max(1, held / Math.max(1, allowed.chunks))
  const scanned = Math.ceil(step + 4 * wanted * perAllowed)
  await sql`select set_config('hnsw.ef_search', ${String(step)}, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.max_scan_tuples', ${String(scanned)}, true),
    set_config('hnsw.scan_mem_multiplier', '8', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_sort', 'off', true)`.execute(kysely)
  const found: NearRow[] = []
  await sql`declare near_vectors no scroll cursor for
    select row, ${distance} as distance from ${tableOf(space)} order by ${distance}`.execute(kysely)
  for (;;) {
    const { rows } = await sql<Found>`fetch ${sql.lit(step)} from near_vectors`.execute(kysely)
    found.push(...rows.filter(({ row }) => allowed.isIn('pgvector', row)).map(asNear))
    if (rows.length < step || found.length >= wanted) break
  }
  await sql`close near_vectors`.execute(kysely)
  return found.sort((a, b) => a.atLeast - b.atLeast)
}

function asNear({ row, distance }: Found): NearRow {
  return nearRow(row, 1 - distance)
}
