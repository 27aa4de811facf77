/**
 * How much of what answers a question is found again, by how documents are cut? Recall of gold text within
 * a budget of 2,000 tokens, and how fast each chunker is. In this process: no server takes part.
 */
import { characterChunker } from '#chunkers/character.ts'
import type { Chunk, Chunker, ChunkOptions, CountTokens } from '#chunkers/chunk.ts'
import { codePointIndex } from '#chunkers/code-points.ts'
import { countTokensOf } from '#chunkers/count-tokens.ts'
import { sentenceChunker } from '#chunkers/sentence.ts'
import { tokenChunker } from '#chunkers/token.ts'
import type { Reading } from '#readers/reading.ts'
import { readEvaluation, type Evaluation } from './chunking/questions.ts'
import { recallAt, type IndexedChunk } from './chunking/recall.ts'
import { median } from './measure.ts'
import { figure, markdown, type Table } from './table.ts'

const budgets = [1000, 2000, 4000]
const rounds = 5

type Cut = (text: string) => readonly Pick<Chunk, 'start' | 'end' | 'tokens'>[]

/** The table, or one that says why it is empty: the texts are not part of the repository. */
export async function measureChunking(): Promise<Table> {
  const columns = ['chunks', 'count', 'mean tokens', ...budgets.map((tokens) => `recall at ${tokens} tokens`), 'MB/s']
  const evaluation = readEvaluation()
  if (evaluation === null) {
    const method = 'Left out: the texts of chunking_evaluation are not there. Set CHUNKING_EVAL to their folder.'
    return { title: 'Chunking', method, columns, rows: [], rounds: [] }
  }
  const countTokens = await countTokensOf('cl100k_base')
  const figures = contenders(countTokens).map(([name, cut]) => ({ name, ...measured(evaluation, cut) }))
  return {
    title: 'Chunking',
    method: `Share in % of the text that answers a question (${evaluation.questions.length} questions, five texts) among the chunks that BM25 finds for it until the tokens are spent.`,
    columns,
    rows: figures.map(({ name, count, meanTokens, recalls, rates }) => [
      name,
      figure(count, 0),
      figure(meanTokens, 0),
      ...recalls.map((recall) => figure(recall * 100)),
      figure(median(rates)),
    ]),
    rounds: figures,
  }
}

function contenders(countTokens: CountTokens): readonly (readonly [string, Cut])[] {
  const by = (chunker: Chunker, options: ChunkOptions): readonly [string, Cut] => [
    `${chunker.name} ${options.units}/${options.overlap}`,
    (text) => chunker.chunk(readingOf(text), options, countTokens),
  ]
  return [
    by(tokenChunker, tokenChunker.defaults),
    by(tokenChunker, { units: 256, overlap: 32 }),
    by(tokenChunker, { units: 200, overlap: 0 }),
    by(tokenChunker, { units: 512, overlap: 0 }),
    by(sentenceChunker, sentenceChunker.defaults),
    by(characterChunker, characterChunker.defaults),
    ['fixed windows 256/0', windows(256, 0, countTokens)],
    ['fixed windows 800/400', windows(800, 400, countTokens)],
  ]
}

/** What is compared with: as many words as fit, wherever that ends. */
function windows(units: number, overlap: number, countTokens: CountTokens): Cut {
  return (text) => {
    // A word with the space before it, as vocabularies have them.
    const words = text.match(/\s*\S+|\s+$/g) ?? []
    const ends = [0]
    const totals = [0]
    for (const word of words) {
      ends.push((ends.at(-1) ?? 0) + word.length)
      totals.push((totals.at(-1) ?? 0) + countTokens(word))
    }
    const chunks: { start: number; end: number; tokens: number }[] = []
    for (let first = 0; first < words.length;) {
      const upTo = (tokens: number) => {
        let index = first + 1
        while (index < words.length && (totals[index + 1] ?? 0) - (totals[first] ?? 0) <= tokens) index += 1
        return index
      }
      const last = upTo(units)
      const tokens = (totals[last] ?? 0) - (totals[first] ?? 0)
      chunks.push({ start: ends[first] ?? 0, end: ends[last] ?? 0, tokens })
      if (last === words.length) break
      first = overlap === 0 ? last : upTo(units - overlap)
    }
    return chunks
  }
}

function measured({ texts, questions }: Evaluation, cut: Cut) {
  const bytes = [...texts.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const rates: number[] = []
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now()
    for (const text of texts.values()) cut(text)
    if (round > 0) rates.push(bytes / 1000 / (performance.now() - startedAt))
  }
  const chunks = [...texts].flatMap(([corpus, text]): readonly IndexedChunk[] => {
    const offsetOf = codePointIndex(text)
    return cut(text).map(({ start, end, tokens }) => {
      return { corpus, start: offsetOf(start), end: offsetOf(end), tokens, text: text.slice(start, end) }
    })
  })
  return {
    count: chunks.length,
    meanTokens: chunks.reduce((sum, { tokens }) => sum + tokens, 0) / chunks.length,
    recalls: budgets.map((budget) => recallAt(budget, chunks, questions)),
    rates,
  }
}

/** A text without marks, since the offsets of the answers are those of the file as it is. */
export function readingOf(text: string): Reading {
  return { text, pages: [], headings: [], tables: [], code: [], title: null, mediaType: 'text/plain', warnings: [] }
}

if (import.meta.main) console.log(markdown(await measureChunking()))
