/**
 * Word documents: headings by style and outline level, lists with their numbers, tables, notes behind
 * the paragraph that refers to them, comments and the numbers of charts likewise, pages where they are known,
 * heads and feet of pages once. Left out: tracked deletions, pictures. (ECMA-376, part 1, 17 WordprocessingML.)
 */

import { ReadFailure } from '../reading.ts'
import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childOf, childrenOf, descendantsOf, eachElement, integerOf, parseXml } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { inlineText, openBlocks, writeBlocks } from './blocks.ts'
import type { Block } from './blocks.ts'
import { shortCellMax, spreadCells } from './cell-grid.ts'
import { commentText, PageEdges } from '../marked-text.ts'
import { drawnBlocks } from './chart.ts'
import type { GridCell } from './cell-grid.ts'
import { listOf, outlineOf, bodyOutline, readStyles } from './docx-styles.ts'
import type { ListPlace, ParagraphStyle } from './docx-styles.ts'
import { readParagraphText } from './docx-text.ts'
import type { NoteReference } from './docx-text.ts'
import { countMarkers, readNumbering } from './numbering.ts'
import type { NumberingList } from './numbering.ts'
import { openPackage, relatedPart } from './package.ts'
import type { OfficePackage, Relation } from './package.ts'

/** What the paragraphs of one document refer to, and what is counted through it. */
interface DocumentContext {
  readonly styles: ReadonlyMap<string, ParagraphStyle>
  readonly lists: ReadonlyMap<string, NumberingList>
  readonly nextMarker: (list: NumberingList, level: number) => string
  readonly source: OfficePackage
  readonly relations: ReadonlyMap<string, Relation>
  /** Notes and comments that no paragraph has referred to yet. */
  readonly notes: Map<string, XmlElement>
  /** References so far; a note's number is its place among them. */
  notesSeen: number
  pictures: number
}

const blockElements = new Set(['p', 'tbl', 'altChunk'])
const transparent = new Set(['sdt', 'sdtContent', 'customXml', 'smartTag', 'ins', 'moveTo', 'body'])

export const docxReader: Reader = { name: 'docx', read: async (request) => readDocx(request) }

function readDocx({ bytes, mediaType, limits }: ReadRequest): Reading {
  const source = openPackage(bytes, limits.unpackedBytesMax)
  const xml = source.part(source.main)
  if (xml === null) throw new ReadFailure('damaged', 'The file has no text part. Save it again as .docx.')
  const context = openContext(source)
  const builder = new TextBuilder(limits)
  const blocks = openBlocks(limits)
  let isDocument = false
  eachElement(xml, blockElements, (element, ancestors) => {
    isDocument ||= ancestors[0]?.name === 'document'
    if (element.name === 'altChunk') builder.warn('A part that was inserted from another file was left out.')
    else if (ancestors.every(({ name }) => name !== 'del' && name !== 'moveFrom'))
      blocks.add(readBlock(element, context))
  })
  if (!isDocument && !/<(?:\w+:)?document[\s>]/.test(xml.slice(0, 10_000))) {
    throw new ReadFailure('damaged', 'The file is an Office file, but not a Word document.')
  }
  for (const comment of commentsLeft(context)) blocks.add([comment])
  blocks.add(pageEdges(context))
  writeBlocks(builder, blocks.all)
  if (context.pictures > 0) builder.warn(`${context.pictures} pictures were left out: only the text was read.`)
  return builder.reading({ mediaType, title: source.title, stated: source.stated })
}

function openContext(source: OfficePackage): DocumentContext {
  const notes = new Map<string, XmlElement>()
  for (const kind of ['footnote', 'endnote', 'comment'] as const) {
    const xml = relatedPart(source, source.main, `${kind}s`)
    for (const note of xml === null ? [] : childrenOf(parseXml(xml), kind)) {
      // Those with a type are the lines between text and notes.
      if ((attributeOf(note, 'type') ?? 'normal') === 'normal') notes.set(`${kind} ${attributeOf(note, 'id')}`, note)
    }
  }
  return {
    source,
    relations: source.relationsOf(source.main),
    styles: readStyles(relatedPart(source, source.main, 'styles')),
    lists: readNumbering(relatedPart(source, source.main, 'numbering')),
    nextMarker: countMarkers(),
    notes,
    notesSeen: 0,
    pictures: 0,
  }
}

function readBlock(element: XmlElement, context: DocumentContext): Block[] {
  if (element.name === 'tbl') return readTable(element, context)
  const content = readParagraphText(element, (kind) => (kind === 'comment' ? '' : `[${(context.notesSeen += 1)}]`))
  context.pictures += content.pictures
  return [
    ...content.breaksBefore.map(asBlock),
    blockOf(element, content.text, context),
    ...content.notes.map((note) => readNote(note, context)),
    ...content.drawn.flatMap((reference) => readDrawn(reference, context)),
    ...content.boxes.flatMap((box) => readContents(box, context)),
    ...content.breaksAfter.map(asBlock),
  ]
}

/** A chart whose data the file does not hold is only a picture. */
function readDrawn(reference: XmlElement, context: DocumentContext): Block[] {
  const blocks = drawnBlocks(reference, context)
  if (blocks === null) context.pictures += 1
  return blocks ?? []
}

const asBlock = ({ rendered }: { readonly rendered: boolean }): Block => ({ kind: 'break', rendered })

/** The blocks of a text box, a cell or a note. */
function readContents(parent: XmlElement, context: DocumentContext): Block[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name === 'p' || child.name === 'tbl') return readBlock(child, context)
    return transparent.has(child.name) ? readContents(child, context) : []
  })
}

function blockOf(element: XmlElement, text: string, context: DocumentContext): Block {
  const properties = childOf(element, 'pPr')
  const styleElement = childOf(properties, 'pStyle')
  const style = styleElement === null ? undefined : context.styles.get(attributeOf(styleElement, 'val') ?? '')
  const own = listOf(properties)
  const place = own.id === null ? (style?.list ?? null) : { list: own.id, level: own.level ?? style?.list?.level ?? 0 }
  // Empty paragraphs show no number and are not counted.
  const marker = text.trim() === '' ? '' : markerOf(place, context)
  const level = levelOf(properties, style)
  if (level !== null) return { kind: 'heading', level, text: marker === '-' ? text : `${marker} ${text}` }
  if (marker === '' || place === null) return { kind: 'paragraph', text }
  return { kind: 'item', text, depth: place.level + 1, marker }
}

/** Its own outline level comes before that of the style; null for running text. */
function levelOf(properties: XmlElement | null, style: ParagraphStyle | undefined): number | null {
  const outline = outlineOf(properties)
  if (outline === null) return style?.heading ?? null
  return outline === bodyOutline ? null : outline + 1
}

function markerOf(place: ListPlace | null, context: DocumentContext): string {
  const list = place === null ? undefined : context.lists.get(place.list)
  return list === undefined || place === null ? '' : context.nextMarker(list, place.level)
}

/** A note or comment is read where it is first referred to, and only there. */
function readNote({ kind, id, marker }: NoteReference, context: DocumentContext): Block {
  const key = `${kind} ${id}`
  const element = context.notes.get(key)
  context.notes.delete(key)
  if (element === undefined) return { kind: 'paragraph', text: '' }
  const text = plainTextOf(element)
  if (kind === 'comment') return commentBlock(element, text)
  return { kind: 'paragraph', text: text === '' ? '' : `${marker} ${text}` }
}

function commentBlock(comment: XmlElement, text: string): Block {
  return { kind: 'paragraph', text: commentText(text, { author: attributeOf(comment, 'author') ?? '' }) }
}

/** Comments on what was not read as a paragraph of its own, for example in a note. */
function commentsLeft({ notes }: DocumentContext): Block[] {
  return [...notes].flatMap(([key, element]) =>
    key.startsWith('comment ') ? [commentBlock(element, plainTextOf(element))] : [],
  )
}

function plainTextOf(element: XmlElement): string {
  return childrenOf(element, 'p')
    .map((paragraph) => readParagraphText(paragraph, () => '').text.trim())
    .join('\n')
}

/** The heads and feet of all sections, at the end of the text. */
function pageEdges({ source, relations }: DocumentContext): Block[] {
  const edges = new PageEdges()
  return [...relations.values()].flatMap(({ type, target }): Block[] => {
    const xml = type === 'header' || type === 'footer' ? source.part(target) : null
    if (xml === null || (type !== 'header' && type !== 'footer')) return []
    const root = parseXml(xml)
    const text = descendantsOf(root, 'p').map(edgeText)
    const isCounted = /\b(?:PAGE|NUMPAGES)\b/.test(xml)
    return [{ kind: 'paragraph', text: edges.mark(type, text.join(' '), isCounted) }]
  })
}

/** Addresses in the heads of letters are often in text boxes. */
function edgeText(paragraph: XmlElement): string {
  const { text, boxes } = readParagraphText(paragraph, () => '')
  return [text, ...boxes.flatMap((box) => descendantsOf(box, 'p').map(edgeText))].join(' ')
}

/** A table as one block, or, when it is only a frame around text, what is in it. */
function readTable(table: XmlElement, context: DocumentContext): Block[] {
  const rows = rowsOf(table).map(cellsOf)
  if (rows.every((row) => row.length <= 1) || (rows.length === 1 && !areShortCells(rows.flat()))) {
    return rows.flat().flatMap((cell) => readContents(cell, context))
  }
  const breaks: Block[] = []
  const grid = rows.map((row) => row.map((cell) => readCell(cell, context, breaks)))
  return [{ kind: 'table', rows: spreadCells(grid) }, ...breaks]
}

/** A row of single short paragraphs is a table; one of longer texts divides the page into columns. */
function areShortCells(cells: readonly XmlElement[]): boolean {
  return cells.every((cell) => {
    const content = childrenOf(cell).filter(({ name }) => name !== 'tcPr')
    return content.length <= 1 && content.every(({ name }) => name === 'p') && plainTextOf(cell).length <= shortCellMax
  })
}

function readCell(cell: XmlElement, context: DocumentContext, breaks: Block[]): GridCell {
  const properties = childOf(cell, 'tcPr')
  const span = childOf(properties, 'gridSpan')
  const merge = childOf(properties, 'vMerge')
  const texts: string[] = []
  for (const block of readContents(cell, context)) {
    if (block.kind === 'break') breaks.push(block)
    else texts.push(inlineText(block))
  }
  return {
    text: texts.filter((text) => text !== '').join('\n'),
    columns: span === null ? 1 : integerOf(span, 'val', 1),
    above: merge !== null && attributeOf(merge, 'val') !== 'restart',
  }
}

/** A row of a table may stand in content controls; one that was deleted with changes tracked is left out. */
function rowsOf(parent: XmlElement): XmlElement[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name === 'tr') return childOf(childOf(child, 'trPr'), 'del') === null ? [child] : []
    return transparent.has(child.name) ? rowsOf(child) : []
  })
}

function cellsOf(row: XmlElement): XmlElement[] {
  return childrenOf(row).flatMap((child) => {
    if (child.name === 'tc') return [child]
    return transparent.has(child.name) ? cellsOf(child) : []
  })
}
