/** What the handlers of files work with, and how a file is written in an answer. */
import { z } from '#lib/schema.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { BlobStore } from '#documents/blobs/blob-store.ts'
import type { BlobUse } from '#documents/blobs/blob-use.ts'
import type { Spool } from '#documents/blobs/spool.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { BatchStore } from '#store/batches/batches.ts'
import { isVisible, type FileStore, type VisibleFile } from '#store/batches/files.ts'
import type { UploadStore } from '#store/batches/uploads.ts'

export interface Files {
  readonly settings: LiveSettings
  readonly files: FileStore
  readonly uploads: UploadStore
  /** The lines of files that batches still write. */
  readonly batches: Pick<BatchStore, 'results'>
  /** The store of the documents. */
  readonly blobs: BlobStore
  /** Keeps the removal of abandoned bytes away from what is being stored. */
  readonly blobUse: BlobUse
  /** Where new bytes go; null when every process can read everything. */
  readonly place: () => Promise<string | null>
  readonly spool: Spool
  readonly clock: Clock
  /** Takes files that are gone out of what was made of them. */
  readonly detach: (fileIds: readonly string[]) => Promise<void>
}

/** What a client may upload a file for. */
export const purposes = ['assistants', 'batch', 'user_data', 'vision'] as const

export const fileAnswer = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int().describe('Seconds since 1970'),
    expires_at: z.int().optional(),
    filename: z.string(),
    purpose: z.enum([...purposes, 'batch_output']),
    status: z.literal('processed'),
  })
  .meta({ id: 'File' })

/** The file as OpenAI's API writes it. */
export function fileOnWire(file: VisibleFile): z.output<typeof fileAnswer> {
  return {
    id: file.id,
    object: 'file',
    bytes: file.bytes,
    created_at: secondsOf(file.createdAt),
    ...(file.expiresAt !== null && { expires_at: secondsOf(file.expiresAt) }),
    filename: file.name,
    purpose: file.purpose,
    status: 'processed',
  }
}

/** The refusal of a request that needs bytes which this process cannot read. */
export function notReadable(cause: unknown): ApiError {
  return new ApiError('store_unavailable', {
    message:
      'The content of the file is not where this process can read it. If each process has a data directory of its own, ask the one that stored the file, or let all of them share a place (documents.blobs).',
    cause,
  })
}

/** A new file id, or with another prefix another id. */
export function newId(prefix: string): string {
  return `${prefix}${crypto.randomUUID().replaceAll('-', '')}`
}

/** Whole seconds since 1970. */
export function secondsOf(ms: number): number {
  return Math.floor(ms / 1000)
}

/** The caller's file with this id. Answers 404 by throwing; an output without a line is not there yet. */
export async function ownFile(
  { files, clock }: Pick<Files, 'files' | 'clock'>,
  id: string,
  caller: Caller,
): Promise<VisibleFile> {
  const file = await files.find(id)
  const isThere =
    file !== null &&
    isVisible(file) &&
    (file.sha256 !== null || file.bytes > 0) &&
    (file.expiresAt === null || file.expiresAt > clock.now())
  if (!isThere || file.userId !== caller.account.user.id)
    throw new ApiError('file_not_found', { message: `No such File object: ${id.slice(0, 100)}`, param: 'id' })
  return file
}
