/** The packed words of chunks and names, made from their texts: for those that were stored without them. */
import type { Connection } from '../../database.ts'
import { packWords } from '../indexing/packed-words.ts'
import { wordsOfChunk, wordsOfName } from '../indexing/word-columns.ts'
import { languageOf } from '../indexing/words.ts'
import { isOneOf } from '../statements.ts'
import { chunkRow, nameRow, setOf } from './chunk-row.ts'

/** The words of neighbouring chunks. */
export interface PackedPiece {
  /** The first chunk's. */
  readonly row: number
  readonly words: Uint8Array
}

/** Chunks of one piece, as in staging. */
const together = 25

/** The pieces of these chunks, as far as those are there, in their order. */
export async function packChunks(
  { engine, kysely }: Connection,
  rows: readonly number[],
): Promise<readonly PackedPiece[]> {
  if (rows.length === 0) return []
  const chunks = await kysely
    .selectFrom('document_chunks')
    .select(['row', 'text', 'heading_path', 'table_header'])
    .where(isOneOf(engine, 'row', rows))
    .orderBy('row')
    .execute()
  const runs: (typeof chunks)[] = []
  for (const chunk of chunks) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.row === chunk.row - 1 && setOf(run[0]?.row ?? 0) === setOf(chunk.row)
    if (run && isNext && run.length < together) run.push(chunk)
    else runs.push([chunk])
  }
  const languageOfSet = await languagesOf({ engine, kysely }, [...new Set(chunks.map(({ row }) => setOf(row)))])
  return runs.map((run) => {
    const language = languageOfSet.get(setOf(run[0]?.row ?? 0)) ?? null
    const words = run.map(({ text, heading_path: headings, table_header: tableHeader }) => {
      const headingPath = JSON.parse(headings) as readonly string[]
      return wordsOfChunk({ text, headingPath, tableHeader }, language)
    })
    return { row: run[0]?.row ?? 0, words: packWords(words) }
  })
}

/** The languages of sets, guessed by their first chunks as staging does; migration 18 guessed it for each chunk. */
async function languagesOf(
  { engine, kysely }: Connection,
  sets: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const first = sets.flatMap((setRow) => Array.from({ length: together }, (_each, place) => chunkRow(setRow, place)))
  const chunks = await kysely
    .selectFrom('document_chunks')
    .select(['row', 'text'])
    .where(isOneOf(engine, 'row', first))
    .orderBy('row')
    .execute()
  const texts = Map.groupBy(chunks, ({ row }) => setOf(row))
  return new Map(
    [...texts].map(([setRow, its]) => [setRow, languageOf(its.map(({ text }) => text).join('\n'))] as const),
  )
}

/** The pieces of the names of the documents of these sets, as far as those are visible. */
export async function packNames(
  { engine, kysely }: Connection,
  sets: readonly number[],
): Promise<readonly PackedPiece[]> {
  if (sets.length === 0) return []
  const documents = await kysely
    .selectFrom('documents')
    .select(['name', 'title', 'visible_set'])
    .where(isOneOf(engine, 'visible_set', sets))
    .execute()
  return documents.map(({ name, title, visible_set: setRow }) => {
    return { row: nameRow(setRow ?? 0), words: packWords([wordsOfName(name, title)]) }
  })
}

/** Where a piece begins, and its fourth byte, which is the number of its chunks. */
export interface PieceHead {
  readonly row: number
  readonly chunks: Uint8Array
}

/** Those of these chunks that none of the pieces holds. */
export function unpackedOf(rows: readonly number[], pieces: readonly PieceHead[]): readonly number[] {
  const held = new Set<number>()
  for (const { row, chunks } of pieces) {
    for (let place = 0; place < (chunks[0] ?? 0); place += 1) held.add(row + place)
  }
  return rows.filter((row) => !held.has(row))
}
