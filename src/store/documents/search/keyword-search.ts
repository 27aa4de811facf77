/**
 * Search by words: any of them, ranked by BM25, the same on both engines. How rare a word is, is counted in what the
 * viewer and the filter allow, so documents that a search may not look at never move its scores, and tell nothing.
 *
 * The time is bounded. Where little is allowed, the words of those chunks are read (set-words.ts), and all of them are
 * ranked. Otherwise the lists of the rarest words are taken first, as many as have `listMax` chunks together. The others
 * are common: as long as those find enough, they only order the best.
 */
import type { Connection } from '../../database.ts'
import { chunkRow, isNameRow, setOf } from '../rows/chunk-row.ts'
import type { RankedChunk } from '../document-store.ts'
import { levelGains, levelMarks, phrasesOf, queryWords, type QueryWord } from '../indexing/words.ts'
import { havingPhrases } from './phrases.ts'
import { wordsOfRows, wordsOfSets, type RowsByLevel } from './set-words.ts'
import type { Allowed } from './visible-sets.ts'
import { wordLists, type TermQuery } from './word-lists.ts'

export interface KeywordQuery {
  readonly keywords: string
  readonly limit: number
  readonly allowed: Allowed
  /** The version of the database's changes; it says how old it is that a word was found to be common. */
  readonly version: number
}

export interface KeywordLimits {
  /** Chunks that are looked at by lists, for all words of a query together. */
  readonly listMax: number
  /** Chunks whose words are read at most. */
  readonly readMax: number
}

const usualLimits: KeywordLimits = { listMax: 12_000, readMax: 16_000 }
/** Changes after which the chunks that have a word are counted once more. */
const countKeptFor = 500
const countsMax = 10_000
/** Names and titles of documents weigh so much beside the words of a chunk. */
const nameWeight = 0.5
/** The best by rare words that are ordered by the common ones too. */
const refinedMin = 100
/** Sets that are looked at together for common words. */
const setsTogether = 200
const piecesTogether = 500
/** Chunks that were stored without their words and whose texts are read instead: some 100 ms. */
const textsMax = 300
/** Chunks whose texts are read for a phrase. */
const phraseMax = 2000

interface Found {
  readonly levels: RowsByLevel
  readonly idf: number
}

/** Keyed by the row of a chunk. */
type Scores = Map<number, number>

interface Words {
  readonly all: readonly QueryWord[]
  /** Those of which a chunk must have all, since they are in quotation marks. */
  readonly needed: readonly QueryWord[]
  readonly phrases: readonly string[]
}

export class KeywordSearch {
  /** In how many chunks a word is, for words of many, and at which version that was counted. */
  readonly #counts = new Map<string, { readonly rows: number; readonly version: number }>()
  readonly #limits: KeywordLimits

  constructor(limits: KeywordLimits = usualLimits) {
    this.#limits = limits
  }

  /** The best chunks that have any of the words, and all phrases, within what is allowed. */
  async search(reading: Connection, query: KeywordQuery): Promise<readonly RankedChunk[]> {
    const { keywords, limit, allowed } = query
    if (allowed.chunks === 0) return []
    const rows = await reading.kysely.selectFrom('document_languages').select('language').execute()
    const languages = rows.map(({ language }) => language).sort()
    const phrases = phrasesOf(keywords)
    const needed = phrases.flatMap((phrase) => queryWords(phrase, languages))
    const words = { all: queryWords(keywords, languages), needed, phrases }
    const all = allowed.chunks <= this.#limits.readMax ? await this.#read(reading, words, allowed) : null
    return all === null ? this.#list(reading, words, query) : bestWithPhrases(reading, all, words, limit)
  }

  /** All chunks with any of the words; null when some of what is allowed was stored without its words. */
  async #read(reading: Connection, { all, needed }: Words, allowed: Allowed): Promise<Scores | null> {
    const among = { sets: ascending(allowed), chunks: allowed.chunks, textsMax }
    const { rows, isWhole } = await wordsOfSets(reading, among, [...all, ...needed])
    if (!isWhole) return null
    const scores = scored(rows.slice(0, all.length).map((levels) => foundIn(levels, allowed)))
    return needed.length === 0 ? scores : onlyOf(scores, inAll(rows.slice(all.length)))
  }

  /** The best by the lists of rare words, and in what common words say about those. */
  async #list(reading: Connection, words: Words, query: KeywordQuery): Promise<readonly RankedChunk[]> {
    const { limit, allowed } = query
    const { rare, common } = await this.#divided(reading, words.all, query)
    let scores = scored(rare)
    if (words.needed.length > 0) {
      const groups = words.needed.flatMap((word) => atLevel(word, 0).groups)
      const [rows = none] = await wordLists(reading, [{ groups }], { limit: this.#limits.listMax })
      const kept = await bestWithPhrases(reading, onlyOf(scores, onlyAllowed(rows, allowed)), words, limit)
      scores = new Map(kept.map(({ row, score }) => [row, score]))
    } else if (common.length > 0 && scores.size < limit) await this.#addCommon(reading, scores, common, query)
    if (common.length > 0) await this.#refine(reading, scores, common, query)
    return best(scores, limit)
  }

  /** The rarest words with all their chunks, and the others. */
  async #divided(reading: Connection, words: readonly QueryWord[], query: KeywordQuery) {
    const { allowed } = query
    const counts = words.map((word) => this.#countOf(word, query))
    const lists = await this.#lists(
      reading,
      words.filter((_word, index) => counts[index] === null),
      query,
    )
    const counted = words
      .map((word, index) => ({ word, rows: counts[index] ?? lists.get(word)?.length ?? 0 }))
      .sort((a, b) => a.rows - b.rows)
    let left = this.#limits.listMax
    const rare = counted.filter(({ rows }) => (left -= rows) >= 0).map(({ word }) => word)
    const common = counted.slice(rare.length).map(({ word }) => word)
    const more = await this.#lists(
      reading,
      rare.filter((word) => !lists.has(word)),
      query,
    )
    const higher = rare.flatMap((word) => [1, 2, 3].map((level) => atLevel(word, level)))
    const above = await wordLists(reading, higher, { limit: this.#limits.listMax })
    const found = rare.map((word, index): Found => {
      const levels = [lists.get(word) ?? more.get(word) ?? none, ...above.slice(3 * index, 3 * index + 3)]
      return foundIn(
        levels.map((rows) => onlyAllowed(rows, allowed)),
        allowed,
      )
    })
    return { rare: found, common }
  }

  /** The chunks that had the word when it was last looked up; null when it has to be looked up. */
  #countOf(word: QueryWord, { version }: KeywordQuery): number | null {
    const known = this.#counts.get(keyOf(word))
    return known !== undefined && Math.abs(version - known.version) <= countKeptFor ? known.rows : null
  }

  async #lists(
    reading: Connection,
    words: readonly QueryWord[],
    { version }: KeywordQuery,
  ): Promise<ReadonlyMap<QueryWord, Float64Array>> {
    const queries = words.map((word) => atLevel(word, 0))
    const { listMax } = this.#limits
    const lists = await wordLists(reading, queries, { limit: listMax + 1 })
    for (const [index, word] of words.entries()) {
      const rows = lists[index]?.length ?? 0
      if (rows < listMax / 20) continue
      if (this.#counts.size >= countsMax) this.#counts.clear()
      this.#counts.set(keyOf(word), { rows, version })
    }
    return new Map(words.map((word, index) => [word, lists[index] ?? none]))
  }

  /**
   * Adds the common words' part to the scores of the best: only those chunks are read, so how many others have such a
   * word costs nothing.
   */
  async #refine(reading: Connection, scores: Scores, common: readonly QueryWord[], query: KeywordQuery): Promise<void> {
    const rows = best(scores, Math.max(refinedMin, query.limit)).map(({ row }) => row)
    const idf = this.#leastIdf(query)
    await wordsOfRows(reading, rows, common, (_word, row, level) => {
      scores.set(row, (scores.get(row) ?? 0) + idf * gainOf(level))
    })
  }

  /** Finds chunks by common words: first those that have all of them, then some that have one. */
  async #addCommon(
    reading: Connection,
    scores: Scores,
    common: readonly QueryWord[],
    { allowed, limit }: KeywordQuery,
  ): Promise<void> {
    const add = (rows: Float64Array): void => {
      // All are as good as each other until they are refined.
      for (const row of Array.from(rows, chunkOf)) if (!scores.has(row)) scores.set(row, 0)
    }
    const groups = common.flatMap((word) => atLevel(word, 0).groups)
    const [list] = await wordLists(reading, [{ groups }], { limit: this.#limits.listMax })
    add(onlyAllowed(list ?? none, allowed))
    let left = this.#limits.readMax
    const sets = ascending(allowed)
    for (let start = 0; start < sets.length && left > 0 && scores.size < limit; start += setsTogether) {
      const some = sets.slice(start, start + setsTogether)
      const all = some.reduce((sum, setRow) => sum + allowed.chunksOf(setRow), 0)
      const among = { sets: some, chunks: all, piecesMax: piecesTogether, textsMax: start === 0 ? textsMax : 0 }
      const { rows, chunks } = await wordsOfSets(reading, among, common)
      for (const [rowsOfWord] of rows) add(rowsOfWord ?? none)
      // Sets without their words count too, so that the time is bounded.
      left -= Math.max(chunks, setsTogether)
    }
  }

  /** Idf of a word that is in as many chunks as lists are looked at for. */
  #leastIdf({ allowed }: KeywordQuery): number {
    const { listMax } = this.#limits
    return idfOf(Math.max(allowed.chunks, listMax), listMax)
  }
}

const none = new Float64Array()

function foundIn(levels: RowsByLevel, allowed: Allowed): Found {
  const chunks = levels[0]?.reduce((sum, row) => sum + (isNameRow(row) ? 0 : 1), 0) ?? 0
  return { levels, idf: idfOf(allowed.chunks, chunks) }
}

/** What a word of this level gains, before its idf. */
function gainOf(level: number): number {
  return levelGains.slice(0, level + 1).reduce((sum: number, gain) => sum + gain, 0)
}

/** Scores of all chunks that have one of the words; a document whose name alone has one is found by its first chunk. */
function scored(found: readonly Found[]): Scores {
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

/** Rows that have all of the words. */
function inAll(rows: readonly RowsByLevel[]): Float64Array {
  const counts = new Map<number, number>()
  for (const [having] of rows) for (const row of having ?? none) counts.set(row, (counts.get(row) ?? 0) + 1)
  return Float64Array.from([...counts].flatMap(([row, count]) => (count === rows.length ? [row] : [])))
}

/** The scores of these rows alone. */
function onlyOf(scores: Scores, rows: Float64Array): Scores {
  return new Map(Array.from(rows, chunkOf).map((row) => [row, scores.get(row) ?? 0]))
}

/** A document that is found by its name is found by its first chunk. */
function chunkOf(row: number): number {
  return isNameRow(row) ? chunkRow(setOf(row), 0) : row
}

/** The best, of those with all phrases if there are any. */
async function bestWithPhrases(
  reading: Connection,
  scores: Scores,
  { phrases }: Words,
  limit: number,
): Promise<readonly RankedChunk[]> {
  if (phrases.length === 0) return best(scores, limit)
  return havingPhrases(reading, best(scores, phraseMax), { phrases, limit })
}

function ascending(allowed: Allowed): readonly number[] {
  return [...Float64Array.from(allowed.setRows()).sort()]
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
