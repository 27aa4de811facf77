/**
 * Text of OpenDocument files as blocks: headings, paragraphs, lists, tables, notes, comments, text boxes, the numbers
 * of charts and the pages that the software had last laid out. Left out: tracked deletions, pictures.
 * (OASIS OpenDocument 1.3, part 3, 4 to 6 and 9.)
 */

import { attributeOf, childOf, childrenOf, descendantsOf, integerOf, parseXml, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { inlineText } from '../office/blocks.ts'
import type { Block } from '../office/blocks.ts'
import { shortCellMax, spreadCells } from '../office/cell-grid.ts'
import type { GridCell } from '../office/cell-grid.ts'
import { annotationText } from './odf-around.ts'
import { formulaIn } from './odf-package.ts'
import type { OpenDocument, OpenDocumentStyles } from './odf-package.ts'

export interface OdfContext {
  readonly styles: OpenDocumentStyles
  /** Whether the file holds the page breaks of its last layout; only then are those of styles exact as well. */
  readonly paged: boolean
  readonly object: OpenDocument['object']
}

interface ListPlace {
  readonly style: string
  readonly depth: number
}

/** Text of one paragraph and what is anchored in it. */
interface Paragraph {
  text: string
  /** Whether the text ends with white space, or is empty. */
  spaced: boolean
  readonly behind: Block[]
  readonly context: OdfContext
}

const transparent = new Set([
  'section',
  'index-body',
  'table-of-content',
  'alphabetical-index',
  'text-box',
  'numbered-paragraph',
  'g',
  'index-title',
])
const shapes = new Set(['frame', 'custom-shape', 'rect', 'ellipse', 'line', 'connector', 'polygon', 'path'])
const leftOut = new Set(['tracked-changes', 'ruby-text', 'title', 'hidden-text', 'image'])
const spaceRuns = /[\t\r\n]| {2}/
/** Limit for cells and rows that say that they are repeated. */
const repeatMax = 1_000

/** The blocks of a part of a document, in its order. */
export function readOdfBlocks(parent: XmlElement, context: OdfContext): Block[] {
  return childrenOf(parent).flatMap((element) => readOdfElement(element, context))
}

/** The blocks of one element. */
export function readOdfElement(element: XmlElement, context: OdfContext): Block[] {
  const { name } = element
  if (name === 'p' || name === 'h') return readParagraph(element, context)
  if (name === 'list') return readList(element, context, { style: attributeOf(element, 'style-name') ?? '', depth: 1 })
  if (name === 'table') return readTable(element, context)
  if (name === 'annotation') return [{ kind: 'paragraph', text: annotationText(element) }]
  if (name === 'frame' && childOf(element, 'object') !== null) {
    const { formula, blocks } = readObject(element, context)
    return [{ kind: 'paragraph', text: formula }, ...blocks]
  }
  if (name === 'desc') return [{ kind: 'paragraph', text: textOf(element) }]
  if (name === 'soft-page-break') return [{ kind: 'break', rendered: true }]
  return transparent.has(name) || shapes.has(name) ? readOdfBlocks(element, context) : []
}

/** The text of a paragraph alone, on as many lines as it has. */
export function odfParagraphText(element: XmlElement): string {
  const paragraph: Paragraph = { text: '', spaced: true, behind: [], context: noContext }
  collect(element, paragraph)
  return paragraph.text.trim()
}

const noContext: OdfContext = {
  styles: { pageBreaks: new Set(), numbered: new Set(), hiddenSlides: new Set(), hiddenSheets: new Set() },
  paged: false,
  object: () => null,
}

function readParagraph(element: XmlElement, context: OdfContext): Block[] {
  const paragraph: Paragraph = { text: '', spaced: true, behind: [], context }
  collect(element, paragraph)
  const { text, behind } = paragraph
  const level = integerOf(element, 'outline-level', 1)
  const block: Block = element.name === 'h' ? { kind: 'heading', level, text } : { kind: 'paragraph', text }
  const breaks = context.styles.pageBreaks.has(attributeOf(element, 'style-name') ?? '')
  return [...(breaks ? [{ kind: 'break', rendered: context.paged } as const] : []), block, ...behind]
}

/** Runs of white space are one space; what has to be kept is written as elements. */
function collect(parent: XmlElement, into: Paragraph): void {
  for (const child of parent.children) {
    if (typeof child === 'string') addCollapsed(child, into)
    else if (child.name === 's') add(' '.repeat(countOf(child, 'c')), into)
    else if (child.name === 'tab') add('\t', into)
    else if (child.name === 'line-break') add('\n', into)
    else if (child.name === 'soft-page-break') into.behind.push({ kind: 'break', rendered: true })
    else if (child.name === 'note') collectNote(child, into)
    else if (child.name === 'annotation') addBehind([{ kind: 'paragraph', text: annotationText(child) }], into)
    else if (child.name === 'frame' && childOf(child, 'object') !== null) collectObject(child, into)
    else if (shapes.has(child.name) || child.name === 'g') addBehind(readOdfBlocks(child, into.context), into)
    else if (!leftOut.has(child.name)) collect(child, into)
  }
}

/** One by one: there may be more than a call can take as arguments. */
function addBehind(blocks: readonly Block[], into: Paragraph): void {
  for (const block of blocks) into.behind.push(block)
}

function addCollapsed(written: string, into: Paragraph): void {
  const text = spaceRuns.test(written) ? written.replace(/[ \t\r\n]+/g, ' ') : written
  add(text.startsWith(' ') && into.spaced ? text.slice(1) : text, into)
}

function add(text: string, into: Paragraph): void {
  if (text === '') return
  into.text += text
  into.spaced = text.charCodeAt(text.length - 1) <= 32
}

/** How often something is repeated. */
const countOf = (element: XmlElement, name: string): number => Math.min(integerOf(element, name, 1), repeatMax)

/** A formula is part of its line, a chart follows it. */
function collectObject(frame: XmlElement, into: Paragraph): void {
  const { formula, blocks } = readObject(frame, into.context)
  add(formula, into)
  addBehind(blocks, into)
}

/** Formulas and charts; sheets and files of other programs that are embedded are left out. */
function readObject(
  frame: XmlElement,
  context: OdfContext,
): { readonly formula: string; readonly blocks: readonly Block[] } {
  const address = attributeOf(childOf(frame, 'object') ?? frame, 'href')
  const xml = address === null ? null : context.object(address)
  if (xml === null) return { formula: '', blocks: [] }
  const formula = formulaIn(xml)
  return formula === null ? { formula: '', blocks: readChart(xml, context) } : { formula, blocks: [] }
}

/** A chart keeps a table of the numbers that it was last drawn from. */
function readChart(xml: string, context: OdfContext): Block[] {
  if (!/<(?:[\w.-]+:)?chart[\s>]/.test(xml)) return []
  return descendantsOf(parseXml(xml, { doctypeAllowed: true }), 'chart').flatMap((chart) => {
    const inner = childOf(chart, 'chart') ?? chart
    const title = childrenOf(childOf(inner, 'title'), 'p').map(odfParagraphText).join('\n')
    return [
      { kind: 'paragraph', text: title },
      ...childrenOf(inner, 'table').flatMap((table) => readTable(table, context)),
    ]
  })
}

function collectNote(note: XmlElement, into: Paragraph): void {
  const citation = childOf(note, 'note-citation')
  const body = childOf(note, 'note-body')
  const mark = `[${citation === null ? '' : odfParagraphText(citation)}]`
  add(mark, into)
  const text = body === null ? '' : readOdfBlocks(body, into.context).map(inlineText).join('\n').trim()
  into.behind.push({ kind: 'paragraph', text: `${mark} ${text}` })
}

function readList(list: XmlElement, context: OdfContext, place: ListPlace): Block[] {
  const numbered = context.styles.numbered.has(`${place.style} ${place.depth}`)
  let number = 0
  return childrenOf(list).flatMap((item) => {
    if (item.name !== 'list-item' && item.name !== 'list-header') return []
    number = integerOf(item, 'start-value', number + 1)
    const marker = item.name === 'list-header' ? null : numbered ? `${number}.` : '-'
    return readItem(item, context, { ...place, marker })
  })
}

/** The first paragraph of an item carries its marker; a list in it is one level deeper. */
function readItem(
  item: XmlElement,
  context: OdfContext,
  place: ListPlace & { readonly marker: string | null },
): Block[] {
  const { style, depth } = place
  let { marker } = place
  return childrenOf(item).flatMap((child) => {
    if (child.name === 'list') {
      return readList(child, context, { style: attributeOf(child, 'style-name') ?? style, depth: depth + 1 })
    }
    return readOdfElement(child, context).map((block): Block => {
      if (marker === null || block.kind !== 'paragraph' || block.text.trim() === '') return block
      const first: Block = { kind: 'item', text: block.text, depth, marker }
      marker = null
      return first
    })
  })
}

/** A table of one column, or one row of longer texts, is a frame around what is in it. */
function readTable(table: XmlElement, context: OdfContext): Block[] {
  const rows = rowsOf(table)
  const cells = rows.map((row) =>
    childrenOf(row).filter(({ name }) => name === 'table-cell' || name === 'covered-table-cell'),
  )
  if (cells.every((row) => row.length <= 1) || (rows.length === 1 && !areShortCells(cells.flat()))) {
    return cells.flat().flatMap((cell) => readOdfBlocks(cell, context))
  }
  const breaks: Block[] = []
  const hanging = new Map<number, number>()
  // One row at a time, since cells may say that they are repeated.
  const grid = cells.values().map((row) => {
    const spread: GridCell[] = []
    for (const cell of row) spread.push(...gridCells({ cell, column: spread.length, hanging }, context, breaks))
    return spread
  })
  return [{ kind: 'table', rows: spreadCells(grid) }, ...breaks]
}

function areShortCells(cells: readonly XmlElement[]): boolean {
  return cells.every((cell) => {
    const content = childrenOf(cell)
    return content.length <= 1 && content.every(({ name }) => name === 'p') && textOf(cell).length <= shortCellMax
  })
}

/** Cells that are covered by a merged one follow it, each as a cell of its own. */
function gridCells(
  {
    cell,
    column,
    hanging,
  }: { readonly cell: XmlElement; readonly column: number; readonly hanging: Map<number, number> },
  context: OdfContext,
  breaks: Block[],
): GridCell[] {
  const repeated = countOf(cell, 'number-columns-repeated')
  if (cell.name === 'covered-table-cell') {
    const left = hanging.get(column) ?? 0
    if (left > 0) hanging.set(column, left - 1)
    return Array.from({ length: repeated }, () => ({ text: '', columns: 1, above: left > 0 }))
  }
  hanging.set(column, countOf(cell, 'number-rows-spanned') - 1)
  const blocks = readOdfBlocks(cell, context)
  for (const block of blocks) if (block.kind === 'break') breaks.push(block)
  const text = blocks
    .map(inlineText)
    .filter((line) => line !== '')
    .join('\n')
  return Array.from({ length: repeated }, () => ({ text, columns: 1, above: false }))
}

function rowsOf(parent: XmlElement): XmlElement[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name === 'table-row') return [child]
    return ['table-rows', 'table-header-rows', 'table-row-group'].includes(child.name) ? rowsOf(child) : []
  })
}
