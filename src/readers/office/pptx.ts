/**
 * PowerPoint presentations: a page for each slide in the order in which they are shown, its title as a
 * heading, its tables, charts and diagrams, what the speaker noted for it and what others said about it.
 * Left out: pictures, what appears on all slides but feet, which are kept once. (ECMA-376, part 1, 19
 * PresentationML; MS-PPTX 2.1 for comments since 2021.)
 */

import { ReadFailure } from '../reading.ts'
import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childOf, childrenOf, descendantsOf, parseXml, prefixedAttributeOf, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { commentText, hiddenSlide, PageEdges, speakerNotes } from '../marked-text.ts'
import { writeBlocks } from './blocks.ts'
import { drawnBlocks } from './chart.ts'
import { openPackage, relatedPart } from './package.ts'
import type { OfficePackage, Relation } from './package.ts'
import {
  alternativeTextOf,
  feetOf,
  isTitle,
  paragraphText,
  shapesOf,
  shapeText,
  tableRows,
  writeShape,
} from './pptx-shapes.ts'
import type { SlideShape } from './pptx-shapes.ts'

/** What is the same for all slides. */
interface Deck {
  readonly source: OfficePackage
  /** Names of those who comment, by id. */
  readonly authors: ReadonlyMap<string, string>
  readonly edges: PageEdges
}

export const pptxReader: Reader = { name: 'pptx', read: async (request) => readPptx(request) }

function readPptx({ bytes, mediaType, limits }: ReadRequest): Reading {
  const source = openPackage(bytes, limits.unpackedBytesMax)
  const xml = source.part(source.main)
  const presentation = xml === null ? null : parseXml(xml)
  if (presentation?.name !== 'presentation') {
    throw new ReadFailure('damaged', 'The file is an archive, but not a PowerPoint presentation.')
  }
  const builder = new TextBuilder(limits)
  const relations = source.relationsOf(source.main)
  const deck: Deck = { source, authors: authorsIn(source), edges: new PageEdges() }
  let pictures = 0
  for (const slide of childrenOf(childOf(presentation, 'sldIdLst'), 'sldId')) {
    const part = relations.get(prefixedAttributeOf(slide, 'id') ?? '')?.target
    const slideXml = part === undefined ? null : source.part(part)
    if (part === undefined || slideXml === null) {
      throw new ReadFailure(
        'damaged',
        'The presentation names a slide that is not in the file. Save it again as .pptx.',
      )
    }
    builder.page()
    pictures += writeSlide(builder, deck, { part, root: parseXml(slideXml) })
  }
  if (pictures > 0) builder.warn(`${pictures} pictures were left out: only the text was read.`)
  return builder.reading({ mediaType, title: source.title, stated: source.stated })
}

/** Answers how many pictures the slide has. */
function writeSlide(
  builder: TextBuilder,
  { source, authors, edges }: Deck,
  slide: { readonly part: string; readonly root: XmlElement },
): number {
  const tree = childOf(childOf(slide.root, 'cSld'), 'spTree')
  const shapes = shapesOf(tree)
  for (const shape of shapes) if (isTitle(shape)) builder.heading(1, shapeText(shape))
  const show = attributeOf(slide.root, 'show')
  if (show === '0' || show === 'false') builder.paragraph(hiddenSlide)

  const relations = source.relationsOf(slide.part)
  let pictures = 0
  for (const shape of shapes) {
    if (isTitle(shape)) continue
    if (shape.element.name === 'pic') {
      pictures += 1
      builder.paragraph(alternativeTextOf(shape))
    } else if (shape.element.name === 'graphicFrame') writeFrame(builder, shape, { source, relations })
    else writeShape(builder, shape)
  }
  writeNotes(builder, source, relations)
  for (const comment of commentsOf(source, relations, authors)) builder.paragraph(comment)
  for (const foot of feetOf(tree)) builder.paragraph(edges.mark('footer', foot, false))
  return pictures
}

/** A table stands in the slide itself, a chart or diagram in a part of its own. */
function writeFrame(
  builder: TextBuilder,
  { element }: SlideShape,
  { source, relations }: { readonly source: OfficePackage; readonly relations: ReadonlyMap<string, Relation> },
): void {
  const data = childOf(childOf(element, 'graphic'), 'graphicData')
  if (data === null) return
  for (const table of childrenOf(data, 'tbl')) builder.table(tableRows(table))
  for (const reference of [...childrenOf(data, 'chart'), ...childrenOf(data, 'relIds')]) {
    const blocks = drawnBlocks(reference, { source, relations })
    if (blocks === null) builder.warn('A chart or diagram was left out: its data is not in the file.')
    else writeBlocks(builder, blocks)
  }
}

/** Both kinds that there have been: `cmAuthor` of `commentAuthors`, `author` of `authors`. */
function authorsIn(source: OfficePackage): ReadonlyMap<string, string> {
  const authors = new Map<string, string>()
  for (const type of ['commentAuthors', 'authors']) {
    const xml = relatedPart(source, source.main, type)
    for (const author of xml === null ? [] : childrenOf(parseXml(xml)))
      authors.set(attributeOf(author, 'id') ?? '', attributeOf(author, 'name') ?? '')
  }
  return authors
}

/** The comments on a slide and what was answered to them, in the order of the file. */
function commentsOf(
  source: OfficePackage,
  relations: ReadonlyMap<string, Relation>,
  authors: ReadonlyMap<string, string>,
): string[] {
  const marked = (comment: XmlElement): string[] => {
    const body = childOf(comment, 'txBody')
    const text = body === null ? textOf(childOf(comment, 'text')) : childrenOf(body, 'p').map(paragraphText).join('\n')
    const author = authors.get(attributeOf(comment, 'authorId') ?? '') ?? ''
    return [commentText(text, { author }), ...childrenOf(childOf(comment, 'replyLst'), 'reply').flatMap(marked)]
  }
  return [...relations.values()]
    .filter(({ type }) => type === 'comments')
    .flatMap(({ target }) => childrenOf(parseXml(source.part(target) ?? '<cmLst/>'), 'cm').flatMap(marked))
}

function writeNotes(builder: TextBuilder, source: OfficePackage, relations: ReadonlyMap<string, Relation>): void {
  const part = [...relations.values()].find(({ type }) => type === 'notesSlide')?.target
  const xml = part === undefined ? null : source.part(part)
  if (xml === null) return
  const shapes = descendantsOf(parseXml(xml), 'spTree').flatMap(shapesOf)
  const notes = shapes.filter(({ placeholder }) => placeholder === 'body').map(shapeText)
  builder.paragraph(speakerNotes(notes.join('\n')))
}
