/**
 * What the paragraphs of a Word 97 document are: headings, parts of a table, ends of its rows. (MS-DOC 2024, 2.9.)
 *
 * Word says so for ranges of bytes of the text, on pages of 512 bytes that a table lists.
 */

/** How the paragraph that ends at a byte of the text looks. */
export interface ParagraphLook {
  /** Place in the table of styles: 1 to 9 are the headings of those levels in every file. */
  readonly style: number
  readonly inTable: boolean
  readonly endsRow: boolean
}

const pageBytes = 512
const plain: ParagraphLook = { style: 0, inTable: false, endsRow: false }
const [sprmInTable, sprmEndsRow] = [0x2416, 0x2417]
/** The one whose length has two bytes. */
const sprmTableDefinition = 0xd608
const pagesMax = 200_000
/** Bytes of an operand by the three highest bits of its code; 0 for those that say their length. */
const operandBytes = [1, 1, 2, 4, 2, 2, 0, 3]

interface Range {
  readonly start: number
  readonly end: number
  readonly look: ParagraphLook
}

/** Looks up the paragraph that a byte of the stream belongs to. `list` is the table's part of the file (PlcBtePapx). */
export function paragraphLooks(document: Buffer, list: Buffer): (offset: number) => ParagraphLook {
  const ranges = readRanges(document, list)
  return (offset) => {
    let [low, high] = [0, ranges.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const range = ranges[middle]
      if (range === undefined) break
      if (offset < range.start) high = middle - 1
      else if (offset >= range.end) low = middle + 1
      else return range.look
    }
    return plain
  }
}

function readRanges(document: Buffer, list: Buffer): Range[] {
  const pages = Math.min(Math.floor((list.length - 4) / 8), pagesMax)
  const ranges: Range[] = []
  for (let at = 0; at < pages; at += 1) {
    const number = list.readUInt32LE(4 * (pages + 1) + 4 * at) & 0x3fffff
    const page = document.subarray(number * pageBytes, (number + 1) * pageBytes)
    if (page.length < pageBytes) continue
    const count = page.readUInt8(511)
    for (let run = 0; run < count && 4 * (count + 1) + 13 * run < 511; run += 1) {
      const start = page.readUInt32LE(4 * run)
      const end = page.readUInt32LE(4 * run + 4)
      const place = 2 * page.readUInt8(4 * (count + 1) + 13 * run)
      if (end > start) ranges.push({ start, end, look: place === 0 ? plain : lookAt(page, place) })
    }
  }
  return ranges.sort((one, other) => one.start - other.start)
}

function lookAt(page: Buffer, place: number): ParagraphLook {
  const first = page.readUInt8(place)
  const start = first === 0 ? place + 2 : place + 1
  const length = first === 0 ? 2 * (page[place + 1] ?? 0) : 2 * first - 1
  const end = Math.min(start + length, page.length)
  if (start + 2 > end) return plain
  let [inTable, endsRow] = [false, false]
  for (let at = start + 2; at + 2 < end;) {
    const code = page.readUInt16LE(at)
    if (code === sprmInTable) inTable = page.readUInt8(at + 2) !== 0
    else if (code === sprmEndsRow) endsRow = page.readUInt8(at + 2) !== 0
    at += 2 + operandLength(page, at + 2, code)
  }
  return { style: page.readUInt16LE(start), inTable, endsRow }
}

function operandLength(page: Buffer, at: number, code: number): number {
  if (code === sprmTableDefinition) return at + 2 <= page.length ? page.readUInt16LE(at) + 1 : pageBytes
  const fixed = operandBytes[code >> 13] ?? 0
  return fixed === 0 ? 1 + (page[at] ?? 0) : fixed
}
