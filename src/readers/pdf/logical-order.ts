/**
 * The order in which a line with letters from right to left is read. The engine gives the letters within words in
 * order, but not always the words: names and numbers between words of the other direction, and brackets.
 *
 * The places of words on the page tell it: this undoes what the Unicode bidirectional algorithm (UAX 9) did to show them.
 */

/** A word of a line and where it is. */
export interface PlacedWord {
  readonly text: string
  readonly left: number
  readonly right: number
}

const rightToLeftLetters = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/gu
const otherLetters = /(?![\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff])\p{L}/gu
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/gu

type Direction = 'right to left' | 'left to right' | 'number' | 'neutral'

interface Word extends PlacedWord {
  readonly direction: Direction
}

/** The text of the words as it is read. */
export function logicalOrder(placed: readonly PlacedWord[]): string {
  const words = placed.map((word): Word => ({ ...word, direction: directionOf(word.text) }))
  return isFromRight(placed) ? fromRight(words) : fromLeft(words)
}

/** Whether a line is read from the right: it has at least as many letters that are. */
export function isFromRight(words: readonly { readonly text: string }[]): boolean {
  return lettersOf(words, rightToLeftLetters) >= lettersOf(words, otherLetters)
}

function directionOf(text: string): Direction {
  if (text.replace(arabicDigits, '').match(rightToLeftLetters) !== null) return 'right to left'
  if (text.match(otherLetters) !== null) return 'left to right'
  return /\p{N}/u.test(text) ? 'number' : 'neutral'
}

function lettersOf(words: readonly { readonly text: string }[], letters: RegExp): number {
  return words.reduce((sum, { text }) => sum + (text.match(letters)?.length ?? 0), 0)
}

/** A line of Arabic or Hebrew: names of another script and the numbers that follow them are read from the left. */
function fromRight(words: readonly Word[]): string {
  const sorted = words.toSorted((one, other) => other.left + other.right - one.left - one.right)
  const texts: string[] = []
  const turned = upright(sorted)
  for (let at = 0; at < turned.length;) {
    const word = turned[at]
    if (word === undefined) break
    const end = word.direction === 'right to left' ? at + 1 : runEnd(turned, at, 'left to right')
    const run = turned.slice(at, Math.max(end, at + 1)).toReversed()
    texts.push(
      word.direction === 'right to left' ? word.text : withPunctuationLast(run.map(({ text }) => text).join(' ')),
    )
    at += run.length
  }
  return texts.join(' ')
}

/** Where the words end that have this direction, with numbers between them; `start` if none has letters of it. */
function runEnd(words: readonly Word[], start: number, wanted: 'left to right' | 'right to left'): number {
  let end = start
  for (let at = start; at < words.length; at += 1) {
    const direction = words[at]?.direction
    if (direction === wanted) end = at + 1
    else if (direction === 'left to right' || direction === 'right to left') break
  }
  return end
}

/** What ends a sentence is to the left of a name or number in it. */
function withPunctuationLast(text: string): string {
  const [, punctuation = '', rest = text] = /^([.,;:!?…،؛؟]+)(.*[\p{L}\p{N}].*)$/u.exec(text) ?? []
  return rest + punctuation
}

/** A line of another script: what is from right to left in it is read so, with the numbers between. */
function fromLeft(words: readonly Word[]): string {
  const sorted = words.toSorted((one, other) => one.left + one.right - other.left - other.right)
  const texts: string[] = []
  for (let at = 0; at < sorted.length;) {
    const end = sorted[at]?.direction === 'right to left' ? runEnd(sorted, at, 'right to left') : at + 1
    for (const { text } of sorted.slice(at, end).toReversed()) texts.push(text)
    at = end
  }
  return texts.join(' ')
}

const mirrors = new Map(
  ['()', '[]', '{}', '«»', '‹›'].flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
)
const brackets = /[()[\]{}«»‹›]/g

/**
 * Brackets as they open and close. Files have them as they look or as they are meant, and the engine mirrors them; which
 * of both a line has is told by their order.
 */
function upright(words: readonly Word[]): readonly Word[] {
  const isMirrored = ({ direction }: Word): boolean => direction === 'right to left' || direction === 'neutral'
  const all = words.filter(isMirrored).flatMap(({ text }) => text.match(brackets) ?? [])
  if (pairs(all) >= pairs(all.map((each) => mirrors.get(each) ?? each))) return words
  return words.map((word) =>
    isMirrored(word) ? { ...word, text: word.text.replace(brackets, (each) => mirrors.get(each) ?? each) } : word,
  )
}

function pairs(all: readonly string[]): number {
  const open: string[] = []
  let found = 0
  for (const each of all) {
    if ('([{«‹'.includes(each)) open.push(each)
    else if (mirrors.get(each) === open.at(-1)) {
      open.pop()
      found += 1
    }
  }
  return found
}
