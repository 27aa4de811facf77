/**
 * Documents of Word 97 to 2003: paragraphs, headings, tables, notes and text boxes, then comments and heads and feet of
 * pages; older ones as plain text. Left out: what fields were computed from. (MS-DOC 2024.)
 */
import { type Reader, ReadFailure, type ReadRequest, type Reading } from '../reading.ts'
import { commentText, PageEdges } from '../marked-text.ts'
import { TextBuilder } from '../text-builder.ts'
import { damagedCompound, openCompound, withinFile } from '../compound.ts'
import { type ParagraphLook, paragraphLooks } from './doc-paragraphs.ts'

/** Text of the file: where its letters are in the stream, two bytes or one each. */
interface Piece {
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly isWide: boolean
}

/** Places in the header, MS-DOC 2.5: all files since Word 97 have these parts at the same places. */
const header = {
  flags: 0x0a,
  textFrom: 0x18,
  textTo: 0x1c,
  lengths: 0x4c,
  paragraphs: 0x102,
  pieces: 0x1a2,
  end: 0x1aa,
}
const [encryptedFlag, secondTableFlag, sincePieces] = [0x0100, 0x0200, 0xc1]
const documentSignature = 0xa5ec
const [cellEnd, pageBreak, fieldBegin, fieldSeparator, fieldEnd] = [0x07, 0x0c, 0x13, 0x14, 0x15]
const headingsMax = 9
const windows = new TextDecoder('windows-1252')

/** Reads .doc. */
export const docReader: Reader = { name: 'doc', read: (request) => withinFile(() => readDoc(request)) }

function readDoc({ bytes, mediaType, limits }: ReadRequest): Reading {
  const file = openCompound(bytes, limits.unpackedBytesMax)
  const stream = file.read('WordDocument')
  if (stream === null || stream.length < 0x60 || stream.readUInt16LE(0) !== documentSignature) throw damagedCompound()
  const flags = stream.readUInt16LE(header.flags)
  if ((flags & encryptedFlag) !== 0) {
    throw new ReadFailure('encrypted', 'The file is protected by a password. Save it without one and import it again.')
  }
  const builder = new TextBuilder(limits)
  if (stream.readUInt16LE(2) < sincePieces || stream.length < header.end) {
    const text = windows.decode(
      stream.subarray(stream.readUInt32LE(header.textFrom), stream.readUInt32LE(header.textTo)),
    )
    for (const paragraph of text.split('\r')) builder.paragraph(visible(paragraph))
  } else {
    const table = file.read((flags & secondTableFlag) === 0 ? '0Table' : '1Table')
    if (table === null) throw damagedCompound()
    writeParts(builder, stream, table)
  }
  return builder.reading({ mediaType, title: null })
}

function partOf(stream: Buffer, table: Buffer, at: number): Buffer {
  const offset = stream.readUInt32LE(at)
  return table.subarray(offset, offset + stream.readUInt32LE(at + 4))
}

/** The text proper with its notes, text boxes, then comments and what is on all pages, in one paragraph each. */
function writeParts(builder: TextBuilder, stream: Buffer, table: Buffer): void {
  const pieces = readPieces(partOf(stream, table, header.pieces))
  const lookAt = paragraphLooks(stream, partOf(stream, table, header.paragraphs))
  const [body = 0, footnotes = 0, heads = 0, , comments = 0, endnotes = 0, boxes = 0] = Array.from(
    { length: 7 },
    (_, at) => Math.max(0, stream.readInt32LE(header.lengths + 4 * at)),
  )
  const [afterNotes, afterHeads] = [body + footnotes, body + footnotes + heads]
  const afterComments = afterHeads + comments
  const edges = new PageEdges()
  const parts: readonly (readonly [DocWriter, number, number])[] = [
    [new DocWriter(builder, lookAt), 0, afterNotes],
    [new DocWriter(builder, lookAt), afterComments, afterComments + endnotes + boxes],
    [new DocWriter(markedBy(builder, commentText), lookAt), afterHeads, afterComments],
    // Which are heads and which are feet is told by a part that this reader does not look at.
    [
      new DocWriter(
        markedBy(builder, (text) => edges.mark('header or footer', text, /\d/.test(text))),
        lookAt,
      ),
      afterNotes,
      afterHeads,
    ],
  ]
  for (const [writer, from, to] of parts) {
    for (const piece of pieces) writePiece(writer, stream, { piece, from, to })
    writer.end()
  }
}

type Blocks = Pick<TextBuilder, 'heading' | 'paragraph' | 'table'>

/** Whatever is written becomes paragraphs that `mark` makes. */
function markedBy(builder: TextBuilder, mark: (text: string) => string): Blocks {
  return {
    heading: (_, title) => builder.paragraph(mark(title)),
    paragraph: (text) => builder.paragraph(mark(text)),
    table: (rows) => builder.paragraph(mark(rows.flat().join(' '))),
  }
}

function writePiece(
  writer: DocWriter,
  stream: Buffer,
  { piece, from, to }: { readonly piece: Piece; readonly from: number; readonly to: number },
): void {
  const first = Math.max(piece.start, from)
  const last = Math.min(piece.end, to)
  if (first >= last) return
  const width = piece.isWide ? 2 : 1
  const offset = piece.offset + width * (first - piece.start)
  const letters = stream.subarray(offset, offset + width * (last - first))
  const text = piece.isWide ? letters.toString('utf16le') : windows.decode(letters)
  writer.write(text, (at) => offset + width * at)
}

/** MS-DOC 2.9.38 and 2.9.177: changes of properties, then the table of pieces. */
function readPieces(part: Buffer): Piece[] {
  let at = 0
  while (at + 3 <= part.length && part[at] === 1) at += 3 + part.readUInt16LE(at + 1)
  if (part[at] !== 2 || at + 5 > part.length) throw damagedCompound()
  const table = part.subarray(at + 5, at + 5 + part.readUInt32LE(at + 1))
  const count = Math.floor((table.length - 4) / 12)
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const place = table.readUInt32LE(4 * (count + 1) + 8 * index + 2)
    const isWide = (place & 0x40000000) === 0
    const offset = place & 0x3fffffff
    return {
      start: table.readUInt32LE(4 * index),
      end: table.readUInt32LE(4 * index + 4),
      offset: isWide ? offset : offset / 2,
      isWide,
    }
  })
}

/** Puts letters together to paragraphs, and paragraphs to cells, rows and tables. */
class DocWriter {
  readonly #builder: Blocks
  readonly #lookAt: (offset: number) => ParagraphLook
  #text = ''
  /** Open fields; of each only what it shows is text. */
  readonly #fields: boolean[] = []
  /** Those among them that have not come to what they show. */
  #computing = 0
  #cell: string[] = []
  #row: string[] = []
  #rows: string[][] = []

  constructor(builder: Blocks, lookAt: (offset: number) => ParagraphLook) {
    this.#builder = builder
    this.#lookAt = lookAt
  }

  write(text: string, offsetOf: (at: number) => number): void {
    let from = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code > fieldEnd) continue
      this.#add(text.slice(from, at))
      from = at + 1
      if (code === 0x0d || code === cellEnd || code === pageBreak) this.#paragraph(code, this.#lookAt(offsetOf(at)))
      else this.#sign(code)
    }
    this.#add(text.slice(from))
  }

  end(): void {
    this.#paragraph(0x0d, { style: 0, inTable: false, endsRow: false })
    this.#fields.length = 0
    this.#computing = 0
  }

  #add(text: string): void {
    if (this.#computing === 0) this.#text += text
  }

  #sign(code: number): void {
    if (code === fieldBegin) this.#openField()
    else if (code === fieldSeparator || code === fieldEnd) this.#showField(code === fieldSeparator)
    else if (code === 0x0b) this.#add('\n')
    else if (code === 0x09) this.#add('\t')
  }

  #openField(): void {
    this.#fields.push(false)
    this.#computing += 1
  }

  /** What the innermost field shows begins, or the field ends. */
  #showField(staysOpen: boolean): void {
    if (this.#fields.pop() === false) this.#computing -= 1
    if (staysOpen) this.#fields.push(true)
  }

  #paragraph(code: number, { style, inTable, endsRow }: ParagraphLook): void {
    const text = visible(this.#text)
    this.#text = ''
    if (endsRow || (inTable && code === cellEnd)) return this.#cellEnd(text, endsRow)
    if (inTable) {
      this.#cell.push(text)
      return
    }
    this.#tableEnd()
    if (style >= 1 && style <= headingsMax) this.#builder.heading(style, text)
    else this.#builder.paragraph(code === cellEnd ? `${text}\t` : text)
  }

  #cellEnd(text: string, endsRow: boolean): void {
    if (!endsRow) {
      this.#row.push([...this.#cell, text].join('\n').trim())
      this.#cell = []
      return
    }
    this.#rows.push(this.#row)
    this.#row = []
  }

  #tableEnd(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row)
    if (this.#rows.length === 1) for (const cell of this.#rows[0] ?? []) this.#builder.paragraph(cell)
    else this.#builder.table(this.#rows)
    this.#row = []
    this.#rows = []
    this.#cell = []
  }
}

/** Without signs for pictures and references; hyphens that never or only sometimes divide are as they are seen. */
function visible(text: string): string {
  return text.replaceAll('\u001e', '-').replaceAll('\u001f', '')
}
