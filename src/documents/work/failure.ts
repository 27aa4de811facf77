/** What a failure means for a document: what its record says, and whether trying again can help. */
import { ApiError } from '#errors/api-error.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { DocumentError, DocumentState } from '#store/documents/document-store.ts'
import { BlobMissing, BlobsUnavailable } from '../blobs/blob-store.ts'
import { EmbedFailure } from '../embedders/embedder.ts'

export interface Failure {
  readonly error: DocumentError
  /** False: the next attempt would end the same way. */
  readonly again: boolean
  /** How long whoever failed asked to wait; null when it did not. */
  readonly retryAfterMs: number | null
}

/** An outage of the store is no fault of the document: its attempts must last longer than a restart. */
const blobsWaitMs = 30_000

/** Of an account or a provider, which somebody has to mend first. */
const finalStatuses = new Set([400, 401, 403, 404, 413, 415, 422])

export function failureOf(thrown: unknown, stage: DocumentState): Failure {
  if (thrown instanceof ReadFailure) return failure({ code: thrown.code, stage, message: thrown.message }, false)
  if (thrown instanceof BlobMissing) return failure({ code: 'bytes_missing', stage, message: thrown.message }, false)
  if (thrown instanceof BlobsUnavailable)
    return {
      ...failure({ code: 'store_unavailable', stage, message: thrown.message }, true),
      retryAfterMs: blobsWaitMs,
    }
  if (thrown instanceof EmbedFailure) {
    const { code, message, retryable, retryAfterMs } = thrown
    return { ...failure({ code, stage, message }, retryable), retryAfterMs }
  }
  // Of the model that reads pictures; vectors come with an EmbedFailure.
  if (thrown instanceof ApiError) {
    const again = thrown.row.retryable && !finalStatuses.has(thrown.status)
    return failure({ code: thrown.code, stage, message: thrown.message }, again)
  }
  const message =
    'The server failed to process the document. Try again; if it fails again, ask an administrator to look at the log.'
  return failure({ code: 'internal_error', stage, message }, true)
}

function failure(error: Omit<DocumentError, 'retryable'>, again: boolean): Failure {
  return { error: { ...error, retryable: again }, again, retryAfterMs: null }
}
