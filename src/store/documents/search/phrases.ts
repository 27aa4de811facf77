/**
 * Phrases in quotation marks. An index of words does not know their places, so the chunks that have all words of a
 * phrase are read, the best first, until enough of them have it.
 */
import type { Connection } from '../../database.ts'
import { phraseText } from '../indexing/words.ts'
import { setOf } from '../rows/chunk-row.ts'
import type { RankedChunk } from '../document-store.ts'
import { isOneOf } from '../statements.ts'

/** Chunks that one statement reads. */
const readTogether = 100

/** The first `limit` chunks that have every phrase in their text, headings or table header, or in their document's name. */
export async function havingPhrases(
  reading: Connection,
  ranked: readonly RankedChunk[],
  { phrases, limit }: { readonly phrases: readonly string[]; readonly limit: number },
): Promise<readonly RankedChunk[]> {
  const kept: RankedChunk[] = []
  for (let start = 0; start < ranked.length && kept.length < limit; start += readTogether) {
    const some = ranked.slice(start, start + readTogether)
    const texts = await textsOf(reading, some)
    const has = (row: number): boolean => {
      const folded = (texts.get(row) ?? []).map(phraseText)
      return phrases.every((phrase) => folded.some((text) => text.includes(phrase)))
    }
    kept.push(...some.filter(({ row }) => has(row)))
  }
  return kept.slice(0, limit)
}

/** What each of the chunks can have a phrase in. */
async function textsOf(
  { engine, kysely }: Connection,
  ranked: readonly RankedChunk[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = ranked.map(({ row }) => row)
  const sets = [...new Set(rows.map(setOf))]
  const chunks = await kysely
    .selectFrom('document_chunks')
    .select(['row', 'text', 'heading_path', 'table_header'])
    .where(isOneOf(engine, 'row', rows))
    .execute()
  const documents = await kysely
    .selectFrom('documents')
    .select(['visible_set', 'name', 'title'])
    .where(isOneOf(engine, 'visible_set', sets))
    .execute()
  const names = new Map(documents.map(({ visible_set: set, name, title }) => [set ?? 0, [name, title ?? '']]))
  return new Map(
    chunks.map(({ row, text, heading_path: headings, table_header: tableHeader }) => [
      row,
      [text, ...(JSON.parse(headings) as readonly string[]), tableHeader ?? '', ...(names.get(setOf(row)) ?? [])],
    ]),
  )
}
