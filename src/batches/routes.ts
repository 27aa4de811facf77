/** The routes of files and batches, below /ai/v1. */
import { z } from '#lib/schema.ts'
import { toApiError, ApiError } from '#errors/api-error.ts'
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import { anthropicError } from '#gateway/endpoints/answers.ts'
import { modelCallErrors } from '#gateway/endpoints/model-call-rows.ts'
import type { AsyncCalls } from '#gateway/routes.ts'
import { errorSchema } from '#http/openapi.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { BlobMissing, BlobsUnavailable } from '#documents/blobs/blob-store.ts'
import { Missing, StoreUnavailable } from '#store/errors.ts'
import { asyncQuery, asyncResponse, cancelAsync, getAsync, listAsync, startAsync } from './async-handlers.ts'
import { asyncAnswer, asyncListAnswer } from './async-wire.ts'
import { batchAnswer, batchRequest } from './batch-wire.ts'
import { batchesAnswer, batchesQuery, cancelBatch, createBatch, getBatch, listBatches } from './batch-handlers.ts'
import type { Batches } from './batches.ts'
import {
  cancelMessageBatch,
  createMessageBatch,
  deleteMessageBatch,
  getMessageBatch,
  listMessageBatches,
  messageBatchesQuery,
  messageBatchResults,
} from './message-batch-handlers.ts'
import {
  deletedMessageBatch,
  messageBatchAnswer,
  messageBatchesAnswer,
  messageBatchRequest,
} from './message-batch-wire.ts'
import { fileRows, type Row } from './files/file-routes.ts'
import { notReadable } from './files/files.ts'
import { vectorStoreRows } from './vector-stores/routes.ts'
import { isLineCall } from './lines/line-calls.ts'

const tag = 'Batches'

const createErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_body',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
]

/** What takes the calls of models that their clients do not wait for. */
export function asyncCalls(batches: Batches): AsyncCalls {
  return {
    takes: isLineCall,
    start: (context, caller, call) => refusing(batches, startAsync(batches, context, caller, call)),
    answer: asyncAnswer,
  }
}

/** Rows of the route table. */
export function batchRoutes(batches: Batches): readonly Route<Caller>[] {
  return [
    ...fileRows(batches.files),
    ...vectorStoreRows(batches.vectorStores),
    ...batchRows(batches),
    ...messageBatchRows(batches),
    ...asyncRows(batches),
  ].map(({ path, docs, handle, ...row }): Route<Caller> => ({
    ...row,
    path: `/ai/v1${path}`,
    access: 'inference',
    docs: { tag, ...docs, errors: [...(docs.errors ?? []), 'store_unavailable', 'storage_full', 'overloaded'] },
    handle: async (context, caller) => refusing(batches, handle(context, caller)),
  }))
}

async function refusing(batches: Batches, answer: Response | Promise<Response>): Promise<Response> {
  try {
    return await answer
  } catch (thrown) {
    throw refusalOf(batches, thrown)
  }
}

/** What the database, the disk or the store of files refuses, as the error that is answered. */
function refusalOf({ faultOf }: Batches, thrown: unknown): ApiError {
  if (thrown instanceof Missing)
    return new ApiError(thrown.what === 'file' ? 'file_not_found' : 'vector_store_not_found', {
      message: `The ${thrown.what} was deleted at this moment.`,
    })
  if (thrown instanceof StoreUnavailable) return new ApiError('store_unavailable', { cause: thrown })
  if (thrown instanceof BlobMissing) return notReadable(thrown)
  if (thrown instanceof BlobsUnavailable)
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
        errors: [...createErrors, 'file_not_found', 'rate_limit_exceeded'],
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

function asyncRows(batches: Batches): readonly Row[] {
  type Handle = (batches: Batches, context: RequestContext, caller: Caller) => Promise<Response>
  const row = (method: Row['method'], path: string, handle: Handle, docs: Omit<Row['docs'], 'tag'>): Row => ({
    method,
    path: `/async${path}`,
    docs,
    handle: (context, caller) => handle(batches, context, caller),
  })
  return [
    row('GET', '', listAsync, {
      operation: 'listAsyncRequests',
      summary: 'The async requests of your account, the newest first',
      query: asyncQuery,
      answer: asyncListAnswer,
      errors: ['invalid_query_parameter'],
    }),
    row('GET', '/:id', getAsync, {
      operation: 'retrieveAsyncRequest',
      summary: 'An async request: a call with `prefer: respond-async`',
      answer: asyncAnswer,
      errors: ['batch_not_found'],
    }),
    row('POST', '/:id/cancel', cancelAsync, {
      operation: 'cancelAsyncRequest',
      summary: 'Stop an async request that has no answer yet',
      answer: asyncAnswer,
      errors: ['batch_not_found'],
    }),
    row('GET', '/:id/response', asyncResponse, {
      operation: 'getAsyncResponse',
      summary: 'The answer, with the status that a live request would have got',
      answer: z.looseObject({}).describe('As the endpoint of the request answers'),
      events: z.looseObject({}).describe('As the endpoint streams, when the request asked for that'),
      accepted: asyncAnswer,
      errorAnswer: z.union([errorSchema, anthropicError]),
      errors: [...modelCallErrors, 'batch_not_found', 'async_request_ended'],
    }),
  ]
}

/** Rows in the words of Anthropic's clients. */
function messageBatchRows(batches: Batches): readonly Row[] {
  type Handle = (batches: Batches, context: RequestContext, caller: Caller) => Promise<Response>
  const row = (method: Row['method'], path: string, handle: Handle, docs: Row['docs']): Row => ({
    method,
    path: `/messages/batches${path}`,
    errorResponse: anthropicErrorResponse,
    docs: { errorAnswer: anthropicError, ...docs },
    handle: (context, caller) => handle(batches, context, caller),
  })
  const answer = messageBatchAnswer
  return [
    row('POST', '', createMessageBatch, {
      operation: 'createMessageBatch',
      summary: 'Run many requests to /messages, when there is room for them',
      body: messageBatchRequest,
      answer,
      errors: [...createErrors, 'rate_limit_exceeded'],
    }),
    row('GET', '', listMessageBatches, {
      operation: 'listMessageBatches',
      summary: 'The Message Batches of your account, the newest first',
      query: messageBatchesQuery,
      answer: messageBatchesAnswer,
      errors: ['invalid_query_parameter'],
    }),
    row('GET', '/:id', getMessageBatch, {
      operation: 'retrieveMessageBatch',
      summary: 'A Message Batch',
      answer,
      errors: ['batch_not_found'],
    }),
    row('POST', '/:id/cancel', cancelMessageBatch, {
      operation: 'cancelMessageBatch',
      summary: 'Stop a Message Batch; what is done stays',
      answer,
      errors: ['batch_not_found'],
    }),
    row('DELETE', '/:id', deleteMessageBatch, {
      operation: 'deleteMessageBatch',
      summary: 'Delete a Message Batch that has ended, with its results',
      answer: deletedMessageBatch,
      errors: ['batch_not_found', 'file_in_use'],
    }),
    row('GET', '/:id/results', messageBatchResults, {
      operation: 'getMessageBatchResults',
      summary: 'The results of a Message Batch, one JSON object in each line',
      media: ['application/x-jsonl'],
      errors: ['batch_not_found'],
    }),
  ]
}
