/**
 * What surrounds the cells of a sheet: comments, and what is drawn on it: charts, text boxes, words that stand for
 * pictures, heads and feet of its printed pages. (ECMA-376, part 1, 18.7, 18.3.1.46 and 20.5; MS-XLSX 2.1 for threads.)
 */
import { commentText, type PageEdges } from '../marked-text.ts'
import { attributeOf, childOf, childrenOf, eachElement, parseXml, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import type { Block } from './blocks.ts'
import { drawnBlocks } from './chart.ts'
import { relatedPart, type OfficePackage, type Relation } from './package.ts'
import { paragraphText } from './pptx-shapes.ts'
import { richText } from './xlsx-parts.ts'

export interface SheetPart {
  readonly source: OfficePackage
  /** The sheet's name in the archive. */
  readonly part: string
  readonly xml: string
}

/** The names of those who take part in threads of comments, by id. */
export function personsIn(source: OfficePackage): ReadonlyMap<string, string> {
  const xml = relatedPart(source, source.main, 'person')
  const persons = xml === null ? [] : childrenOf(parseXml(xml), 'person')
  return new Map(persons.map((one) => [attributeOf(one, 'id') ?? '', attributeOf(one, 'displayName') ?? '']))
}

/** What surrounds the cells of one sheet, comments first. */
export function readAround(sheet: SheetPart, persons: ReadonlyMap<string, string>, edges: PageEdges): Block[] {
  const relations = sheet.source.relationsOf(sheet.part)
  return [
    ...readComments(sheet.source, relations, persons),
    ...[...relations.values()].flatMap(({ type, target }) =>
      type === 'drawing' ? readDrawing(sheet.source, target) : [],
    ),
    ...readEdges(sheet.xml, edges),
  ]
}

/** Threads come with a comment for programs that know none, which says so. */
function readComments(
  source: OfficePackage,
  relations: ReadonlyMap<string, Relation>,
  persons: ReadonlyMap<string, string>,
): Block[] {
  const blocks: Block[] = []
  const threaded = new Set<string>()
  const add = (text: string, on: string, author: string): void => {
    blocks.push({ kind: 'paragraph', text: commentText(text, { author, on }) })
  }
  for (const root of partsOf(source, relations, 'threadedComment')) {
    for (const comment of childrenOf(root, 'threadedComment')) {
      const cell = attributeOf(comment, 'ref') ?? ''
      threaded.add(cell)
      add(textOf(childOf(comment, 'text')), cell, persons.get(attributeOf(comment, 'personId') ?? '') ?? '')
    }
  }
  for (const root of partsOf(source, relations, 'comments')) {
    const authors = childrenOf(childOf(root, 'authors'), 'author').map(textOf)
    for (const comment of childrenOf(childOf(root, 'commentList'), 'comment')) {
      const cell = attributeOf(comment, 'ref') ?? ''
      const text = childOf(comment, 'text')
      if (threaded.has(cell) || text === null) continue
      const author = authors[Number(attributeOf(comment, 'authorId') ?? -1)] ?? ''
      // Excel writes the name of the author into the text as well.
      const said = richText(text).trim()
      add(author !== '' && said.startsWith(`${author}:`) ? said.slice(author.length + 1) : said, cell, author)
    }
  }
  return blocks
}

function partsOf(source: OfficePackage, relations: ReadonlyMap<string, Relation>, type: string): XmlElement[] {
  return [...relations.values()].flatMap((relation) => {
    const xml = relation.type === type ? source.part(relation.target) : null
    return xml === null ? [] : [parseXml(xml)]
  })
}

/** A drawing's charts, texts and alternative texts in the order in which they lie on the sheet. */
function readDrawing(source: OfficePackage, part: string): Block[] {
  const xml = source.part(part)
  const relations = source.relationsOf(part)
  const blocks: Block[] = []
  const read = (element: XmlElement): void => {
    if (element.name === 'chart' || element.name === 'relIds') {
      for (const block of drawnBlocks(element, { source, relations }) ?? []) blocks.push(block)
    } else if (element.name === 'txBody') {
      blocks.push({ kind: 'paragraph', text: childrenOf(element, 'p').map(paragraphText).join('\n') })
    } else if (element.name === 'AlternateContent') {
      for (const child of childrenOf(childOf(element, 'Choice') ?? childOf(element, 'Fallback'))) read(child)
    } else {
      if (element.name === 'cNvPr') blocks.push({ kind: 'paragraph', text: attributeOf(element, 'descr') ?? '' })
      for (const child of childrenOf(element)) read(child)
    }
  }
  if (xml !== null) read(parseXml(xml))
  return blocks
}

const edgeElements = new Set(['oddHeader', 'oddFooter', 'evenHeader', 'evenFooter', 'firstHeader', 'firstFooter'])

/** Heads and feet for print: fonts, places and fields are written as codes after an ampersand. */
function readEdges(sheetXml: string, edges: PageEdges): Block[] {
  const blocks: Block[] = []
  eachElement(sheetXml, edgeElements, (element) => {
    const written = textOf(element)
    const text = written
      .replace(/&(?:"[^"]*"|K[\dA-F]{6}|K\d\d[+-]\d{3}|\d{1,3}|[LCRPNDTFAZGBIUESXYOH])/g, ' ')
      .replaceAll('&&', '&')
    const edge = element.name.endsWith('Header') ? 'header' : 'footer'
    blocks.push({ kind: 'paragraph', text: edges.mark(edge, text, /&[PN]/.test(written)) })
  })
  return blocks
}
