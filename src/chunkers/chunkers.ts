/** The chunkers by name, and what a request may ask of them. */
import { characterChunker } from './character.ts'
import type { Chunker, ChunkOptions } from './chunk.ts'
import { defaultTokenizer, isTokenizer, tokenizers } from './count-tokens.ts'
import { pageChunker } from './page.ts'
import { defaultPercentile, semanticChunker } from './semantic.ts'
import { sentenceChunker } from './sentence.ts'
import { tokenChunker } from './token.ts'

/** In the order in which they are listed to a user; the first is the default. */
export const chunkers: readonly Chunker[] = [
  tokenChunker,
  sentenceChunker,
  characterChunker,
  pageChunker,
  semanticChunker,
]

/** Names that clients of the document interface know chunkers by. */
export const chunkerAliases: Readonly<Record<string, string>> = {
  TokenChunker: 'token',
  SentenceChunker: 'sentence',
  CharacterChunker: 'character',
  PageChunker: 'page',
  SemanticChunker: 'semantic',
}

/** A chunker with all its options. */
export interface ResolvedChunker extends ChunkOptions {
  readonly name: string
  /** A name that `countTokensOf` knows. */
  readonly tokenizer: string
  /** An option of `semantic` only: see SemanticOptions. */
  readonly percentile?: number
}

export type ChunkerResolution =
  | { readonly kind: 'resolved'; readonly chunker: ResolvedChunker }
  /** `option` is the one to blame, or `name`; the message is for the user. */
  | { readonly kind: 'refused'; readonly option: string; readonly message: string }

/** The chunker of a name or alias; undefined when there is none. */
export function findChunker(name: string): Chunker | undefined {
  const canonical = Object.hasOwn(chunkerAliases, name) ? chunkerAliases[name] : name
  return chunkers.find((chunker) => chunker.name === canonical)
}

/** The chunker of a name that was resolved before; throws when there is none. */
export function chunkerOf(name: string): Chunker {
  const chunker = findChunker(name)
  if (chunker === undefined) throw new RangeError(unknownChunker(name))
  return chunker
}

/** Checks the options of a request and fills in the chunker's defaults. An option of null or undefined is not given. */
export function resolveChunker(name: string, options: Readonly<Record<string, unknown>>): ChunkerResolution {
  const chunker = findChunker(name)
  if (chunker === undefined) return refused('name', unknownChunker(name))
  const known = ['units', 'overlap', 'tokenizer', ...(chunker === semanticChunker ? ['percentile'] : [])]
  const unknown = Object.keys(options).find((option) => !known.includes(option))
  if (unknown !== undefined) {
    return refused(unknown, `The chunker "${chunker.name}" has no option "${unknown}"; it has ${known.join(', ')}.`)
  }
  const units = options['units'] ?? chunker.defaults.units
  if (!isInteger(units, 1, chunker.unitsMax)) {
    const range = `1 to ${chunker.unitsMax}`
    return refused('units', `"units" of "${chunker.name}" is a whole number of ${chunker.unit}, ${range}.`)
  }
  const overlap = options['overlap'] ?? Math.min(chunker.defaults.overlap, units - 1)
  if (!isInteger(overlap, 0, units - 1)) {
    return refused('overlap', `"overlap" is a whole number of ${chunker.unit}, 0 to ${units - 1}: less than "units".`)
  }
  return withCounting(chunker, { units, overlap }, options)
}

function withCounting(
  { name }: Chunker,
  sizes: ChunkOptions,
  options: Readonly<Record<string, unknown>>,
): ChunkerResolution {
  const tokenizer = options['tokenizer'] ?? defaultTokenizer
  if (typeof tokenizer !== 'string' || !isTokenizer(tokenizer)) {
    return refused('tokenizer', `"tokenizer" is one of ${tokenizers.join(', ')}.`)
  }
  if (name !== semanticChunker.name) return { kind: 'resolved', chunker: { name, ...sizes, tokenizer } }
  const percentile = options['percentile'] ?? defaultPercentile
  if (typeof percentile !== 'number' || !(percentile >= 0 && percentile <= 100)) {
    return refused('percentile', '"percentile" is a number from 0 to 100.')
  }
  return { kind: 'resolved', chunker: { name, ...sizes, tokenizer, percentile } }
}

function refused(option: string, message: string): ChunkerResolution {
  return { kind: 'refused', option, message }
}

function unknownChunker(name: string): string {
  const names = chunkers.map((chunker) => chunker.name).join(', ')
  return `There is no chunker "${name.slice(0, 64)}"; known are ${names}.`
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
