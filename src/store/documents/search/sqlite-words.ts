/**
 * Search by words with FTS5: any of the words, ranked by BM25.
 *
 * Ranking costs time for each chunk that has one of the words, so the rarest words are taken first,
 * as many as fit into the time. The others are looked at, a part of their chunks, only when those give
 * too little: a chunk that has nothing but words that everybody has is never the best one.
 */
import { CompiledQuery } from 'kysely'
import type { Connection } from '../../database.ts'
import { chunksMax, setOf } from '../rows/chunk-row.ts'
import type { RankedChunk } from '../document-store.ts'
import { byScore, commonRowsMax, appendMissing, type KeywordQuery, type KeywordSearch } from './keyword-search.ts'
import { queryWords, type QueryWord } from '../indexing/words.ts'

/** Measured, for one chunk: to find it, and to rank it. */
const microseconds = { find: 0.2, rank: 0.8 }
const budgetMicroseconds = 5000
/** A word in more chunks than this is common; counting further would take longer than it saves. */
const countedMax = 20_000
/** Up to this many sets are listed in the statement; for more, the rows are filtered here. */
const listedSetsMax = 3000
/** Counts are good enough for so many changes of documents. */
const countsKeptFor = 200
const countsMax = 20_000

const weights = 'bm25(chunk_terms, 1.0, 1.5)'
const listed = `(rowid / ${chunksMax}) in (select value from json_each(?))`

interface Counted {
  readonly rows: number
  readonly version: number
}

export class SqliteWords implements KeywordSearch {
  readonly #counts = new Map<string, Counted>()

  async search(reading: Connection, query: KeywordQuery): Promise<readonly RankedChunk[]> {
    const words = queryWords(query.keywords)
    if (words.length === 0 || query.allowed.chunks === 0) return []
    const { rare, common } = await this.#divided(reading, words, query)
    const best = rare.length === 0 ? [] : await ranked(reading, rare, query)
    if (best.length >= query.limit || common.length === 0) return best
    return appendMissing(best, await someRanked(reading, common, query), query.limit)
  }

  /** The words whose chunks can all be ranked in time, and the rest; words that no chunk has are left out. */
  async #divided(reading: Connection, words: readonly QueryWord[], { allowed, version }: KeywordQuery) {
    const total = await this.#count(reading, '', version)
    const share = Math.min(1, allowed.chunks / Math.max(1, total))
    const counted = []
    for (const word of words) counted.push({ word, rows: await this.#count(reading, matching([word]), version) })
    const rare: QueryWord[] = []
    const common: QueryWord[] = []
    let left = budgetMicroseconds
    for (const { word, rows } of counted.toSorted((a, b) => a.rows - b.rows)) {
      if (rows === 0) continue
      left -= rows * (microseconds.find + microseconds.rank * share)
      if (left >= 0 && rows < countedMax) rare.push(word)
      else common.push(word)
    }
    return { rare, common }
  }

  /** Chunks that match, at most `countedMax`; all chunks for an empty expression. Chunks that are not visible count too. */
  async #count(reading: Connection, expression: string, version: number): Promise<number> {
    const known = this.#counts.get(expression)
    if (known !== undefined && version - known.version <= countsKeptFor) return known.rows
    const text =
      expression === ''
        ? 'select coalesce(sum(chunks), 0) as "rows" from chunk_sets where chunks >= ?'
        : `select count(*) as "rows" from (select 1 from chunk_terms where chunk_terms match ? limit ${countedMax})`
    const parameters = [expression === '' ? 0 : expression]
    const result = await reading.kysely.executeQuery<{ rows: number }>(CompiledQuery.raw(text, parameters))
    const rows = result.rows[0]?.rows ?? 0
    if (this.#counts.size >= countsMax) this.#counts.clear()
    // What is not there now may come with the next document, and is found out at once.
    if (rows > 0) this.#counts.set(expression, { rows, version })
    return rows
  }
}

/** The best of all chunks that have one of these words. */
async function ranked(
  reading: Connection,
  words: readonly QueryWord[],
  query: KeywordQuery,
): Promise<readonly RankedChunk[]> {
  const { allowed, limit } = query
  const select = `select rowid as row, -${weights} as score from chunk_terms where chunk_terms match ?`
  if (allowed.sets <= listedSetsMax) {
    const text = `${select} and ${listed} order by score desc, rowid limit ?`
    return rowsOf(reading, text, [matching(words), listOf(query), limit])
  }
  const rows = await rowsOf(reading, select, [matching(words)])
  return rows
    .filter(({ row }) => allowed.hasSet(setOf(row)))
    .toSorted(byScore)
    .slice(0, limit)
}

/** The best of some chunks that have one of these words: of as many as are asked for, if they exist. */
async function someRanked(
  reading: Connection,
  words: readonly QueryWord[],
  query: KeywordQuery,
): Promise<readonly RankedChunk[]> {
  const { allowed, limit } = query
  const few = allowed.sets <= listedSetsMax
  const text = `select rowid as row, -${weights} as score from chunk_terms
    where chunk_terms match ? ${few ? `and ${listed}` : ''} limit ?`
  for (let most = commonRowsMax(query); ; most *= 8) {
    const parameters = few ? [matching(words), listOf(query), most] : [matching(words), most]
    const rows = await rowsOf(reading, text, parameters)
    const seen = rows.filter(({ row }) => allowed.hasSet(setOf(row)))
    if (seen.length >= limit || rows.length < most) return seen.toSorted(byScore)
  }
}

async function rowsOf(
  reading: Connection,
  text: string,
  parameters: readonly unknown[],
): Promise<readonly RankedChunk[]> {
  const { rows } = await reading.kysely.executeQuery<RankedChunk>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

function listOf({ allowed }: KeywordQuery): string {
  return JSON.stringify([...allowed.setRows()])
}

/** Words hold letters and digits only, and quoted words are not operators. */
function matching(words: readonly QueryWord[]): string {
  return words.map(({ word, prefix }) => `"${word}"${prefix ? '*' : ''}`).join(' OR ')
}
