/**
 * Packs the words of chunks that a version stored which did not, some at a time, while searches go on by the lists of
 * words. What is done is noted with it, so a process may be killed at any moment; one process at a time packs.
 */
import { sql, type Transaction } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables, WordPackingTable } from '../../schema.ts'
import { packedMax } from '../indexing/packed-words.ts'
import { nameRow, setOf } from '../rows/chunk-row.ts'
import { needsRowLocks } from '../rows/document-row.ts'
import { packChunks, packNames, unpackedOf, type PackedPiece, type PieceHead } from '../rows/pack-chunks.ts'
import { underSessionLock } from '../session-lock.ts'
import { isOneOf } from '../statements.ts'

export interface WordPacker {
  /** Looks at some chunks and packs the words of those that have none; returns how many it looked at, 0 when there is nothing to do. */
  packWords(): Promise<number>
}

/** Chunks that one step looks at, and of those that it packs at most: some 60 ms. */
const lookedAt = 2000
const packedTogether = 200
/** The schema from which on chunks are stored with their words. */
const packingSchema = 64

/** Packing in this database. The connection is one session, and no other's. */
export function wordPacker(connection: Connection): WordPacker {
  return {
    packWords: async () => (await underSessionLock(connection, 'sluice words', () => step(connection))) ?? 0,
  }
}

async function step(connection: Connection): Promise<number> {
  const { kysely } = connection
  const state = await kysely.selectFrom('word_packing').selectAll().executeTakeFirst()
  if (state === undefined || state.done === 1) return 0
  const found = await kysely
    .selectFrom('document_chunks')
    .select('row')
    .where('row', '>', state.after_row)
    .orderBy('row')
    .limit(lookedAt)
    .execute()
  const rows = found.map(({ row }) => row)
  if (rows.length === 0) return endOfPass(connection, state)
  const missing = await unpacked(connection, rows)
  const last = (missing.length > packedTogether ? missing[packedTogether - 1] : rows.at(-1)) ?? 0
  const pieces = await packChunks(connection, missing.slice(0, packedTogether))
  const sets = [...new Set(rows.filter((row) => row <= last).map(setOf))]
  const again = state.after_row === 0 && (await runsOlder(connection)) ? 1 : state.again
  await kysely.transaction().execute(async (trx) => {
    await put({ ...connection, kysely: trx }, trx, sets, pieces)
    await trx.updateTable('word_packing').set({ after_row: last, again }).execute()
  })
  return rows.length
}

/** All were looked at. What older processes stored since then is looked for once they are gone. */
async function endOfPass(connection: Connection, { again }: Pick<WordPackingTable, 'again'>): Promise<number> {
  const isOlder = await runsOlder(connection)
  const next = isOlder ? { again: 1 } : again === 1 ? { after_row: 0, again: 0 } : { done: 1 }
  await connection.kysely.updateTable('word_packing').set(next).execute()
  return !isOlder && again === 1 ? 1 : 0
}

/** Processes that store chunks without their words may be on this PostgreSQL. */
async function runsOlder({ engine, kysely }: Connection): Promise<boolean> {
  if (engine === 'sqlite') return false
  const older = kysely.selectFrom('replicas').select('id').where('schema_version', '<', packingSchema).limit(1)
  return (await older.executeTakeFirst()) !== undefined
}

/** Those of these neighbouring chunks that no piece holds. */
async function unpacked({ kysely }: Connection, rows: readonly number[]): Promise<readonly number[]> {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)]
  const pieces = await kysely
    .selectFrom('chunk_words')
    .select(['row', sql<PieceHead['chunks']>`substr(words, 4, 1)`.as('chunks')])
    .where('row', '>', first - packedMax)
    .where('row', '<=', last)
    .execute()
  return unpackedOf(rows, pieces)
}

/**
 * Adds pieces of sets that are still visible, and the words of the names of those that have none. The documents are
 * locked: none of them is removed, replaced or renamed before what is added here can be seen.
 */
async function put(
  { engine }: Connection,
  trx: Transaction<Tables>,
  sets: readonly number[],
  pieces: readonly PackedPiece[],
): Promise<void> {
  let query = trx
    .selectFrom('documents')
    .select('visible_set')
    .where(isOneOf(engine, 'visible_set', sets))
    .orderBy('id')
  if (needsRowLocks(engine)) query = query.forUpdate()
  const visible = (await query.execute()).flatMap(({ visible_set: setRow }) => setRow ?? [])
  const named = await trx
    .selectFrom('chunk_words')
    .select('row')
    .where(isOneOf(engine, 'row', visible.map(nameRow)))
    .execute()
  const have = new Set(named.map(({ row }) => setOf(row)))
  const nameless = visible.filter((setRow) => !have.has(setRow))
  const added = [
    ...pieces.filter(({ row }) => visible.includes(setOf(row))),
    ...(await packNames({ engine, kysely: trx }, nameless)),
  ]
  for (const { row, words } of added) {
    await sql`insert into chunk_words (row, words) values (${row}, ${words}) on conflict do nothing`.execute(trx)
  }
}
