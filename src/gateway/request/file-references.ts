/**
 * Where a request names files of the gateway by their ids: the parts of its messages, as byte offsets. Everything else
 * of the body is left as it was sent.
 *
 * Only lists and objects that hold the name of the field are entered, so a long conversation costs one pass per level.
 */
import type { Endpoint } from '#providers/provider.ts'
import { findFields, findItems, type Span } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import type { Fields } from './fields.ts'

/** A part that names a file, and how the file itself is written in its place. */
export interface FileReference extends Span {
  readonly id: string
  /** The dotted path of the id. */
  readonly param: string
  readonly form: FileForm
  readonly part: Fields
}

/** How an API writes the content of a file: as a field of the part, or as the source of Anthropic's block. */
export type FileForm = 'chat_file' | 'input_file' | 'input_image' | 'document' | 'image'

const listOf: Readonly<Partial<Record<Endpoint, string>>> = {
  'chat/completions': 'messages',
  responses: 'input',
  messages: 'messages',
}

const fieldName = Buffer.from('"file_id"')
/** Ids as `newId` of src/batches/files makes them. */
const ownId = /^file-[0-9a-f]{32}$/
/** A part that only names a file is small. */
const partBytesMax = 65_536
/** More than any conversation names. */
const namesMax = 10_000

/** Whether the body may name a file; cheap, because every request of these endpoints is asked. */
export function mayNameFiles(endpoint: Endpoint, bytes: Buffer): boolean {
  return listOf[endpoint] !== undefined && bytes.includes(fieldName)
}

/** The parts that name files by ids of the gateway's form, in the order of the body. */
export function fileReferences(endpoint: Endpoint, body: Buffer): FileReference[] {
  const list = listOf[endpoint]
  if (list === undefined) return []
  const search: Search = { body, names: placesOf(body), found: [] }
  for (const { name, valueStart, valueEnd } of findFields(body, new Set([list])))
    eachItem(search, { start: valueStart, end: valueEnd }, name, (item, path) => inMessage(search, item, path))
  return search.found
}

interface Search {
  readonly body: Buffer
  /** Offsets of the field's name. */
  readonly names: readonly number[]
  readonly found: FileReference[]
}

function placesOf(body: Buffer): readonly number[] {
  const places: number[] = []
  let at = body.indexOf(fieldName)
  while (at >= 0 && places.length < namesMax) {
    places.push(at)
    at = body.indexOf(fieldName, at + fieldName.length)
  }
  return places
}

/** Visits the items of a list that hold the name. */
function eachItem({ body, names }: Search, list: Span, path: string, visit: (item: Span, path: string) => void): void {
  let next = names.findIndex((at) => at >= list.start)
  if (next < 0 || (names[next] ?? 0) >= list.end) return
  for (const [index, item] of findItems(body, list.start).entries()) {
    while (next < names.length && (names[next] ?? 0) < item.start) next += 1
    const at = names[next]
    if (at === undefined) return
    if (at < item.end) visit(item, `${path}.${index}`)
  }
}

const resultType = Buffer.from('"tool_result"')
const partLists = new Set(['content', 'output'])

/** A message, the output of a tool, or a part that holds parts. */
function inMessage(search: Search, message: Span, path: string): void {
  for (const { name, valueStart, valueEnd } of findFields(
    search.body.subarray(message.start, message.end),
    partLists,
  )) {
    const list = { start: message.start + valueStart, end: message.start + valueEnd }
    eachItem(search, list, `${path}.${name}`, (part, at) => inPart(search, part, at))
  }
}

function inPart(search: Search, part: Span, path: string): void {
  // The result of a tool holds parts itself, and may be large.
  if (search.body.subarray(part.start, part.end).includes(resultType)) inMessage(search, part, path)
  if (part.end - part.start > partBytesMax) return
  const value: unknown = JSON.parse(search.body.toString('utf8', part.start, part.end))
  const reference = isObject(value) ? referenceOf(value) : null
  if (isObject(value) && reference !== null && ownId.test(reference.id)) {
    const { id, form, field } = reference
    search.found.push({ ...part, id, form, part: value, param: `${path}.${field}` })
  }
}

interface Named {
  readonly id: string
  readonly form: FileForm
  readonly field: string
}

/** The file that a part names; null when it names none or has its content beside the name, which the provider judges. */
function referenceOf(part: Fields): Named | null {
  const { type, file, source } = part
  if (type === 'file') return isObject(file) ? named(file, 'chat_file', 'file.file_id', ['file_data']) : null
  if (type === 'input_file') return named(part, 'input_file', 'file_id', ['file_data', 'file_url'])
  if (type === 'input_image') return named(part, 'input_image', 'file_id', ['image_url'])
  if ((type === 'document' || type === 'image') && isObject(source) && source['type'] === 'file')
    return named(source, type, 'source.file_id', [])
  return null
}

function named(holder: Fields, form: FileForm, field: string, contents: readonly string[]): Named | null {
  const { file_id: id } = holder
  const hasContent = contents.some((name) => holder[name] !== undefined && holder[name] !== null)
  return typeof id === 'string' && !hasContent ? { id, form, field } : null
}
