/** The routes of vector stores, below /ai/v1/vector_stores. */
import { z } from '#lib/schema.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Row } from '../files/file-routes.ts'
import {
  addFile,
  cancelFileBatch,
  createFileBatch,
  fileContent,
  getFile,
  getFileBatch,
  listBatchFiles,
  listFiles,
  removeFile,
  updateFile,
} from './file-handlers.ts'
import { createStore, deleteStore, getStore, listStores, searchStore, updateStore } from './store-handlers.ts'
import {
  batchAnswer,
  batchRequest,
  contentAnswer,
  fileAnswer,
  fileChange,
  fileRequest,
  filesQuery,
  pageQuery,
  searchAnswer,
  searchRequest,
  storeAnswer,
  storeChange,
  storeRequest,
} from './vector-store-wire.ts'
import type { VectorStores } from './vector-stores.ts'

const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_body',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
]
const addErrors: readonly ErrorCode[] = [
  ...bodyErrors,
  'file_not_found',
  'vector_store_expired',
  'model_access_denied',
  'validation_failed',
  'backlog_full',
]

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
const deleted = (object: string) => z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) })

type Handle = (stores: VectorStores, context: RequestContext, caller: Caller) => Promise<Response>

type NewRow = (method: Row['method'], path: string, docs: Row['docs'], handle: Handle) => Row

/** Rows of the route table. */
export function vectorStoreRows(stores: VectorStores): readonly Row[] {
  const row: NewRow = (method, path, docs, handle) => ({
    method,
    path: `/vector_stores${path}`,
    docs: path === '' ? docs : { ...docs, errors: [...(docs.errors ?? []), 'vector_store_not_found'] },
    handle: (context, caller) => handle(stores, context, caller),
  })
  return [...collectionRows(row), ...storeRows(row), ...fileRows(row), ...moreFileRows(row), ...batchRows(row)]
}

function collectionRows(row: NewRow): readonly Row[] {
  return [
    row(
      'POST',
      '',
      {
        operation: 'createVectorStore',
        summary: 'Create a vector store',
        body: storeRequest,
        answer: storeAnswer,
        errors: addErrors,
      },
      createStore,
    ),
    row(
      'GET',
      '',
      {
        operation: 'listVectorStores',
        summary: 'The vector stores of your account',
        query: pageQuery,
        answer: listOf(storeAnswer),
        errors: ['invalid_query_parameter'],
      },
      listStores,
    ),
  ]
}

function storeRows(row: NewRow): readonly Row[] {
  return [
    row('GET', '/:id', { operation: 'retrieveVectorStore', summary: 'A vector store', answer: storeAnswer }, getStore),
    row(
      'POST',
      '/:id',
      {
        operation: 'updateVectorStore',
        summary: 'Change a vector store',
        body: storeChange,
        answer: storeAnswer,
        errors: bodyErrors,
      },
      updateStore,
    ),
    row(
      'DELETE',
      '/:id',
      {
        operation: 'deleteVectorStore',
        summary: 'Delete a vector store; its files stay',
        answer: deleted('vector_store.deleted'),
      },
      deleteStore,
    ),
    row(
      'POST',
      '/:id/search',
      {
        operation: 'searchVectorStore',
        summary: 'Find passages in a vector store',
        body: searchRequest,
        answer: searchAnswer,
        errors: [
          ...bodyErrors,
          'invalid_filter',
          'vector_store_expired',
          'embedder_unavailable',
          'vector_index_unavailable',
          'model_access_denied',
        ],
      },
      searchStore,
    ),
  ]
}

function fileRows(row: NewRow): readonly Row[] {
  const file = { answer: fileAnswer, errors: ['file_not_found'] as const }
  return [
    row(
      'POST',
      '/:id/files',
      {
        operation: 'createVectorStoreFile',
        summary: 'Add a file to a vector store',
        body: fileRequest,
        answer: fileAnswer,
        errors: addErrors,
      },
      addFile,
    ),
    row(
      'GET',
      '/:id/files',
      {
        operation: 'listVectorStoreFiles',
        summary: 'The files in a vector store',
        query: filesQuery,
        answer: listOf(fileAnswer),
        errors: ['invalid_query_parameter'],
      },
      listFiles,
    ),
    row(
      'GET',
      '/:id/files/:file',
      { operation: 'retrieveVectorStoreFile', summary: 'A file in a vector store', ...file },
      getFile,
    ),
    row(
      'POST',
      '/:id/files/:file',
      {
        operation: 'updateVectorStoreFile',
        summary: 'Set the attributes of a file in a vector store',
        body: fileChange,
        answer: fileAnswer,
        errors: [...bodyErrors, 'file_not_found'],
      },
      updateFile,
    ),
  ]
}

function moreFileRows(row: NewRow): readonly Row[] {
  return [
    row(
      'DELETE',
      '/:id/files/:file',
      {
        operation: 'deleteVectorStoreFile',
        summary: 'Take a file out of a vector store; the file itself stays',
        answer: deleted('vector_store.file.deleted'),
        errors: ['file_not_found'],
      },
      removeFile,
    ),
    row(
      'GET',
      '/:id/files/:file/content',
      {
        operation: 'retrieveVectorStoreFileContent',
        summary: 'The text that was read of a file in a vector store',
        answer: contentAnswer,
        errors: ['file_not_found', 'not_found'],
      },
      fileContent,
    ),
  ]
}

function batchRows(row: NewRow): readonly Row[] {
  return [
    row(
      'POST',
      '/:id/file_batches',
      {
        operation: 'createVectorStoreFileBatch',
        summary: 'Add several files to a vector store',
        body: batchRequest,
        answer: batchAnswer,
        errors: addErrors,
      },
      createFileBatch,
    ),
    row(
      'GET',
      '/:id/file_batches/:batch',
      { operation: 'retrieveVectorStoreFileBatch', summary: 'A batch of files', answer: batchAnswer },
      getFileBatch,
    ),
    row(
      'POST',
      '/:id/file_batches/:batch/cancel',
      { operation: 'cancelVectorStoreFileBatch', summary: 'Stop a batch of files', answer: batchAnswer },
      cancelFileBatch,
    ),
    row(
      'GET',
      '/:id/file_batches/:batch/files',
      {
        operation: 'listFilesInVectorStoreBatch',
        summary: 'The files of a batch',
        query: filesQuery,
        answer: listOf(fileAnswer),
        errors: ['invalid_query_parameter'],
      },
      listBatchFiles,
    ),
  ]
}
