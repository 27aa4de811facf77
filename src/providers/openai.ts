/**
 * Any server that speaks the OpenAI API: OpenAI itself, Azure's v1 endpoint, vLLM, SGLang, TGI,
 * llama.cpp, Ollama, LM Studio, Groq, Mistral and many more. Nothing is translated: the body goes
 * out as it came, and so does the answer.
 * API: https://platform.openai.com/docs/api-reference
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { replyOf } from '#lib/http1/reply.ts'
import {
  UpstreamFailure,
  type DiscoveredModel,
  type Endpoint,
  type Provider,
  type UpstreamCall,
  type UpstreamFailureKind,
} from './provider.ts'

const endpoints: ReadonlySet<Endpoint> = new Set(['chat/completions', 'completions', 'embeddings'])

export function openaiProvider(record: ProviderRecord): Provider {
  const ownHeaders = headersOf(record)
  return {
    record,
    endpoints,
    send: (call) => request(`${record.baseUrl}/${call.endpoint}`, sendOptions(call, ownHeaders)).then(replyOf),
    discover: (signal) => discover(record.baseUrl, ownHeaders, signal),
  }
}

/** The credential and the provider's own headers; the latter win, as some servers want another scheme. */
function headersOf(record: ProviderRecord): Record<string, string> {
  const headers: Record<string, string> = {}
  if (record.credential !== null) headers['authorization'] = `Bearer ${record.credential.reveal()}`
  for (const [name, value] of Object.entries(record.headers)) headers[name.toLowerCase()] = value
  return headers
}

function sendOptions(call: UpstreamCall, ownHeaders: Record<string, string>): BunFetchRequestInit {
  return {
    method: 'POST',
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
    keepalive: call.reuseConnection,
  }
}

async function request(url: string, options: BunFetchRequestInit): Promise<Response> {
  try {
    // A redirect would carry the credential to another address.
    return await fetch(url, { ...options, redirect: 'manual' })
  } catch (thrown) {
    options.signal?.throwIfAborted()
    throw new UpstreamFailure(failureKind(thrown), thrown)
  }
}

/** Bun's error codes, by experiment with version 1.4. */
function failureKind(thrown: unknown): UpstreamFailureKind {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (
    /^(ConnectionRefused|ECONNREFUSED|FailedToOpenSocket|ENOTFOUND|DNS|EHOSTUNREACH|ENETUNREACH|ConnectionTimeout)/i.test(
      code,
    )
  )
    return 'refused'
  if (/^(ECONNRESET|ConnectionClosed|ConnectionReset|EPIPE)/i.test(code)) return 'reset'
  return 'protocol'
}

async function discover(
  baseUrl: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<readonly DiscoveredModel[]> {
  const reply = await request(`${baseUrl}/models`, { headers, signal })
  if (!reply.ok) throw new UpstreamFailure('protocol', new Error(`GET /models answered ${reply.status}`))
  const list: unknown = await reply.json()
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
