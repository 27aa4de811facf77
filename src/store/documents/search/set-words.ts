/**
 * What chunks hold, read from the chunks' side: which of the words a query asks for are in given sets of chunks, or in
 * given chunks. It costs as much as those have words, however many others have them too; word-lists.ts is the other way.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import { eachHaving, packedChunks, packedMax, packedWord } from '../indexing/packed-words.ts'
import { levelMarks, type QueryWord } from '../indexing/words.ts'
import { isNameRow, rowsPerSet } from '../rows/chunk-row.ts'

interface Piece {
  /** The first chunk's. */
  readonly row: number
  readonly words: Uint8Array
}

/** Rows that have a word, at each level those of the level before that have this one too. */
export type RowsByLevel = readonly Float64Array[]

/** What sets hold of some words. */
export interface WordsOfSets {
  /** For each word, its rows in the order of the sets. */
  readonly rows: readonly RowsByLevel[]
  /** Chunks that were looked at. Fewer than the sets have: some were stored without their words. */
  readonly chunks: number
}

/** Sets whose words one statement reads. */
const readTogether = 500

/** Which chunks of these sets, in ascending order, have the words; of the first sets only beyond `piecesMax` pieces. */
export async function wordsOfSets(
  reading: Connection,
  sets: readonly number[],
  words: readonly QueryWord[],
  piecesMax = Number.MAX_SAFE_INTEGER,
): Promise<WordsOfSets> {
  const asked = words.map(packedWord)
  const rows = words.map(() => levelMarks.map((): number[] => []))
  let chunks = 0
  const look = ({ row, words: packed }: Piece): void => {
    if (!isNameRow(row)) chunks += packedChunks(packed)
    for (const [index, word] of asked.entries()) {
      const levels = rows[index] ?? []
      eachHaving(packed, word, (place, level) => {
        for (let each = 0; each <= level; each += 1) levels[each]?.push(row + place)
      })
    }
  }
  for (let start = 0; start < sets.length; start += readTogether) {
    for (const piece of await piecesOf(reading, sets.slice(start, start + readTogether), piecesMax)) look(piece)
  }
  return { rows: rows.map((levels) => levels.map((each) => Float64Array.from(each))), chunks }
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
  for (const { row, words: packed } of await piecesAround(reading, rows)) {
    for (const [index, word] of asked.entries()) {
      eachHaving(packed, word, (place, level) => {
        if (wanted.has(row + place)) found(index, row + place, level)
      })
    }
  }
}

async function piecesOf(
  { engine, kysely }: Connection,
  sets: readonly number[],
  most: number,
): Promise<readonly Piece[]> {
  const within = sql`piece.row >= given.value * ${sql.lit(rowsPerSet)} and piece.row < (given.value + 1) * ${sql.lit(rowsPerSet)}`
  // Cross joins keep SQLite from going through all pieces to look each up among the sets.
  const query =
    engine === 'sqlite'
      ? sql<Piece>`select piece.row, piece.words from json_each(${JSON.stringify(sets)}) as given
          cross join chunk_words as piece where ${within} limit ${most}`
      : sql<Piece>`select piece.row, piece.words from unnest(${sets}::bigint[]) as given (value)
          cross join lateral (select row, words from chunk_words as piece where ${within} offset 0) as piece limit ${most}`
  return (await query.execute(kysely)).rows
}

/** Those that hold the rows. */
async function piecesAround({ engine, kysely }: Connection, rows: readonly number[]): Promise<readonly Piece[]> {
  const before = sql`(select max(row) from chunk_words as before
    where before.row <= given.value and before.row > given.value - ${sql.lit(packedMax)})`
  const given = engine === 'sqlite' ? sql`json_each(${JSON.stringify(rows)})` : sql`unnest(${rows}::bigint[])`
  const name = engine === 'sqlite' ? sql`given` : sql`given (value)`
  const { rows: pieces } = await sql<Piece>`
    select row, words from chunk_words where row in (select ${before} from ${given} as ${name})
  `.execute(kysely)
  return pieces
}
