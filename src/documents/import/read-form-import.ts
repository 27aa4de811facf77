/**
 * Reads an import request as a form: parts named `files` with the contents, which go to the spool as
 * they arrive, and the other fields of the JSON body as parts, which hold for all files.
 */
import { ApiError } from '#errors/api-error.ts'
import { BodyReader } from '#http/body-reader.ts'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { parseMultipart, readPart, type MultipartPart } from '#http/multipart.ts'
import { validBody } from '#http/validate.ts'
import type { Spool } from '../blobs/spool.ts'
import { FileTooLarge } from '../blobs/write-pieces.ts'
import {
  importForm,
  importOptionsOf,
  itemFields,
  unknownFields,
  type ImportItem,
  type ImportOptions,
  type ItemOrigin,
} from './import-request.ts'

export interface FormImportOptions {
  readonly boundary: string
  readonly limits: BodyLimits
  readonly fileBytesMax: number
  readonly spool: Spool
}

interface ReceivedFile {
  readonly name: string
  readonly origin: ItemOrigin
}

const fieldBytesMax = 65_536
const fileParts = new Set(['files', 'files[]', 'file'])
/** Fields that are not texts are written as JSON, a component's name as it is. */
const jsonFields = new Set(['chunk_units', 'chunk_overlap', 'wait_for_completion', 'metadata'])
const perhapsJson = new Set(['reader', 'chunker', 'embedder', 'owners'])

/** Answers 400, 408, 413 and 422 by throwing; what was received until then is discarded. */
export async function readFormImport(
  context: RequestContext,
  options: FormImportOptions,
): Promise<{ readonly items: readonly ImportItem[]; readonly options: ImportOptions }> {
  const files: ReceivedFile[] = []
  try {
    const fields = await readParts(context, options, files)
    if (files.length === 0)
      throw new ApiError('validation_failed', { param: 'files', message: '"files": the form holds no file.' })
    const form = validBody(importForm, fields)
    const { category, owners, doc_id, source, source_id, source_version, metadata, ...others } = fields
    const shared = { category, owners, doc_id, source, source_id, source_version, metadata }
    return {
      items: files.map(({ name, origin }) => {
        const { encoding: _none, url: _url, ...item } = itemFields({ name, ...shared })
        return { ...item, origin }
      }),
      options: importOptionsOf(form, unknownFields(others, importForm)),
    }
  } catch (thrown) {
    for (const { origin } of files) if (origin.kind === 'received') await options.spool.discard(origin.received)
    throw thrown
  }
}

async function readParts(
  context: RequestContext,
  options: FormImportOptions,
  files: ReceivedFile[],
): Promise<Record<string, unknown>> {
  const reader = new BodyReader(context, options.limits)
  const fields: Record<string, unknown> = {}
  const partsMax = { partsMax: 10_000, headBytesMax: 16_384, preambleBytesMax: 16_384 }
  for await (const part of parseMultipart(piecesOf(reader), options.boundary, partsMax)) {
    if (fileParts.has(part.name)) files.push(await receivePart(part, options))
    else fields[part.name] = fieldValue(part.name, await readField(part), fields)
  }
  return fields
}

/** The pieces of the body in the order in which they arrive. */
export async function* piecesOf(reader: BodyReader): AsyncGenerator<Uint8Array, void> {
  for (let piece = await reader.read(); piece !== null; piece = await reader.read()) yield piece
}

async function receivePart(part: MultipartPart, { spool, fileBytesMax }: FormImportOptions): Promise<ReceivedFile> {
  const name = part.fileName === null || part.fileName === '' ? 'unnamed' : part.fileName.slice(0, 1000)
  try {
    return { name, origin: { kind: 'received', received: await spool.receive(part.content, fileBytesMax) } }
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return { name, origin: { kind: 'too_large' } }
    throw thrown
  }
}

async function readField(part: MultipartPart): Promise<string> {
  const bytes = await readPart(part, fieldBytesMax)
  if (bytes === null)
    throw new ApiError('request_too_large', { message: `The field "${part.name.slice(0, 100)}" is too long.` })
  return bytes.toString()
}

/** A field that comes several times is a list, as forms have it. */
function fieldValue(name: string, text: string, before: Readonly<Record<string, unknown>>): unknown {
  if (name === 'owners' && name in before) return [before[name], text].flat()
  // Forms change the ends of lines, which names of files may have: such a name is sent as a JSON string.
  const isJsonString = name === 'source_id' && text.startsWith('"')
  if (!isJsonString && !jsonFields.has(name) && !(perhapsJson.has(name) && /^\s*[[{]/.test(text))) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
