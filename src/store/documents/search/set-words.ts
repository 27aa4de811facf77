/**
 * What chunks hold, read from the chunks' side: which of the words a query asks for are in given sets of chunks, or in
 * given chunks. It costs as much as those have words, however many others have them too; word-lists.ts is the other way.
 */
import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database.ts'
import { eachHaving, packedChunks, packedMax, packedWord } from '../indexing/packed-words.ts'
import { levelMarks, type QueryWord } from '../indexing/words.ts'
import { isNameRow, rowsPerSet, setOf } from '../rows/chunk-row.ts'
import { packChunks, packNames, unpackedOf, type PackedPiece, type PieceHead } from '../rows/pack-chunks.ts'

/** Rows that have a word, at each level those of the level before that have this one too. */
export type RowsByLevel = readonly Float64Array[]

/** What sets hold of some words. */
export interface WordsOfSets {
  /** For each word, its rows in the order of the sets; in any order where texts were read. */
  readonly rows: readonly RowsByLevel[]
  /** Chunks that were looked at. */
  readonly chunks: number
  /** Nothing of the sets was left out: neither cut off, nor stored without its words. */
  readonly isWhole: boolean
}

/** Sets whose words one statement reads. */
const readTogether = 500
/** Chunks that are looked at for those without their words. */
const unpackedLookedAt = 20_000

export interface SetsToLookAt {
  /** In ascending order. */
  readonly sets: readonly number[]
  /** Beyond this number of pieces only the first sets are looked at, and not all chunks that were stored without their words. */
  readonly piecesMax?: number
  /** How many chunks that were stored without their words have their texts read instead. */
  readonly textsMax: number
  /** Chunks of all the sets. */
  readonly chunks: number
}

/** Which chunks of these sets have the words. */
export async function wordsOfSets(
  reading: Connection,
  { sets, piecesMax, textsMax, chunks: all }: SetsToLookAt,
  words: readonly QueryWord[],
): Promise<WordsOfSets> {
  const asked = words.map(packedWord)
  const rows = words.map(() => levelMarks.map((): number[] => []))
  let [chunks, pieces] = [0, 0]
  const nameless = new Set(sets)
  const look = ({ row, words: packed }: PackedPiece): void => {
    if (isNameRow(row)) nameless.delete(setOf(row))
    else chunks += packedChunks(packed)
    for (const [index, word] of asked.entries()) {
      const levels = rows[index] ?? []
      eachHaving(packed, word, (place, level) => {
        for (let each = 0; each <= level; each += 1) levels[each]?.push(row + place)
      })
    }
  }
  for (let start = 0; start < sets.length; start += readTogether) {
    const some = await piecesOf(reading, sets.slice(start, start + readTogether), piecesMax ?? Number.MAX_SAFE_INTEGER)
    pieces += some.length
    for (const piece of some) look(piece)
  }
  const isCut = pieces >= (piecesMax ?? Infinity)
  if (textsMax > 0 && !isCut && (chunks < all || nameless.size > 0)) {
    const missing = await unpackedIn(reading, sets)
    const isMuch = missing.length > textsMax
    if (!isMuch || piecesMax !== undefined) {
      const made = [
        ...(await packChunks(reading, missing.slice(0, textsMax))),
        ...(await packNames(reading, [...nameless])),
      ]
      for (const piece of made) look(piece)
    }
  }
  const isWhole = chunks === all && nameless.size === 0
  return { rows: rows.map((levels) => levels.map((each) => Float64Array.from(each))), chunks, isWhole }
}

/** The level of each word in each of these chunks; nothing for a word that a chunk does not have. */
export async function wordsOfRows(
  reading: Connection,
  rows: readonly number[],
  words: readonly QueryWord[],
  found: (word: number, row: number, level: number) => void,
): Promise<void> {
  const asked = words.map(packedWord)
  const wanted = new Set(rows)
  const pieces = await piecesAround(reading, rows)
  const missing = unpackedOf(
    rows,
    pieces.map(({ row, words: packed }) => ({ row, chunks: packed.subarray(3, 4) })),
  )
  for (const { row, words: packed } of [...pieces, ...(await packChunks(reading, missing))]) {
    for (const [index, word] of asked.entries()) {
      eachHaving(packed, word, (place, level) => {
        if (wanted.has(row + place)) found(index, row + place, level)
      })
    }
  }
}

function piecesOf(reading: Connection, sets: readonly number[], most: number): Promise<readonly PackedPiece[]> {
  return joined(reading, sets, { table: sql`chunk_words`, columns: sql`piece.row, piece.words`, most })
}

interface Joined {
  readonly table: RawBuilder<unknown>
  readonly columns: RawBuilder<unknown>
  readonly most?: number
}

/** What a table has in the ranges of these sets. */
async function joined<Row>(
  { engine, kysely }: Connection,
  sets: readonly number[],
  { table, columns, most = Number.MAX_SAFE_INTEGER }: Joined,
): Promise<readonly Row[]> {
  const within = sql`piece.row >= given.value * ${sql.lit(rowsPerSet)} and piece.row < (given.value + 1) * ${sql.lit(rowsPerSet)}`
  // Cross joins keep SQLite from going through all pieces to look each up among the sets.
  const query =
    engine === 'sqlite'
      ? sql<Row>`select ${columns} from json_each(${JSON.stringify(sets)}) as given
          cross join ${table} as piece where ${within} limit ${most}`
      : sql<Row>`select piece.* from unnest(${sets}::bigint[]) as given (value)
          cross join lateral (select ${columns} from ${table} as piece where ${within} offset 0) as piece limit ${most}`
  return (await query.execute(kysely)).rows
}

/** Those that hold the rows. */
async function piecesAround({ engine, kysely }: Connection, rows: readonly number[]): Promise<readonly PackedPiece[]> {
  const before = sql`(select max(row) from chunk_words as before
    where before.row <= given.value and before.row > given.value - ${sql.lit(packedMax)})`
  const given = engine === 'sqlite' ? sql`json_each(${JSON.stringify(rows)})` : sql`unnest(${rows}::bigint[])`
  const name = engine === 'sqlite' ? sql`given` : sql`given (value)`
  const { rows: pieces } = await sql<PackedPiece>`
    select row, words from chunk_words where row in (select ${before} from ${given} as ${name})
  `.execute(kysely)
  return pieces
}

/** Some chunks of these sets that were stored without their words, all if they are not many. */
async function unpackedIn(reading: Connection, sets: readonly number[]): Promise<readonly number[]> {
  const chunks = await joined<{ readonly row: number }>(reading, sets, {
    table: sql`document_chunks`,
    columns: sql`piece.row`,
    most: unpackedLookedAt,
  })
  const heads = sql`piece.row, substr(piece.words, 4, 1) as chunks`
  const pieces = await joined<PieceHead>(reading, sets, { table: sql`chunk_words`, columns: heads })
  return unpackedOf(
    chunks.map(({ row }) => row),
    pieces,
  )
}
