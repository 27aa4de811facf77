/**
 * Reads an import request in JSON. Small ones are read here; large ones a reading process takes apart, because decoding
 * tens of megabytes would hold up all other requests.
 */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { BodyReader } from '#http/body-reader.ts'
import { readBody, unparsed, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { validBody } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Documents } from '../documents.ts'
import { ReadingStopped } from '../reading/reading-child.ts'
import { aboutBytesMax, parseAbout } from '../unpacking/about-import.ts'
import { itemContent, type ItemEncoding } from '../unpacking/item-content.ts'
import { splitImport } from '../unpacking/split-import.ts'
import type { UnpackedImport, UnpackWork } from '../unpacking/unpack-import.ts'
import {
  importOptionsOf,
  importShape,
  itemFields,
  unknownFields,
  type ImportItem,
  type ImportOptions,
  type ItemOrigin,
} from './import-request.ts'
import { piecesOf } from './read-form-import.ts'

/** A body of at most this declared length is read straight into memory. */
const smallBodyBytes = 65_536
/** A body of at most this many bytes is decoded here: in the worst case 25 ms of work. */
const decodedHereBytes = 1_048_576
/** Items that are checked before other requests have their turn: some 5 ms. */
const itemsOfTurn = 500

export interface JsonImport {
  readonly items: readonly ImportItem[]
  readonly options: ImportOptions
}

/** A request; disposing it removes the files that are left of it. */
export interface HeldImport extends JsonImport, AsyncDisposable {}

/** Answers 400, 408, 413, 415 and 422 by throwing; nothing is left of the request then. */
export async function receiveJsonImport(
  documents: Documents,
  context: RequestContext,
  { caller, limits }: { readonly caller: Caller; readonly limits: BodyLimits },
): Promise<HeldImport> {
  if (Number(context.request.headers.get('content-length') ?? Infinity) <= smallBodyBytes)
    return {
      ...(await readJsonImport(await readBody(context, limits))),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  const { spool, budget } = documents
  // It waits in the spool until all of it has arrived, so that no slow sender keeps others from their share.
  const file = await spool.hold(piecesOf(new BodyReader(context, limits)), limits.bytesMax)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => spool.discard(file))
  opened.use(await budget.take(file.bytes, caller.account.user.id, context.signal))
  if (file.bytes <= decodedHereBytes) {
    const request = await readJsonImport(Buffer.from(await Bun.file(file.path).arrayBuffer()))
    const held = opened.move()
    return { ...request, [Symbol.asyncDispose]: () => held.disposeAsync() }
  }
  const { path: directory } = opened.use(await spool.workspace())
  const fileBytesMax = documents.settings.get('documents.max_file_bytes')
  const work = { file: file.path, directory, fileBytesMax }
  const request = await readUnpackedImport(await unpacked(documents, work, context.signal))
  const held = opened.move()
  return { ...request, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** Answers 400, 413 and 422 by throwing. */
export async function readJsonImport(body: Buffer): Promise<JsonImport> {
  if (!isUtf8(body)) throw notUtf8()
  const { about, contents } = splitImport(body)
  return importOf(about, (index, encoding) => {
    const raw = contents.get(index)
    return raw === undefined ? null : contentOf(raw, encoding)
  })
}

/** The same for a request that was taken apart. */
export async function readUnpackedImport(request: UnpackedImport): Promise<JsonImport> {
  if (request.kind === 'not_utf8') throw notUtf8()
  if (request.kind === 'invalid_json') throw new ApiError('invalid_json')
  if (request.kind === 'about_too_large') throw aboutTooLarge()
  const contents = new Map(request.contents)
  const about = Buffer.from(await Bun.file(request.about).arrayBuffer())
  return importOf(about, (index) => contents.get(index) ?? null)
}

async function unpacked({ unpack }: Documents, work: UnpackWork, signal: AbortSignal): Promise<UnpackedImport> {
  try {
    return await unpack(work, signal)
  } catch (thrown) {
    if (thrown instanceof ReadingStopped) throw new ApiError('overloaded', { cause: thrown })
    if (!(thrown instanceof ReadFailure)) throw thrown
    throw new ApiError('request_too_large', {
      message:
        'Unpacking the request takes more time or memory than it may. Send the files in several requests, or as a form.',
      cause: thrown,
    })
  }
}

/** The items and options of a request. `originOf` is the content of an item; null when it has none. */
async function importOf(
  about: Buffer,
  originOf: (index: number, encoding: ItemEncoding | null) => ItemOrigin | null,
): Promise<JsonImport> {
  if (about.length > aboutBytesMax) throw aboutTooLarge()
  const sent = parse(about)
  const parsed = validBody(importShape, sent)
  const items: ImportItem[] = []
  for (const [index, file] of parsed.files.entries()) {
    if (index % itemsOfTurn === itemsOfTurn - 1) await new Promise((resolve) => setImmediate(resolve))
    const { encoding, url, ...fields } = itemFields(file)
    items.push({ ...fields, origin: chosenOrigin(originOf(index, encoding), fields.path, url) })
  }
  return { items, options: importOptionsOf(parsed, unknownFields(sent, importShape)) }
}

/** An empty string in `bytes` or `path` counts as absent. */
function chosenOrigin(content: ItemOrigin | null, path: string, url: URL | null): ItemOrigin {
  const given: readonly ItemOrigin[] = [
    ...(content === null ? [] : [content]),
    ...(path === '' ? [] : [{ kind: 'path' as const }]),
    ...(url === null ? [] : [{ kind: 'url' as const, url }]),
  ]
  const [only = { kind: 'none' }] = given
  return given.length > 1 ? { kind: 'both' } : only
}

function parse(about: Buffer): unknown {
  try {
    return parseAbout(about)
  } catch (thrown) {
    throw unparsed(thrown)
  }
}

function contentOf(raw: Buffer, encoding: ItemEncoding | null): ItemOrigin {
  try {
    return itemContent(raw, encoding)
  } catch {
    // An escape or a control character that JSON does not allow.
    throw new ApiError('invalid_json')
  }
}

function notUtf8(): ApiError {
  return new ApiError('invalid_json', { message: 'The request body is not valid UTF-8.' })
}

function aboutTooLarge(): ApiError {
  return new ApiError('request_too_large', {
    message: `The request body without the contents of the files is larger than ${aboutBytesMax} bytes. Send the files in several requests.`,
  })
}
