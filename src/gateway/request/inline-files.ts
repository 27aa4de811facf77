/**
 * Puts files of the caller's account into a request that names them, in the form in which the API takes content itself:
 * providers do not know the gateway's files, and translations have no place for ids. Ids that the gateway did not make
 * pass unchanged.
 */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import { takeRoom } from '#http/body-room.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Endpoint } from '#providers/provider.ts'
import { invalidBody, type Fields } from './fields.ts'
import { fileReferences, type FileReference } from './file-references.ts'
import { withBytes, type ModelRequest } from './model-request.ts'

/** A file of the account. */
export interface OwnFile {
  readonly name: string
  readonly bytes: number
  /** Its content, and the media type that the content shows. Rejects with the ApiError to answer. */
  read(): Promise<{ readonly content: Buffer<ArrayBuffer>; readonly mediaType: string }>
}

/** The file of the caller's account with this id; null when there is none. Rejects with the ApiError to answer. */
export type FindFile = (id: string, caller: Caller) => Promise<OwnFile | null>

export interface InlineDeps {
  readonly context: RequestContext
  readonly caller: Caller
  readonly limits: BodyLimits
  readonly findFile: FindFile
  /** A provider of the model makes ids of the same form, so an unknown one may be its own. */
  readonly sharesForm: boolean
}

type Read = Awaited<ReturnType<OwnFile['read']>>

/** Bytes that are encoded before other requests have their turn; some 3 ms. Divisible by three, so that base64 has no gap. */
const pieceBytes = 3 * 1_048_576

/** The request with the content of the files that it names. Answers 400, 404, 413 and 503 by throwing. */
export async function inlineFiles(deps: InlineDeps, endpoint: Endpoint, request: ModelRequest): Promise<ModelRequest> {
  const references = fileReferences(endpoint, request.bytes)
  const files = await filesOf(deps, references)
  const inlined = references.filter(({ id }) => files.has(id))
  if (inlined.length === 0) return request
  const { context, limits } = deps
  const ownBytes = request.bytes.length
  const bytes = inlined.reduce((sum, { id }) => sum + Math.ceil(((files.get(id)?.bytes ?? 0) * 4) / 3), ownBytes)
  checkSize(bytes, limits)
  await takeRoom(context, limits, bytes - ownBytes)
  const contents = new Map<string, Read>()
  for (const [id, file] of files) contents.set(id, await file.read())
  const parts: Uint8Array[] = []
  let from = 0
  for (const reference of inlined) {
    const [file, read] = [files.get(reference.id), contents.get(reference.id)]
    if (file === undefined || read === undefined) continue
    parts.push(request.bytes.subarray(from, reference.start), ...(await partWith(reference, file.name, read)))
    from = reference.end
  }
  parts.push(request.bytes.subarray(from))
  // What is text grows by its escapes, too.
  checkSize(
    parts.reduce((sum, { length }) => sum + length, 0),
    limits,
  )
  return withBytes(request, Buffer.concat(parts))
}

/** The files by their ids, each looked up once. Answers 404 for one that is gone or another account's. */
async function filesOf(
  { caller, findFile, sharesForm }: InlineDeps,
  references: readonly FileReference[],
): Promise<ReadonlyMap<string, OwnFile>> {
  const files = new Map<string, OwnFile>()
  for (const { id, param } of references) {
    if (files.has(id)) continue
    const file = await findFile(id, caller)
    if (file !== null) files.set(id, file)
    else if (!sharesForm) throw new ApiError('file_not_found', { param, message: `No such File object: ${id}` })
  }
  return files
}

function checkSize(bytes: number, { bytesMax }: BodyLimits): void {
  if (bytes > bytesMax)
    throw new ApiError('request_too_large', {
      message: `With the files that it names, the request has more than ${bytesMax} bytes. Name fewer or smaller files.`,
    })
}

/** The part with the content, in pieces of its JSON. */
async function partWith(reference: FileReference, name: string, read: Read): Promise<readonly Uint8Array[]> {
  const asText = reference.form === 'document' && read.mediaType.startsWith('text/') && isUtf8(read.content)
  const mark = crypto.randomUUID()
  const written = asText
    ? { ...reference.part, source: { type: 'text', media_type: 'text/plain', data: mark } }
    : withContent(reference, name, { mediaType: read.mediaType, data: mark })
  const [before = '', after = ''] = JSON.stringify(written).split(mark)
  const content = asText ? await escaped(read.content) : await base64(read.content)
  return [Buffer.from(before), ...content, Buffer.from(after)]
}

interface Content {
  readonly mediaType: string
  /** In base64. */
  readonly data: string
}

const anthropicImages = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** Answers 400 for a file that cannot be what the part says it is. */
function withContent({ form, part, param }: FileReference, name: string, { mediaType, data }: Content): Fields {
  const url = `data:${mediaType};base64,${data}`
  switch (form) {
    case 'chat_file':
      return { ...part, file: asFile(part['file'] as Fields, name, url) }
    case 'input_file':
      return asFile(part, name, url)
    case 'input_image': {
      if (!mediaType.startsWith('image/')) throw invalidBody(param, 'The file is not a supported image.')
      const { file_id: _id, ...rest } = part
      return { ...rest, image_url: url }
    }
    case 'image':
      if (!anthropicImages.has(mediaType))
        throw invalidBody(param, 'The file is not a supported image: JPEG, PNG, GIF or WebP.')
      return { ...part, source: { type: 'base64', media_type: mediaType, data } }
    case 'document':
      if (mediaType !== 'application/pdf')
        throw invalidBody(param, 'The file is not a supported document: a PDF, or a text in UTF-8.')
      return { ...part, source: { type: 'base64', media_type: mediaType, data } }
  }
}

function asFile(holder: Fields, fileName: string, url: string): Fields {
  const { file_id: _id, filename, ...rest } = holder
  return { ...rest, filename: filename ?? fileName, file_data: url }
}

async function base64(content: Buffer): Promise<readonly Uint8Array[]> {
  return inPieces(content, (piece) => piece.toString('base64'))
}

/** The text as the inside of a JSON string. */
async function escaped(content: Buffer): Promise<readonly Uint8Array[]> {
  // In Latin-1 every byte is a character, so a piece may end within one of UTF-8; its bytes come out as they went in.
  return inPieces(content, (piece) => JSON.stringify(piece.toString('latin1')).slice(1, -1))
}

async function inPieces(content: Buffer, encode: (piece: Buffer) => string): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < content.length; at += pieceBytes) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    pieces.push(Buffer.from(encode(content.subarray(at, at + pieceBytes)), 'latin1'))
  }
  return pieces
}
