/**
 * What the endpoints of other wire formats promise alike, each in its own words: as suites that the
 * files of both call. `plain` is translated, because its provider only knows chat completions.
 */
import { expect, test } from 'bun:test'
import { errorCatalogue, type ErrorCode } from '#errors/catalogue.ts'
import { nativeMessage, nativeMessageEvents, nativeResponse, nativeResponseEvents } from './dialect-samples.ts'
import { gatewayOfFile, modelWithEndpoints } from './endpoint-contract.ts'
import type { ChatOptions, GatewayApp } from '../app/gateway-app.ts'
import { holdStream } from '../upstream/held-stream.ts'
import { expectRefusal } from './refusal.ts'
import {
  brokenStream,
  close,
  events,
  hang,
  json,
  rateLimited,
  reset,
  streamHead,
  type Behaviour,
} from '../upstream/upstream-behaviours.ts'
import { chatChunks, errorObject } from '../upstream/upstream-samples.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly param?: string
}

export interface DialectEndpoint {
  readonly endpoint: 'messages' | 'responses'
  /** Fields of a small valid request, without the model. */
  readonly fields: Fields
  /** What a provider that has the endpoint answers. */
  readonly native: object
  readonly nativeEvents: typeof nativeMessageEvents
  /** Checks the shape of a refusal; the message in it. */
  refusal(response: Response, promised: Refusal): Promise<string>
}

export const messagesEndpoint: DialectEndpoint = {
  endpoint: 'messages',
  fields: { max_tokens: 64, messages: [{ role: 'user', content: 'Say hello.' }] },
  native: nativeMessage,
  nativeEvents: nativeMessageEvents,
  refusal: expectMessagesRefusal,
}

export const responsesEndpoint: DialectEndpoint = {
  endpoint: 'responses',
  fields: { input: 'Say hello.' },
  native: nativeResponse,
  nativeEvents: nativeResponseEvents,
  async refusal(response, { status, code, param = null }) {
    const { type } = errorCatalogue[code]
    return (await expectRefusal(response, { status, code, type, param })).message
  },
}

const messagesTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  429: 'rate_limit_error',
  502: 'api_error',
  504: 'timeout_error',
}

/** Anthropic's error object and nothing else; it has no field for what is at fault, so the message names it. */
async function expectMessagesRefusal(response: Response, promised: Refusal): Promise<string> {
  const { status, code, param } = promised
  const text = await response.text()
  expect([response.status, text]).toEqual([status, expect.stringContaining('"error"')])
  const body = JSON.parse(text) as { readonly type: string; readonly error: { readonly message: string } }
  const details = { error_code: code }
  const error = { type: messagesTypes[status], message: expect.any(String), details }
  const requestId = response.headers.get('x-request-id')
  expect(response.headers.get('request-id')).toBe(requestId)
  expect<unknown>(body).toEqual({ type: 'error', error, request_id: requestId })
  if (param !== undefined) expect(body.error.message).toContain(param)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^[\w.:-]+$/)
  expect(response.headers.get('x-should-retry')).toBe(errorCatalogue[code].retryable ? null : 'false')
  return body.error.message
}

/** A small request, with fields over its own. */
export function askDialect(
  gateway: GatewayApp,
  { endpoint, fields }: DialectEndpoint,
  more: Fields | string = {},
  options: ChatOptions = {},
): Promise<Response> {
  const body = typeof more === 'string' ? more : JSON.stringify({ model: 'plain', ...fields, ...more })
  const headers = { 'content-type': 'application/json', ...options.headers }
  return gateway.request('POST', `/ai/v1/${endpoint}`, { ...options, headers, body })
}

/** A model whose provider has the endpoint itself. */
export function nativeModel(gateway: GatewayApp, { endpoint }: DialectEndpoint): Promise<string> {
  return modelWithEndpoints(gateway, [endpoint, 'chat/completions'])
}

/** 401: in this dialect's words, before anything of the body is read. */
export function unknownCallerContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()

  test('no key is missing_api_key, whatever else is wrong with the request', async () => {
    for (const body of [{}, { model: 'no such model' }, 'not json']) {
      const refused = await askDialect(gateway(), dialect, body, { key: null })
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
      await dialect.refusal(refused, { status: 401, code: 'missing_api_key' })
    }
  })

  test('a key that is none is invalid_api_key, in either header', async () => {
    for (const headers of [{ 'x-api-key': 'sk-ant-wrong' }, { authorization: 'Bearer sk-wrong' }]) {
      const refused = await askDialect(gateway(), dialect, {}, { key: null, headers })
      await dialect.refusal(refused, { status: 401, code: 'invalid_api_key' })
    }
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a key in x-api-key is as good as one in authorization', async () => {
    const headers = { 'x-api-key': gateway().keys.main.secret }
    const response = await askDialect(gateway(), dialect, {}, { key: null, headers })
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  })
}

/** 403: a model of other people. */
export function deniedModelContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()

  test('a model of other people is 403, and nothing is asked of a provider', async () => {
    const refused = await askDialect(gateway(), dialect, { model: 'private' })
    await dialect.refusal(refused, { status: 403, code: 'model_access_denied', param: 'model' })
    expect(gateway().upstream.requests).toEqual([])
  })
}

/** 404: no such model. */
export function unknownModelContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()

  test('a name that no model has is 404, and nothing is asked of a provider', async () => {
    const refused = await askDialect(gateway(), dialect, { model: 'unheard-of' })
    const message = await dialect.refusal(refused, { status: 404, code: 'model_not_found', param: 'model' })
    expect(message).toContain('"unheard-of"')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a model whose provider can neither be asked like this nor for chat completions is 404', async () => {
    const model = await modelWithEndpoints(gateway(), ['embeddings'])
    const refused = await askDialect(gateway(), dialect, { model })
    const message = await dialect.refusal(refused, { status: 404, code: 'endpoint_not_supported', param: 'model' })
    expect(message).toContain(`no endpoint ${dialect.endpoint}. Its provider offers embeddings`)
    expect(gateway().upstream.requests).toEqual([])
  })

  test('the row of a refusal has the name of this endpoint', async () => {
    const headers = { 'x-request-id': 'refused' }
    await askDialect(gateway(), dialect, { model: 'unheard-of' }, { headers })
    expect(await gateway().usageOf('refused')).toMatchObject({
      endpoint: dialect.endpoint,
      status: 404,
      code: 'model_not_found',
      modelAsked: 'unheard-of',
    })
  })
}

/** 429: the account's limit, and the provider's. */
export function limitContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile({ set: ['limits.realtime_inflight.enforce=true'] })

  test('the limit of requests in flight is shared with chat completions, and told with when to come back', async () => {
    const held = await holdStream(gateway(), 'narrow')
    const before = gateway().upstream.requests.length
    const refused = await askDialect(gateway(), dialect, { model: 'narrow' })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(500)
    await dialect.refusal(refused, { status: 429, code: 'inflight_limit_exceeded' })
    expect(gateway().upstream.requests.length).toBe(before)
    await held.finish()
    expect((await askDialect(gateway(), dialect, { model: 'narrow' })).status).toBe(200)
  })

  test('a stream that has been read to its end has given its slot back', async () => {
    for (let round = 0; round < 10; round += 1) {
      const response = await askDialect(gateway(), dialect, { model: 'narrow', stream: true })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    }
  })

  test("the provider's limit is passed on with its Retry-After, translated or not", async () => {
    for (const model of ['plain', await nativeModel(gateway(), dialect)]) {
      gateway().upstream.scriptNext(rateLimited('7'))
      const refused = await askDialect(gateway(), dialect, { model })
      expect(refused.headers.get('retry-after')).toBe('7')
      await dialect.refusal(refused, { status: 429, code: 'upstream_rate_limited' })
    }
  })
}

/** 502: the provider fails before the first byte has gone to the client. */
export function upstreamFailureContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()
  const html: Behaviour = json('<h1>canary</h1>')
  const rows: readonly (readonly [string, Behaviour, ErrorCode])[] = [
    ['fails with a 500', json(errorObject('canary'), 500), 'upstream_error'],
    ['refuses the credential of the gateway', json(errorObject('canary'), 401), 'upstream_auth_failed'],
    ['breaks the connection', [reset], 'upstream_error'],
  ]
  for (const [what, behaviour, code] of rows) {
    test(`a provider that ${what} is ${code}, translated or not, streamed or not`, async () => {
      const native = await nativeModel(gateway(), dialect)
      gateway().upstream.script(behaviour)
      for (const model of ['plain', native]) {
        for (const stream of [false, true]) {
          const refused = await askDialect(gateway(), dialect, { model, stream })
          expect(await dialect.refusal(refused, { status: 502, code })).not.toContain('canary')
        }
      }
    })
  }

  test('an answer that is no chat completion is upstream_invalid_response, and none of it is shown', async () => {
    for (const answer of [html, json({}), json({ choices: [] }), json({ choices: [{ message: 'canary' }] })]) {
      gateway().upstream.scriptNext(answer)
      const refused = await askDialect(gateway(), dialect)
      const message = await dialect.refusal(refused, { status: 502, code: 'upstream_invalid_response' })
      expect(message).not.toContain('canary')
    }
  })

  test('a stream that ends before its first event has its real status', async () => {
    for (const behaviour of [brokenStream([], close), brokenStream([], reset)]) {
      gateway().upstream.scriptNext(behaviour)
      const refused = await askDialect(gateway(), dialect, { stream: true })
      await dialect.refusal(refused, { status: 502, code: 'upstream_stream_error' })
    }
  })

  test('a failure is recorded under the name of this endpoint, with the tries that it took', async () => {
    gateway().upstream.scriptNext(json({}, 500))
    await askDialect(gateway(), dialect, {}, { headers: { 'x-request-id': 'failed' } })
    const { endpoint } = dialect
    expect(await gateway().usageOf('failed')).toMatchObject({ endpoint, status: 502, provider: 'up', attempts: 1 })
    expect(await gateway().metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  })
}

/** 504: the provider says nothing. */
export function silenceContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile({ set: ['gateway.first_token_seconds=0.1'] })
  const silences: readonly (readonly [string, Behaviour, boolean])[] = [
    ['to a request', [hang], false],
    ['to a request for a stream', [hang], true],
    ['after the head of a stream', [streamHead, hang], true],
  ]
  for (const [index, [when, behaviour, stream]] of silences.entries()) {
    test(`a provider that says nothing ${when} is upstream_timeout, and let go`, async () => {
      const headers = { 'x-request-id': `silent-${index}` }
      gateway().upstream.scriptNext(behaviour)
      const refused = await askDialect(gateway(), dialect, { stream }, { headers })
      await dialect.refusal(refused, { status: 504, code: 'upstream_timeout' })
      await (
        await gateway().received(headers['x-request-id'])
      ).closed
    })
  }
}

/** 499: the client leaves. */
export function leavingClientContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()
  const { endpoint } = dialect
  const left = { endpoint, status: 499, code: 'client_closed', modelServed: 'plain' }

  /** A client that leaves when the upstream has the request; resolves when the upstream has been let go. */
  async function leave(requestId: string, behaviour: Behaviour, stream: boolean): Promise<void> {
    gateway().upstream.scriptNext(behaviour)
    const client = new AbortController()
    const options = { headers: { 'x-request-id': requestId }, signal: client.signal }
    const answered = askDialect(gateway(), dialect, { stream }, options).catch(() => null)
    const received = await gateway().received(requestId)
    client.abort()
    expect(await answered).toBeNull()
    await received.closed
    expect(received.aborted).toBe(true)
  }

  test('a client that leaves before the first byte aborts the upstream and is recorded', async () => {
    await leave('left-whole', [hang], false)
    expect(await gateway().usageOf('left-whole')).toMatchObject({ ...left, streamed: false })
    await leave('left-streamed', [streamHead, hang], true)
    expect(await gateway().usageOf('left-streamed')).toMatchObject({ ...left, streamed: true })
    expect(await gateway().metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  })

  test('a client that leaves in the middle of a stream aborts the upstream and frees the slot', async () => {
    gateway().upstream.scriptNext([streamHead, ...events(chatChunks().slice(0, 2)), hang])
    const client = new AbortController()
    const headers = { 'x-request-id': 'left-middle' }
    const response = await askDialect(gateway(), dialect, { stream: true }, { headers, signal: client.signal })
    expect(response.status).toBe(200)
    client.abort()
    const received = await gateway().received('left-middle')
    await received.closed
    expect(received.aborted).toBe(true)
    const row = await gateway().usageOf('left-middle')
    expect(row).toMatchObject({ ...left, upstreamStatus: 200 })
    expect(row.responseBytes).toBeGreaterThan(0)
    expect(await gateway().metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  })
}

/** 405: another method. */
export function otherMethodContract(dialect: DialectEndpoint): void {
  const gateway = gatewayOfFile()

  test('every method but POST is refused in the words of this dialect', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const refused = await gateway().request(method, `/ai/v1/${dialect.endpoint}`)
      expect(refused.headers.get('allow')).toBe('POST')
      await dialect.refusal(refused, { status: 405, code: 'method_not_allowed' })
    }
  })
}
