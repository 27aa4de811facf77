/** The official Anthropic client, set upon a gateway as a user would: a base URL and a key, nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  type ClientOptions,
} from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { messagesEndpoint, nativeModel } from '#test/support/contract/dialect-contract.ts'
import { nativeMessage, nativeMessageEvents, typedStream } from '#test/support/contract/dialect-samples.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  brokenStream,
  events,
  hang,
  json,
  reset,
  stream,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import {
  chatChunks,
  chatCompletion,
  doneEvent,
  errorObject,
  sampleUsage,
} from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
let client: Anthropic
beforeAll(async () => {
  gateway = await startGateway()
  client = clientOf()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The client adds /v1 to its base URL by itself. */
function clientOf(options: ClientOptions = {}): Anthropic {
  return new Anthropic({ baseURL: `${gateway.url}/ai`, apiKey: gateway.keys.main.secret, maxRetries: 0, ...options })
}

const asked: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'plain',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Say hello.' }],
}
const said = 'Hello, wörld 🌊'

async function failure(promise: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof APIError)) throw new Error(`no APIError came, but ${String(thrown)}`)
  return thrown
}

describe('a message', () => {
  test('comes from a provider that only knows chat completions, with the id of its request', async () => {
    const message = await client.messages.create(asked, { headers: { 'x-request-id': 'sdk-whole' } })
    expect<unknown>(message.content).toEqual([{ type: 'text', text: said }])
    expect(message.usage).toMatchObject({
      input_tokens: sampleUsage.prompt_tokens,
      output_tokens: sampleUsage.completion_tokens,
    })
    expect(message._request_id).toBe('sdk-whole')
    expect((await gateway.received('sdk-whole')).path).toBe('/v1/chat/completions')
  })

  test('comes as it is from a provider that has the endpoint', async () => {
    gateway.upstream.scriptNext(json(nativeMessage))
    const message = await client.messages.create({ ...asked, model: await nativeModel(gateway, messagesEndpoint) })
    expect({ ...message }).toEqual({ ...nativeMessage } as unknown as typeof message)
  })

  test('is answered to a bearer token as well as to an x-api-key', async () => {
    const bearer = clientOf({ apiKey: null, authToken: gateway.keys.main.secret })
    expect((await bearer.messages.create(asked)).type).toBe('message')
  })

  test('goes round with a tool: its call, its result, the answer', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
    const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] } }
    gateway.upstream.scriptNext(json({ choices: [{ ...choice, finish_reason: 'tool_calls' }] }))
    const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object' } }]
    const first = await client.messages.create({ ...asked, tools })
    expect(first.stop_reason).toBe('tool_use')
    const result: Anthropic.ToolResultBlockParam = { type: 'tool_result', tool_use_id: 'call_1', content: '21 °C' }
    const messages: Anthropic.MessageParam[] = [
      ...asked.messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]
    gateway.upstream.scriptNext(json(chatCompletion()))
    const options = { headers: { 'x-request-id': 'sdk-tool' } }
    expect((await client.messages.create({ ...asked, tools, messages }, options)).stop_reason).toBe('end_turn')
    expect((await gateway.received('sdk-tool')).json()['messages']).toEqual([
      { role: 'user', content: 'Say hello.' },
      expect.objectContaining({ role: 'assistant', tool_calls: [call] }),
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
    ])
  })
})

test('the tool runner goes on without a thread, with the whole conversation', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
  const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] } }
  gateway.upstream.scriptNext(json({ choices: [{ ...choice, finish_reason: 'tool_calls' }] }), json(chatCompletion()))
  const weather = betaTool({
    name: 'weather',
    description: 'Tells the weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => `21 °C in ${city}`,
  })
  const options = { headers: { 'x-request-id': 'sdk-runner' } }
  const runner = clientOf({ logLevel: 'off' }).beta.messages.toolRunner({ ...asked, tools: [weather] }, options)
  expect<unknown>((await runner).content).toEqual([{ type: 'text', text: said }])
  const requests = gateway.upstream.requests.filter((each) => each.header('x-request-id') === 'sdk-runner')
  expect(requests.map((each) => each.json()['messages'])).toEqual([
    asked.messages,
    [
      ...asked.messages,
      expect.objectContaining({ role: 'assistant', tool_calls: [call] }),
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C in Bern' },
    ],
  ])
})

describe('a stream', () => {
  test('is put together by the helper, translated or not', async () => {
    gateway.upstream.scriptNext(stream([...chatChunks({ usage: 'last' }), doneEvent]), typedStream(nativeMessageEvents))
    for (const [model, tokens] of [
      ['plain', sampleUsage.completion_tokens],
      [await nativeModel(gateway, messagesEndpoint), 15],
    ] as const) {
      const runner = client.messages.stream({ ...asked, model })
      const deltas: string[] = []
      runner.on('text', (delta) => deltas.push(delta))
      const message = await runner.finalMessage()
      expect([deltas.join(''), message.stop_reason, message.usage.output_tokens]).toEqual([said, 'end_turn', tokens])
      expect(runner.request_id).toMatch(/^[\w-]+$/)
    }
  })

  test('that breaks off throws, with the code of the gateway, translated or not', async () => {
    gateway.upstream.scriptNext(brokenStream(chatChunks().slice(0, 3), reset), [
      ...typedStream(nativeMessageEvents.slice(0, 4)),
    ])
    for (const model of ['plain', await nativeModel(gateway, messagesEndpoint)]) {
      const error = await failure(client.messages.stream({ ...asked, model }).finalMessage())
      expect([error.type, error.errorCode]).toEqual(['api_error', 'upstream_stream_error'])
    }
  })

  test('that the client leaves is let go by the gateway', async () => {
    gateway.upstream.scriptNext([streamHead, ...events(chatChunks().slice(0, 2)), hang])
    const options = { headers: { 'x-request-id': 'sdk-left' } }
    for await (const event of await client.messages.create({ ...asked, stream: true }, options))
      if (event.type === 'content_block_delta') break
    const received = await gateway.received('sdk-left')
    await received.closed
    expect(received.aborted).toBe(true)
    expect((await gateway.usageOf('sdk-left')).status).toBe(499)
  })
})

describe('an error is of the class that belongs to it, with its code and the id of the request:', () => {
  const headers = { 'x-request-id': 'sdk-error' }

  test('a request that cannot be translated: BadRequestError', async () => {
    const error = await failure(client.messages.create({ ...asked, inference_geo: 'eu' }, { headers }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect([error.errorCode, error.requestID]).toEqual(['invalid_body', 'sdk-error'])
    expect(error.message).toContain('inference_geo')
  })

  test('a model that does not exist: NotFoundError', async () => {
    const error = await failure(client.messages.create({ ...asked, model: 'unheard-of' }, { headers }))
    expect(error).toBeInstanceOf(NotFoundError)
    expect([error.type, error.errorCode, error.requestID]).toEqual(['not_found_error', 'model_not_found', 'sdk-error'])
  })

  test('a model of other people: PermissionDeniedError', async () => {
    const error = await failure(client.messages.create({ ...asked, model: 'private' }, { headers }))
    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect([error.type, error.errorCode, error.requestID]).toEqual([
      'permission_error',
      'model_access_denied',
      'sdk-error',
    ])
  })

  test('a key that is wrong: AuthenticationError', async () => {
    const error = await failure(clientOf({ apiKey: 'sk-ant-wrong' }).messages.create(asked))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect([error.type, error.errorCode]).toEqual(['authentication_error', 'invalid_api_key'])
  })

  test('a provider that limits, after all tries: RateLimitError', async () => {
    gateway.upstream.scriptNext(
      ...Array.from({ length: 3 }, () => json(errorObject('Slow down.'), 429, { 'Retry-After-Ms': '1' })),
    )
    const before = gateway.upstream.requests.length
    const error = await failure(clientOf({ maxRetries: 2 }).messages.create(asked, { headers }))
    expect(error).toBeInstanceOf(RateLimitError)
    expect([error.errorCode, error.requestID]).toEqual(['upstream_rate_limited', 'sdk-error'])
    expect(gateway.upstream.requests.length - before).toBe(3)
  })

  test("a provider that refuses the gateway's own key, at once: InternalServerError", async () => {
    gateway.upstream.scriptNext(json(errorObject('Incorrect API key canary'), 401))
    const before = gateway.upstream.requests.length
    const error = await failure(clientOf({ maxRetries: 2 }).messages.create(asked, { headers }))
    expect(error).toBeInstanceOf(InternalServerError)
    expect([error.status, error.errorCode, error.requestID]).toEqual([502, 'upstream_auth_failed', 'sdk-error'])
    expect(error.message).not.toContain('canary')
    expect(gateway.upstream.requests.length - before).toBe(1)
  })
})

test('tokens are counted without asking a provider', async () => {
  const before = gateway.upstream.requests.length
  const counted = await client.messages.countTokens({ model: 'plain', messages: asked.messages })
  expect(counted.input_tokens).toBeGreaterThan(3)
  expect(gateway.upstream.requests.length).toBe(before)
})
