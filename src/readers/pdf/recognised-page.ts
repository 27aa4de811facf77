/**
 * Pages without a text layer: drawn, recognised, and given back as fragments in points, so that columns, tables and
 * headings are found as on any other page.
 */
import type { RecognisedPicture, RecognisedWord, Recogniser } from '../reading.ts'
import type { Box, Fragment } from './fragments.ts'
import type { PdfPage } from './pdfium.ts'
import { withPixels } from './page-pixels.ts'

/** An A4 page at 300 dots an inch; Tesseract reads letters of twelve points best so. */
const pixelsMax = 9_000_000
/** Lines this near to the usual height have letters of the same size: heights differ with the letters on them. */
const [lowest, highest] = [0.7, 1.45]

interface Seen extends RecognisedPicture {
  /** Pixels of the picture as it was turned, and points for each. */
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** The text of the page; null when the file had its number of recognised pages. */
export async function recognisedFragments(page: PdfPage, recogniser: Recogniser): Promise<readonly Fragment[] | null> {
  const seen = await see(page, recogniser)
  return seen === null ? null : fragmentsOf(seen)
}

/** The recognised words with their boxes on the page, whichever way it was turned. */
export async function recognisedWords(
  page: PdfPage,
  recogniser: Recogniser,
): Promise<readonly { readonly text: string; readonly box: Box }[]> {
  const seen = await see(page, recogniser)
  return seen === null ? [] : seen.words.map((word) => ({ text: word.text, box: onPage(word, seen) }))
}

async function see(page: PdfPage, recogniser: Recogniser): Promise<Seen | null> {
  const picture = withPixels(page, pixelsMax, ({ width, height, rgba }) => ({ width, height, rgba: rgba.slice() }))
  const found = await recogniser.recognise(picture)
  if (found === null) return null
  const isSideways = found.turn % 2 === 1
  const [width, height] = isSideways ? [picture.height, picture.width] : [picture.width, picture.height]
  return { ...found, width, height, scale: page.width / picture.width }
}

function fragmentsOf({ words, height, scale }: Seen): readonly Fragment[] {
  const lines = new Map<number, { top: number; bottom: number }>()
  for (const { line, top, bottom } of words) {
    const known = lines.get(line)
    lines.set(line, { top: Math.min(top, known?.top ?? top), bottom: Math.max(bottom, known?.bottom ?? bottom) })
  }
  const heights = [...lines.values()].map((line) => line.bottom - line.top).sort((one, other) => one - other)
  const usual = heights[Math.floor(heights.length / 2)] ?? 1
  return words.map((word) => {
    const line = lines.get(word.line) ?? word
    const size = line.bottom - line.top
    return {
      text: word.text,
      left: word.left * scale,
      right: word.right * scale,
      top: (height - line.top) * scale,
      bottom: (height - line.bottom) * scale,
      size: (size > lowest * usual && size < highest * usual ? usual : size) * scale,
      bold: false,
      spaced: true,
      hyphened: false,
      rightToLeft: /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(word.text),
      turn: 0,
    }
  })
}

/** Back from the picture that was turned `turn` quarters clockwise to the page; y grows upwards there. */
function onPage({ left, right, top, bottom }: RecognisedWord, { turn, width, height, scale }: Seen): Box {
  const box =
    turn === 1
      ? { left: top, right: bottom, top: width - right, bottom: width - left }
      : turn === 2
        ? { left: width - right, right: width - left, top: height - bottom, bottom: height - top }
        : turn === 3
          ? { left: height - bottom, right: height - top, top: left, bottom: right }
          : { left, right, top, bottom }
  const pageHeight = turn % 2 === 1 ? width : height
  return {
    left: box.left * scale,
    right: box.right * scale,
    top: (pageHeight - box.top) * scale,
    bottom: (pageHeight - box.bottom) * scale,
  }
}
