/** What a failure means for a document: what its record says, and whether trying again can help. */
import { ApiError } from '#errors/api-error.ts'
import { errorCatalogue } from '#errors/catalogue.ts'
import { resourceFaultOf } from '#lib/resource-fault.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { DocumentError, DocumentState } from '#store/documents/document-store.ts'
import { BlobMissing, BlobsUnavailable } from '../blobs/blob-store.ts'
import { SourceFailure } from '../web/source-failure.ts'
import { EmbedFailure } from '../embedders/embedder.ts'
import { ReaderAway } from '../external/reader-call.ts'

export interface Failure {
  readonly error: DocumentError
  /** False: the next attempt would end the same way. */
  readonly again: boolean
  /** The time that the failed service asked to wait; null when it named none. */
  readonly retryAfterMs: number | null
  /** False for what lies outside of the document: it is tried again for as long as that lasts. */
  readonly countsAttempt: boolean
}

/** An outage of the store is not the document's fault: its attempts must outlast a restart. */
const blobsWaitMs = 30_000
/** A reader on another server that is down is left out for about as long. */
const readerWaitMs = 30_000
/** A machine that has run out of something may have it again soon. */
const exhaustedWaitMs = 10_000

/** Statuses that mean an account, a provider or a request must change first. */
const finalStatuses = new Set([400, 401, 403, 404, 413, 415, 422])

export function failureOf(thrown: unknown, stage: DocumentState): Failure {
  const fault = resourceFaultOf(thrown)
  if (fault !== null) {
    const { message } = errorCatalogue[fault]
    return { ...failure({ code: fault, stage, message }, true), retryAfterMs: exhaustedWaitMs, countsAttempt: false }
  }
  if (thrown instanceof ReadFailure) return failure({ code: thrown.code, stage, message: thrown.message }, false)
  if (thrown instanceof ReaderAway)
    return {
      ...failure({ code: 'reader_unavailable', stage, message: thrown.message }, true),
      retryAfterMs: readerWaitMs,
    }
  if (thrown instanceof SourceFailure)
    return failure({ code: 'fetch_failed', stage, message: thrown.message }, thrown.mayPass)
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
  // This is a call of the model that reads pictures; calls for vectors reject with an EmbedFailure.
  if (thrown instanceof ApiError) {
    const again = thrown.row.retryable && !finalStatuses.has(thrown.status)
    return failure({ code: thrown.code, stage, message: thrown.message }, again)
  }
  const message =
    'The server failed to process the document. Try again; if it fails again, ask an administrator to look at the log.'
  return failure({ code: 'internal_error', stage, message }, true)
}

function failure(error: Omit<DocumentError, 'retryable'>, again: boolean): Failure {
  return { error: { ...error, retryable: again }, again, retryAfterMs: null, countsAttempt: true }
}
