/** The routes of files, below /ai/v1/files. */
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { fileContent } from './file-content.ts'
import { deletedFile, deleteFile, filesAnswer, filesQuery, getFile, listFiles } from './file-handlers.ts'
import { fileAnswer, type Files } from './files.ts'
import { uploadFile, uploadForm } from './upload-file.ts'
import {
  addPart,
  cancelUpload,
  completeUpload,
  completionRequest,
  createUpload,
  partAnswer,
  partForm,
  uploadAnswer,
  uploadRequest,
} from './upload-parts.ts'

/** A row of the route table before its prefix and what all rows have in common. */
export interface Row extends Omit<Route<Caller> & { access: 'inference' }, 'access' | 'docs'> {
  readonly docs: Omit<Route<Caller>['docs'], 'tag'>
}

const uploadErrors: readonly ErrorCode[] = [
  'invalid_body',
  'invalid_multipart',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
]

type Handled = (
  handle: (files: Files, context: RequestContext, caller: Caller) => Promise<Response>,
) => (context: RequestContext, caller: Caller) => Promise<Response>

/** Rows of the route table. */
export function fileRows(files: Files): readonly Row[] {
  const handled: Handled = (handle) => (context: RequestContext, caller: Caller) => handle(files, context, caller)
  return [
    ...uploadRows(handled),
    {
      method: 'POST',
      path: '/files',
      docs: {
        operation: 'uploadFile',
        summary: 'Upload a file',
        body: uploadForm,
        bodyType: 'multipart/form-data',
        answer: fileAnswer,
        errors: uploadErrors,
      },
      handle: handled(uploadFile),
    },
    {
      method: 'GET',
      path: '/files',
      docs: {
        operation: 'listFiles',
        summary: 'The files of your account',
        query: filesQuery,
        answer: filesAnswer,
        errors: ['invalid_query_parameter'],
      },
      handle: handled(listFiles),
    },
    {
      method: 'GET',
      path: '/files/:id',
      docs: { operation: 'retrieveFile', summary: 'A file', answer: fileAnswer, errors: ['file_not_found'] },
      handle: handled(getFile),
    },
    {
      method: 'DELETE',
      path: '/files/:id',
      docs: {
        operation: 'deleteFile',
        summary: 'Delete a file',
        answer: deletedFile,
        errors: ['file_not_found', 'file_in_use'],
      },
      handle: handled(deleteFile),
    },
    {
      method: 'GET',
      path: '/files/:id/content',
      docs: {
        operation: 'downloadFile',
        summary: 'The content of a file, or a range of it; of a running batch what it has written so far',
        media: ['application/octet-stream'],
        moreStatuses: [206, 304],
        errors: ['file_not_found', 'range_not_satisfiable'],
      },
      handle: handled(fileContent),
    },
  ]
}

function uploadRows(handled: Handled): readonly Row[] {
  const json: readonly ErrorCode[] = ['invalid_json', 'invalid_body', 'body_timeout', 'request_too_large']
  const row = (path: string, docs: Row['docs'], handle: Parameters<Handled>[0]): Row => ({
    method: 'POST',
    path: `/uploads${path}`,
    docs: path === '' ? docs : { ...docs, errors: [...(docs.errors ?? []), 'upload_not_found', 'upload_ended'] },
    handle: handled(handle),
  })
  return [
    row(
      '',
      {
        operation: 'createUpload',
        summary: 'Begin an upload in parts',
        body: uploadRequest,
        answer: uploadAnswer,
        errors: [...json, 'unsupported_media_type'],
      },
      createUpload,
    ),
    row(
      '/:id/parts',
      {
        operation: 'addUploadPart',
        summary: 'Add a part to an upload',
        body: partForm,
        bodyType: 'multipart/form-data',
        answer: partAnswer,
        errors: uploadErrors,
      },
      addPart,
    ),
    row(
      '/:id/complete',
      {
        operation: 'completeUpload',
        summary: 'Make a file of the parts of an upload',
        body: completionRequest,
        answer: uploadAnswer,
        errors: [...json, 'unsupported_media_type'],
      },
      completeUpload,
    ),
    row('/:id/cancel', { operation: 'cancelUpload', summary: 'Drop an upload', answer: uploadAnswer }, cancelUpload),
  ]
}
