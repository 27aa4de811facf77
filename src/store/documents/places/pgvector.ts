/**
 * The tables of pgvector (0.8 or newer): one for each vector space, as `halfvec`, with an HNSW index. Its types are named
 * with their schema, since the extension need not be in the search path. https://github.com/pgvector/pgvector
 */
import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database.ts'
import type { VectorSpace } from './vector-index.ts'
import type { PlacedChunk, VectorKeeper } from './vector-keeper.ts'

/** As many as an HNSW index of `halfvec` takes. */
const dimensionsMax = 4000
/** Chunks of one statement. */
const putTogether = 100
const needed = [0, 8] as const
/** The index is built in this much memory if it fits, many times faster than without. */
const buildMemory = { bytesPerDimension: 2, bytesPerChunk: 400, max: 2 ** 30, min: 64 * 2 ** 20 }

export interface Pgvector {
  /** Where the extension's types and operators are. */
  readonly schema: string
  readonly version: string
}

/** The extension of this database; null when it is not there or too old. */
export async function pgvectorOf({ engine, kysely }: Connection): Promise<Pgvector | null> {
  if (engine !== 'postgres') return null
  const { rows } = await sql<Pgvector>`
    select extnamespace::regnamespace::text as schema, extversion as version from pg_extension where extname = 'vector'
  `.execute(kysely)
  const found = rows[0]
  return found !== undefined && isNewEnough(found.version) ? found : null
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

/** The table of a space. */
export function tableOf({ row }: Pick<VectorSpace, 'row'>): RawBuilder<unknown> {
  return sql.id(`vectors_of_space_${row}`)
}

/** A vector as a value of the extension's type. */
export function halfvec({ schema }: Pgvector, vector: Float32Array): RawBuilder<unknown> {
  return sql`${halfBytes(vector)}::${sql.id(schema, 'halfvec')}`
}

function nearIndexOf({ row }: VectorSpace): string {
  return `vectors_of_space_${row}_near`
}

/** Vectors in the tables of this database, whose extension is made when it is missing and may be. */
export function pgvectorKeeper(connection: Connection): VectorKeeper {
  const { kysely } = connection
  let found: Pgvector | null = null
  const extension = async (): Promise<Pgvector> => {
    found ??= await pgvectorOf(connection)
    if (found === null) throw new Error('pgvector 0.8 or newer is not installed in this database.')
    return found
  }
  const isValid = (space: VectorSpace) => isIndexValid(connection, space)
  return {
    place: 'pgvector',
    dimensionsMax,
    async refusal() {
      if ((await pgvectorOf(connection)) !== null) return null
      const why = await sql`create extension if not exists vector`.execute(kysely).then(
        () => null,
        (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
      )
      if ((await pgvectorOf(connection)) !== null) return null
      return `pgvector 0.8 or newer is not installed in the database. As a superuser, run "create extension vector" or "alter extension vector update" there.${why === null ? '' : ` The server said: ${why}.`}`
    },
    async prepare(space) {
      const { schema } = await extension()
      const type = sql`${sql.id(schema, 'halfvec')}(${sql.lit(space.dimensions)})`
      await sql`create table if not exists ${tableOf(space)} (
        row bigint primary key, set_row bigint not null, vector ${type} not null)`.execute(kysely)
      // Compressing vectors costs time and saves nothing.
      await sql`alter table ${tableOf(space)} alter column vector set storage external`.execute(kysely)
      await sql`create index if not exists ${sql.id(`vectors_of_space_${space.row}_sets`)}
        on ${tableOf(space)} (set_row)`.execute(kysely)
    },
    async put(space, chunks) {
      const itsExtension = await extension()
      for (let start = 0; start < chunks.length; start += putTogether) {
        const rows = chunks.slice(start, start + putTogether).map((chunk) => valuesOf(itsExtension, chunk))
        await sql`insert into ${tableOf(space)} (row, set_row, vector) values ${sql.join(rows)}
          on conflict (row) do update set vector = excluded.vector`.execute(kysely)
      }
    },
    isBuilt: async (space) => (await isValid(space)) === true,
    async build(space) {
      const { schema } = await extension()
      // A build that was broken off leaves an index that is not valid.
      if ((await isValid(space)) === false)
        await sql`drop index concurrently ${sql.id(nearIndexOf(space))}`.execute(kysely)
      await sql`select set_config('maintenance_work_mem', ${await buildMemoryOf(connection, space)}, false)`.execute(
        kysely,
      )
      const operators = sql.id(schema, 'halfvec_cosine_ops')
      await sql`create index concurrently ${sql.id(nearIndexOf(space))} on ${tableOf(space)} using hnsw (vector ${operators})`.execute(
        kysely,
      )
      await sql`analyze ${tableOf(space)}`.execute(kysely)
    },
    ...removals(connection),
  }
}

/** Null when there is no index. */
async function isIndexValid({ kysely }: Connection, space: VectorSpace): Promise<boolean | null> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${nearIndexOf(space)})`.execute(kysely)
  return rows[0]?.valid ?? null
}

/** What takes vectors out of the tables, which may be gone. */
function removals({ kysely }: Connection): Pick<VectorKeeper, 'remove' | 'dropIfEmpty' | 'count'> {
  const isThere = async ({ row }: VectorSpace): Promise<boolean> => {
    const { rows } = await sql<{ there: boolean }>`
      select to_regclass(${`vectors_of_space_${row}`}) is not null as there`.execute(kysely)
    return rows[0]?.there === true
  }
  return {
    async remove(space, setRows) {
      if (await isThere(space)) await sql`delete from ${tableOf(space)} where set_row = any(${setRows})`.execute(kysely)
    },
    async dropIfEmpty(space) {
      if (!(await isThere(space))) return
      const { rows: left } = await sql`select row from ${tableOf(space)} limit 1`.execute(kysely)
      if (left.length === 0) await sql`drop table ${tableOf(space)}`.execute(kysely)
    },
    async count(space) {
      if (!(await isThere(space))) return 0
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${tableOf(space)}`.execute(kysely)
      return rows[0]?.count ?? 0
    },
  }
}

function valuesOf(extension: Pgvector, { row, setRow, vector }: PlacedChunk): RawBuilder<unknown> {
  return sql`(${row}, ${setRow}, ${halfvec(extension, vector)})`
}

async function buildMemoryOf({ kysely }: Connection, space: VectorSpace): Promise<string> {
  const { bytesPerDimension, bytesPerChunk, max, min } = buildMemory
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${tableOf(space)}`.execute(kysely)
  const needs = (rows[0]?.count ?? 0) * (space.dimensions * bytesPerDimension + bytesPerChunk)
  return `${Math.ceil(Math.min(max, Math.max(min, needs)) / 1024)}kB`
}

/** The extension's binary form: the number of dimensions, an unused number, then numbers of 16 bits, all big-endian. */
function halfBytes(vector: Float32Array): Buffer {
  const halves = Float16Array.from(vector)
  const bits = new DataView(halves.buffer)
  const bytes = Buffer.alloc(4 + 2 * vector.length)
  bytes.writeUInt16BE(vector.length, 0)
  for (let at = 0; at < vector.length; at += 1) bytes.writeUInt16BE(bits.getUint16(2 * at, true), 4 + 2 * at)
  return bytes
}
