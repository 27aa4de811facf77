/**
 * Batches of the Gemini API: a file of requests in its own words, a batch of it with a name by which it is found again, and
 * a file of results. Requests and answers are translated as those of live calls, by the same package: what it would send is
 * kept, and what the batch has answered is put before it. A request for several embeddings is several lines of the file.
 * API: https://ai.google.dev/api/batch-api and https://ai.google.dev/api/files
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { systemClock } from '#lib/clock.ts'
import { findFields } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { aiSdkProvider } from './ai-sdk.ts'
import type { CallFetch } from './ai-sdk/call-fetch.ts'
import {
  askKnown,
  askLines,
  askObject,
  fieldOf,
  listPagesMax,
  type AskNative,
  type NativeBatches,
  type NativeCall,
  type NativeProgress,
  type NativeResult,
  type NativeSearch,
  type NativeSubmission,
} from './native-batches.ts'
import { UpstreamFailure, type Endpoint, type UpstreamCall } from './provider.ts'

export interface AskGoogle {
  readonly api: AskNative
  readonly upload: AskNative
  readonly download: AskNative
}

/** The method that begins a batch, by the endpoint of its lines. */
const methods: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'batchGenerateContent',
  '/v1/embeddings': 'asyncBatchEmbedContent',
}
const statePattern = /^(?:BATCH|JOB)_STATE_/
const ends = new Set(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'CANCELLED', 'EXPIRED'])
const namePattern = /^[a-z]+\/[\w.-]+$/
const lineFields = new Set(['key', 'response', 'error', 'status'])
const embeddingField = new Set(['embedding'])
/** INVALID_ARGUMENT, as gRPC and as HTTP number it: asking again changes nothing. */
const refusedCodes = new Set([3, 400])
const lineFeed = 0x0a

export function googleBatches(record: ProviderRecord, ask: AskGoogle): NativeBatches {
  return {
    endpoints: new Set(Object.keys(methods)),
    translate: (call) => translate(record, call),
    reply: (result, call) => aiSdkProvider(record, systemClock, () => answering(result)).send(callOf(call)),
    submit: (submission, signal) => submit(ask, submission, signal),
    find: ({ token }, signal) => find(ask.api, token, signal),
    poll: (name, signal) => poll(ask, name, signal),
    async cancel(name, signal) {
      const { status, body } = await ask.api({ method: 'POST', path: `${name}:cancel` }, signal)
      body.cancel()
      if (status >= 500 || status === 429) throw new Error(`cancelling a batch answered ${status}`)
    },
  }
}

/** What the package would send, each request of it in one line; null for what it refuses. */
async function translate(record: ProviderRecord, call: NativeCall): Promise<Buffer | null> {
  let sent: unknown = null
  const keeping: CallFetch = {
    answerHeaders: () => ({}),
    fetch(_url, init) {
      sent = init?.body
      return Promise.reject(new UpstreamFailure('refused', 'nothing is sent'))
    },
  }
  const refusal = await aiSdkProvider(record, systemClock, () => keeping)
    .send(callOf(call))
    .catch(() => null)
  refusal?.body.cancel()
  if (typeof sent !== 'string') return null
  const { requests } = JSON.parse(sent) as { readonly requests?: readonly object[] }
  return Buffer.from(requests === undefined ? sent : requests.map((each) => JSON.stringify(each)).join('\n'))
}

/** The call that goes nowhere. */
function callOf({ endpoint, model, body }: NativeCall): UpstreamCall {
  const { signal } = new AbortController()
  return {
    endpoint: endpoint.slice('/v1/'.length) as Endpoint,
    upstreamModel: model,
    content: { kind: 'json', body },
    streamed: false,
    headers: {},
    requestId: '',
    signal,
    cancellation: signal,
    reuseConnection: false,
  }
}

/** Answers the first call; a package that goes on asking has an answer that is not whole. */
function answering({ status, body }: NativeResult): CallFetch {
  let isAnswered = false
  return {
    answerHeaders: () => ({}),
    fetch() {
      if (isAnswered) return Promise.reject(new UpstreamFailure('protocol', 'the answer of a batch is not whole'))
      isAnswered = true
      return Promise.resolve(new Response(body, { status, headers: { 'content-type': 'application/json' } }))
    },
  }
}

async function submit(
  ask: AskGoogle,
  { token, endpoint, model, lines }: NativeSubmission,
  signal: AbortSignal,
): Promise<string> {
  const boundary = `sluice${token}`
  const about = { file: { displayName: displayName(token), mimeType: 'application/jsonl' } }
  const bytes = Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(about)}\r\n`),
    Buffer.from(`--${boundary}\r\ncontent-type: application/jsonl\r\n\r\n`),
    ...lines.flatMap(({ id, body }) => requestsOf(id, body)),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const form = { type: `multipart/related; boundary=${boundary}`, bytes }
  const { file } = await askObject(ask.upload, { method: 'POST', path: 'files', body: form }, signal)
  const fileName = nameOf(isObject(file) ? file['name'] : null)
  const batch = { displayName: displayName(token), inputConfig: { fileName } }
  const json = { type: 'application/json', bytes: Buffer.from(JSON.stringify({ batch })) }
  const path = `models/${encodeURIComponent(model.replace(/^models\//, ''))}:${methods[endpoint]}`
  const { name } = await askObject(ask.api, { method: 'POST', path, body: json }, signal)
  return nameOf(name)
}

/** Lines of the file; those of one request that is several have its id, their place, and how many they are. */
function requestsOf(id: string, body: Uint8Array): readonly Uint8Array[] {
  const requests: Uint8Array[] = []
  for (let from = 0; from <= body.length;) {
    const end = body.indexOf(lineFeed, from)
    requests.push(body.subarray(from, end < 0 ? body.length : end))
    from = end < 0 ? body.length + 1 : end + 1
  }
  return requests.flatMap((request, at) => {
    const key = requests.length === 1 ? id : `${id}_${at}_${requests.length}`
    return [Buffer.from(`{"key":"${key}","request":`), request, Buffer.from('}\n')]
  })
}

function displayName(token: string): string {
  return `sluice-${token}`
}

/** Names become parts of addresses. */
function nameOf(value: unknown): string {
  if (typeof value === 'string' && namePattern.test(value)) return value
  throw new Error('an answer about a batch has no name')
}

/** The order of the list is not promised, so all of it is read, without the results that batches of others carry. */
async function find(ask: AskNative, token: string, signal: AbortSignal): Promise<NativeSearch> {
  const fields = encodeURIComponent('operations(name,metadata/displayName),nextPageToken')
  let from = ''
  for (let page = 0; page < listPagesMax; page += 1) {
    const path = `batches?pageSize=100&fields=${fields}${from}`
    const { operations, nextPageToken } = await askObject(ask, { method: 'GET', path }, signal)
    for (const { name, metadata } of Array.isArray(operations) ? operations.filter(isObject) : [])
      if (isObject(metadata) && metadata['displayName'] === displayName(token))
        return { kind: 'found', id: nameOf(name) }
    if (typeof nextPageToken !== 'string' || nextPageToken === '') return { kind: 'absent' }
    from = `&pageToken=${encodeURIComponent(nextPageToken)}`
  }
  return { kind: 'unsure' }
}

async function poll({ api, download }: AskGoogle, name: string, signal: AbortSignal): Promise<NativeProgress> {
  const operation = await askKnown(api, { method: 'GET', path: name }, signal)
  if (operation === null) return { kind: 'gone', reason: 'the provider does not know the batch' }
  const metadata = isObject(operation['metadata']) ? operation['metadata'] : {}
  const { response, error } = operation
  const state = String(metadata['state']).replace(statePattern, '')
  if (state === 'FAILED' || (isObject(error) && !ends.has(state)))
    return { kind: 'gone', reason: JSON.stringify(error ?? null).slice(0, 500) }
  if (!ends.has(state)) return { kind: 'running' }
  const file = [response, metadata['output']].map(fileOf).find((each) => each !== null) ?? null
  return { kind: 'ended', results: file === null ? nothing() : resultsOf(download, file, signal) }
}

function fileOf(output: unknown): string | null {
  const file = isObject(output) ? output['responsesFile'] : null
  return typeof file === 'string' && namePattern.test(file) ? file : null
}

async function* nothing(): AsyncGenerator<NativeResult, void> {}

async function* resultsOf(ask: AskNative, file: string, signal: AbortSignal): AsyncGenerator<NativeResult, void> {
  // Embeddings of requests for several, by their places, until all have come.
  const begun = new Map<string, Map<string, Buffer>>()
  for await (const line of askLines(ask, `${file}:download?alt=media`, signal)) {
    const fields = findFields(line, lineFields)
    const key = fieldOf(line, fields, 'key')?.toString().slice(1, -1)
    const [id = '', place, count] = key?.split('_') ?? []
    const response = fieldOf(line, fields, 'response')
    const failure = fieldOf(line, fields, 'error') ?? fieldOf(line, fields, 'status')
    const result = response === null ? refusalOf(id, failure) : { id, status: 200, body: response }
    if (result === null) continue
    if (response === null || place === undefined) {
      yield result
      continue
    }
    const embedding = fieldOf(response, findFields(response, embeddingField), 'embedding')
    if (embedding === null) continue
    const group = begun.get(id) ?? new Map<string, Buffer>()
    begun.set(id, group.set(place, embedding))
    if (group.size !== Number(count)) continue
    begun.delete(id)
    yield { id, status: 200, body: joined(group) }
  }
}

/** Null for a failure that is worth another try. */
function refusalOf(id: string, failure: Buffer | null): NativeResult | null {
  if (failure === null) return null
  const error: unknown = JSON.parse(failure.toString())
  if (!isObject(error) || !refusedCodes.has(Number(error['code']))) return null
  const { message } = error
  const body = { error: { code: 400, message: typeof message === 'string' ? message : '', status: 'INVALID_ARGUMENT' } }
  return { id, status: 400, body: Buffer.from(JSON.stringify(body)) }
}

function joined(embeddings: ReadonlyMap<string, Buffer>): Buffer<ArrayBuffer> {
  const inOrder = [...embeddings].toSorted(([one], [other]) => Number(one) - Number(other))
  const parts = inOrder.flatMap(([, each], at) => (at === 0 ? [each] : [Buffer.from(','), each]))
  return Buffer.concat([Buffer.from('{"embeddings":['), ...parts, Buffer.from(']}')])
}
