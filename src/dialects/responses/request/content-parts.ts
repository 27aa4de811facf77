/**
 * Parts of messages and of tool results, as parts of chat messages. Fields that are not known here
 * travel on with their part; what a chat message cannot carry is refused.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import {
  defined,
  invalid,
  needString,
  notTranslatable,
  otherFields,
  pathOf,
  readObject,
  readObjects,
  readString,
  refuseFields,
  type Json,
  type Place,
} from '../fields.ts'

/** What a chat message says: a string where only plain text was sent, which every upstream takes. */
export type ChatContent = string | readonly Json[]

export interface AssistantText {
  readonly text: string
  readonly refusal: string
}

const textFields = new Set(['type', 'text', 'annotations', 'logprobs', 'parsed'])
/** What an assistant's part holds. Notes on its text belong to the answer, not to the conversation. */
const saidFields = new Set([...textFields, 'refusal'])
const imageFields = new Set(['type', 'image_url', 'file_id', 'detail'])
const fileFields = new Set(['type', 'file_data', 'file_id', 'file_url', 'filename', 'detail'])

/** The content of a user's or system's message, or the output of a tool, in the field `name`. */
export function readContent(place: Place, name: string): ChatContent {
  const value = place.object[name]
  if (typeof value === 'string') return value
  if (!Array.isArray(value))
    throw invalid(pathOf(place, name), `"${pathOf(place, name)}" must be a string or an array.`)
  const parts = (readObjects(place, name) ?? []).map(chatPart)
  const [only] = parts
  if (only === undefined) return ''
  return parts.length === 1 && isPlainText(only) ? String(only['text']) : parts
}

/** The content of an assistant's earlier message. */
export function readAssistantContent(place: Place): AssistantText {
  const { content } = place.object
  if (typeof content === 'string') return { text: content, refusal: '' }
  let text = ''
  let refusal = ''
  for (const part of readObjects(place, 'content') ?? [refuseContent(place)]) {
    const type = needString(part, 'type')
    if (type === 'refusal') refusal += needString(part, 'refusal')
    else if (type === 'output_text' || type === 'input_text') text += needString(part, 'text')
    else throw unknownPart(part, type)
    refuseFields(part, Object.keys(otherFields(part, saidFields)))
  }
  return { text, refusal }
}

function refuseContent(place: Place): never {
  const path = pathOf(place, 'content')
  throw invalid(path, `"${path}" must be a string or an array.`)
}

function chatPart(part: Place): Json {
  const type = needString(part, 'type')
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: needString(part, 'text'), ...otherFields(part, textFields) }
    case 'input_image':
      return imagePart(part)
    case 'input_file':
      return filePart(part)
    case 'input_audio':
      readObject(part, 'input_audio')
      return part.object
    default:
      throw unknownPart(part, type)
  }
}

function imagePart(part: Place): Json {
  const url = readString(part, 'image_url')
  if (readString(part, 'file_id') !== undefined)
    throw notTranslatable(pathOf(part, 'file_id'), 'Send the image as "image_url", which may be a data URL.')
  if (url === undefined) throw invalid(pathOf(part, 'image_url'), `"${pathOf(part, 'image_url')}" must be a string.`)
  return {
    type: 'image_url',
    image_url: defined({ url, detail: beyondAuto(part) }),
    ...otherFields(part, imageFields),
  }
}

function filePart(part: Place): Json {
  const [data, id] = [readString(part, 'file_data'), readString(part, 'file_id')]
  if (readString(part, 'file_url') !== undefined)
    throw notTranslatable(pathOf(part, 'file_url'), 'Send the file itself as "file_data".')
  if (beyondAuto(part) !== undefined) throw notTranslatable(pathOf(part, 'detail'))
  if (data === undefined && id === undefined)
    throw invalid(pathOf(part, 'file_data'), `"${pathOf(part, 'file_data')}" must be a string.`)
  return {
    type: 'file',
    file: defined({ file_data: data, file_id: id, filename: readString(part, 'filename') }),
    ...otherFields(part, fileFields),
  }
}

/** `auto` is what an upstream does without being asked; not every one knows the field. */
function beyondAuto(part: Place): string | undefined {
  const detail = readString(part, 'detail')
  return detail === 'auto' ? undefined : detail
}

function isPlainText(part: Json): boolean {
  return part['type'] === 'text' && Object.keys(part).length === 2
}

function unknownPart(part: Place, type: string): Error {
  return notTranslatable(pathOf(part, 'type'), `A part of type "${type}" has no place in a chat message here.`)
}
