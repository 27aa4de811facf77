/**
 * Search by words: any of them, ranked by BM25, the same on both engines. How rare a word is, is counted in what the
 * viewer and the filter allow, so documents that a search may not look at never move its scores, and tell nothing.
 *
 * The time is bounded: the rarest words are taken first, as many as have `listMax` chunks together. The others are
 * common: as long as those find enough, they only order the best.
 */
import type { Connection } from '../../database.ts'
import { chunkRow, isNameRow, setOf } from '../rows/chunk-row.ts'
import type { RankedChunk } from '../document-store.ts'
import { levelGains, levelMarks, queryWords, type QueryWord } from '../indexing/words.ts'
import type { Allowed } from './visible-sets.ts'
import { wordLists, type TermQuery, type Within } from './word-lists.ts'

export interface KeywordQuery {
  readonly keywords: string
  readonly limit: number
  readonly allowed: Allowed
  /** The version of the database's changes; it says how old it is that a word was found to be common. */
  readonly version: number
}

/** Chunks that are looked at for all words of a query together. */
const listMax = 12_000
/** Up to this many sets the database itself narrows its lists to them, when they are the smaller part of all. */
const listedSetsMax = 2000
/** Changes after which the chunks that have a word are counted once more. */
const countKeptFor = 500
const countsMax = 10_000
/** Names and titles of documents weigh so much beside the words of a chunk. */
const nameWeight = 0.5

interface Found {
  /** Allowed rows by level, each list those of the level before that have this one too. */
  readonly levels: readonly Float64Array[]
  readonly idf: number
}

export class KeywordSearch {
  /** In how many chunks a word is, for words of many, and at which version that was counted. */
  readonly #counts = new Map<string, { readonly rows: number; readonly version: number }>()

  /** The best chunks that have any of the words, within what is allowed. */
  async search(reading: Connection, query: KeywordQuery): Promise<readonly RankedChunk[]> {
    const { keywords, limit, allowed } = query
    if (allowed.chunks === 0) return []
    const languages = await reading.kysely.selectFrom('document_languages').select('language').execute()
    const words = queryWords(keywords, languages.map(({ language }) => language).sort())
    const isNarrow = allowed.sets <= listedSetsMax && 2 * allowed.sets < allowed.ofSets
    const within: Within = isNarrow ? { sets: [...allowed.setRows()] } : {}
    const { rare, common } = await this.#divided(reading, words, { ...query, within })
    const scores = scored(rare)
    // Idf of a word that is in as many chunks as are looked at.
    const least = idfOf(Math.max(allowed.chunks, listMax), listMax)
    if (common.length > 0) {
      if (scores.size < limit) await addCommon(reading, scores, { common, within, allowed, limit, idf: least })
      else await refine(reading, scores, { common, limit, idf: least })
    }
    return best(scores, limit)
  }

  /** The rarest words with all their chunks, and the others. */
  async #divided(reading: Connection, words: readonly QueryWord[], query: KeywordQuery & { readonly within: Within }) {
    const { allowed, within } = query
    const counts = words.map((word) => this.#countOf(word, query))
    const lists = await this.#lists(
      reading,
      words.filter((_word, index) => counts[index] === null),
      query,
    )
    const counted = words
      .map((word, index) => ({ word, rows: counts[index] ?? lists.get(word)?.length ?? 0 }))
      .sort((a, b) => a.rows - b.rows)
    let left = listMax
    const rare = counted.filter(({ rows }) => (left -= rows) >= 0).map(({ word }) => word)
    const common = counted.slice(rare.length).map(({ word }) => word)
    const more = await this.#lists(
      reading,
      rare.filter((word) => !lists.has(word)),
      query,
    )
    const higher = rare.flatMap((word) => [1, 2, 3].map((level) => atLevel(word, level)))
    const above = await wordLists(reading, higher, { ...within, limit: listMax })
    const found = rare.map((word, index): Found => {
      const list = onlyAllowed(lists.get(word) ?? more.get(word) ?? new Float64Array(), allowed)
      const chunks = list.reduce((sum, row) => sum + (isNameRow(row) ? 0 : 1), 0)
      const levels = [list, ...above.slice(3 * index, 3 * index + 3).map((rows) => onlyAllowed(rows, allowed))]
      return { levels, idf: idfOf(allowed.chunks, chunks) }
    })
    return { rare: found, common }
  }

  /** The chunks that had the word when it was last looked up; null when it has to be looked up. */
  #countOf(word: QueryWord, { version, within }: { readonly version: number; readonly within: Within }): number | null {
    const known = within.sets === undefined ? this.#counts.get(keyOf(word)) : undefined
    return known !== undefined && Math.abs(version - known.version) <= countKeptFor ? known.rows : null
  }

  async #lists(
    reading: Connection,
    words: readonly QueryWord[],
    { version, within }: { readonly version: number; readonly within: Within },
  ): Promise<ReadonlyMap<QueryWord, Float64Array>> {
    const queries = words.map((word) => atLevel(word, 0))
    const lists = await wordLists(reading, queries, { ...within, limit: listMax + 1 })
    for (const [index, word] of words.entries()) {
      const rows = lists[index]?.length ?? 0
      if (within.sets !== undefined || rows < listMax / 20) continue
      if (this.#counts.size >= countsMax) this.#counts.clear()
      this.#counts.set(keyOf(word), { rows, version })
    }
    return new Map(words.map((word, index) => [word, lists[index] ?? new Float64Array()]))
  }
}

/** Scores of all chunks that have one of the words; a document whose name alone has one is found by its first chunk. */
function scored(found: readonly Found[]): Map<number, number> {
  const scores = new Map<number, number>()
  const names = new Map<number, number>()
  const add = (row: number, gain: number): void => {
    if (isNameRow(row)) names.set(setOf(row), (names.get(setOf(row)) ?? 0) + gain * nameWeight)
    else scores.set(row, (scores.get(row) ?? 0) + gain)
  }
  for (const { levels, idf } of found) {
    for (const [level, rows] of levels.entries()) for (const row of rows) add(row, idf * (levelGains[level] ?? 0))
  }
  if (names.size === 0) return scores
  const named = new Set<number>()
  for (const [row, score] of scores) {
    const gain = names.get(setOf(row))
    if (gain === undefined) continue
    named.add(setOf(row))
    scores.set(row, score + gain)
  }
  for (const [setRow, gain] of names) if (!named.has(setRow)) scores.set(chunkRow(setRow, 0), gain)
  return scores
}

interface Common {
  readonly common: readonly QueryWord[]
  readonly limit: number
  readonly idf: number
}

/**
 * Adds the common words' part to the scores of the best: the index is asked about those chunks alone, so how many others
 * have such a word costs nothing.
 */
async function refine(reading: Connection, scores: Map<number, number>, { common, limit, idf }: Common): Promise<void> {
  const rows = best(scores, Math.max(50, limit)).map(({ row }) => row)
  const queries = common.flatMap((word) => levelMarks.map((_mark, level) => atLevel(word, level)))
  const lists = await wordLists(reading, queries, { rows, limit: rows.length })
  for (const [index, list] of lists.entries()) {
    const gain = idf * (levelGains[index % levelMarks.length] ?? 0)
    for (const row of list) scores.set(row, (scores.get(row) ?? 0) + gain)
  }
}

/** Finds chunks by common words: first those that have all of them, then some that have one. */
async function addCommon(
  reading: Connection,
  scores: Map<number, number>,
  { common, within, allowed, limit, idf }: Common & { readonly within: Within; readonly allowed: Allowed },
): Promise<void> {
  const groups = common.flatMap((word) => atLevel(word, 0).groups)
  const queries = [{ groups }, ...groups.map((group) => ({ groups: [group] }))]
  for (const [index, query] of queries.entries()) {
    if (scores.size >= limit) return
    const [list] = await wordLists(reading, [query], { ...within, limit: listMax })
    const gain = idf * levelGains[0] * (index === 0 ? common.length : 1)
    for (const row of onlyAllowed(list ?? new Float64Array(), allowed)) {
      if (!isNameRow(row) && !scores.has(row)) scores.set(row, gain)
    }
  }
}

function best(scores: ReadonlyMap<number, number>, limit: number): readonly RankedChunk[] {
  const worst = Float64Array.from(scores.values()).sort().at(-Math.min(limit, scores.size)) ?? 0
  return [...scores]
    .filter(([, score]) => score >= worst)
    .map(([row, score]) => ({ row, score }))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, limit)
}

/** Rows are in the order of their sets, so each set is looked up once. */
function onlyAllowed(rows: Float64Array, { hasSet }: Allowed): Float64Array {
  let [last, has] = [-1, false]
  return rows.filter((row) => {
    const setRow = setOf(row)
    if (setRow !== last) [last, has] = [setRow, hasSet(setRow)]
    return has
  })
}

function atLevel({ terms, prefix }: QueryWord, level: number): TermQuery {
  const mark = levelMarks[level] ?? ''
  return { groups: [{ terms: terms.map((term) => `${term}${mark}`), prefix }] }
}

function keyOf({ terms, prefix }: QueryWord): string {
  return `${terms.join(' ')}${prefix ? '*' : ''}`
}

/** Never negative (Lucene's form). */
function idfOf(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5))
}
