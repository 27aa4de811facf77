/** Uploads one file as a form with XMLHttpRequest, because `fetch` does not report progress. */
import { errorFromResponse, connectionError } from '../../../api/api-error.ts'
import type { DocumentImportAnswer } from '../../../api/schema.d.ts'
import type { NamedFile } from '../import/named-file.ts'
import type { SendOptions } from './upload-queue.ts'

/** Resolves with the server's answer. Rejects with ApiError, or with the signal's reason when it is aborted. */
export function sendFile({ name, file }: NamedFile, options: SendOptions): Promise<DocumentImportAnswer> {
  const { fields, signal, onProgress } = options
  const form = new FormData()
  for (const [field, value] of fields) form.append(field, value)
  form.append('files', file, name)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = (): void => request.abort()
    signal.addEventListener('abort', abort)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('abort', () => reject(signal.reason as Error))
    request.addEventListener('error', () => reject(connectionError()))
    request.addEventListener('load', () => void answerOf(request).then(resolve, reject))
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    request.open('POST', '/api/v1/documents')
    request.send(form)
  })
}

async function answerOf(request: XMLHttpRequest): Promise<DocumentImportAnswer> {
  const { status, responseText } = request
  if (status >= 200 && status < 300) return JSON.parse(responseText) as DocumentImportAnswer
  const headers = new Headers()
  for (const name of ['x-request-id', 'retry-after']) {
    const value = request.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  throw await errorFromResponse(new Response(responseText, { status, headers }))
}
