/** The terms of a row of `chunk_terms` as each engine's index takes them. */
import type { Engine } from '../../database.ts'
import { chunkTerms, foldedWords, languageOf } from './words.ts'

export interface ChunkWords {
  readonly text: string
  readonly headingPath: readonly string[]
  readonly tableHeader: string | null
}

/** The columns for terms. Terms hold neither quotes nor spaces. */
export function termColumns(engine: Engine, terms: readonly string[]): Readonly<Record<string, string>> {
  return engine === 'sqlite' ? { words: terms.join(' ') } : { terms: terms.map((term) => `'${term}'`).join(' ') }
}

/** The terms of a chunk of a text in this language. */
export function termsOfChunk(
  { text, headingPath, tableHeader }: ChunkWords,
  language: string | null,
): readonly string[] {
  return chunkTerms(text, [...headingPath, tableHeader ?? ''].join(' '), language)
}

/** The terms of a document's name and title, in every language that could be its own. */
export function termsOfName(name: string, title: string | null): readonly string[] {
  const text = `${name} ${title ?? ''}`
  return [...new Set([...foldedWords(text, null), ...foldedWords(text, languageOf(text))])]
}
