/** The official OpenAI client: the Responses API, translated and passed through. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai'
import { nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { nativeResponse, nativeResponseEvents, typedStream } from '#test/support/contract/dialect-samples.ts'
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
import { chatChunks, chatCompletion, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const asked = { model: 'plain', input: 'Say hello.' } as const
const said = 'Hello, wörld 🌊'

async function failure(promise: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof APIError)) throw new Error(`no APIError came, but ${String(thrown)}`)
  return thrown
}

describe('a response', () => {
  test('comes from a provider that only knows chat completions, and is kept by the gateway', async () => {
    const response = await client.responses.create(asked, { headers: { 'x-request-id': 'sdk-whole' } })
    expect(response).toMatchObject({ output_text: said, status: 'completed', store: true })
    expect(response.usage).toMatchObject({ input_tokens: sampleUsage.prompt_tokens, output_tokens: 3 })
    expect(response._request_id).toBe('sdk-whole')
    expect((await gateway.received('sdk-whole')).path).toBe('/v1/chat/completions')
  })

  test('comes as it is from a provider that has the endpoint', async () => {
    gateway.upstream.scriptNext(json(nativeResponse))
    const response = await client.responses.create({ ...asked, model: await nativeModel(gateway, responsesEndpoint) })
    expect(response).toMatchObject({ id: 'resp_native', output_text: said, store: true })
  })

  test('goes round with a tool: its call, its result, the answer', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    gateway.upstream.scriptNext(json({ ...chatCompletion(), choices: [{ message, finish_reason: 'tool_calls' }] }))
    const tools: OpenAI.Responses.FunctionTool[] = [
      { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
    ]
    const first = await client.responses.create({ ...asked, tools })
    const use = first.output.find((item) => item.type === 'function_call')
    expect(use).toMatchObject({ call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' })
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: asked.input },
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output', call_id: 'call_1', output: '21 °C' },
    ]
    gateway.upstream.scriptNext(json(chatCompletion()))
    const options = { headers: { 'x-request-id': 'sdk-tool' } }
    expect((await client.responses.create({ ...asked, tools, input }, options)).output_text).toBe(said)
    expect((await gateway.received('sdk-tool')).json()['messages']).toEqual([
      { role: 'user', content: asked.input },
      expect.objectContaining({ role: 'assistant', tool_calls: [call] }),
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
    ])
  })
})

describe('a stream', () => {
  test('is put together by the helper, translated or not', async () => {
    gateway.upstream.scriptNext(
      stream([...chatChunks({ usage: 'last' }), doneEvent]),
      typedStream(nativeResponseEvents),
    )
    for (const [model, tokens] of [
      ['plain', sampleUsage.completion_tokens],
      [await nativeModel(gateway, responsesEndpoint), 15],
    ] as const) {
      const runner = client.responses.stream({ ...asked, model })
      const deltas: string[] = []
      runner.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
      const response = await runner.finalResponse()
      expect([deltas.join(''), response.output_text, response.usage?.output_tokens]).toEqual([said, said, tokens])
    }
  })

  test('that breaks off throws, with the code of the gateway, translated or not', async () => {
    gateway.upstream.scriptNext(
      brokenStream(chatChunks().slice(0, 3), reset),
      typedStream(nativeResponseEvents.slice(0, 4)),
    )
    for (const model of ['plain', await nativeModel(gateway, responsesEndpoint)]) {
      const error = await failure(client.responses.stream({ ...asked, model }).finalResponse())
      expect([error.code, error.message]).toEqual(['upstream_stream_error', expect.stringContaining('incomplete')])
    }
  })

  test('that the client leaves is let go by the gateway', async () => {
    gateway.upstream.scriptNext([streamHead, ...events(chatChunks().slice(0, 2)), hang])
    const options = { headers: { 'x-request-id': 'sdk-left' } }
    for await (const event of await client.responses.create({ ...asked, stream: true }, options))
      if (event.type === 'response.output_text.delta') break
    const received = await gateway.received('sdk-left')
    await received.closed
    expect(received.aborted).toBe(true)
    expect((await gateway.usageOf('sdk-left')).status).toBe(499)
  })
})

describe('an error is of the class that belongs to it:', () => {
  test('what no server has stored: BadRequestError that names the field', async () => {
    const error = await failure(client.responses.create({ ...asked, previous_response_id: 'resp_1' }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect([error.code, error.param]).toEqual(['previous_response_not_found', 'previous_response_id'])
  })

  test('a model that does not exist: NotFoundError', async () => {
    const error = await failure(client.responses.create({ ...asked, model: 'unheard-of' }))
    expect(error).toBeInstanceOf(NotFoundError)
    expect([error.code, error.param]).toEqual(['model_not_found', 'model'])
  })

  test('a key that is wrong: AuthenticationError', async () => {
    const error = await failure(openAiClient(gateway, { apiKey: 'sk-wrong' }).responses.create(asked))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.code).toBe('invalid_api_key')
  })
})
