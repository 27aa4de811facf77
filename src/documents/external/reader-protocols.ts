/**
 * How each kind of reader is asked to read a file: docling-serve 1 (https://github.com/docling-project/docling-serve), the
 * server of Apache Tika 2 and 3 (https://cwiki.apache.org/confluence/display/TIKA/TikaServer), and Unstructured's API for
 * partitions (https://docs.unstructured.io/api-reference/partition/overview). What their answers mean is read in
 * `src/readers/external`.
 */
import { isObject } from '#lib/json-value.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { pause } from '#lib/loop.ts'
import type { ExternalReaderKind } from '#readers/external/external-answer.ts'
import { fileStream, formStream, type FileToSend } from './form-stream.ts'
import { ReaderAway, ReaderRefused, type ReaderCall } from './reader-call.ts'

export interface ReadOrder {
  readonly call: ReaderCall
  readonly file: FileToSend
  readonly credential: string | null
  /** Beside those that the kind needs. */
  readonly fields: Readonly<Record<string, string>>
}

/** Resolves with the answer, whose body the caller reads. Rejects as `ReaderCall.request` does. */
export type ReaderProtocol = (order: ReadOrder) => Promise<Reply>

export const readerProtocols: Readonly<Record<ExternalReaderKind, ReaderProtocol>> = {
  docling: convertByDocling,
  tika: convertByTika,
  unstructured: partition,
}

const statusBytesMax = 65_536
/** How long docling-serve may keep a question about a task, and how long we wait where it answers at once. */
const pollSeconds = 5
const pollEveryMs = 500
const underWay: ReadonlySet<unknown> = new Set(['pending', 'started'])

/** As a task: a single request is broken off by docling-serve after two minutes. */
async function convertByDocling({ call, file, credential, fields }: ReadOrder): Promise<Reply> {
  const headers: Readonly<Record<string, string>> = credential === null ? {} : { 'x-api-key': credential }
  const form = formStream({
    fields: { to_formats: 'json', image_export_mode: 'placeholder', ...fields },
    fileField: 'files',
    file,
  })
  const begun = await call.request({
    method: 'POST',
    path: '/v1/convert/file/async',
    headers: { ...headers, 'content-type': form.contentType },
    body: form.body,
  })
  const get = (path: string): Promise<Reply> => call.request({ method: 'GET', path, headers, body: null })
  let task = await taskIn(begun)
  const id = encodeURIComponent(task.id)
  while (underWay.has(task.status)) {
    task = await taskIn(await get(`/v1/status/poll/${id}?wait=${pollSeconds}`))
    if (underWay.has(task.status)) await pause(pollEveryMs, call.signal)
    call.signal.throwIfAborted()
  }
  if (task.status !== 'success' && task.status !== 'partial_success') throw new ReaderRefused('could not convert it')
  return get(`/v1/result/${id}`)
}

async function taskIn({ body }: Reply): Promise<{ readonly id: string; readonly status: unknown }> {
  const bytes = await readAll(body, statusBytesMax)
  const task: unknown = bytes === null ? null : parsed(bytes.toString('utf8'))
  if (!isObject(task) || typeof task['task_id'] !== 'string')
    throw new ReaderAway('did not answer as docling-serve does', { isDown: false })
  return { id: task['task_id'], status: task['task_status'] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function convertByTika({ call, file, credential, fields }: ReadOrder): Promise<Reply> {
  const own = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]))
  const headers = {
    ...own,
    accept: 'text/html',
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename="${file.name.replaceAll(/[^\w. -]/g, '_')}"`,
    ...(credential !== null && { authorization: authorizationOf(credential) }),
  }
  return call.request({ method: 'PUT', path: '/tika', headers, body: fileStream(file) })
}

/** Tika has no accounts itself; a server before it may: `user:password`, or a token. */
function authorizationOf(credential: string): string {
  return credential.includes(':') ? `Basic ${Buffer.from(credential).toString('base64')}` : `Bearer ${credential}`
}

function partition({ call, file, credential, fields }: ReadOrder): Promise<Reply> {
  const form = formStream({ fields: { strategy: 'auto', ...fields }, fileField: 'files', file })
  const headers = {
    accept: 'application/json',
    'content-type': form.contentType,
    ...(credential !== null && { 'unstructured-api-key': credential }),
  }
  return call.request({ method: 'POST', path: '/general/v0/general', headers, body: form.body })
}
