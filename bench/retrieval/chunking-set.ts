/**
 * The texts and questions of `bench/chunking` as a data set for retrieval: passages as an import cuts them, and for each
 * question those that hold half of a stretch that answers it, or that are half such a stretch.
 */
import { tokenChunker } from '#chunkers/token.ts'
import { countTokensOf } from '#chunkers/count-tokens.ts'
import { readingOf } from '../chunking.ts'
import { readEvaluation } from '../chunking/questions.ts'
import type { DataSet } from './data-set.ts'

/** Throws when the texts are not there. */
export async function chunkingDataSet(): Promise<DataSet> {
  const evaluation = readEvaluation()
  if (evaluation === null)
    throw new Error('The texts of chunking_evaluation are not there. Set CHUNKING_EVAL to their folder.')
  const countTokens = await countTokensOf('cl100k_base')
  const passages = [...evaluation.texts].flatMap(([corpus, text]) => {
    const characters = Array.from(text)
    return tokenChunker.chunk(readingOf(text), tokenChunker.defaults, countTokens).map(({ start, end }) => ({
      id: `${corpus} ${start}`,
      corpus,
      start,
      end,
      text: characters.slice(start, end).join(''),
    }))
  })
  const questions = evaluation.questions.map(({ text, corpus, gold }) => {
    const answers = passages.filter((passage) =>
      gold.some(({ start, end }) => {
        const common = Math.min(end, passage.end) - Math.max(start, passage.start)
        return passage.corpus === corpus && 2 * common >= Math.min(end - start, passage.end - passage.start)
      }),
    )
    return { text, relevant: new Map(answers.map(({ id }) => [id, 1])) }
  })
  return { passages, questions: questions.filter(({ relevant }) => relevant.size > 0) }
}
