/**
 * The text of a paragraph of a Word document, with what cannot stand inside it: notes that it refers
 * to, comments, text boxes and charts that are anchored in it, and where pages begin. Tracked deletions and hidden text are
 * left out. (ECMA-376, part 1, 17.3 Paragraphs and Rich Formatting.)
 */

import { attributeOf, childOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { formulaText } from './formula.ts'

export interface ParagraphText {
  readonly text: string
  /** Notes and comments in the order of their references. */
  readonly notes: readonly NoteReference[]
  /** Contents of text boxes. */
  readonly boxes: readonly XmlElement[]
  /** References to charts and diagrams. */
  readonly drawn: readonly XmlElement[]
  readonly pictures: number
  /** Page breaks: before any text of the paragraph, and behind its first text. */
  readonly breaksBefore: readonly PageBreak[]
  readonly breaksAfter: readonly PageBreak[]
}

export interface NoteReference {
  readonly kind: 'footnote' | 'endnote' | 'comment'
  readonly id: string
  /** Its sign in the text. */
  readonly marker: string
}

export interface PageBreak {
  readonly rendered: boolean
}

interface Collected {
  text: string
  hasText: boolean
  readonly notes: NoteReference[]
  readonly boxes: XmlElement[]
  readonly drawn: XmlElement[]
  pictures: number
  readonly breaksBefore: PageBreak[]
  readonly breaksAfter: PageBreak[]
  /** The text that stands for a reference to a note. */
  readonly noteMarker: (kind: NoteReference['kind']) => string
}

/** Properties; tracked deletions; what a field was computed from; pronunciation above a word. */
const leftOut = new Set(['pPr', 'rPr', 'del', 'moveFrom', 'instrText', 'delText', 'rt', 'sdtPr', 'sectPr'])

/** Reads one `w:p`. `noteMarker` is asked once for each reference, in order. */
export function readParagraphText(
  paragraph: XmlElement,
  noteMarker: (kind: NoteReference['kind']) => string,
): ParagraphText {
  const collected: Collected = {
    text: '',
    hasText: false,
    notes: [],
    boxes: [],
    drawn: [],
    pictures: 0,
    breaksBefore: [],
    breaksAfter: [],
    noteMarker,
  }
  if (isOn(childOf(childOf(paragraph, 'pPr'), 'pageBreakBefore'))) collected.breaksBefore.push({ rendered: false })
  collect(paragraph, collected)
  return collected
}

/** Whether a switch such as `w:vanish` is there and not off. */
export function isOn(element: XmlElement | null): boolean {
  if (element === null) return false
  const value = attributeOf(element, 'val')
  return value !== '0' && value !== 'false' && value !== 'off'
}

function collect(parent: XmlElement, into: Collected): void {
  for (const child of parent.children) if (typeof child !== 'string') collectElement(child, into)
}

function collectElement(element: XmlElement, into: Collected): void {
  const read = readers.get(element.name)
  if (read !== undefined) read(element, into)
  else if (!leftOut.has(element.name)) collect(element, into)
}

/** What to do with elements that are more than a wrapping of others. */
const readers = new Map<string, (element: XmlElement, into: Collected) => void>(
  Object.entries<(element: XmlElement, into: Collected) => void>({
    t: (element, into) => {
      for (const child of element.children) if (typeof child === 'string') addText(child, into)
    },
    r: (element, into) => {
      if (!isOn(childOf(childOf(element, 'rPr'), 'vanish'))) collect(element, into)
    },
    tab: (_, into) => (into.text += '\t'),
    ptab: (_, into) => (into.text += '\t'),
    br: lineOrPageBreak,
    cr: (_, into) => (into.text += '\n'),
    noBreakHyphen: (_, into) => addText('-', into),
    lastRenderedPageBreak: (_, into) => pageBreak(true, into),
    footnoteReference: (element, into) => noteReference('footnote', element, into),
    endnoteReference: (element, into) => noteReference('endnote', element, into),
    commentReference: (element, into) => noteReference('comment', element, into),
    chart: (element, into) => into.drawn.push(element),
    relIds: (element, into) => into.drawn.push(element),
    oMath: (element, into) => addText(formulaText(element), into),
    docPr: alternativeText,
    txbxContent: (element, into) => into.boxes.push(element),
    AlternateContent: (element, into) => collect(childOf(element, 'Choice') ?? element, into),
    blip: (_, into) => (into.pictures += 1),
    imagedata: (_, into) => (into.pictures += 1),
  }),
)

/** What the author wrote for those who do not see the picture. */
function alternativeText(element: XmlElement, into: Collected): void {
  const description = attributeOf(element, 'descr')?.trim() ?? ''
  if (description !== '') addText(` ${description} `, into)
}

function addText(text: string, into: Collected): void {
  into.text += text
  into.hasText ||= text.trim() !== ''
}

function lineOrPageBreak(element: XmlElement, into: Collected): void {
  if (attributeOf(element, 'type') === 'page') pageBreak(false, into)
  else into.text += '\n'
}

/** A page that begins inside a paragraph begins, for the text, behind it. */
function pageBreak(rendered: boolean, into: Collected): void {
  const breaks = into.hasText ? into.breaksAfter : into.breaksBefore
  breaks.push({ rendered })
}

function noteReference(kind: NoteReference['kind'], element: XmlElement, into: Collected): void {
  const marker = into.noteMarker(kind)
  into.notes.push({ kind, id: attributeOf(element, 'id') ?? '', marker })
  addText(marker, into)
}
