/**
 * Lines of a block as text: which line ends only because the column does, and which hyphens only divide a word.
 */
import { lineText } from './lines.ts'
import type { Line } from './lines.ts'

/** Tells whether a word, in lower case, occurs in the document as it is. */
export type Vocabulary = ReadonlySet<string>

/** A line ends early when the next word would have had room; this much more room, in line heights, is demanded. */
const spareRoom = 1.5

/** Where a hyphen divides a word, at most this much on each side is looked at. */
const wordMax = 100

/** The block's text: lines of running text are joined, lines that end early keep their end. */
export function flowText(lines: readonly Line[], vocabulary: Vocabulary): string {
  const keepsLines = isLineByLine(lines)
  // Only the end of the text is looked at again, so that each line costs the same.
  let text = ''
  let end = ''
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1]
    const next = lineText(line)
    if (above === undefined) end = next
    else if (above.hyphened || endsInHyphen(end, next)) end = joinedWord(end, next, above.hyphened, vocabulary)
    else {
      text += `${end}${keepsLines || endsEarly(above, line, marginsOf(near(lines, at))) ? '\n' : glue(end, next)}`
      end = next
    }
    text += end.slice(0, -wordMax)
    end = end.slice(-wordMax)
  }
  return `${text}${end}${lines.at(-1)?.hyphened === true ? '-' : ''}`
}

interface Margins {
  readonly left: number
  readonly right: number
}

function marginsOf(lines: readonly Line[]): Margins {
  return {
    left: Math.min(...lines.map((line) => line.left)),
    right: Math.max(...lines.map((line) => line.right)),
  }
}

/** The lines around the end of the line before `at`: a picture may narrow the column for a while. */
function near(lines: readonly Line[], at: number): readonly Line[] {
  return lines.slice(Math.max(0, at - 3), at + 3)
}

/** Mostly figures, as in a table that was not recognised. */
function isFigures(line: Line): boolean {
  const text = lineText(line)
  if (!/\d/.test(text)) return false
  const words = text.split(' ')
  return words.length > 3 && words.filter((word) => /\d/.test(word) && !/\p{L}/u.test(word)).length > 0.5 * words.length
}

/** Addresses, verses, centred lines: most lines end before they have to, or begin at a place of their own. */
function isLineByLine(lines: readonly Line[]): boolean {
  const margins = marginsOf(lines)
  if (lines.filter(isFigures).length > 0.5 * lines.length) return true
  let early = 0
  let centred = 0
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1]
    if (above !== undefined && endsEarly(above, line, margins)) early += 1
    const height = line.top - line.bottom
    if (!line.rightToLeft && line.left > margins.left + height && line.right < margins.right - height) centred += 1
  }
  return (lines.length > 1 && early >= 0.5 * (lines.length - 1)) || (lines.length > 2 && centred > 0.5 * lines.length)
}

const suspended = /^(?:und|oder|bzw|sowie|and|or|to|et|ou|y|o|e)\b/i

/** Hyphen-minus, hyphen, soft hyphen. */
const hyphens = new Set([0x2d, 0x2010, 0xad])

function endsInHyphen(text: string, next: string): boolean {
  if (!hyphens.has(text.charCodeAt(text.length - 1))) return false
  return /\p{L}.$/u.test(text.slice(-3)) && /^\p{Ll}/u.test(next) && !suspended.test(next)
}

/** Whether the hyphen is part of the word is told by the rest of the document, else by how the word goes on. */
function joinedWord(text: string, next: string, hyphenLeftOut: boolean, vocabulary: Vocabulary): string {
  const stem = hyphenLeftOut ? text : text.slice(0, -1)
  const before = /[\p{L}\p{N}-]+$/u.exec(stem)?.[0] ?? ''
  const after = /^[\p{L}\p{N}-]+/u.exec(next.slice(0, wordMax))?.[0] ?? ''
  const whole = (before + after).toLowerCase()
  const hyphened = `${before}-${after}`.toLowerCase()
  if (vocabulary.has(whole)) return stem + next
  const keeps = vocabulary.has(hyphened) || before.includes('-') || !/^\p{Ll}/u.test(after) || /\p{N}$/u.test(before)
  return `${stem}${keeps ? '-' : ''}${next}`
}

/** Scripts that put no space between words. */
const withoutSpaces = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]/

function glue(text: string, next: string): string {
  return withoutSpaces.test(text.slice(-1)) && withoutSpaces.test(next.slice(0, 1)) ? '' : ' '
}

function endsEarly(above: Line, line: Line, { left, right }: Margins): boolean {
  const text = lineText(line)
  const room = above.rightToLeft ? above.left - left : right - above.right
  const letterWidth = (line.right - line.left) / Math.max(text.length, 1)
  const firstWord = (/^\S+/.exec(text)?.[0].length ?? 0) * letterWidth
  return room > firstWord + spareRoom * (line.top - line.bottom)
}

/** The words of these texts, for deciding about hyphens. */
export function vocabularyOf(texts: Iterable<string>): Vocabulary {
  const words = new Set<string>()
  for (const text of texts) {
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []) words.add(word)
  }
  return words
}
