/**
 * Content blocks that a caller sends, as parts of a chat message: text, pictures, documents and search
 * results. Nothing is fetched: a picture's address goes to the upstream as it is.
 * Shapes: https://platform.claude.com/docs/en/api/messages
 */
import {
  malformed,
  optionalFlag,
  optionalPlace,
  optionalText,
  optionalWord,
  pathOf,
  places,
  refuseUnknown,
  requiredPlace,
  text,
  untranslatable,
  type Place,
} from '../fields.ts'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

interface ImagePart {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string }
}

interface FilePart {
  readonly type: 'file'
  readonly file: { readonly filename: string; readonly file_data: string }
}

export type ContentPart = TextPart | ImagePart | FilePart

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
const documentFields = ['type', 'source', 'title', 'context', 'citations', 'cache_control']

/** A string, or the parts of each block in order. Throws for a block that chat messages cannot carry. */
export function contentParts(place: Place, name: string): readonly ContentPart[] {
  const value = place.fields[name]
  if (typeof value === 'string') return [textPart(value)]
  return places(place, name).flatMap(blockParts)
}

/** The same where only text may stand. */
export function textParts(place: Place, name: string): readonly TextPart[] {
  return contentParts(place, name).map((part, index) => {
    if (part.type !== 'text') throw malformed(`${pathOf(place, name)}.${index}`, 'must be a block of type "text".')
    return part
  })
}

/** What `content` of a chat message is for these parts: a plain string where that says the same. */
export function chatContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first, ...others] = parts
  return first?.type === 'text' && others.length === 0 ? first.text : parts
}

export function textPart(value: string): TextPart {
  return { type: 'text', text: value }
}

/** The parts of one block. */
export function blockParts(block: Place): readonly ContentPart[] {
  const type = text(block, 'type')
  switch (type) {
    case 'text':
      // Citations of an earlier answer say where its text came from; the text itself is complete without.
      refuseUnknown(block, ['type', 'text', 'citations', 'cache_control'])
      return [textPart(text(block, 'text'))]
    case 'image':
      refuseUnknown(block, ['type', 'source', 'cache_control'])
      return [imagePart(requiredPlace(block, 'source'))]
    case 'document':
      refuseUnknown(block, documentFields)
      refuseCitations(block)
      return documentParts(block)
    case 'search_result':
      refuseUnknown(block, ['type', 'source', 'title', 'content', 'citations', 'cache_control'])
      refuseCitations(block)
      return searchResultParts(block)
    default:
      throw untranslatable(pathOf(block, 'type'), `it has no counterpart for blocks of type "${type}".`)
  }
}

function imagePart(source: Place): ImagePart {
  const type = text(source, 'type')
  if (type === 'base64') {
    const mediaType = optionalWord(source, 'media_type', imageTypes)
    if (mediaType === undefined)
      throw malformed(pathOf(source, 'media_type'), `must be one of ${imageTypes.join(', ')}.`)
    return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${text(source, 'data')}` } }
  }
  if (type === 'url') {
    const url = text(source, 'url')
    if (!/^https?:\/\//iu.test(url)) throw malformed(pathOf(source, 'url'), 'must be an http or https address.')
    return { type: 'image_url', image_url: { url } }
  }
  throw untranslatable(pathOf(source, 'type'), `send the picture as "base64" or "url", not "${type}".`)
}

function documentParts(block: Place): readonly ContentPart[] {
  const source = requiredPlace(block, 'source')
  const type = text(source, 'type')
  const title = optionalText(block, 'title')
  const heading = headingParts({ Document: title, Context: optionalText(block, 'context') })
  if (type === 'text') return [...heading, textPart(text(source, 'data'))]
  if (type === 'content') return [...heading, ...contentParts(source, 'content')]
  if (type === 'base64') {
    if (source.fields['media_type'] !== 'application/pdf') {
      throw malformed(pathOf(source, 'media_type'), 'must be application/pdf.')
    }
    const data = `data:application/pdf;base64,${text(source, 'data')}`
    return [...heading, { type: 'file', file: { filename: pdfName(title), file_data: data } }]
  }
  throw untranslatable(
    pathOf(source, 'type'),
    `send the document itself ("text", "content" or "base64"), not "${type}".`,
  )
}

function searchResultParts(block: Place): readonly ContentPart[] {
  const heading = headingParts({ 'Search result': text(block, 'title'), Source: text(block, 'source') })
  return [...heading, ...textParts(block, 'content')]
}

/** What is known of a text, written above it. */
function headingParts(entries: Readonly<Record<string, string | undefined>>): readonly TextPart[] {
  const lines = Object.entries(entries).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return lines.length === 0 ? [] : [textPart(lines.join('\n'))]
}

function pdfName(title: string | undefined): string {
  if (title === undefined) return 'document.pdf'
  return title.toLowerCase().endsWith('.pdf') ? title : `${title}.pdf`
}

/** Citations are promised in the answer; a chat completion has none. */
function refuseCitations(block: Place): void {
  const citations = optionalPlace(block, 'citations')
  if (citations === undefined || optionalFlag(citations, 'enabled') !== true) return
  throw untranslatable(pathOf(citations, 'enabled'), 'answers cannot cite. Leave it out.')
}
