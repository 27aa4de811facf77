/**
 * POST /ai/v1/files: a form with the file, its purpose, and when it expires. The file goes to the spool as it arrives,
 * and from there to the blob store; its row comes last, so that a file that can be found is whole.
 */
import { z } from 'zod'
import type { SpooledFile } from '#documents/blobs/blob-store.ts'
import { FileTooLarge } from '#documents/blobs/write-pieces.ts'
import { piecesOf } from '#documents/import/read-form-import.ts'
import { ApiError } from '#errors/api-error.ts'
import { BodyReader } from '#http/body-reader.ts'
import { multipartBoundary, parseMultipart, readPart, usualMultipartLimits } from '#http/multipart.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
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
  const { file, fields } = await readForm(files, context)
  const { received, name } = file
  try {
    const purpose = purposes.find((each) => each === fields['purpose'])
    if (purpose === undefined) throw invalid('purpose', `"purpose" takes ${purposes.join(', ')}.`)
    const createdAt = files.clock.now()
    const lifeMs = lifeOf(fields) ?? (purpose === 'batch' ? files.settings.get('batches.retention_days') * dayMs : null)
    const stored = {
      id: newId('file-'),
      userId: caller.account.user.id,
      blobId: crypto.randomUUID(),
      sha256: received.sha256,
      purpose,
      name,
      bytes: received.bytes,
      createdAt,
      expiresAt: lifeMs === null ? null : createdAt + lifeMs,
    }
    using _held = await files.blobUse.hold([stored.blobId])
    await files.blobs.put(received, stored.blobId)
    if (!(await files.files.insert(stored, files.settings.get('files.account_bytes_max')))) {
      await files.blobs.remove({ id: stored.blobId, sha256: stored.sha256 })
      throw new ApiError('request_too_large', {
        message: 'Your account has as many bytes of files as it may. Delete files that you no longer need.',
      })
    }
    return json(fileOnWire(stored))
  } finally {
    await files.spool.discard(received)
  }
}

async function readForm(files: Files, context: RequestContext): Promise<ReceivedForm> {
  const boundary = multipartBoundary(context.request.headers.get('content-type'))
  if (boundary === null)
    throw new ApiError('unsupported_media_type', { message: 'Send the file as multipart/form-data.' })
  const bytesMax = files.settings.get('files.max_bytes')
  const readSeconds = files.settings.get('server.body_read_seconds')
  const reader = new BodyReader(context, { bytesMax: bytesMax + frameBytes, readSeconds })
  const fields: Record<string, string> = {}
  let file: ReceivedForm['file'] | null = null
  try {
    for await (const part of parseMultipart(piecesOf(reader), boundary, usualMultipartLimits)) {
      if (part.name === 'file' && file === null) {
        const received = await files.spool.receive(part.content, bytesMax)
        file = { name: nameOf(part.fileName), received }
      } else if (part.name !== 'file') fields[part.name] = await readField(part)
    }
    if (file === null) throw invalid('file', 'The form has no file: send it as the part "file".')
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

function nameOf(fileName: string | null): string {
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
