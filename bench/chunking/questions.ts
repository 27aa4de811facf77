/**
 * The texts and questions of brandonstarxel/chunking_evaluation (MIT): five texts, 472 questions, and
 * for each the ranges of text that answer it. Not part of this repository: see `questionsFolder`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/** Where the data lies: beside the checkout, or where CHUNKING_EVAL says. */
export const questionsFolder = process.env['CHUNKING_EVAL'] ?? join(import.meta.dir, '../../../shared/chunking-eval')

/** Code points, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface Question {
  readonly text: string
  /** Name of the text that answers it. */
  readonly corpus: string
  readonly gold: readonly Range[]
}

export interface Evaluation {
  readonly texts: ReadonlyMap<string, string>
  readonly questions: readonly Question[]
}

interface Row {
  readonly question: string
  readonly references: string
  readonly corpus_id: string
}

/** The data, or null when it is not there. Throws when a gold range does not hold the words that it should. */
export function readEvaluation(): Evaluation | null {
  const file = join(questionsFolder, 'questions.csv')
  if (!existsSync(file)) return null
  const rows: readonly Row[] = parse(readFileSync(file), { columns: true })
  const texts = new Map<string, string>()
  for (const { corpus_id: corpus } of rows) {
    if (!texts.has(corpus)) texts.set(corpus, readFileSync(join(questionsFolder, `${corpus}.md`), 'utf8'))
  }
  const codePoints = new Map([...texts].map(([name, text]) => [name, Array.from(text)]))
  const questions = rows.map(({ question, references, corpus_id: corpus }) => ({
    text: question,
    corpus,
    gold: goldOf(references, codePoints.get(corpus) ?? []),
  }))
  return { texts, questions }
}

function goldOf(references: string, codePoints: readonly string[]): readonly Range[] {
  const parsed: readonly { content: string; start_index: number; end_index: number }[] = JSON.parse(references)
  return parsed.map(({ content, start_index: start, end_index: end }) => {
    if (codePoints.slice(start, end).join('') !== content) throw new Error(`The range at ${start} is not its text.`)
    return { start, end }
  })
}
