/**
 * Presentations of PowerPoint 97 to 2003: slides in their order with titles, texts and speaker notes. Tables are shapes
 * beside each other in this format, so their cells are paragraphs. (MS-PPT 2024.)
 */
import { type Reader, ReadFailure, type ReadRequest, type Reading } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { damagedCompound, openCompound, withinFile } from '../compound.ts'

interface PptRecord {
  readonly type: number
  readonly instance: number
  readonly isContainer: boolean
  readonly data: Buffer
}

interface Text {
  readonly kind: number
  readonly text: string
}

interface Slide {
  /** Number of its container in the table of places. */
  readonly place: number
  readonly id: number
  readonly texts: Text[]
}

const type = {
  document: 0x03e8,
  slide: 0x03ee,
  notes: 0x03f0,
  notesAbout: 0x03f1,
  slidePlace: 0x03f3,
  textKind: 0x0f9f,
  wideText: 0x0fa0,
  narrowText: 0x0fa8,
  list: 0x0ff0,
  edit: 0x0ff5,
  places: 0x1772,
  encrypted: 0x2f14,
}
const kinds = { title: 0, notes: 2, other: 4, centredTitle: 6 }
const slideList = 0
const depthMax = 40
const recordsMax = 5_000_000

/** Reads .ppt. */
export const pptReader: Reader = { name: 'ppt', read: (request) => withinFile(() => readPpt(request)) }

function readPpt({ bytes, mediaType, limits }: ReadRequest): Reading {
  const stream = openCompound(bytes, limits.unpackedBytesMax).read('PowerPoint Document')
  if (stream === null) throw damagedCompound()
  const budget = { left: recordsMax }
  const places = readPlaces(stream, budget)
  // Saving in a hurry adds to the file: the last document is the one in effect.
  const document = [...recordsIn(stream, budget)].findLast((record) => record.type === type.document)
  if (document === undefined) throw damagedCompound()
  const notes = readNotes(stream, places, budget)
  const builder = new TextBuilder(limits)
  let title: string | null = null
  for (const slide of slidesOf(document, budget)) {
    builder.page()
    const container = recordAt(stream, places.get(slide.place))
    const own = container?.type === type.slide ? textsIn(container.data, budget) : []
    // The outline has a copy of the texts in the slide, or the only one.
    const known = new Set(slide.texts.map(({ text }) => text))
    const texts = [...slide.texts, ...own.filter(({ text }) => !known.has(text))]
    title ??= texts.find(isTitle)?.text ?? null
    for (const each of texts.filter(isTitle)) builder.heading(1, each.text)
    for (const each of texts.filter((text) => !isTitle(text))) writeLines(builder, each.text)
    const about = notes.get(slide.id) ?? ''
    if (about !== '') builder.paragraph(`Speaker notes: ${about}`)
  }
  return builder.reading({ mediaType, title })
}

const isTitle = ({ kind }: Text): boolean => kind === kinds.title || kind === kinds.centredTitle

function writeLines(builder: TextBuilder, text: string): void {
  for (const line of text.split('\n')) builder.paragraph(line.replaceAll('\v', '\n'))
}

type Budget = { left: number }

/** The records of a part, one after the other; what is cut off ends them. */
function* recordsIn(part: Buffer, budget: Budget): Generator<PptRecord> {
  let at = 0
  while (at + 8 <= part.length) {
    if ((budget.left -= 1) < 0) throw new ReadFailure('too_complex', 'The presentation has too many parts. Divide it.')
    const record = recordAt(part, at)
    if (record === null) return
    yield record
    at += 8 + record.data.length
  }
}

function recordAt(part: Buffer, at: number | undefined): PptRecord | null {
  if (at === undefined || at + 8 > part.length) return null
  const first = part.readUInt16LE(at)
  const data = part.subarray(at + 8, at + 8 + part.readUInt32LE(at + 4))
  return { type: part.readUInt16LE(at + 2), instance: first >> 4, isContainer: (first & 15) === 15, data }
}

/** Where each container is: lists of runs of places, of which later ones replace earlier ones. */
function readPlaces(stream: Buffer, budget: Budget): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  for (const { type: kind, data } of recordsIn(stream, budget)) {
    if (kind === type.encrypted) {
      throw new ReadFailure(
        'encrypted',
        'The file is protected by a password. Save it without one and import it again.',
      )
    }
    if (kind !== type.places) continue
    for (let at = 0; at + 4 <= data.length;) {
      const head = data.readUInt32LE(at)
      const [first, count] = [head & 0xfffff, head >>> 20]
      at += 4
      for (let index = 0; index < count && at + 4 <= data.length; index += 1, at += 4) {
        places.set(first + index, data.readUInt32LE(at))
      }
    }
  }
  return places
}

function slidesOf(document: PptRecord, budget: Budget): Slide[] {
  const slides: Slide[] = []
  for (const list of recordsIn(document.data, budget)) {
    if (list.type !== type.list || list.instance !== slideList) continue
    let kind = kinds.other
    for (const record of recordsIn(list.data, budget)) {
      if (record.type === type.slidePlace && record.data.length >= 16) {
        slides.push({ place: record.data.readUInt32LE(0), id: record.data.readUInt32LE(12), texts: [] })
      } else if (record.type === type.textKind)
        kind = record.data.length < 4 ? kinds.other : record.data.readUInt32LE(0)
      const text = textOf(record)
      if (text !== null) slides.at(-1)?.texts.push({ kind, text })
    }
  }
  return slides
}

/** Notes by the slide that they are about. */
function readNotes(stream: Buffer, places: ReadonlyMap<number, number>, budget: Budget): ReadonlyMap<number, string> {
  const notes = new Map<number, string>()
  for (const place of places.values()) {
    const container = recordAt(stream, place)
    if (container?.type !== type.notes) continue
    const about = [...recordsIn(container.data, budget)].find((record) => record.type === type.notesAbout)
    if (about === undefined || about.data.length < 4) continue
    const texts = textsIn(container.data, budget).filter(({ kind }) => kind === kinds.notes)
    notes.set(about.data.readUInt32LE(0), texts.map(({ text }) => text).join('\n'))
  }
  return notes
}

function textsIn(part: Buffer, budget: Budget, depth = 0): Text[] {
  const texts: Text[] = []
  let kind = kinds.other
  for (const record of recordsIn(part, budget)) {
    if (record.type === type.textKind && record.data.length >= 4) kind = record.data.readUInt32LE(0)
    const text = textOf(record)
    if (text !== null) texts.push({ kind, text })
    else if (record.isContainer && depth < depthMax) texts.push(...textsIn(record.data, budget, depth + 1))
  }
  return texts
}

/** Paragraphs end with \r; a \v only breaks the line. */
function textOf({ type: kind, data }: PptRecord): string | null {
  if (kind !== type.wideText && kind !== type.narrowText) return null
  const text = data
    .toString(kind === type.wideText ? 'utf16le' : 'latin1')
    .replaceAll('\r', '\n')
    .trim()
  // A star stands for the number of the slide, or for a date.
  return text === '' || text === '*' ? null : text
}
