/**
 * Search by words with a GIN index: any of the words, ranked by ts_rank_cd. Words of which the
 * planner's statistics say that a large part of all chunks has them are looked at, a part of their
 * chunks, only when the rarer ones give too little.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import { chunksMax } from '../rows/chunk-row.ts'
import type { RankedChunk } from '../document-store.ts'
import { matchesFilter, canSeeContent } from '../rows/visibility.ts'
import { byScore, commonRowsMax, appendMissing, type KeywordQuery, type KeywordSearch } from './keyword-search.ts'
import { queryWords, type QueryWord } from '../indexing/words.ts'

/** Part of all chunks from which on a word is common. */
const commonFrom = 0.05
/** Statistics are good enough for so many changes of documents. */
const statisticsKeptFor = 200

export class PostgresWords implements KeywordSearch {
  #common: { readonly words: ReadonlySet<string>; readonly version: number } | null = null

  async search(reading: Connection, query: KeywordQuery): Promise<readonly RankedChunk[]> {
    const words = queryWords(query.keywords)
    if (words.length === 0 || query.allowed.chunks === 0) return []
    const known = await this.#commonWords(reading, query.version)
    const [rare, common] = [words.filter(({ word }) => !known.has(word)), words.filter(({ word }) => known.has(word))]
    const best = rare.length === 0 ? [] : await ranked(reading, rare, query)
    if (best.length >= query.limit || common.length === 0) return best
    return appendMissing(best, await someRanked(reading, common, query), query.limit)
  }

  async #commonWords(reading: Connection, version: number): Promise<ReadonlySet<string>> {
    if (this.#common !== null && version - this.#common.version <= statisticsKeptFor) return this.#common.words
    const { rows } = await sql<{ word: string }>`
      select word from pg_stats, unnest(most_common_elems::text::text[]) with ordinality as common (word, place)
      where schemaname = current_schema() and tablename = 'chunk_terms' and attname = 'terms'
        and most_common_elem_freqs[place] >= ${commonFrom}
    `.execute(reading.kysely)
    const words = new Set(rows.map(({ word }) => word))
    this.#common = { words, version }
    return words
  }
}

/** Weights of D, C, B and A: headings count half as much again as text. */
const weights = sql`'{0.5, 0.5, 0.75, 1}'::float4[]`

async function ranked(
  { engine, kysely }: Connection,
  words: readonly QueryWord[],
  { viewer, filter, limit }: KeywordQuery,
): Promise<readonly RankedChunk[]> {
  const asked = sql`${matching(words)}::tsquery`
  const { rows } = await sql<RankedChunk>`
    select chunk_terms.row, ts_rank_cd(${weights}, terms, ${asked}) as score
    from chunk_terms join documents on documents.visible_set = chunk_terms.row / ${sql.lit(chunksMax)}
    where terms @@ ${asked} and ${canSeeContent(engine, viewer)} and ${matchesFilter(engine, filter)}
    order by score desc, chunk_terms.row limit ${limit}
  `.execute(kysely)
  return rows
}

async function someRanked(
  { engine, kysely }: Connection,
  words: readonly QueryWord[],
  query: KeywordQuery,
): Promise<readonly RankedChunk[]> {
  const asked = sql`${matching(words)}::tsquery`
  const { rows } = await sql<RankedChunk>`
    select chunk_terms.row, ts_rank_cd(${weights}, terms, ${asked}) as score
    from chunk_terms join documents on documents.visible_set = chunk_terms.row / ${sql.lit(chunksMax)}
    where terms @@ ${asked} and ${canSeeContent(engine, query.viewer)} and ${matchesFilter(engine, query.filter)}
    limit ${commonRowsMax(query)}
  `.execute(kysely)
  return rows.toSorted(byScore)
}

/** Words hold letters and digits only, and quoted words are not operators. */
function matching(words: readonly QueryWord[]): string {
  return words.map(({ word, prefix }) => `'${word}'${prefix ? ':*' : ''}`).join(' | ')
}
