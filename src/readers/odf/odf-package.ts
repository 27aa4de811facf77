/** What all OpenDocument files have in common: parts, title, and the styles that say how paragraphs and lists behave. */

import { openArchive } from '../archive.ts'
import { ReadFailure } from '../reading.ts'
import { statedTexts } from '../stated.ts'
import { attributeOf, childOf, childrenOf, decodeXml, descendantsOf, eachElement, parseXml, textOf } from '../xml.ts'

export interface OpenDocument {
  readonly content: string
  readonly title: string | null
  readonly stated: Readonly<Record<string, unknown>>
  readonly styles: OpenDocumentStyles
  /** The XML of the object that is embedded under that address; null when there is none, and when it was given before. */
  readonly object: (address: string) => string | null
  /** The heads and feet of the pages, as XML of their master pages; null when the file has none. */
  readonly masterPages: string | null
}

export interface OpenDocumentStyles {
  /** Paragraph styles that begin a page. */
  readonly pageBreaks: ReadonlySet<string>
  /** Levels, from 1, of lists whose items are numbered, as `<style> <level>`. */
  readonly numbered: ReadonlySet<string>
  /** Styles of slides that are not shown. */
  readonly hiddenSlides: ReadonlySet<string>
  /** Styles of sheets that are not shown. */
  readonly hiddenSheets: ReadonlySet<string>
}

const styleElements = new Set(['style', 'list-style'])

/** Opens the file; `kind` is what `office:body` has to hold. Throws ReadFailure. */
export function openDocument(
  bytes: Uint8Array,
  unpackedBytesMax: number,
  kind: 'text' | 'spreadsheet' | 'presentation',
): OpenDocument {
  const archive = openArchive(bytes, unpackedBytesMax)
  const part = (name: string): string | null => {
    const content = archive.read(name)
    return content === null ? null : decodeXml(content)
  }
  // Encrypted parts are stored under their own names; only the manifest says what they are.
  const manifest = part('META-INF/manifest.xml')
  if (manifest !== null && descendantsOf(parseXml(manifest, { doctypeAllowed: true }), 'encryption-data').length > 0) {
    throw new ReadFailure('encrypted', 'The file is protected by a password. Remove it and import the file again.')
  }
  const content = part('content.xml')
  if (content === null || !new RegExp(`<(?:[\\w.-]+:)?body[^>]*>\\s*<(?:[\\w.-]+:)?${kind}[\\s/>]`).test(content)) {
    throw new ReadFailure('damaged', `The file is an archive, but not an OpenDocument ${kind}.`)
  }
  const given = new Set<string>()
  const stylesPart = part('styles.xml')
  return {
    content,
    ...propertiesIn(part('meta.xml')),
    styles: readStyles(stylesPart === null ? [content] : [stylesPart, content]),
    object(address) {
      if (given.has(address)) return null
      given.add(address)
      return part(`${address.replace(/^\.\//, '')}/content.xml`)
    },
    masterPages: stylesPart,
  }
}

/** The formula that an embedded object is, as it was typed; null for other objects. */
export function formulaIn(xml: string): string | null {
  if (!/<(?:[\w.-]+:)?math[\s>]/.test(xml)) return null
  const root = parseXml(xml, { doctypeAllowed: true })
  const [source] = descendantsOf(root, 'annotation')
  return textOf(source ?? root)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Elements (OpenDocument 1.3 part 3, 4.3) by the names that metadata has for them. */
const statedElements = {
  author: 'initial-creator',
  subject: 'subject',
  keywords: 'keyword',
  description: 'description',
  language: 'language',
  created: 'creation-date',
  modified: 'date',
}

function propertiesIn(meta: string | null): Pick<OpenDocument, 'title' | 'stated'> {
  const properties = childOf(meta === null ? null : parseXml(meta), 'meta')
  const title = textOf(childOf(properties, 'title')).trim() || null
  const creator = textOf(childOf(properties, 'creator'))
  const stated = statedTexts(statedElements, (name) => {
    const text = childrenOf(properties, name).map(textOf).join(', ')
    return name === 'initial-creator' ? text || creator : text
  })
  return { title, stated }
}

function readStyles(parts: readonly string[]): OpenDocumentStyles {
  const pageBreaks = new Set<string>()
  const numbered = new Set<string>()
  const hiddenSlides = new Set<string>()
  const hiddenSheets = new Set<string>()
  for (const part of parts) {
    eachElement(part, styleElements, (style) => {
      const name = attributeOf(style, 'name') ?? ''
      const paragraph = childOf(style, 'paragraph-properties')
      const slide = childOf(style, 'drawing-page-properties')
      const begins = paragraph !== null && attributeOf(paragraph, 'break-before') === 'page'
      if (begins || (attributeOf(style, 'master-page-name') ?? '') !== '') pageBreaks.add(name)
      if (slide !== null && attributeOf(slide, 'visibility') === 'hidden') hiddenSlides.add(name)
      const sheet = childOf(style, 'table-properties')
      if (sheet !== null && attributeOf(sheet, 'display') === 'false') hiddenSheets.add(name)
      for (const level of childrenOf(style, 'list-level-style-number')) {
        if ((attributeOf(level, 'num-format') ?? '') !== '') numbered.add(`${name} ${attributeOf(level, 'level')}`)
      }
    })
  }
  return { pageBreaks, numbered, hiddenSlides, hiddenSheets }
}
