/**
 * Documents of Pages, Numbers and Keynote since 2013: the text of the body, text boxes, notes and slides in their order,
 * and tables. Older ones, and those whose parts are not understood, by the PDF that they carry as a preview, if they do.
 * Left out: pictures, charts, which paragraphs are headings.
 */
import { openArchive, type Archive } from '../archive.ts'
import type { ReadAttachment } from '../attachments.ts'
import { commentText, hiddenSlide, PageEdges, speakerNotes } from '../marked-text.ts'
import { type Reader, ReadFailure, type Reading, type ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { openIwork, type IworkDocument, type IworkObject } from './iwa.ts'
import { bytesIn, fieldsOf, numberIn, textIn, type Fields } from './protobuf.ts'
import { readTable } from './table.ts'

/** Types of objects that all three programs share. */
const [storageTypes, shapeType, groupType, tableType, pagesType] = [new Set([2001, 2005]), 2011, 3008, 6000, 10_000]
/** Types of Keynote alone. */
const [placeholderType, slideTypes] = [7, new Set([5, 6])]
/** Kinds of text flows: TSWP.StorageArchive.KindType. */
const [body, header, footnote, textBox, note] = [0, 1, 2, 3, 4]
const previews = ['QuickLook/Preview.pdf', 'preview.pdf']
const groupsDeep = 20

interface Writing {
  readonly document: IworkDocument
  readonly builder: TextBuilder
  /** Objects that were written. */
  readonly written: Set<number>
}

/** A reader of these documents that reads previews by `readAttachment`. */
export function iworkReader(readAttachment: ReadAttachment): Reader {
  return { name: 'iwork', read: (request) => readIwork(request, readAttachment) }
}

async function readIwork(request: ReadRequest, readAttachment: ReadAttachment): Promise<Reading> {
  const { bytes, limits, mediaType } = request
  const archive = openArchive(bytes, limits.unpackedBytesMax)
  if (archive.names.some((name) => /\.iw(?:ph|pv2)$/.test(name)))
    throw new ReadFailure('encrypted', 'The file is protected by a password. Remove it and import the file again.')
  const document = openIwork(archive, limits.unpackedBytesMax)
  const builder = new TextBuilder(limits)
  write({ document, builder, written: new Set() })
  if (builder.length > 0) return builder.reading({ mediaType, title: null })
  return readPreview(archive, request, readAttachment)
}

async function readPreview(archive: Archive, request: ReadRequest, readAttachment: ReadAttachment): Promise<Reading> {
  const name = previews.find((each) => archive.names.includes(each))
  const bytes = name === undefined ? null : archive.read(name)
  if (name === undefined || bytes === null)
    throw new ReadFailure('no_text', 'The file holds no text that can be read. Export it as PDF and import that.')
  const { limits, recogniser, depth = 0, mediaType } = request
  const reading = await readAttachment({ bytes, name, limits, reader: 'pdf', recogniser, depth: depth + 1 })
  const warning = 'The text is that of the preview in the file, which may be older than the document.'
  return { ...reading, mediaType, warnings: [...reading.warnings, warning] }
}

function write(writing: Writing): void {
  const { document } = writing
  const all = [...document.objects.values()]
  const root = document.objects.get(1)
  if (all.some(({ type }) => type === pagesType)) return writePages(writing, all)
  if (root === undefined) return
  if (document.parts.some((name) => /(?:^|\/)(?:Slide|MasterSlide|TemplateSlide)/.test(name)))
    writeSlides(writing, root)
  else writeSheets(writing, root)
}

/** The body, then what is beside it. */
function writePages(writing: Writing, all: readonly IworkObject[]): void {
  const { builder } = writing
  const edges = new PageEdges()
  const storages = all.filter(({ type }) => storageTypes.has(type))
  const textsOf = (kind: number): readonly string[] =>
    storages.filter(({ fields }) => (numberIn(fields, 1) ?? textBox) === kind).map(textOf)
  for (const text of textsOf(body)) writeText(builder, text)
  for (const { type, fields, id } of all) if (type === tableType) writeTable(writing, { id, fields })
  for (const text of textsOf(footnote)) writeText(builder, text)
  for (const text of textsOf(textBox)) writeText(builder, text)
  for (const text of textsOf(note)) builder.paragraph(commentText(text))
  for (const text of textsOf(header)) builder.paragraph(edges.mark('header or footer', text, text.includes('\ufffc')))
}

/** Sheets (TN.SheetArchive) with their tables and text boxes, each a page. */
function writeSheets(writing: Writing, root: IworkObject): void {
  const { document, builder } = writing
  for (const { fields } of document.referred(root.fields, 1)) {
    const name = textIn(fields, 1)
    builder.page(name)
    builder.heading(1, name)
    for (const drawable of document.referred(fields, 2)) writeDrawable(writing, drawable, 0)
  }
}

/** Slides in the order of the navigator, which is a tree. */
function writeSlides(writing: Writing, root: IworkObject): void {
  const { document } = writing
  for (const show of document.referred(root.fields, 2)) {
    for (const tree of bytesIn(show.fields, 3).map(fieldsOf)) {
      const nodes = document.referred(tree, 2)
      for (const node of nodes.length > 0 ? nodes : document.referred(tree, 1)) writeNode(writing, node)
    }
  }
}

/** A stack instead of recursion: how deep slides are nested is up to the file. */
function writeNode(writing: Writing, top: IworkObject): void {
  const { document, written } = writing
  const waiting = [top]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (written.has(node.id)) continue
    written.add(node.id)
    const isHidden = numberIn(node.fields, 4) === 1
    for (const slide of document.referred(node.fields, 2))
      if (slideTypes.has(slide.type)) writeSlide(writing, slide.fields, isHidden)
    waiting.push(...document.referred(node.fields, 1).toReversed())
  }
}

function writeSlide(writing: Writing, slide: Fields, isHidden: boolean): void {
  const { document, builder, written } = writing
  builder.page()
  for (const title of document.referred(slide, 5)) {
    written.add(title.id)
    builder.heading(1, storagesOf(document, title).map(textOf).join(' '))
  }
  if (isHidden) builder.paragraph(hiddenSlide)
  // The number of the slide does not belong to its text.
  for (const number of document.referred(slide, 20)) written.add(number.id)
  for (const drawable of [...document.referred(slide, 6), ...document.referred(slide, 7)])
    writeDrawable(writing, drawable, 0)
  for (const text of document
    .referred(slide, 27)
    .flatMap(({ fields }) => document.referred(fields, 1))
    .map(textOf))
    builder.paragraph(speakerNotes(text))
}

function writeDrawable(writing: Writing, drawable: IworkObject, depth: number): void {
  const { document, builder, written } = writing
  if (written.has(drawable.id) || depth > groupsDeep) return
  if (drawable.type === tableType) return writeTable(writing, drawable)
  written.add(drawable.id)
  if (drawable.type === groupType)
    for (const child of document.referred(drawable.fields, 2)) writeDrawable(writing, child, depth + 1)
  else for (const storage of storagesOf(document, drawable)) writeText(builder, textOf(storage))
}

/** The texts of a shape, which a placeholder has within. */
function storagesOf(document: IworkDocument, { type, fields }: IworkObject): readonly IworkObject[] {
  const shapes = type === shapeType ? [fields] : type === placeholderType ? bytesIn(fields, 1).map(fieldsOf) : []
  return shapes.flatMap((shape) => {
    const own = document.referred(shape, 4)
    return own.length > 0 ? own : document.referred(shape, 2)
  })
}

function writeTable({ document, builder, written }: Writing, info: Pick<IworkObject, 'id' | 'fields'>): void {
  if (written.has(info.id)) return
  written.add(info.id)
  for (const model of document.referred(info.fields, 2)) {
    const { name, rows } = readTable(document, model)
    if (rows.length === 0) continue
    builder.paragraph(name)
    builder.table(rows)
  }
}

const textOf = ({ fields }: IworkObject): string => textIn(fields, 3)

// oxlint-disable-next-line no-control-regex -- marks of columns and pages among them
const lineEnd = /[\n\u2029\u0004\u0005]/

/** Each line is a paragraph; pictures and notes stand as signs in the text. */
function writeText(builder: TextBuilder, text: string): void {
  for (const line of text.split(lineEnd)) builder.paragraph(line.replaceAll('\ufffc', ''))
}
