/**
 * Any server that speaks the OpenAI API: OpenAI itself, Azure's v1 endpoint, vLLM, SGLang, TGI,
 * llama.cpp, Ollama, LM Studio, Groq, Mistral and many more. Nothing is translated: the body goes
 * out unchanged, and so does the answer.
 * API: https://platform.openai.com/docs/api-reference
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client, Origin } from '#lib/http1/client.ts'
import { Http1Failure } from '#lib/http1/failure.ts'
import { bodyOfPieces } from '#lib/http1/pieces.ts'
import type { Outcome } from '#lib/http1/call.ts'
import { readAll, replyAsSent, type Reply } from '#lib/http1/reply.ts'
import { HeadTemplate, type Http1Request } from '#lib/http1/request.ts'
import { isObject } from '#lib/json-value.ts'
import type { AskNative } from './native-batches.ts'
import { openAiBatches } from './openai-batches.ts'
import { withDetails, type AskJson } from './model-details.ts'
import { factsOf } from './model-facts.ts'
import {
  endpointNames,
  SocketRefused,
  UpstreamFailure,
  type CallContent,
  type DiscoveredModel,
  type Endpoint,
  type Provider,
  type SocketCall,
  type SocketListener,
  type UpstreamCall,
  type UpstreamFailureKind,
  type UpstreamSocket,
} from './provider.ts'
import { loadOf, type ServerLoad } from './server-load.ts'
import { openWebSocket } from './web-socket.ts'

/** What a server is taken to have when its record does not say: what it lacks it refuses itself. */
const usualEndpoints: ReadonlySet<Endpoint> = new Set([
  'chat/completions',
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'audio/translations',
  'audio/speech',
])
/** What OpenAI has and hardly any other server. */
const ownEndpoints: readonly Endpoint[] = ['responses', 'responses/compact', 'responses/input_tokens', 'realtime']
const metricsBytesMax = 2 * 1024 * 1024
const modelListBytesMax = 16 * 1024 * 1024

/** The client is the caller's and outlives the provider. */
export function openaiProvider(record: ProviderRecord, http1: Http1Client): Provider {
  const server = new Server(record, http1)
  return {
    record,
    endpoints: endpointsOf(record),
    sendsPieces: true,
    send: (call) => server.send(call),
    sendAs: (call, make) => server.send(call, make),
    connect: (call, listener) => connect(record, http1, call, listener),
    batches: openAiBatches(askNative(server, {})),
    discover: (signal) => discover(server, signal),
    ...(!isOpenAi(record.baseUrl) && { load: (signal: AbortSignal) => readLoad(server, signal) }),
    describe: (models, signal) => describe(server, models, signal),
  }
}

const openAiHosts = /(^|\.)(api\.openai\.com|openai\.azure\.com|services\.ai\.azure\.com)$/

/** Whether the address is OpenAI's own API, there or at Azure: it has what others do not, and takes fewer old names. */
export function isOpenAi(baseUrl: string): boolean {
  return openAiHosts.test(new URL(baseUrl).hostname)
}

/** Whether the address is at Azure, whose ids of files have the form of the gateway's own. */
export function isAzure(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname.endsWith('.azure.com')
}

/**
 * Whether the provider stores the responses of its Responses API. Others than OpenAI have the API without that, or keep
 * responses in memory only.
 */
export function storesResponses({ kind, options, baseUrl, servers }: ProviderRecord): boolean {
  // One server of several does not know what another has stored.
  if (servers !== null) return false
  const told = options['stores_responses']
  return typeof told === 'boolean' ? told : kind === 'openai' && isOpenAi(baseUrl)
}

/** The list in `options.endpoints`, in which names that are none are passed over. */
function endpointsOf({ options, baseUrl }: ProviderRecord): ReadonlySet<Endpoint> {
  const listed = options['endpoints']
  if (!Array.isArray(listed)) return isOpenAi(baseUrl) ? new Set([...usualEndpoints, ...ownEndpoints]) : usualEndpoints
  return new Set(endpointNames.filter((name) => listed.includes(name)))
}

/** Where a provider is and what every request to it carries. */
export class Server {
  /** Ends without a slash. */
  readonly basePath: string
  readonly ownHeaders: Readonly<Record<string, string>>
  readonly #http1: Http1Client
  readonly #origin: Origin
  /** What calls with a JSON body begin with, by their endpoint: for those that ask for events, and for the others. */
  readonly #eventHeads = new Map<Endpoint, HeadTemplate>()
  readonly #jsonHeads = new Map<Endpoint, HeadTemplate>()
  #outcome = asSent

  constructor(record: ProviderRecord, http1: Http1Client) {
    this.basePath = new URL(record.baseUrl).pathname.replace(/\/+$/, '')
    this.ownHeaders = headersOf(record)
    this.#http1 = http1
    this.#origin = http1.origin(record.baseUrl, { ip: record.server?.ip ?? null })
  }

  /** The endpoint's path is appended to that of the base URL. @param replyOf makes the answer, always in the same way */
  send(call: UpstreamCall, replyOf = replyAsSent): Promise<Reply> {
    if (this.#outcome.replyOf !== replyOf) this.#outcome = { replyOf, reasonOf: asUpstreamFailure }
    return this.#http1.request(this.#origin, this.#requestOf(call), this.#outcome)
  }

  request(request: Http1Request): Promise<Reply> {
    return this.#http1.request(this.#origin, request, asSent)
  }

  #requestOf(call: UpstreamCall): Http1Request {
    const { content } = call
    if (content.kind !== 'json' || call.accept !== undefined) return sendOptions(call, this.basePath, this.ownHeaders)
    const template = this.#templateOf(call)
    return {
      method: template.method,
      path: template.path,
      template,
      headers: { ...call.headers, 'x-request-id': call.requestId },
      body: content.body,
      signal: call.cancellation,
      reuseConnection: call.reuseConnection,
      connectTimeoutMs: call.connectTimeoutMs,
    }
  }

  #templateOf(call: UpstreamCall): HeadTemplate {
    const templates = call.streamed ? this.#eventHeads : this.#jsonHeads
    let template = templates.get(call.endpoint)
    if (template === undefined) {
      template = new HeadTemplate('POST', `${this.basePath}/${call.endpoint}`, sameHeaders(call, this.ownHeaders))
      templates.set(call.endpoint, template)
    }
    return template
  }
}

const asSent: Outcome = { replyOf: replyAsSent, reasonOf: asUpstreamFailure }

/** The base URL's own query stays, as some servers want a version in it. */
async function connect(
  record: ProviderRecord,
  http1: Http1Client,
  call: SocketCall,
  listener: SocketListener,
): Promise<UpstreamSocket> {
  const url = new URL(record.baseUrl)
  const proxy = http1.proxyFor(url)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/realtime`
  url.protocol = url.protocol.replace('http', 'ws')
  for (const [name, value] of call.query) url.searchParams.set(name, value)
  url.searchParams.set('model', call.upstreamModel)
  const headers = { ...call.headers, 'x-request-id': call.requestId, ...headersOf(record) }
  try {
    return await openWebSocket({ url: url.href, headers, proxy, signal: call.signal }, listener)
  } catch (thrown) {
    if (!(thrown instanceof SocketRefused) || !explained.has(thrown.status)) throw thrown
    throw new SocketRefused(thrown.status, await refusalOf(http1, url, { headers, call, status: thrown.status }))
  }
}

/** Statuses whose reason is in the client's request, so that the client has to see it. */
const explained = new Set([400, 404, 409, 413, 415, 422])

interface RefusedUpgrade {
  readonly headers: Readonly<Record<string, string>>
  readonly call: SocketCall
  readonly status: number
}

/**
 * The refusal of an upgrade with its body, which the runtime's client does not read: the same is asked once more. Null when
 * the answer is another one by now.
 */
async function refusalOf(
  http1: Http1Client,
  url: URL,
  { headers, call, status }: RefusedUpgrade,
): Promise<Reply | null> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64'),
  }
  try {
    const reply = await http1.request(http1.origin(url.href.replace(/^ws/, 'http')), {
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, ...upgrade, 'accept-encoding': 'identity' },
      body: null,
      signal: call.signal,
      reuseConnection: false,
    })
    if (reply.status === status) return reply
    reply.body.cancel()
  } catch {
    // The status is known, and only the reason is lost.
  }
  return null
}

/** The credential and the provider's own headers; the latter win, as some servers want another scheme. */
function headersOf(record: ProviderRecord): Record<string, string> {
  const headers: Record<string, string> = {}
  if (record.credential !== null) headers['authorization'] = `Bearer ${record.credential.reveal()}`
  for (const [name, value] of Object.entries(record.headers)) headers[name.toLowerCase()] = value
  return headers
}

function sendOptions(call: UpstreamCall, basePath: string, ownHeaders: Readonly<Record<string, string>>): Http1Request {
  const { content } = call
  const isResource = content.kind === 'resource'
  return {
    method: isResource ? content.method : 'POST',
    path: `${basePath}/${isResource ? content.path : call.endpoint}`,
    headers: { ...call.headers, 'x-request-id': call.requestId, ...sameHeaders(call, ownHeaders) },
    body: bodyOf(content),
    signal: call.cancellation,
    // What has been read of an upload cannot be sent again on a fresh connection, so it begins on one.
    reuseConnection: call.reuseConnection && content.kind !== 'upload',
    ...(call.connectTimeoutMs !== undefined && { connectTimeoutMs: call.connectTimeoutMs }),
  }
}

/** The headers that all calls of one kind have. */
function sameHeaders(
  { content, accept, streamed }: UpstreamCall,
  ownHeaders: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...(content.kind !== 'resource' && {
      'content-type': content.kind === 'json' ? 'application/json' : content.contentType,
    }),
    accept: accept ?? (streamed ? 'text/event-stream' : 'application/json'),
    ...ownHeaders,
    // A packed stream arrives in lumps, and packed bytes cannot be watched.
    'accept-encoding': 'identity',
  }
}

function bodyOf(content: CallContent): Http1Request['body'] {
  switch (content.kind) {
    case 'json':
    case 'upload':
      return content.body
    case 'pieces':
      return bodyOfPieces(content.parts)
    case 'resource':
      return null
  }
}

/** Other reasons come from the signal, or from reading the body, which is the caller's. */
function asUpstreamFailure(reason: unknown): unknown {
  const isFailure = reason instanceof Http1Failure || reason instanceof TypeError
  return isFailure ? new UpstreamFailure(failureKind(reason), reason) : reason
}

function failureKind(thrown: unknown): UpstreamFailureKind {
  if (!(thrown instanceof Http1Failure)) return 'protocol'
  return thrown.kind === 'reset' && thrown.reused && !thrown.answered ? 'stale' : thrown.kind
}

async function discover(server: Server, signal: AbortSignal): Promise<readonly DiscoveredModel[]> {
  const list = await askJson(server, { method: 'GET', path: `${server.basePath}/models`, body: null }, signal)
  if (!isObject(list) || !Array.isArray(list['data']))
    throw new UpstreamFailure('protocol', new Error('GET /models sent no list'))
  return list['data'].flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry['id'] !== 'string') return []
    const ownedBy = entry['owned_by']
    return [{ id: entry['id'], ...factsOf(entry), ...(typeof ownedBy === 'string' && { ownedBy }) }]
  })
}

/** At the root of the server, beside `/v1`. A server without metrics answers 404. */
async function readLoad(server: Server, signal: AbortSignal): Promise<ServerLoad | null> {
  const path = `${server.basePath.replace(/\/v1$/, '')}/metrics`
  const { status, body } = await server.request({
    method: 'GET',
    path,
    headers: server.ownHeaders,
    body: null,
    reuseConnection: true,
    signal,
  })
  const text = status === 200 ? await readAll(body, metricsBytesMax) : null
  if (text === null) body.cancel()
  return text === null ? null : loadOf(text.toString())
}

function describe(
  server: Server,
  models: readonly DiscoveredModel[],
  signal: AbortSignal,
): Promise<readonly DiscoveredModel[]> {
  const root = server.basePath.replace(/\/v1$/, '')
  const ask: AskJson = (path, body) =>
    askJson(
      server,
      { method: body === null ? 'GET' : 'POST', path: root + path, body: body && Buffer.from(JSON.stringify(body)) },
      signal,
    )
  return withDetails(models, ask, signal)
}

/** Questions about batches are rare, and what they carry is sent once: each has a connection of its own. */
export function askNative(server: Server, headers: Readonly<Record<string, string>>): AskNative {
  return ({ method, path, body }, signal) =>
    server.request({
      method,
      path: `${server.basePath}/${path}`,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': body.type }),
        ...headers,
        ...server.ownHeaders,
        'accept-encoding': 'identity',
      },
      body: body?.bytes ?? null,
      signal,
      reuseConnection: false,
    })
}

type Question = Pick<Http1Request, 'method' | 'path' | 'body'>

/** The JSON of a 200. Rejects with UpstreamFailure, or with the signal's reason. */
async function askJson(server: Server, question: Question, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await server.request({
    ...question,
    headers: {
      accept: 'application/json',
      ...(question.body !== null && { 'content-type': 'application/json' }),
      ...server.ownHeaders,
      'accept-encoding': 'identity',
    },
    signal,
    // These questions are rare: one that finds a kept connection closed would fail for nothing.
    reuseConnection: false,
  })
  if (status !== 200) {
    body.cancel()
    throw new UpstreamFailure('protocol', new Error(`GET /models answered ${status}`))
  }
  return readJson(body, signal)
}

async function readJson(body: Reply['body'], signal: AbortSignal): Promise<unknown> {
  try {
    const bytes = await readAll(body, modelListBytesMax)
    if (bytes === null) throw new Error('GET /models sent too much')
    return JSON.parse(bytes.toString('utf8'))
  } catch (thrown) {
    signal.throwIfAborted()
    throw new UpstreamFailure(failureKind(thrown), thrown)
  }
}
