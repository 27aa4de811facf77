/**
 * /ai/v1/uploads: a file that comes in parts, each a request of its own, so that what breaks off is only sent again from
 * its last part on. https://platform.openai.com/docs/api-reference/uploads
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import type { StoredFile, VisibleFile } from '#store/batches/files.ts'
import type { Upload } from '#store/batches/uploads.ts'
import { contentPieces } from './file-content.ts'
import { fileAnswer, fileOnWire, newId, purposes, secondsOf, type Files } from './files.ts'
import { removeBytes } from './file-handlers.ts'
import { accountIsFull, expirySeconds, fileOf, nameOf, purposeOf, readForm, storeReceived } from './upload-file.ts'

export const uploadRequest = z
  .object({
    filename: z.string(),
    purpose: z.enum(purposes),
    bytes: z.int().min(1).describe('What all parts have together'),
    mime_type: z.string().optional().describe('Taken, and not looked at'),
    expires_after: z.object({ anchor: z.literal('created_at'), seconds: z.int().min(3600).max(2_592_000) }).optional(),
  })
  .meta({ id: 'UploadRequest' })

export const partForm = z.object({ data: z.string().describe('The bytes of the part') }).meta({ id: 'UploadPartForm' })

export const completionRequest = z
  .object({
    part_ids: z.array(z.string()).min(1).describe('In the order of the file'),
    md5: z.string().optional().describe('Of the whole file, in hexadecimal'),
  })
  .meta({ id: 'UploadCompletion' })

export const uploadAnswer = z
  .object({
    id: z.string(),
    object: z.literal('upload'),
    bytes: z.int(),
    created_at: z.int(),
    expires_at: z.int(),
    filename: z.string(),
    purpose: z.enum(purposes),
    status: z.enum(['pending', 'completed', 'cancelled']),
    file: fileAnswer.nullable(),
  })
  .meta({ id: 'Upload' })

export const partAnswer = z
  .object({ id: z.string(), object: z.literal('upload.part'), created_at: z.int(), upload_id: z.string() })
  .meta({ id: 'UploadPart' })

const hourMs = 3_600_000
const partsMax = 10_000
const partBytesMax = 67_108_864
const pendingMax = 100
const bodyBytesMax = 1_048_576

/** Answers 400, 408, 413, 415 and 429 by throwing. */
export async function createUpload(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const body = await readObject(files, context)
  const { filename, bytes, expires_after: expiry } = body
  if (typeof filename !== 'string' || filename === '') throw invalid('filename', '"filename" must be a text.')
  const bytesMax = files.settings.get('files.max_bytes')
  if (typeof bytes !== 'number' || !Number.isInteger(bytes) || bytes < 1 || bytes > bytesMax)
    throw invalid('bytes', `"bytes" must be a whole number from 1 to ${bytesMax}.`)
  const createdAt = files.clock.now()
  const upload: Upload = {
    id: newId('upload_'),
    userId: caller.account.user.id,
    purpose: purposeOf(body['purpose']),
    name: nameOf(filename),
    bytes,
    lifeMs: lifeOf(expiry),
    status: 'pending',
    createdAt,
    expiresAt: createdAt + hourMs,
  }
  const limits = { bytesMax: files.settings.get('files.account_bytes_max'), pendingMax }
  const outcome = await files.uploads.insert(upload, limits)
  if (outcome === 'bytes') throw accountIsFull()
  if (outcome === 'pending')
    throw new ApiError('rate_limit_exceeded', {
      message: `Your account has ${pendingMax} uploads under way. Complete or cancel one of them.`,
    })
  return json(uploadOnWire(upload, null))
}

/** Answers 400, 404, 408, 409, 413 and 415 by throwing; what was received until then is discarded. */
export async function addPart(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const upload = await ownUpload(files, context, caller)
  if (upload.status !== 'pending') throw ended(upload)
  const { file } = await readForm(files, context, { part: 'data', bytesMax: partBytesMax })
  try {
    if (file.received.bytes === 0) throw invalid('data', 'The part is empty.')
    const createdAt = files.clock.now()
    const { userId, id: name, expiresAt } = upload
    const part = { id: newId('part_'), userId, purpose: 'upload_part', name, createdAt, expiresAt } as const
    await storeReceived(files, file.received, part, async (row) => {
      if (await files.uploads.addPart(upload, row, partsMax)) return
      const message = `The parts have more than the ${upload.bytes} bytes that were announced, or are more than ${partsMax}.`
      throw (await ownUpload(files, context, caller)).status === 'pending' ? invalid('data', message) : ended(upload)
    })
    return json({ id: part.id, object: 'upload.part', created_at: secondsOf(createdAt), upload_id: upload.id })
  } finally {
    await files.spool.discard(file.received)
  }
}

/** Makes a file of the parts. Answers 400, 404, 408, 409 and 503 by throwing; the upload is then as it was. */
export async function completeUpload(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const body = await readObject(files, context)
  const asked = md5Of(body['md5'])
  const upload = await ownUpload(files, context, caller)
  if (upload.status !== 'pending') throw ended(upload)
  const parts = orderedParts(upload, await files.uploads.parts(upload), body['part_ids'])
  const md5 = new Bun.CryptoHasher('md5')
  const received = await files.spool
    .receive(piecesOf(files, parts, md5), upload.bytes)
    // A request that came at the same time may have ended the upload, and with it the bytes of the parts.
    .catch(async (error: unknown) => {
      throw (await ownUpload(files, context, caller)).status === 'pending' ? error : ended(upload)
    })
  try {
    if (asked !== undefined && asked !== md5.digest('hex')) throw invalid('md5', 'The parts have another MD5 checksum.')
    const file = fileOf(files, caller, { name: upload.name, purpose: purposeOf(upload.purpose), lifeMs: upload.lifeMs })
    let removed: readonly StoredFile[] = []
    const stored = await storeReceived(files, received, file, async (row) => {
      const ends = await files.uploads.end(upload, row)
      if (ends === null) throw ended(upload)
      removed = ends
    })
    await removeBytes(files, removed)
    return json(uploadOnWire({ ...upload, status: 'completed' }, stored))
  } finally {
    await files.spool.discard(received)
  }
}

/** Answers 404 and 409 by throwing. */
export async function cancelUpload(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const upload = await ownUpload(files, context, caller)
  const removed = await files.uploads.end(upload, null)
  if (removed === null) throw ended(upload)
  await removeBytes(files, removed)
  return json(uploadOnWire({ ...upload, status: 'cancelled' }, null))
}

function uploadOnWire(upload: Upload, file: VisibleFile | null): z.output<typeof uploadAnswer> {
  return {
    id: upload.id,
    object: 'upload',
    bytes: upload.bytes,
    created_at: secondsOf(upload.createdAt),
    expires_at: secondsOf(upload.expiresAt),
    filename: upload.name,
    purpose: purposeOf(upload.purpose),
    status: upload.status,
    file: file && fileOnWire(file),
  }
}

/** The caller's upload that the path names. Answers 404 by throwing. */
async function ownUpload({ uploads, clock }: Files, context: RequestContext, caller: Caller): Promise<Upload> {
  const upload = await uploads.find(context.params['id'] ?? '', clock.now())
  if (upload === null || upload.userId !== caller.account.user.id) throw new ApiError('upload_not_found')
  return upload
}

async function readObject(files: Files, context: RequestContext): Promise<Record<string, unknown>> {
  const readSeconds = files.settings.get('server.body_read_seconds')
  const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
  if (!isObject(value)) throw new ApiError('invalid_body', { message: 'The request body must be a JSON object.' })
  return value
}

/** The parts as the client orders them. Answers 400 by throwing. */
function orderedParts(upload: Upload, parts: readonly StoredFile[], ids: unknown): readonly StoredFile[] {
  if (!Array.isArray(ids) || ids.length === 0) throw invalid('part_ids', '"part_ids" must be a list of ids of parts.')
  const left = new Map(parts.map((part) => [part.id, part]))
  const ordered = ids.map((id: unknown) => {
    const part = left.get(String(id))
    if (part === undefined)
      throw invalid(
        'part_ids',
        `This upload has no part ${JSON.stringify(String(id).slice(0, 100))}, or it is named twice.`,
      )
    left.delete(part.id)
    return part
  })
  const bytes = ordered.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes !== upload.bytes)
    throw invalid('part_ids', `These parts have ${bytes} bytes together, and ${upload.bytes} were announced.`)
  return ordered
}

async function* piecesOf(
  files: Files,
  parts: readonly StoredFile[],
  hash: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array, void> {
  for (const part of parts)
    for await (const piece of contentPieces(files, part)) {
      hash.update(piece)
      yield piece
    }
}

/** How long the client wants the file to be kept; null when it does not say. */
function lifeOf(expiry: unknown): number | null {
  if (expiry === undefined || expiry === null) return null
  if (!isObject(expiry) || expiry['anchor'] !== 'created_at')
    throw invalid('expires_after', '"expires_after" must have the anchor created_at.')
  return expirySeconds(expiry['seconds']) * 1000
}

/** In hexadecimal; undefined when the client names none. */
function md5Of(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && /^[\da-f]{32}$/i.test(value)) return value.toLowerCase()
  throw invalid('md5', '"md5" must be 32 hexadecimal digits.')
}

function ended({ status }: Upload): ApiError {
  const how = status === 'pending' ? 'has ended in the meantime' : `is ${status} already`
  return new ApiError('upload_ended', { message: `This upload ${how}.` })
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
