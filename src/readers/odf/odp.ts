/** OpenDocument presentations: a page for each slide, its title as a heading, notes of the speaker and comments. */

import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { hiddenSlide, PageEdges, speakerNotes } from '../marked-text.ts'
import { attributeOf, childrenOf, eachElement, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { inlineText, writeBlocks } from '../office/blocks.ts'
import type { Block } from '../office/blocks.ts'
import { openDocument } from './odf-package.ts'
import { readOdfBlocks, readOdfElement } from './odf-text.ts'
import type { OdfContext } from './odf-text.ts'

const slideElements = new Set(['page'])
const leftOut = new Set(['notes', 'forms', 'page-thumbnail', 'animations', 'par', 'title', 'desc'])
const furniture = new Set(['date-time', 'footer', 'header', 'page-number'])
const declarations = new Set(['footer-decl', 'header-decl'])

export const odpReader: Reader = { name: 'odp', read: async (request) => readOdp(request) }

function readOdp({ bytes, mediaType, limits }: ReadRequest): Reading {
  const { content, title, stated, styles, object } = openDocument(bytes, limits.unpackedBytesMax, 'presentation')
  const context: OdfContext = { styles, paged: false, object }
  const builder = new TextBuilder(limits)
  const edges = new PageEdges()
  const marked: string[] = []
  eachElement(content, declarations, (element) => {
    marked.push(edges.mark(element.name === 'footer-decl' ? 'footer' : 'header', textOf(element), false))
  })
  eachElement(content, slideElements, (slide, ancestors) => {
    if (ancestors[1]?.name !== 'body') return
    builder.page()
    writeSlide(builder, slide, context)
    for (const text of marked.splice(0)) builder.paragraph(text)
  })
  return builder.reading({ mediaType, title, stated })
}

function writeSlide(builder: TextBuilder, slide: XmlElement, context: OdfContext): void {
  const shapes = childrenOf(slide).filter(({ name }) => !leftOut.has(name))
  for (const shape of shapes) {
    if (classOf(shape) === 'title') builder.heading(1, readOdfElement(shape, context).map(inlineText).join(' '))
  }
  if (context.styles.hiddenSlides.has(attributeOf(slide, 'style-name') ?? '')) {
    builder.paragraph(hiddenSlide)
  }
  for (const shape of shapes) {
    const kind = classOf(shape)
    if (kind !== 'title' && !furniture.has(kind ?? ''))
      writeBlocks(builder, withoutBreaks(readOdfElement(shape, context)))
  }
  const notes = childrenOf(slide, 'notes').flatMap((part) => childrenOf(part, 'frame'))
  const text = notes
    .filter((frame) => classOf(frame) === 'notes')
    .flatMap((frame) => readOdfBlocks(frame, context).map(inlineText))
    .join('\n')
  builder.paragraph(speakerNotes(text))
}

/** What a shape is on its slide: `title`, `outline`, `notes`. */
const classOf = (shape: XmlElement): string | null => attributeOf(shape, 'class')

const withoutBreaks = (blocks: readonly Block[]): Block[] => blocks.filter(({ kind }) => kind !== 'break')
