/** The words of a row of `chunk_terms` as each engine's index takes them. */
import type { Engine } from '../../database.ts'
import { chunkWords, foldedWords, languageOf, markedTerms, type WordLevels } from './words.ts'

export interface ChunkWords {
  readonly text: string
  readonly headingPath: readonly string[]
  readonly tableHeader: string | null
}

/** The columns for terms. Terms hold neither quotes nor spaces. */
export function termColumns(engine: Engine, words: WordLevels): Readonly<Record<string, string>> {
  const terms = markedTerms(words)
  return engine === 'sqlite' ? { words: terms.join(' ') } : { terms: terms.map((term) => `'${term}'`).join(' ') }
}

/** The words of a chunk of a text in this language. */
export function wordsOfChunk({ text, headingPath, tableHeader }: ChunkWords, language: string | null): WordLevels {
  return chunkWords(text, [...headingPath, tableHeader ?? ''].join(' '), language)
}

/** The words of a document's name and title, in every language that could be its own. */
export function wordsOfName(name: string, title: string | null): WordLevels {
  const text = `${name} ${title ?? ''}`
  const words = [...foldedWords(text, null), ...foldedWords(text, languageOf(text))]
  return new Map(words.map((word) => [word, 0]))
}
