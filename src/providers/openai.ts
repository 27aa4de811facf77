/**
 * Any server that speaks the OpenAI API: OpenAI itself, Azure's v1 endpoint, vLLM, SGLang, TGI,
 * llama.cpp, Ollama, LM Studio, Groq, Mistral and many more. Nothing is translated: the body goes
 * out as it came, and so does the answer.
 * API: https://platform.openai.com/docs/api-reference
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client, Origin } from '#lib/http1/client.ts'
import { Http1Failure } from '#lib/http1/failure.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import type { Http1Request } from '#lib/http1/request.ts'
import {
  UpstreamFailure,
  type DiscoveredModel,
  type Endpoint,
  type Provider,
  type UpstreamCall,
  type UpstreamFailureKind,
} from './provider.ts'

const endpoints: ReadonlySet<Endpoint> = new Set(['chat/completions', 'completions', 'embeddings'])
const modelListBytesMax = 16 * 1024 * 1024

/** The client is the caller's and outlives the provider. */
export function openaiProvider(record: ProviderRecord, http1: Http1Client): Provider {
  const server = new Server(record, http1)
  return {
    record,
    endpoints,
    send: (call) => server.request(sendOptions(call, server.basePath, server.ownHeaders)),
    discover: (signal) => discover(server, signal),
  }
}

/** Where a provider is and what every request to it carries. */
class Server {
  /** Ends without a slash. */
  readonly basePath: string
  readonly ownHeaders: Readonly<Record<string, string>>
  readonly #http1: Http1Client
  readonly #origin: Origin

  constructor(record: ProviderRecord, http1: Http1Client) {
    this.basePath = new URL(record.baseUrl).pathname.replace(/\/+$/, '')
    this.ownHeaders = headersOf(record)
    this.#http1 = http1
    this.#origin = http1.origin(record.baseUrl)
  }

  async request(request: Http1Request): Promise<Reply> {
    try {
      return await this.#http1.request(this.#origin, request)
    } catch (thrown) {
      request.signal.throwIfAborted()
      throw new UpstreamFailure(failureKind(thrown), thrown)
    }
  }
}

/** The credential and the provider's own headers; the latter win, as some servers want another scheme. */
function headersOf(record: ProviderRecord): Record<string, string> {
  const headers: Record<string, string> = {}
  if (record.credential !== null) headers['authorization'] = `Bearer ${record.credential.reveal()}`
  for (const [name, value] of Object.entries(record.headers)) headers[name.toLowerCase()] = value
  return headers
}

function sendOptions(call: UpstreamCall, basePath: string, ownHeaders: Readonly<Record<string, string>>): Http1Request {
  return {
    method: 'POST',
    path: `${basePath}/${call.endpoint}`,
    headers: {
      ...call.headers,
      'content-type': 'application/json',
      accept: call.streamed ? 'text/event-stream' : 'application/json',
      'x-request-id': call.requestId,
      ...ownHeaders,
      // A packed stream arrives in lumps, and packed bytes cannot be watched.
      'accept-encoding': 'identity',
    },
    body: call.body,
    signal: call.signal,
    reuseConnection: call.reuseConnection,
    ...(call.connectTimeoutMs !== undefined && { connectTimeoutMs: call.connectTimeoutMs }),
  }
}

function failureKind(thrown: unknown): UpstreamFailureKind {
  if (!(thrown instanceof Http1Failure)) return 'protocol'
  return thrown.kind === 'reset' && thrown.reused && !thrown.answered ? 'stale' : thrown.kind
}

async function discover(server: Server, signal: AbortSignal): Promise<readonly DiscoveredModel[]> {
  const { status, body } = await server.request({
    method: 'GET',
    path: `${server.basePath}/models`,
    headers: { accept: 'application/json', ...server.ownHeaders, 'accept-encoding': 'identity' },
    body: null,
    signal,
    // Discovery is rare: one that finds a kept connection closed would fail for nothing.
    reuseConnection: false,
  })
  if (status !== 200) {
    body.cancel()
    throw new UpstreamFailure('protocol', new Error(`GET /models answered ${status}`))
  }
  const list = await readJson(body, signal)
  if (!isObject(list) || !Array.isArray(list['data']))
    throw new UpstreamFailure('protocol', new Error('GET /models sent no list'))
  return list['data'].flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry['id'] !== 'string') return []
    // vLLM says max_model_len; llama.cpp puts n_ctx_train under meta.
    const meta = isObject(entry['meta']) ? entry['meta'] : {}
    const contextLength = [entry['max_model_len'], entry['context_length'], meta['n_ctx_train']].find(
      (value) => typeof value === 'number',
    )
    return [{ id: entry['id'], ...(typeof contextLength === 'number' && { contextLength }) }]
  })
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
