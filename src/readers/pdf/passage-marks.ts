/**
 * Where a passage stands on a page, to be marked in its picture.
 *
 * A passage was put together from the page: columns in reading order, hyphens joined, tables as Markdown. So it is not
 * looked for as it is. Runs of words that the page and the passage share are, in whatever order the page has them.
 */
import { grow, type Box } from './fragments.ts'
import type { Pdfium, PdfPage } from './pdfium.ts'

/** Words that have to follow each other in both: two are found by chance all over a page. */
const runLength = 3
/** Words between two that were found which are taken along: those that reading has changed. */
const gapMax = 3
/** Words of a piece that is not found by chance, and of one that may be. */
const longPiece = 12
const shortPiece = 6
/** A page with more letters is not a page that anyone reads. */
const charactersMax = 200_000

const alone = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`
/** A word; of scripts without spaces, each letter. */
const word = new RegExp(String.raw`${alone}|(?:(?!${alone})[\p{L}\p{N}\p{M}])+`, 'gu')

/** Boxes in points, the origin at the foot of the page: one for each line of what was found of the passage. */
export function passageMarks(page: PdfPage, passage: string): readonly Box[] {
  const { call } = page.pdfium
  const textPage = call.FPDFText_LoadPage(page.pointer)
  if (textPage === 0) return []
  try {
    const { text, indexAt } = textOfPage(page.pdfium, textPage)
    const found = [...text.matchAll(word)]
    const isMarked = sharedWords(
      found.map(([each]) => comparable(each)),
      Array.from(passage.matchAll(word), ([each]) => comparable(each)),
    )
    const boxes: Box[] = []
    for (const [at, { 0: letters, index }] of found.entries()) {
      if (!isMarked[at]) continue
      for (let offset = index; offset < index + letters.length; offset += 1)
        join(boxes, boxOf(page.pdfium, textPage, indexAt[offset] ?? 0))
    }
    return boxes
  } finally {
    call.FPDFText_ClosePage(textPage)
  }
}

/** Whether the page has a text layer. */
export function hasText({ pdfium: { call }, pointer }: PdfPage): boolean {
  const textPage = call.FPDFText_LoadPage(pointer)
  if (textPage === 0) return false
  try {
    return call.FPDFText_CountChars(textPage) > 0
  } finally {
    call.FPDFText_ClosePage(textPage)
  }
}

/** The same for words that were recognised, each with its box. */
export function marksAmong(
  words: readonly { readonly text: string; readonly box: Box }[],
  passage: string,
): readonly Box[] {
  const parts = words.flatMap(({ text, box }) => Array.from(text.matchAll(word), ([part]) => ({ part, box })))
  const isMarked = sharedWords(
    parts.map(({ part }) => comparable(part)),
    Array.from(passage.matchAll(word), ([each]) => comparable(each)),
  )
  const boxes: Box[] = []
  for (const [at, { box }] of parts.entries()) if (isMarked[at] === true) join(boxes, box)
  return boxes
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** For each word of the page whether it is part of a run that the passage has, too. */
export function sharedWords(page: readonly string[], passage: readonly string[]): readonly boolean[] {
  const length = Math.min(runLength, passage.length)
  const isMarked = page.map(() => false)
  if (length === 0) return isMarked
  const runAt = (words: readonly string[], at: number): string => words.slice(at, at + length).join(' ')
  const runs = new Set(passage.slice(length - 1).map((_, at) => runAt(passage, at)))
  for (let at = 0; at + length <= page.length; at += 1)
    if (runs.has(runAt(page, at))) isMarked.fill(true, at, at + length)
  if (length < runLength) return isMarked
  fillGaps(isMarked)
  return withoutChanceFinds(isMarked)
}

function fillGaps(isMarked: boolean[]): void {
  let last = -1
  for (const [at, marked] of isMarked.entries()) {
    if (!marked) continue
    if (last >= 0 && at - last <= gapMax + 1) isMarked.fill(true, last, at)
    last = at
  }
}

/** Where much was found in one piece, what is short elsewhere on the page is a phrase that the passage uses, too. */
function withoutChanceFinds(isMarked: readonly boolean[]): readonly boolean[] {
  const lengths: number[] = []
  for (const [at, marked] of isMarked.entries()) lengths.push(marked ? (lengths[at - 1] ?? 0) + 1 : 0)
  // The length of each piece is that at its last word.
  for (let at = lengths.length - 2; at >= 0; at -= 1)
    if (lengths[at] !== 0) lengths[at] = Math.max(lengths[at] ?? 0, lengths[at + 1] ?? 0)
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0)
  return longest < longPiece ? isMarked : lengths.map((length) => length >= shortPiece)
}

/** What PDFium puts at the end of a line in place of a hyphen within a word. */
const lineEndHyphens: ReadonlySet<number> = new Set([0x02, 0xfffe])

/** The letters of the page, and which character of the page each UTF-16 unit belongs to. */
function textOfPage(
  { call }: Pdfium,
  textPage: number,
): { readonly text: string; readonly indexAt: readonly number[] } {
  const count = Math.min(call.FPDFText_CountChars(textPage), charactersMax)
  const letters: string[] = []
  const indexAt: number[] = []
  let afterHyphen = false
  for (let index = 0; index < count; index += 1) {
    const code = call.FPDFText_GetUnicode(textPage, index)
    // A word that was divided is one word: neither its hyphen nor the end of its line counts.
    const isLineEnd = code === 0x0a || code === 0x0d
    if (lineEndHyphens.has(code)) afterHyphen = true
    if (lineEndHyphens.has(code) || (afterHyphen && isLineEnd)) continue
    afterHyphen = false
    const letter = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
    letters.push(letter)
    for (let unit = 0; unit < letter.length; unit += 1) indexAt.push(index)
  }
  return { text: letters.join(''), indexAt }
}

function boxOf({ call, scratch, floats }: Pdfium, textPage: number, index: number): Box {
  call.FPDFText_GetLooseCharBox(textPage, index, scratch)
  const [left = 0, top = 0, right = 0, bottom = 0] = floats().subarray(scratch / 4, scratch / 4 + 4)
  return { left, right, top, bottom }
}

/** Adds a letter to the last box when it continues its line, else as a box of its own. */
function join(boxes: Box[], letter: Box): void {
  const last = boxes.at(-1)
  const height = letter.top - letter.bottom
  const isNext =
    last !== undefined &&
    Math.min(last.top, letter.top) - Math.max(last.bottom, letter.bottom) > height / 2 &&
    letter.left - last.right < 2 * height &&
    last.left - letter.right < 2 * height
  if (!isNext) boxes.push({ ...letter })
  else grow(last, letter)
}
