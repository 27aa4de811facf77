/** The routes of files and batches, below /ai/v1. */
import { toApiError, ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { BlobMissing, BlobsUnavailable } from '#documents/blobs/blob-store.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { batchAnswer, batchRequest } from './batch-wire.ts'
import { batchesAnswer, batchesQuery, cancelBatch, createBatch, getBatch, listBatches } from './batch-handlers.ts'
import type { Batches } from './batches.ts'
import { fileRows, type Row } from './files/file-routes.ts'

const tag = 'Batches'

/** Rows of the route table. */
export function batchRoutes(batches: Batches): readonly Route<Caller>[] {
  return [...fileRows(batches.files), ...batchRows(batches)].map(({ path, docs, handle, ...row }): Route<Caller> => ({
    ...row,
    path: `/ai/v1${path}`,
    access: 'inference',
    docs: { tag, ...docs, errors: [...(docs.errors ?? []), 'store_unavailable', 'storage_full', 'overloaded'] },
    handle: async (context, caller) => {
      try {
        return await handle(context, caller)
      } catch (thrown) {
        throw refusalOf(batches, thrown)
      }
    },
  }))
}

/** What the database, the disk or the store of files refuses, as the error that is answered. */
function refusalOf({ faultOf }: Batches, thrown: unknown): ApiError {
  if (thrown instanceof StoreUnavailable) return new ApiError('store_unavailable', { cause: thrown })
  if (thrown instanceof BlobsUnavailable || thrown instanceof BlobMissing)
    return new ApiError('store_unavailable', {
      message: 'The store of the files cannot be used at the moment. Try again shortly.',
      cause: thrown,
    })
  return faultOf(thrown) ?? toApiError(thrown)
}

function batchRows(batches: Batches): readonly Row[] {
  type Handle = (batches: Batches, context: RequestContext, caller: Caller) => Promise<Response>
  const handled = (handle: Handle) => (context: RequestContext, caller: Caller) => handle(batches, context, caller)
  return [
    {
      method: 'POST',
      path: '/batches',
      docs: {
        operation: 'createBatch',
        summary: 'Run the requests of a file, when there is room for them',
        body: batchRequest,
        answer: batchAnswer,
        errors: [
          'invalid_json',
          'invalid_body',
          'file_not_found',
          'body_timeout',
          'request_too_large',
          'unsupported_media_type',
          'rate_limit_exceeded',
        ],
      },
      handle: handled(createBatch),
    },
    {
      method: 'GET',
      path: '/batches',
      docs: {
        operation: 'listBatches',
        summary: 'The batches of your account, the newest first',
        query: batchesQuery,
        answer: batchesAnswer,
        errors: ['invalid_query_parameter'],
      },
      handle: handled(listBatches),
    },
    {
      method: 'GET',
      path: '/batches/:id',
      docs: { operation: 'retrieveBatch', summary: 'A batch', answer: batchAnswer, errors: ['batch_not_found'] },
      handle: handled(getBatch),
    },
    {
      method: 'POST',
      path: '/batches/:id/cancel',
      docs: {
        operation: 'cancelBatch',
        summary: 'Stop a batch; what is done stays',
        answer: batchAnswer,
        errors: ['batch_not_found', 'batch_ended'],
      },
      handle: handled(cancelBatch),
    },
  ]
}
