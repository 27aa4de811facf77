/**
 * How much of what answers a question comes back when chunks are retrieved for it until a budget of
 * tokens is spent. With a fixed budget a larger chunk cannot buy recall. Retrieval is BM25 (FTS5 of
 * SQLite: k1 1.2, b 0.75), so no model takes part and the figure is the same on every machine.
 */
import { Database } from 'bun:sqlite'
import type { Question, Range } from './questions.ts'

export interface IndexedChunk extends Range {
  readonly corpus: string
  readonly text: string
  readonly tokens: number
}

/** Mean over the questions of the share of gold characters in the best chunks of all texts. 0 to 1. */
export function recallAt(
  budgetTokens: number,
  chunks: readonly IndexedChunk[],
  questions: readonly Question[],
): number {
  using database = new Database(':memory:')
  database.run("CREATE VIRTUAL TABLE chunk USING fts5(text, tokenize = 'unicode61')")
  const insert = database.query('INSERT INTO chunk (rowid, text) VALUES (?, ?)')
  database.transaction(() => {
    for (const [index, { text }] of chunks.entries()) insert.run(index, text)
  })()
  const search = database.query<{ rowid: number }, [string]>(
    'SELECT rowid FROM chunk WHERE chunk MATCH ? ORDER BY rank, rowid LIMIT 200',
  )
  let sum = 0
  for (const question of questions) {
    const ranked = search.all(queryOf(question.text)).flatMap(({ rowid }) => chunks[rowid] ?? [])
    sum += coveredShare(question, withinBudget(ranked, budgetTokens))
  }
  return sum / questions.length
}

/** Any of the question's words. */
function queryOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].map((word) => `"${word}"`).join(' OR ')
}

/** The best chunks in order, up to the first that no longer fits. */
function withinBudget(ranked: readonly IndexedChunk[], budgetTokens: number): readonly IndexedChunk[] {
  let spent = 0
  const firstOver = ranked.findIndex(({ tokens }) => (spent += tokens) > budgetTokens)
  return firstOver === -1 ? ranked : ranked.slice(0, firstOver)
}

function coveredShare(question: Question, chunks: readonly IndexedChunk[]): number {
  const ranges = chunks.filter(({ corpus }) => corpus === question.corpus).toSorted((a, b) => a.start - b.start)
  let covered = 0
  let total = 0
  for (const gold of question.gold) {
    total += gold.end - gold.start
    let from = gold.start
    for (const { start, end } of ranges) {
      const reach = Math.min(end, gold.end)
      if (reach <= from) continue
      covered += Math.max(0, reach - Math.max(start, from))
      from = Math.max(from, reach)
    }
  }
  return covered / total
}
