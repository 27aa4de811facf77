/**
 * The text of a page as fragments: text on one line in one size without a wide gap, with its place.
 *
 * Lives here: the pass over the characters that PDFium found, and what it gets wrong about single characters (order
 * within ligatures of right-to-left scripts, fonts that do not say which letters they show). Not here: lines, blocks.
 * Places are in points with y growing upwards, turned so that the text runs to the right whatever its direction on the
 * page; fragments come in the order of the file.
 */
import { lettersOfGlyphs, mayHideLetters } from './glyph-letters.ts'
import { logicalOrder, type PlacedWord } from './logical-order.ts'
import { ReadFailure } from '../reading.ts'
import { scratchBytes } from './pdfium.ts'
import type { Pdfium, PdfPage } from './pdfium.ts'

/** A place on the page: left < right, bottom < top. */
export interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

export interface Fragment extends Box {
  text: string
  /** The size of the font, in points as shown. */
  readonly size: number
  /** Its first and last letters are. */
  bold: boolean
  /** A space stood before it. */
  readonly spaced: boolean
  /** The last word goes on in the next fragment; its hyphen is left out. */
  hyphened: boolean
  /** Holds letters that are read from right to left. */
  rightToLeft: boolean
  /** Quarter turns of the text against the page, clockwise. */
  readonly turn: number
  /** Spaces in it that are wider than between words; most fragments have none. */
  gaps?: Gap[] | undefined
}

/** A wide space in a text. */
export interface Gap {
  /** Index of the space in the text. */
  readonly at: number
  readonly left: number
  readonly right: number
}

export interface PageText {
  readonly fragments: readonly Fragment[]
  /** Characters whose letters could not be found out. */
  readonly unknownLetters: number
}

const lineEndHyphens: ReadonlySet<number> = new Set([0x02, 0xfffe])
function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d
}
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0xa0 || code === 0x3000
}
function isRightToLeft(code: number): boolean {
  return (code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfeff)
}
function isVowelSign(code: number): boolean {
  return (code >= 0x591 && code <= 0x5c7) || (code >= 0x64b && code <= 0x65f) || code === 0x670
}
function isLatinLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

const arrowOfLigature = 0x21b5
/** A gap of this many line heights ends a fragment. */
const wideGap = 1
/** A space of this many line heights may divide columns, when the lines around have one at the same place. */
export const broadSpace = 0.4
const boldName = /bold|black|heavy|demi|medi$|cmbx|-bd/i

interface Character {
  readonly index: number
  readonly code: number
  readonly box: Box
  readonly turn: number
}

/**
 * The fragments of a page; an empty list when it has no text layer. Throws ReadFailure `too_complex` when it has more
 * than `charactersMax` characters.
 */
export function pageFragments(page: PdfPage, charactersMax: number): PageText {
  const { call } = page.pdfium
  const textPage = call.FPDFText_LoadPage(page.pointer)
  if (textPage === 0) return { fragments: [], unknownLetters: 0 }
  try {
    if (call.FPDFText_CountChars(textPage) > charactersMax) {
      throw new ReadFailure(
        'too_complex',
        'The PDF holds more text than is read of one file. Divide it into smaller files.',
      )
    }
    return new FragmentPass(page.pdfium, textPage).run()
  } finally {
    call.FPDFText_ClosePage(textPage)
  }
}

/** One pass over a page's characters; used once. */
class FragmentPass {
  readonly #pdfium: Pdfium
  readonly #textPage: number
  readonly #fragments: Fragment[] = []
  #open: Fragment | null = null
  #spacePending = false
  #previous: Character | null = null
  /** Where in the open fragment the characters of the last glyph begin. */
  #glyphStart = 0
  #heldVowelSign = ''
  /** The places of the words of the open fragment, once it has a letter from right to left. */
  #words: { left: number; right: number }[] = []

  constructor(pdfium: Pdfium, textPage: number) {
    this.#pdfium = pdfium
    this.#textPage = textPage
  }

  run(): PageText {
    const { call } = this.#pdfium
    const count = call.FPDFText_CountChars(this.#textPage)
    const letters = this.#hiddenLetters(count)
    let unknownLetters = 0
    for (let index = 0; index < count; index += 1) {
      let code = call.FPDFText_GetUnicode(this.#textPage, index)
      if (letters !== null && code !== 0 && call.FPDFText_HasUnicodeMapError(this.#textPage, index) === 1) {
        code = letters.get(code) ?? 0
        if (code === 0) unknownLetters += 1
      }
      this.#take(index, code)
    }
    this.#close()
    return { fragments: this.#fragments, unknownLetters }
  }

  /** What the codes of fonts without letters stand for, when the page has such fonts and it can be told. */
  #hiddenLetters(count: number): ReadonlyMap<number, number> | null {
    const { call } = this.#pdfium
    const codes: number[] = []
    for (let index = 0; index < count; index += 1) {
      if (call.FPDFText_HasUnicodeMapError(this.#textPage, index) === 1) {
        codes.push(call.FPDFText_GetUnicode(this.#textPage, index))
      }
    }
    return mayHideLetters(codes) ? lettersOfGlyphs : null
  }

  #take(index: number, code: number): void {
    if (code === 0 || code === 0xfffd) return
    if (lineEndHyphens.has(code)) {
      if (this.#open !== null) this.#open.hyphened = true
      this.#close()
    } else if (isLineEnd(code)) {
      this.#close()
    } else if (isSpace(code)) {
      this.#spacePending = true
    } else {
      const character = this.#locate(index, code)
      if (this.#open === null || !this.#continues(this.#open, character)) this.#begin(character)
      else this.#extend(this.#open, character)
      this.#previous = character
    }
  }

  #locate(index: number, code: number): Character {
    const { call, scratch } = this.#pdfium
    call.FPDFText_GetLooseCharBox(this.#textPage, index, scratch)
    const floats = this.#pdfium.floats()
    const at = scratch / 4
    const box = {
      left: floats[at] ?? 0,
      top: floats[at + 1] ?? 0,
      right: floats[at + 2] ?? 0,
      bottom: floats[at + 3] ?? 0,
    }
    // Within what the engine has as one line all letters stand the same way.
    const turn = this.#open === null ? this.#turnOf(index) : this.#open.turn
    return { index, code, box: turn === 0 ? box : turned(box, turn), turn }
  }

  #turnOf(index: number): number {
    const angle = this.#pdfium.call.FPDFText_GetCharAngle(this.#textPage, index)
    return angle > 0 ? Math.round(angle / (Math.PI / 2)) % 4 : 0
  }

  #continues(open: Fragment, { box, code }: Character): boolean {
    const height = open.top - open.bottom
    const newHeight = box.top - box.bottom
    const overlap = Math.min(open.top, box.top) - Math.max(open.bottom, box.bottom)
    if (overlap < 0.5 * Math.min(height, newHeight)) return false
    if (isRightToLeft(code) || open.rightToLeft) return true
    if (newHeight < 0.8 * height || newHeight > 1.25 * height) return false
    const gap = box.left - open.right
    return gap < wideGap * height && gap > -height
  }

  #begin(character: Character): void {
    this.#close()
    this.#open = {
      text: String.fromCodePoint(character.code),
      ...character.box,
      size: this.#fontSize(character),
      bold: this.#isBold(character.index),
      spaced: this.#spacePending,
      hyphened: false,
      rightToLeft: isRightToLeft(character.code),
      turn: character.turn,
    }
    this.#spacePending = false
    this.#glyphStart = 0
    this.#words = [{ left: character.box.left, right: character.box.right }]
  }

  #extend(open: Fragment, { code, box }: Character): void {
    // Some programs call the ligature ff an arrow, by its place in their fonts.
    const letter = code === arrowOfLigature ? 'ff' : String.fromCodePoint(code)
    const rightToLeft = isRightToLeft(code)
    const before = this.#previous
    if (rightToLeft && before !== null && isRightToLeft(before.code) && inOneGlyph(before.box, box)) {
      // The letters of one ligature come in the order in which they are seen, from the left.
      open.text = open.text.slice(0, this.#glyphStart) + letter + open.text.slice(this.#glyphStart)
      return
    }
    if (this.#spacePending && rightToLeft && isVowelSign(code)) {
      // A vowel sign stands over the letter that comes after it here, and no word begins with one.
      this.#heldVowelSign = letter
      this.#spacePending = false
      return
    }
    const wordsTouch = rightToLeft && before !== null && isLatinLetter(before.code)
    if (this.#spacePending || wordsTouch) this.#beginWord(open, box)
    this.#spacePending = false
    this.#glyphStart = open.text.length
    open.text += letter + this.#heldVowelSign
    this.#heldVowelSign = ''
    open.rightToLeft ||= rightToLeft
    grow(open, box)
    const word = this.#words.at(-1)
    if (word === undefined) return
    word.left = Math.min(word.left, box.left)
    word.right = Math.max(word.right, box.right)
  }

  #beginWord(open: Fragment, { left, right }: Box): void {
    if (left - open.right > broadSpace * (open.top - open.bottom)) {
      open.gaps ??= []
      open.gaps.push({ at: open.text.length, left: open.right, right: left })
    }
    open.text += ' '
    this.#words.push({ left, right })
  }

  #close(): void {
    if (this.#open !== null) {
      this.#open.text = solid(this.#open.text + this.#heldVowelSign)
      if (this.#open.bold && this.#previous !== null) this.#open.bold = this.#isBold(this.#previous.index)
      if (this.#open.rightToLeft) this.#pushOrdered(this.#open)
      else this.#fragments.push(this.#open)
    }
    this.#heldVowelSign = ''
    this.#open = null
    this.#previous = null
  }

  /** A line with letters from right to left: its parts between wide gaps, from the right, each in the order of reading. */
  #pushOrdered(line: Fragment): void {
    const texts = line.text.split(' ')
    const words = texts.map((text, at): PlacedWord => ({
      text,
      left: line.left,
      right: line.right,
      ...this.#words[at],
    }))
    const sorted = words.toSorted((one, other) => other.right - one.right)
    const parts: PlacedWord[][] = []
    let left = Number.POSITIVE_INFINITY
    for (const word of sorted) {
      const part = parts.at(-1)
      if (part === undefined || left - word.right > wideGap * (line.top - line.bottom)) parts.push([word])
      else part.push(word)
      left = Math.min(left, word.left)
    }
    for (const [at, part] of parts.entries()) {
      this.#fragments.push({
        ...line,
        text: logicalOrder(part),
        left: Math.min(...part.map((word) => word.left)),
        right: Math.max(...part.map((word) => word.right)),
        spaced: at > 0 || line.spaced,
        hyphened: line.hyphened && at === parts.length - 1,
        gaps: undefined,
      })
    }
  }

  /** The font's size is told before the text is scaled; the character's matrix tells by how much it is. */
  #fontSize({ index, box }: Character): number {
    const { call, scratch } = this.#pdfium
    const size = call.FPDFText_GetFontSize(this.#textPage, index)
    if (call.FPDFText_GetMatrix(this.#textPage, index, scratch) === 0) return box.top - box.bottom
    const [, , c = 0, d = 0] = this.#pdfium.floats().subarray(scratch / 4, scratch / 4 + 4)
    const scaled = size * Math.hypot(c, d)
    return scaled > 0 ? scaled : box.top - box.bottom
  }

  #isBold(index: number): boolean {
    const { call, scratch } = this.#pdfium
    const length = call.FPDFText_GetFontInfo(this.#textPage, index, scratch, scratchBytes, 0)
    if (length <= 1 || length > scratchBytes) return false
    const name = this.#pdfium.bytes().subarray(scratch, scratch + length - 1)
    return boldName.test(String.fromCharCode(...name))
  }
}

/** Letters of a ligature have one box, or that of the first one reaches further to the right. */
function inOneGlyph(before: Box, box: Box): boolean {
  return Math.abs(before.left - box.left) < 0.05 && box.right > before.right - 0.05
}

/** Makes `box` large enough for `other`. */
export function grow(box: Box, other: Box): void {
  box.left = Math.min(box.left, other.left)
  box.right = Math.max(box.right, other.right)
  box.top = Math.max(box.top, other.top)
  box.bottom = Math.min(box.bottom, other.bottom)
}

function turned({ left, right, top, bottom }: Box, turn: number): Box {
  if (turn === 3) return { left: bottom, right: top, top: -left, bottom: -right }
  if (turn === 2) return { left: -right, right: -left, top: -bottom, bottom: -top }
  if (turn === 1) return { left: -top, right: -bottom, top: right, bottom: left }
  return { left, right, top, bottom }
}

/**
 * The same text in one piece. The runtime keeps what was put together letter by letter as a tree, of thirty bytes and
 * more for each letter, until it is read.
 */
function solid(text: string): string {
  return text.slice(0, text.lastIndexOf(text.slice(-1)) + 1)
}
