/**
 * What the scripted upstream does with a request, as data: a behaviour is a list of steps on the
 * raw socket, so every byte and every fault is under the script's control. Behaviours are joined
 * by spreading: `[...head(200), gate, ...]`. A generator makes one that never ends.
 */
import { gzipSync } from 'node:zlib'
import { endpointAnswers } from '../contract/endpoint-samples.ts'
import { chatChunks, chatCompletion, doneEvent, embeddingList, errorObject, modelList } from './upstream-samples.ts'

export type Step =
  /** Writes; the next step begins when the socket has taken all of it. */
  | { readonly step: 'send'; readonly bytes: Uint8Array }
  /** Waits for one `release()`. */
  | { readonly step: 'gate' }
  /** Does nothing more until the client goes away. */
  | { readonly step: 'hang' }
  /** Closes in good order (FIN). */
  | { readonly step: 'close' }
  /** Breaks the connection (RST). */
  | { readonly step: 'reset' }

/** Without a closing step the connection is kept for the next request. */
export type Behaviour = Iterable<Step>

/** What a script may look at to choose a behaviour. */
export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly indexOnConnection: number
  json(): Readonly<Record<string, unknown>>
}

export type Headers = Readonly<Record<string, string | readonly string[]>>

export const gate: Step = { step: 'gate' }
export const hang: Step = { step: 'hang' }
export const close: Step = { step: 'close' }
export const reset: Step = { step: 'reset' }

/** Sends these bytes as one write. */
export function send(bytes: Uint8Array | string): Step {
  return { step: 'send', bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes }
}

/** Sends bytes in pieces that end at these offsets (ascending), one write each. */
export function sendSplit(bytes: Uint8Array, offsets: readonly number[]): readonly Step[] {
  const ends = [...offsets, bytes.length]
  return ends.map((end, index) => send(bytes.subarray(ends[index - 1] ?? 0, end)))
}

/** Status line and headers, names in the case given; nothing is added. */
export function head(status: number, headers: Headers = {}): Step {
  const lines = [`HTTP/1.1 ${status} ${status < 400 ? 'OK' : 'Refused'}`]
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === 'string' ? [values] : values) lines.push(`${name}: ${value}`)
  }
  return send(`${lines.join('\r\n')}\r\n\r\n`)
}

/** A whole answer with a content-length, in one write. */
export function answer(status: number, headers: Headers, body: Uint8Array | string): readonly Step[] {
  const bytes = Buffer.from(body)
  const top = head(status, { ...headers, 'Content-Length': String(bytes.length) })
  return top.step === 'send' ? [send(Buffer.concat([top.bytes, bytes]))] : [top]
}

/** A whole JSON answer. */
export function json(value: unknown, status = 200, headers: Headers = {}): readonly Step[] {
  return answer(status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(value))
}

/** A whole JSON answer, compressed whether it was asked for or not. */
export function gzipJson(value: unknown): readonly Step[] {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  return answer(200, headers, gzipSync(JSON.stringify(value)))
}

/** Refuses for now. */
export function rateLimited(retryAfter: string): readonly Step[] {
  return json(errorObject('Slow down.', 'rate_limit_exceeded', 'rate_limit_error'), 429, { 'Retry-After': retryAfter })
}

/** What a load balancer in front of a dead provider says. */
export function htmlBadGateway(): readonly Step[] {
  return answer(502, { 'Content-Type': 'text/html' }, '<html><body><h1>502 Bad Gateway</h1></body></html>')
}

export function redirect(location: string): readonly Step[] {
  return answer(302, { Location: location }, '')
}

/** Headers that belong to the upstream's connection or identity and may not reach a client. */
export const privateHeaders: Headers = {
  Connection: 'keep-alive, X-Hop',
  'Keep-Alive': 'timeout=5',
  'X-Hop': 'this connection only',
  'Proxy-Authenticate': 'Basic',
  'Set-Cookie': ['session=upstream; Path=/', '__cf_bm=tracking'],
  Server: 'upstream/1.0',
  'Strict-Transport-Security': 'max-age=31536000',
}

/** A body cut off in the middle: the promised length never comes. */
export function cutBody(value: unknown, ending: Step = close): readonly Step[] {
  const bytes = Buffer.from(JSON.stringify(value))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) }
  return [head(200, headers), send(bytes.subarray(0, bytes.length >> 1)), ending]
}

/** Headers of a stream; its events follow as chunks. */
export const streamHead: Step = head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })

/** The last chunk: a clean end of the body, whatever the events said. */
export const streamEnd: Step = send('0\r\n\r\n')

/** One HTTP chunk. */
export function chunk(bytes: Uint8Array | string): Step {
  const data = Buffer.from(bytes)
  return send(Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]))
}

/** A server-sent event as text: a string stands as it is, anything else becomes JSON. */
export function eventText(payload: string | object): string {
  return `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`
}

/** Events, one chunk and one write each; add `doneEvent` yourself. A gate stands before the events listed in `gates`. */
export function events(payloads: readonly (string | object)[], gates: 'every' | 'none' = 'none'): readonly Step[] {
  return payloads.flatMap((payload) =>
    gates === 'every' ? [gate, chunk(eventText(payload))] : [chunk(eventText(payload))],
  )
}

/** A complete stream of these events. */
export function stream(payloads: readonly (string | object)[], gates: 'every' | 'none' = 'none'): readonly Step[] {
  return [streamHead, ...events(payloads, gates), streamEnd]
}

/** A stream that ends after these events with a fault instead of its last chunk. */
export function brokenStream(payloads: readonly (string | object)[], ending: Step): readonly Step[] {
  return [streamHead, ...events(payloads), ending]
}

/** A stream cut inside its last event: HTTP framing and event are both left open. */
export function cutInsideEvent(payloads: readonly (string | object)[], ending: Step = close): readonly Step[] {
  const cut = Buffer.from(eventText(payloads.at(-1) ?? ''))
  const half = send(Buffer.concat([Buffer.from(`${cut.length.toString(16)}\r\n`), cut.subarray(0, cut.length >> 1)]))
  return [streamHead, ...events(payloads.slice(0, -1)), half, ending]
}

/** The same event for ever, as fast as the client reads. */
export function* endlessStream(payload: string | object): Iterable<Step> {
  yield streamHead
  const event = chunk(eventText(payload))
  for (;;) yield event
}

/** Closes a kept connection as soon as a second request arrives on it, before any byte; answers the others. */
export function closeReused(request: ScriptedRequest): Behaviour {
  return request.indexOnConnection > 0 ? [close] : openAiAnswer(request)
}

/** A list of one model that this owner has, as servers name themselves. */
export function modelsOf(owner: string): Behaviour {
  return json({ object: 'list', data: [{ id: 'upstream-model', object: 'model', created: 0, owned_by: owner }] })
}

/** What a healthy provider answers: the default of every upstream. */
export function openAiAnswer(request: ScriptedRequest): Behaviour {
  if (request.path === '/v1/models') return json(modelList('upstream-model', 'vendor/other-model'))
  if (request.method !== 'POST') return json(errorObject('Not found.', 'not_found'), 404)
  const sample = endpointAnswers[request.path.replace('/v1/', '')]
  if (sample !== undefined) return json(sample)
  if (request.path === '/v1/audio/speech') return answer(200, { 'Content-Type': 'audio/mpeg' }, 'a sound')
  const body = request.json()
  const model = String(body['model'])
  if (request.path === '/v1/embeddings') {
    return json(embeddingList(Array.isArray(body['input']) ? body['input'].length : 1, model))
  }
  if (request.path !== '/v1/chat/completions') return json(errorObject('Not found.', 'not_found'), 404)
  if (body['stream'] !== true) return json(chatCompletion({ model }))
  const options = body['stream_options'] as { readonly include_usage?: boolean } | undefined
  return stream([...chatChunks({ model, usage: options?.include_usage === true ? 'last' : 'none' }), doneEvent])
}
