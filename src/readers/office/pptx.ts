/**
 * PowerPoint presentations: a page for each slide in the order in which they are shown, its title as a
 * heading, its tables, charts and diagrams, and what the speaker noted for it. Left out: pictures,
 * comments, what appears on all slides. (ECMA-376, part 1, 19 PresentationML.)
 */

import { ReadFailure } from '../reading.ts'
import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childOf, childrenOf, descendantsOf, parseXml, prefixedAttributeOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { writeChart, writeDiagram } from './chart.ts'
import { openPackage } from './package.ts'
import type { OfficePackage, Relation } from './package.ts'
import { alternativeTextOf, isTitle, shapesOf, shapeText, tableRows, writeShape } from './pptx-shapes.ts'
import type { SlideShape } from './pptx-shapes.ts'

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
    pictures += writeSlide(builder, source, { part, root: parseXml(slideXml) })
  }
  if (pictures > 0) builder.warn(`${pictures} pictures were left out: only the text was read.`)
  return builder.reading({ mediaType, title: source.title })
}

/** Answers how many pictures the slide has. */
function writeSlide(
  builder: TextBuilder,
  source: OfficePackage,
  slide: { readonly part: string; readonly root: XmlElement },
): number {
  const shapes = shapesOf(childOf(childOf(slide.root, 'cSld'), 'spTree'))
  for (const shape of shapes) if (isTitle(shape)) builder.heading(1, shapeText(shape))
  const show = attributeOf(slide.root, 'show')
  if (show === '0' || show === 'false') builder.paragraph('(This slide is hidden in the presentation.)')

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
    const id = prefixedAttributeOf(reference, reference.name === 'chart' ? 'id' : 'dm') ?? ''
    const target = relations.get(id)?.target
    const xml = target === undefined ? null : source.part(target)
    if (xml === null) builder.warn('A chart or diagram was left out: its data is not in the file.')
    else if (reference.name === 'chart') writeChart(builder, xml)
    else writeDiagram(builder, xml)
  }
}

function writeNotes(builder: TextBuilder, source: OfficePackage, relations: ReadonlyMap<string, Relation>): void {
  const part = [...relations.values()].find(({ type }) => type === 'notesSlide')?.target
  const xml = part === undefined ? null : source.part(part)
  if (xml === null) return
  const shapes = descendantsOf(parseXml(xml), 'spTree').flatMap(shapesOf)
  const notes = shapes.filter(({ placeholder }) => placeholder === 'body').map(shapeText)
  const text = notes.join('\n').trim()
  if (text !== '') builder.paragraph(`Speaker notes: ${text}`)
}
