/** OpenDocument text: what LibreOffice Writer and others save; heads and feet of its pages once, at the end. */

import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, eachElement } from '../xml.ts'
import { openBlocks, writeBlocks } from '../office/blocks.ts'
import { openDocument } from './odf-package.ts'
import { PageEdges } from '../marked-text.ts'
import { masterPageEdges } from './odf-around.ts'
import { readOdfElement } from './odf-text.ts'

const blockElements = new Set(['p', 'h', 'list', 'table', 'frame', 'soft-page-break'])

export const odtReader: Reader = { name: 'odt', read: async (request) => readOdt(request) }

function readOdt({ bytes, mediaType, limits }: ReadRequest): Reading {
  const { content, title, stated, styles, object, masterPages } = openDocument(bytes, limits.unpackedBytesMax, 'text')
  const context = { styles, paged: content.includes(':soft-page-break'), object }
  const builder = new TextBuilder(limits)
  const blocks = openBlocks(limits)
  let hasText = false
  let pictures = 0
  eachElement(content, blockElements, (element, ancestors) => {
    if (!isBody(ancestors.map(({ name }) => name))) return
    for (const block of readOdfElement(element, context)) {
      hasText ||= block.kind !== 'break' && (block.kind === 'table' || block.text.trim() !== '')
      // The style of the first paragraph names the page that it is on, which begins none.
      if (hasText || block.kind !== 'break') blocks.add([block])
    }
  })
  eachElement(content, new Set(['image']), (image) => {
    // Formulas and charts come with a picture of themselves, which is elsewhere.
    if (attributeOf(image, 'href')?.startsWith('Pictures/') === true) pictures += 1
  })
  const edges = masterPageEdges(masterPages, new PageEdges())
  blocks.add(edges.map((text) => ({ kind: 'paragraph', text })))
  writeBlocks(builder, blocks.all)
  if (pictures > 0) builder.warn(`${pictures} pictures were left out: only the text was read.`)
  return builder.reading({ mediaType, title, stated })
}

/** Not in styles, page headers, or among tracked changes. */
const isBody = (ancestors: readonly string[]): boolean =>
  ancestors[1] === 'body' && !ancestors.includes('tracked-changes')
