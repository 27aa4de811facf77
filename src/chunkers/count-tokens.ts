/**
 * Tokens of a text, in the vocabulary of an embedding model. Vocabularies are some megabytes, so each
 * is loaded by the first call that names it.
 *
 * The merge step of the encoder is quadratic in the length of an unbroken run, so runs longer than
 * `runMax` are counted in parts: a text of one letter costs what prose of that length costs. Words
 * are shorter than that, so nothing else is counted differently from the encoder itself.
 */
import type { CountTokens } from './chunk.ts'

interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
  clearMergeCache(): void
}

/** What a text may be counted in. */
export const tokenizers = ['cl100k_base', 'o200k_base'] as const
export type Tokenizer = (typeof tokenizers)[number]

export const defaultTokenizer: Tokenizer = 'cl100k_base'

/** UTF-16 units. */
const runMax = 256
/** Marks such as `<|endoftext|>` count as the plain text that they are. */
const plain = { disallowedSpecial: new Set<string>() }

const loaders: Record<Tokenizer, () => Promise<Encoding>> = {
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
}

const loading = new Map<Tokenizer, Promise<CountTokens>>()

export function isTokenizer(name: string): name is Tokenizer {
  return (tokenizers as readonly string[]).includes(name)
}

/** The counter of a tokenizer by name; rejects when there is none. Loaded once per process. */
export async function countTokensOf(tokenizer: string): Promise<CountTokens> {
  if (!isTokenizer(tokenizer)) {
    throw new RangeError(`There is no tokenizer "${tokenizer}"; known are ${tokenizers.join(' and ')}.`)
  }
  const known = loading.get(tokenizer)
  if (known !== undefined) return await known
  const counter = loaders[tokenizer]().then((encoding) => counterOf(countWith(encoding)))
  loading.set(tokenizer, counter)
  return await counter
}

/** Characters after which the encoder forgets the words that it has merged. */
const charactersKept = 400_000

/**
 * The encoder keeps 100,000 merged words, and then looks for the oldest past all places of those that it dropped: a
 * word takes a hundred times as long from there on. So it forgets all of them before it has that many.
 */
function countWith(encoding: Encoding): CountTokens {
  let characters = 0
  return (text) => {
    characters += text.length
    if (characters > charactersKept) {
      encoding.clearMergeCache()
      characters = text.length
    }
    return encoding.countTokens(text, plain)
  }
}

/** Counts with `countShort`, which never gets a run longer than `runMax`. Additive where it parts a run. */
export function counterOf(countShort: CountTokens): CountTokens {
  return (text) => {
    let total = 0
    let counted = 0
    let runStart = 0
    let inSpace = false
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const isSpaceHere = isSpace(code)
      if (isSpaceHere !== inSpace) {
        inSpace = isSpaceHere
        runStart = index
      } else if (index - runStart >= runMax && (code & 0xfc00) !== 0xdc00) {
        total += countShort(text.slice(counted, index))
        counted = index
        runStart = index
      }
    }
    return counted < text.length ? total + countShort(counted === 0 ? text : text.slice(counted)) : total
  }
}

/** White space as `\s` means it. */
function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13)
  if (code < 0xa0) return false
  return code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200a) || isRareSpace(code)
}

function isRareSpace(code: number): boolean {
  return code === 0x1680 || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0xfeff
}
