/**
 * POST /ai/v1/files: a form with the file, its purpose, and when it expires. The file goes to the spool as it arrives,
 * and from there to the blob store; its row comes last, so that a file that can be found is whole.
 */
import { z } from '#lib/schema.ts'
import type { SpooledFile } from '#documents/blobs/blob-store.ts'
import { FileTooLarge } from '#documents/blobs/write-pieces.ts'
import { piecesOf } from '#documents/import/read-form-import.ts'
import { ApiError } from '#errors/api-error.ts'
import { BodyReader } from '#http/body-reader.ts'
import { multipartBoundary, parseMultipart, readPart, usualMultipartLimits } from '#http/multipart.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { fileOnWire, newId, purposes, type Files } from './files.ts'

/** The form as the OpenAPI document shows it. */
export const uploadForm = z
  .object({
    file: z.string().describe('The content, with its name'),
    purpose: z.enum(purposes),
    'expires_after[anchor]': z.literal('created_at').optional(),
    'expires_after[seconds]': z.int().min(3600).max(2_592_000).optional(),
  })
  .meta({ id: 'FileUpload' })

interface ReceivedForm {
  readonly file: { readonly name: string; readonly received: SpooledFile }
  readonly fields: Readonly<Record<string, string>>
}

const fieldBytesMax = 1024
/** Room for the fields and the frame of the form. */
const frameBytes = 1_048_576
const dayMs = 86_400_000

/** Answers 400, 408, 413, 415 and 503 by throwing; what was received until then is discarded. */
export async function uploadFile(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const { file, fields } = await readForm(files, context, {
    part: 'file',
    bytesMax: files.settings.get('files.max_bytes'),
  })
  try {
    const about = { name: file.name, purpose: purposeOf(fields['purpose']), lifeMs: lifeOf(fields) }
    const bytesMax = files.settings.get('files.account_bytes_max')
    const stored = await storeReceived(files, file.received, fileOf(files, caller, about), async (row) => {
      if (!(await files.files.insert(row, bytesMax))) throw accountIsFull()
    })
    return json(fileOnWire(stored))
  } finally {
    await files.spool.discard(file.received)
  }
}

export interface FileToBe {
  readonly name: string
  readonly purpose: (typeof purposes)[number]
  /** How long it is kept; null when the client does not say. */
  readonly lifeMs: number | null
}

/** A new file of the caller, before it has bytes. */
export function fileOf({ clock, settings }: Files, caller: Caller, { name, purpose, lifeMs }: FileToBe) {
  const createdAt = clock.now()
  const usualMs = purpose === 'batch' ? settings.get('batches.retention_days') * dayMs : null
  const keptMs = lifeMs ?? usualMs
  const expiresAt = keptMs === null ? null : createdAt + keptMs
  return { id: newId('file-'), userId: caller.account.user.id, purpose, name, createdAt, expiresAt }
}

/** Where its bytes lie. */
type Bytes = Pick<SpooledFile, 'sha256' | 'bytes'> & Pick<StoredFile, 'blobId' | 'place'>

/** Stores the bytes, and then the row, which `insert` adds; bytes without a row are removed. Rejects with what it throws. */
export async function storeReceived<File extends Omit<StoredFile, keyof Bytes>>(
  { blobs, blobUse, place }: Files,
  received: SpooledFile,
  file: File,
  insert: (row: File & Bytes) => Promise<void>,
): Promise<File & Bytes> {
  const { sha256, bytes } = received
  const row = { ...file, blobId: crypto.randomUUID(), sha256, bytes, place: await place() }
  using _held = await blobUse.hold([row.blobId])
  await blobs.put([{ ...received, id: row.blobId }])
  try {
    await insert(row)
  } catch (thrown) {
    // Whether a row whose answer was lost is there is not known: then the bytes stay until they are swept.
    if (thrown instanceof ApiError) await blobs.remove({ id: row.blobId, sha256 })
    throw thrown
  }
  return row
}

/** The account may have no more bytes. */
export function accountIsFull(): ApiError {
  return new ApiError('request_too_large', {
    message: 'Your account has as many bytes of files as it may. Delete files that you no longer need.',
  })
}

/** Answers 400 by throwing. */
export function purposeOf(value: unknown): (typeof purposes)[number] {
  const purpose = purposes.find((each) => each === value)
  if (purpose === undefined) throw invalid('purpose', `"purpose" takes ${purposes.join(', ')}.`)
  return purpose
}

/** Reads a form with one file, which goes to the spool. Answers 400, 408, 413 and 415 by throwing. */
export async function readForm(
  files: Files,
  context: RequestContext,
  { part: name, bytesMax }: { readonly part: string; readonly bytesMax: number },
): Promise<ReceivedForm> {
  const boundary = multipartBoundary(context.request.headers.get('content-type'))
  if (boundary === null)
    throw new ApiError('unsupported_media_type', { message: 'Send the file as multipart/form-data.' })
  const readSeconds = files.settings.get('server.body_read_seconds')
  const reader = new BodyReader(context, { bytesMax: bytesMax + frameBytes, readSeconds })
  const fields: Record<string, string> = {}
  let file: ReceivedForm['file'] | null = null
  try {
    for await (const part of parseMultipart(piecesOf(reader), boundary, usualMultipartLimits)) {
      if (part.name === name && file === null) {
        const received = await files.spool.receive(part.content, bytesMax)
        file = { name: nameOf(part.fileName), received }
      } else if (part.name !== name) fields[part.name] = await readField(part)
    }
    if (file === null) throw invalid(name, `The form has no file: send it as the part "${name}".`)
    return { file, fields }
  } catch (thrown) {
    if (file !== null) await files.spool.discard(file.received)
    if (thrown instanceof FileTooLarge)
      throw new ApiError('request_too_large', { message: `The file is larger than the limit of ${bytesMax} bytes.` })
    throw thrown
  }
}

async function readField(part: Parameters<typeof readPart>[0]): Promise<string> {
  const bytes = await readPart(part, fieldBytesMax)
  if (bytes === null) throw invalid(part.name.slice(0, 100), 'A field of the form is too long.')
  return bytes.toString()
}

/** The name of a file as it is kept. */
export function nameOf(fileName: string | null): string {
  // PostgreSQL refuses a NUL in a text.
  return fileName === null || fileName === '' ? 'file' : fileName.replaceAll('\0', '').slice(0, 1000)
}

/** How long the client wants the file to be kept; null when it does not say. */
function lifeOf(fields: ReceivedForm['fields']): number | null {
  const anchor = fields['expires_after[anchor]']
  const seconds = fields['expires_after[seconds]']
  if (anchor === undefined && seconds === undefined) return null
  if (anchor !== 'created_at') throw invalid('expires_after.anchor', '"expires_after[anchor]" takes created_at.')
  return expirySeconds(seconds) * 1000
}

/** Seconds from an hour to 30 days. Answers 400 by throwing. */
export function expirySeconds(value: unknown): number {
  const seconds = /^\d{1,8}$/.test(String(value)) ? Number(value) : 0
  if (seconds < 3600 || seconds > 2_592_000)
    throw invalid('expires_after.seconds', 'The seconds until a file expires must be from 3600 to 2592000.')
  return seconds
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
