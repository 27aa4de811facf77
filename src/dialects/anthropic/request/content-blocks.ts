/**
 * Content blocks of a request as parts of a chat message: text, images, documents and search results.
 * Nothing is fetched: the URL of an image goes to the upstream as it is.
 * Shapes: https://platform.claude.com/docs/en/api/messages
 */
import {
  invalidField,
  pathOf,
  readBoolean,
  readEnum,
  readObject,
  readObjects,
  readString,
  requireObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { refuseUnknownFields, unsupportedField } from './unsupported-field.ts'

/** A text part of a chat message. */
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

/** A part of the content of a chat message. */
export type ContentPart = TextPart | ImagePart | FilePart

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
/** Searches that Anthropic ran for an earlier answer: only its models can read their results. */
const serverBlocks = /^(server_tool_use|(web_search|web_fetch|tool_search)_tool_result)$/
const documentFields = ['type', 'source', 'title', 'context', 'citations', 'cache_control']

/** A string, or the parts of each block in order. Throws for a block that chat messages cannot carry. */
export function contentParts(object: RequestObject, name: string): readonly ContentPart[] {
  const value = object.fields[name]
  if (typeof value === 'string') return [textPart(value)]
  return readObjects(object, name).flatMap(blockParts)
}

/** The same where only text is allowed. */
export function textParts(object: RequestObject, name: string): readonly TextPart[] {
  return contentParts(object, name).map((part, index) => {
    if (part.type !== 'text') throw invalidField(`${pathOf(object, name)}.${index}`, 'must be a block of type "text".')
    return part
  })
}

/** The `content` of a chat message with these parts: a string for a single text. */
export function chatContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first, ...others] = parts
  return first?.type === 'text' && others.length === 0 ? first.text : parts
}

/** The text as a part of a chat message. */
export function textPart(value: string): TextPart {
  return { type: 'text', text: value }
}

/** The parts of one block. */
export function blockParts(block: RequestObject): readonly ContentPart[] {
  const type = requireString(block, 'type')
  switch (type) {
    case 'text':
      // The text of an earlier answer is complete without its citations.
      refuseUnknownFields(block, ['type', 'text', 'citations', 'cache_control'])
      return [textPart(requireString(block, 'text'))]
    case 'image':
      refuseUnknownFields(block, ['type', 'source', 'cache_control'])
      return [imagePart(requireObject(block, 'source'))]
    case 'document':
      refuseUnknownFields(block, documentFields)
      refuseCitations(block)
      return documentParts(block)
    case 'search_result':
      refuseUnknownFields(block, ['type', 'source', 'title', 'content', 'citations', 'cache_control'])
      refuseCitations(block)
      return searchResultParts(block)
    default:
      if (serverBlocks.test(type)) return []
      throw unsupportedField(pathOf(block, 'type'), `it has no counterpart for blocks of type "${type}".`)
  }
}

function imagePart(source: RequestObject): ImagePart {
  const type = requireString(source, 'type')
  if (type === 'base64') {
    const mediaType = readEnum(source, 'media_type', imageTypes)
    if (mediaType === undefined)
      throw invalidField(pathOf(source, 'media_type'), `must be one of ${imageTypes.join(', ')}.`)
    return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${requireString(source, 'data')}` } }
  }
  if (type === 'url') {
    const url = requireString(source, 'url')
    if (!/^https?:\/\//iu.test(url)) throw invalidField(pathOf(source, 'url'), 'must be an http or https address.')
    return { type: 'image_url', image_url: { url } }
  }
  throw unsupportedField(pathOf(source, 'type'), `send the picture as "base64" or "url", not "${type}".`)
}

function documentParts(block: RequestObject): readonly ContentPart[] {
  const source = requireObject(block, 'source')
  const type = requireString(source, 'type')
  const title = readString(block, 'title')
  const heading = headingParts({ Document: title, Context: readString(block, 'context') })
  if (type === 'text') return [...heading, textPart(requireString(source, 'data'))]
  if (type === 'content') return [...heading, ...contentParts(source, 'content')]
  if (type === 'base64') {
    if (source.fields['media_type'] !== 'application/pdf') {
      throw invalidField(pathOf(source, 'media_type'), 'must be application/pdf.')
    }
    const data = `data:application/pdf;base64,${requireString(source, 'data')}`
    return [...heading, { type: 'file', file: { filename: pdfName(title), file_data: data } }]
  }
  throw unsupportedField(
    pathOf(source, 'type'),
    `send the document itself ("text", "content" or "base64"), not "${type}".`,
  )
}

function searchResultParts(block: RequestObject): readonly ContentPart[] {
  const heading = headingParts({
    'Search result': requireString(block, 'title'),
    Source: requireString(block, 'source'),
  })
  return [...heading, ...textParts(block, 'content')]
}

/** The title and similar fields of a text, as lines above it. */
function headingParts(entries: Readonly<Record<string, string | undefined>>): readonly TextPart[] {
  const lines = Object.entries(entries).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return lines.length === 0 ? [] : [textPart(lines.join('\n'))]
}

function pdfName(title: string | undefined): string {
  if (title === undefined) return 'document.pdf'
  return title.toLowerCase().endsWith('.pdf') ? title : `${title}.pdf`
}

/** A chat completion has no citations, so they cannot be promised. */
function refuseCitations(block: RequestObject): void {
  const citations = readObject(block, 'citations')
  if (citations === undefined || readBoolean(citations, 'enabled') !== true) return
  throw unsupportedField(pathOf(citations, 'enabled'), 'answers cannot cite. Leave it out.')
}
