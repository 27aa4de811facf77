/**
 * Parses the inline elements of Markdown: text, code, formulas, emphasis, links, and numbers of sources. One pass from left
 * to right; a mark whose end was not found once is not looked for again, so the time is linear in the length.
 */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'math'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'link'; readonly address: string; readonly pieces: readonly Piece[] }
  | { readonly kind: 'source'; readonly index: number }

interface Reading {
  readonly text: string
  /** The number of sources. */
  readonly sources: number
  readonly depth: number
  /** Ends that are known not to follow. */
  readonly missing: Set<string>
}

/** What was read, and where the text goes on; null when the mark is only text. */
type Read = { readonly pieces: readonly Piece[]; readonly end: number } | null

/** Emphasis inside emphasis inside …; deeper it is text. */
const depthMax = 6
const addressMax = 2000
/** A formula in a sentence; longer text between two dollars is text. */
const formulaMax = 500

const marks = /[`$\\*_~[!]|h(?=ttps?:\/\/)/g
const linkPattern = /!?\[([^\][]{0,1000})\]\(([^\s()]+(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"]{0,200}")?\)/y
const sourcePattern = /\[(\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9})\]/y
const barePattern = /https?:\/\/[^\s<>()\]"'`]+/y

const readers: Readonly<Record<string, (reading: Reading, at: number) => Read>> = {
  '`': readCode,
  $: readDollars,
  '\\': readBackslash,
  '*': readStars,
  _: readUnderline,
  '~': (reading, at) => readBetween(reading, at, '~~'),
  '[': (reading, at) => readLink(reading, at) ?? readSources(reading, at),
  '!': readLink,
  h: readBareLink,
}

/** @param sources the number of sources; a higher number in brackets stays text */
export function markdownPieces(text: string, sources = 0): readonly Piece[] {
  return piecesOf(text, sources, 0)
}

function piecesOf(text: string, sources: number, depth: number): readonly Piece[] {
  if (depth >= depthMax) return [{ kind: 'text', text }]
  const reading: Reading = { text, sources, depth, missing: new Set() }
  const pieces: Piece[] = []
  let begin = 0
  marks.lastIndex = 0
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const at = match.index
    const found = readers[match[0]]?.(reading, at) ?? null
    const end = found?.end ?? at + runLength(text, at)
    if (found !== null) {
      if (at > begin) pieces.push({ kind: 'text', text: text.slice(begin, at) })
      pieces.push(...found.pieces)
      begin = end
    }
    // Texts inside were read with the same pattern.
    marks.lastIndex = end
  }
  if (begin < text.length) pieces.push({ kind: 'text', text: text.slice(begin) })
  return pieces
}

/** How often the character is repeated from here on; a run of marks is one mark. */
function runLength(text: string, at: number): number {
  const mark = text[at]
  if (mark !== '`' && mark !== '*' && mark !== '_' && mark !== '~' && mark !== '$') return 1
  let end = at + 1
  while (text[end] === mark) end += 1
  return end - at
}

/** The place of a mark after `from`; -1 when there is none that `isEnd` accepts. */
function findEnd({ text, missing }: Reading, from: number, mark: string, isEnd: (at: number) => boolean): number {
  if (missing.has(mark)) return -1
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) if (isEnd(at)) return at
  missing.add(mark)
  return -1
}

function readCode(reading: Reading, at: number): Read {
  const { text } = reading
  const length = runLength(text, at)
  const mark = '`'.repeat(length)
  const end = findEnd(reading, at + length, mark, (each) => text[each - 1] !== '`' && text[each + length] !== '`')
  if (end === -1) return null
  const code = text.slice(at + length, end)
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
  return { pieces: [{ kind: 'code', text: isPadded ? code.slice(1, -1) : code }], end: end + length }
}

/** `$x$` as in Pandoc: no space inside of the dollars, and no digit behind, so that prices stay prices. */
function readDollars(reading: Reading, at: number): Read {
  const { text } = reading
  const mark = text[at + 1] === '$' ? '$$' : '$'
  const from = at + mark.length
  if (mark === '$' && isSpace(text[from])) return null
  // Not remembered as missing: the end has to be near.
  const end = text.slice(from, from + formulaMax).indexOf(mark) + from
  if (end <= from) return null
  if (mark === '$' && (isSpace(text[end - 1]) || text[end - 1] === '\\' || /\d/.test(text[end + 1] ?? ''))) return null
  return { pieces: [{ kind: 'math', text: text.slice(from, end).trim() }], end: end + mark.length }
}

/** `\(x\)`, `\[x\]`, or a mark that is meant as a character. */
function readBackslash({ text }: Reading, at: number): Read {
  const next = text[at + 1] ?? ''
  if (next === '(' || next === '[') {
    const close = next === '(' ? String.raw`\)` : String.raw`\]`
    const inside = text.slice(at + 2, at + 2 + formulaMax)
    const length = inside.indexOf(close)
    if (length > 0) return { pieces: [{ kind: 'math', text: inside.slice(0, length).trim() }], end: at + length + 4 }
  }
  return /[!-/:-@[-`{-~]/.test(next) ? { pieces: [{ kind: 'text', text: next }], end: at + 2 } : null
}

function readStars(reading: Reading, at: number): Read {
  if (runLength(reading.text, at) > 1) return readBetween(reading, at, '**')
  return isWord(reading.text[at - 1]) ? null : readBetween(reading, at, '*')
}

function readUnderline(reading: Reading, at: number): Read {
  const { text } = reading
  if (isWord(text[at - 1])) return null
  return runLength(text, at) > 1
    ? readBetween(reading, at, '__')
    : readBetween(reading, at, '_', (end) => !isWord(text[end + 1]))
}

const kinds = { '**': 'strong', __: 'strong', '~~': 'deleted', '*': 'emphasis', _: 'emphasis' } as const

/** Text between two equal marks, without spaces at its inner edges. */
function readBetween(
  reading: Reading,
  at: number,
  mark: keyof typeof kinds,
  isAllowed: (end: number) => boolean = () => true,
): Read {
  const { text, sources, depth } = reading
  const from = at + mark.length
  const run = runLength(text, at)
  // Three marks are strong emphasis: two of them outside, one inside.
  if (run < mark.length || run > mark.length + (mark.length === 2 ? 1 : 0) || isSpace(text[at + run])) return null
  const end = findEnd(reading, from + 1, mark, (each) => {
    const isRun = mark.length === 1 && (text[each - 1] === mark || text[each + 1] === mark)
    return !isRun && !isSpace(text[each - 1]) && text[each + mark.length] !== mark[0] && isAllowed(each)
  })
  if (end === -1) return null
  return {
    pieces: [{ kind: kinds[mark], pieces: piecesOf(text.slice(from, end), sources, depth + 1) }],
    end: end + mark.length,
  }
}

function readLink({ text, sources, depth }: Reading, at: number): Read {
  linkPattern.lastIndex = at
  const match = linkPattern.exec(text)
  if (match === null) return null
  const [whole, label = '', address = ''] = match
  const end = at + whole.length
  // Other schemes could run scripts or open programs.
  const isSafe = /^(https?:\/\/|mailto:)/i.test(address) && address.length <= addressMax
  if (!isSafe) return { pieces: [{ kind: 'text', text: whole }], end }
  const pieces = piecesOf(label === '' ? address : label, sources, depth + 1)
  return { pieces: [{ kind: 'link', address, pieces }], end }
}

function readBareLink({ text }: Reading, at: number): Read {
  barePattern.lastIndex = at
  const found = barePattern.exec(text)?.[0] ?? ''
  const address = found.replace(/[.,;:!?]{1,20}$/, '')
  const end = at + address.length
  // Text that only begins like a link is read once, too: it may hold many beginnings.
  const isLink = address.length > 'https://'.length && address.length <= addressMax && !isWord(text[at - 1])
  if (!isLink) return found === '' ? null : { pieces: [{ kind: 'text', text: address }], end }
  return { pieces: [{ kind: 'link', address, pieces: [{ kind: 'text', text: address }] }], end }
}

function readSources({ text, sources }: Reading, at: number): Read {
  sourcePattern.lastIndex = at
  const match = sourcePattern.exec(text)
  if (match === null) return null
  const numbers = (match[1] ?? '').split(',').map(Number)
  if (!numbers.every((index) => index >= 1 && index <= sources)) return null
  return { pieces: numbers.map((index) => ({ kind: 'source', index })), end: at + match[0].length }
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character)
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}
