/**
 * Batches as OpenAI has them: a file of lines, a batch of it with metadata by which it is found again, and files of results.
 * API: https://platform.openai.com/docs/api-reference/batch
 */
import { findFields } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import {
  askKnown,
  askLines,
  askObject,
  fieldOf,
  listPagesMax,
  skewMs,
  type AskNative,
  type LostSubmission,
  type NativeBatches,
  type NativeProgress,
  type NativeResult,
  type NativeSearch,
  type NativeSubmission,
} from './native-batches.ts'

const endpoints = new Set(['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/moderations'])
const ends = new Set(['completed', 'expired', 'cancelled'])
const lineFields = new Set(['custom_id', 'response'])
const responseFields = new Set(['status_code', 'body'])

export function openAiBatches(ask: AskNative): NativeBatches {
  return {
    endpoints,
    submit: (submission, signal) => submit(ask, submission, signal),
    find: (lost, signal) => find(ask, lost, signal),
    poll: (id, signal) => poll(ask, id, signal),
    async cancel(id, signal) {
      const { status, body } = await ask({ method: 'POST', path: `batches/${id}/cancel` }, signal)
      body.cancel()
      // 404 and 409: there is nothing left to end.
      if (status >= 500 || status === 429) throw new Error(`cancelling a batch answered ${status}`)
    },
  }
}

async function submit(
  ask: AskNative,
  { token, endpoint, lines }: NativeSubmission,
  signal: AbortSignal,
): Promise<string> {
  const boundary = `sluice${token}`
  const field = (name: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${token}.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n`
  const bytes = Buffer.concat([
    Buffer.from(field('purpose', 'batch') + file),
    ...lines.flatMap(({ id, body }) => [
      Buffer.from(`{"custom_id":"${id}","method":"POST","url":"${endpoint}","body":`),
      body,
      Buffer.from('}\n'),
    ]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const form = { type: `multipart/form-data; boundary=${boundary}`, bytes }
  const { id: fileId } = await askObject(ask, { method: 'POST', path: 'files', body: form }, signal)
  const asked = { input_file_id: fileId, endpoint, completion_window: '24h', metadata: { sluice: token } }
  const json = { type: 'application/json', bytes: Buffer.from(JSON.stringify(asked)) }
  const { id } = await askObject(ask, { method: 'POST', path: 'batches', body: json }, signal)
  if (typeof id !== 'string') throw new Error('a new batch has no id')
  return id
}

/** The list begins with the newest. */
async function find(ask: AskNative, { token, at }: LostSubmission, signal: AbortSignal): Promise<NativeSearch> {
  let after = ''
  for (let page = 0; page < listPagesMax; page += 1) {
    const list = await askObject(ask, { method: 'GET', path: `batches?limit=100${after}` }, signal)
    const data = Array.isArray(list['data']) ? list['data'].filter(isObject) : []
    for (const { id, metadata } of data)
      if (typeof id === 'string' && isObject(metadata) && metadata['sluice'] === token) return { kind: 'found', id }
    const last = data.at(-1)
    if (last === undefined || list['has_more'] !== true || Number(last['created_at']) * 1000 < at - skewMs)
      return { kind: 'absent' }
    after = `&after=${encodeURIComponent(String(last['id']))}`
  }
  return { kind: 'unsure' }
}

async function poll(ask: AskNative, id: string, signal: AbortSignal): Promise<NativeProgress> {
  const batch = await askKnown(ask, { method: 'GET', path: `batches/${id}` }, signal)
  if (batch === null) return { kind: 'gone', reason: 'the provider does not know the batch' }
  const { status, errors, output_file_id: output, error_file_id: failed } = batch
  if (status === 'failed') return { kind: 'gone', reason: JSON.stringify(errors ?? null).slice(0, 500) }
  if (!ends.has(String(status))) return { kind: 'running' }
  const files = [output, failed].filter((file) => typeof file === 'string')
  return { kind: 'ended', results: resultsOf(ask, files, signal) }
}

async function* resultsOf(
  ask: AskNative,
  files: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<NativeResult, void> {
  for (const file of files) {
    for await (const line of askLines(ask, `files/${file}/content`, signal)) {
      const result = resultOf(line)
      if (result !== null) yield result
    }
  }
}

/** Null for a line that was not answered, and for one that is worth another try. */
function resultOf(line: Buffer<ArrayBuffer>): NativeResult | null {
  const fields = findFields(line, lineFields)
  const response = fieldOf(line, fields, 'response')
  const id = fieldOf(line, fields, 'custom_id')
  if (response === null || id === null) return null
  const answer = findFields(response, responseFields)
  const [status, body] = [fieldOf(response, answer, 'status_code'), fieldOf(response, answer, 'body')]
  const code = Number(status?.toString())
  if (body === null || !(code >= 200 && code < 500) || code === 429) return null
  return { id: id.toString().slice(1, -1), status: code, body }
}
