/**
 * Counts and cuts text in real tokens (o200k_base). The vocabulary is some megabytes, so it is
 * loaded by the first call and never at start.
 *
 * The merge step of the encoder is quadratic in the length of an unbroken run, so text goes to it
 * in windows, and long text gives the event loop a turn now and then.
 */
type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base')

/** A part of a text that ends on a code point boundary. */
export interface Piece {
  readonly text: string
  /** How many tokens it takes: above 1 where a code point is spread over several. */
  readonly tokens: number
}

/**
 * Characters after which the encoder forgets the words that it has merged. It keeps 100,000 of them, and a word
 * takes a hundred times as long once it has that many.
 */
const charactersKept = 400_000
const windowChars = 4096
const windowsPerTurn = 16
/** A place where the encoder parts words in any case, so that a cut there changes no count. */
const wordBoundary = /[\p{L}\p{N}](?= \p{L})/gu
const plain = { disallowedSpecial: new Set<string>() }

let loading: Promise<Encoding> | undefined
let charactersSeen = 0

/** The encoder for a text of this length. */
async function encoding(characters: number): Promise<Encoding> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base')
  const loaded = await loading
  charactersSeen += characters
  if (charactersSeen > charactersKept) {
    loaded.clearMergeCache()
    charactersSeen = characters
  }
  return loaded
}

/** Number of tokens; marks such as `<|endoftext|>` count as the plain text that they are. */
export async function countTokens(text: string): Promise<number> {
  const { countTokens: count } = await encoding(text.length)
  let total = 0
  for await (const window of windowsOf(text)) total += count(window, plain)
  return total
}

/** The text in pieces of one token each, joined equal to it (lone surrogates become U+FFFD). */
export async function splitTokens(text: string): Promise<readonly Piece[]> {
  const { encode, decodeGenerator } = await encoding(text.length)
  const pieces: Piece[] = []
  for await (const window of windowsOf(text)) {
    let taken = 0
    let counted = 0
    const ids = encode(window, plain)
    const counting = (function* () {
      for (const id of ids) {
        taken += 1
        yield id
      }
    })()
    for (const part of decodeGenerator(counting)) {
      if (part === '') continue
      pieces.push({ text: part, tokens: taken - counted })
      counted = taken
    }
  }
  return pieces
}

/** The text of token ids, or undefined when one is not in the vocabulary. */
export async function textOfTokens(ids: readonly number[]): Promise<string | undefined> {
  const { decode, vocabularySize } = await encoding(0)
  if (ids.some((id) => id >= vocabularySize)) return undefined
  try {
    return decode(ids)
  } catch {
    // The vocabulary has gaps near its end; the decoder throws on an id inside one.
    return undefined
  }
}

async function* windowsOf(text: string): AsyncGenerator<string> {
  const whole = text.toWellFormed()
  let windows = 0
  for (let start = 0; start < whole.length;) {
    const end = windowEnd(whole, start)
    yield whole.slice(start, end)
    start = end
    windows += 1
    if (windows % windowsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The last word boundary in reach; in an unbroken run, the window's end moved off a surrogate pair. */
function windowEnd(text: string, start: number): number {
  const limit = start + windowChars
  if (limit >= text.length) return text.length
  let end = 0
  for (const match of text.slice(start, limit).matchAll(wordBoundary)) end = match.index + match[0].length
  if (end > 0) return start + end
  const insidePair = (text.charCodeAt(limit) & 0xfc00) === 0xdc00
  return insidePair ? limit - 1 : limit
}
