/**
 * Parts of messages and of tool results, as parts of chat messages. Unknown fields are
 * passed on with their part; what a chat message cannot carry is refused.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import type { JsonObject } from '../../dialect.ts'
import {
  defined,
  invalidField,
  pathOf,
  readObject,
  readObjects,
  readString,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { unsupportedField, extraFields, refuseUnsupportedFields } from './unsupported-field.ts'

/** The content of a chat message: a string for a single plain text, which every upstream accepts. */
export type ChatContent = string | readonly JsonObject[]

/** The text of an assistant message, and its refusal. */
export interface AssistantText {
  readonly text: string
  readonly refusal: string
}

const textFields = new Set(['type', 'text', 'annotations', 'logprobs', 'parsed'])
/** Annotations and similar fields belong to the answer, not to the conversation: they are left out. */
const assistantFields = new Set([...textFields, 'refusal'])
const imageFields = new Set(['type', 'image_url', 'file_id', 'detail'])
const fileFields = new Set(['type', 'file_data', 'file_id', 'file_url', 'filename', 'detail'])

/** The content of a user or system message, or the output of a tool, in the field `name`. */
export function readContent(item: RequestObject, name: string): ChatContent {
  const value = item.fields[name]
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) throw invalidField(pathOf(item, name), 'must be a string or an array.')
  const parts = readObjects(item, name).map(chatPart)
  const [only] = parts
  if (only === undefined) return ''
  return parts.length === 1 && isPlainText(only) ? String(only['text']) : parts
}

/** The content of an assistant message in the conversation. */
export function readAssistantContent(item: RequestObject): AssistantText {
  const { content } = item.fields
  if (typeof content === 'string') return { text: content, refusal: '' }
  if (content === null || content === undefined)
    throw invalidField(pathOf(item, 'content'), 'must be a string or an array.')
  let text = ''
  let refusal = ''
  for (const part of readObjects(item, 'content')) {
    const type = requireString(part, 'type')
    if (type === 'refusal') refusal += requireString(part, 'refusal')
    else if (type === 'output_text' || type === 'input_text') text += requireString(part, 'text')
    else throw unknownPart(part, type)
    refuseUnsupportedFields(part, Object.keys(extraFields(part, assistantFields)))
  }
  return { text, refusal }
}

function chatPart(part: RequestObject): JsonObject {
  const type = requireString(part, 'type')
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: requireString(part, 'text'), ...extraFields(part, textFields) }
    case 'input_image':
      return imagePart(part)
    case 'input_file':
      return filePart(part)
    case 'input_audio':
      readObject(part, 'input_audio')
      return part.fields
    default:
      throw unknownPart(part, type)
  }
}

function imagePart(part: RequestObject): JsonObject {
  const url = readString(part, 'image_url')
  if (readString(part, 'file_id') !== undefined)
    throw unsupportedField(pathOf(part, 'file_id'), 'Send the image as "image_url", which may be a data URL.')
  if (url === undefined) throw invalidField(pathOf(part, 'image_url'), 'must be a string.')
  return {
    type: 'image_url',
    image_url: defined({ url, detail: detailBeyondAuto(part) }),
    ...extraFields(part, imageFields),
  }
}

function filePart(part: RequestObject): JsonObject {
  const [data, id] = [readString(part, 'file_data'), readString(part, 'file_id')]
  if (readString(part, 'file_url') !== undefined)
    throw unsupportedField(pathOf(part, 'file_url'), 'Send the file itself as "file_data".')
  if (detailBeyondAuto(part) !== undefined) throw unsupportedField(pathOf(part, 'detail'))
  if (data === undefined && id === undefined) throw invalidField(pathOf(part, 'file_data'), 'must be a string.')
  return {
    type: 'file',
    file: defined({ file_data: data, file_id: id, filename: readString(part, 'filename') }),
    ...extraFields(part, fileFields),
  }
}

/** `auto` is the default of every upstream, and some do not know the field. */
function detailBeyondAuto(part: RequestObject): string | undefined {
  const detail = readString(part, 'detail')
  return detail === 'auto' ? undefined : detail
}

function isPlainText(part: JsonObject): boolean {
  return part['type'] === 'text' && Object.keys(part).length === 2
}

function unknownPart(part: RequestObject, type: string): Error {
  return unsupportedField(pathOf(part, 'type'), `A part of type "${type}" has no place in a chat message here.`)
}
