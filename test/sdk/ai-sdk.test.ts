/** The functions of the `ai` package, through its provider for any server that speaks the OpenAI dialect. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import { APICallError, embed, embedMany, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { z } from 'zod'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import {
  brokenStream,
  close,
  events,
  hang,
  json,
  openAiAnswer,
  rateLimited,
  stream,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
let provider: OpenAICompatibleProvider
beforeAll(async () => {
  gateway = await startGateway({ set: ['limits.realtime_inflight.enforce=true'] })
  provider = providerOf(gateway.keys.main.secret)
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

/** Set upon the gateway as a user would: a base URL and a key, and that it can count and follow schemas. */
function providerOf(apiKey: string): OpenAICompatibleProvider {
  const baseURL = `${gateway.url}/ai/v1`
  return createOpenAICompatible({
    name: 'gateway',
    baseURL,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
}

/** What every call of a text has in common. */
function asking(model = 'plain', from = provider) {
  return { model: from(model), prompt: 'Say hello.', maxRetries: 0 }
}

/** What the upstream received last. */
function received(): Readonly<Record<string, unknown>> {
  return gateway.upstream.requests.at(-1)!.json()
}

async function collect<T>(parts: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const each of parts) all.push(each)
  return all
}

const text = 'Hello, wörld 🌊'
const usage = {
  inputTokens: sampleUsage.prompt_tokens,
  outputTokens: sampleUsage.completion_tokens,
  totalTokens: sampleUsage.total_tokens,
}

describe('generateText', () => {
  test('gives the text, the usage, the finish reason and the request id', async () => {
    const result = await generateText({ ...asking(), headers: { 'x-request-id': 'ai-whole' } })
    expect([result.text, result.finishReason]).toEqual([text, 'stop'])
    expect(result.usage).toMatchObject(usage)
    expect(result.finalStep.response.headers?.['x-request-id']).toBe('ai-whole')
    expect((await gateway.usageOf('ai-whole')).status).toBe(200)
  })

  test('is asked upstream with its instructions and settings', async () => {
    const settings = { temperature: 0.2, topP: 0.9, maxOutputTokens: 10, seed: 42, stopSequences: ['END'] }
    await generateText({ ...asking(), instructions: 'Be brief.', ...settings })
    expect(received()).toEqual({
      model: 'upstream-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Say hello.' },
      ],
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 10,
      seed: 42,
      stop: ['END'],
    })
  })

  test('that ran into its limit says so', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: 'length' }]
    gateway.upstream.scriptNext(json({ ...chatCompletion(), choices }))
    const result = await generateText(asking())
    expect([result.text, result.finishReason]).toEqual(['Hel', 'length'])
  })
})

describe('streamText', () => {
  test('gives the text piece by piece, then the usage and the finish reason', async () => {
    const result = streamText({ ...asking(), headers: { 'x-request-id': 'ai-streamed' } })
    expect(await collect(result.textStream)).toEqual(['Hello', ', ', 'wörld 🌊'])
    expect(await result.finishReason).toBe('stop')
    expect(await result.usage).toMatchObject(usage)
    const row = await gateway.usageOf('ai-streamed')
    expect([row.status, row.code]).toEqual([200, null])
  })

  test('gives each piece when it comes, and not at the end', async () => {
    gateway.upstream.scriptNext(stream([...chatChunks(), doneEvent], 'every'))
    const result = streamText({ ...asking(), headers: { 'x-request-id': 'ai-one-by-one' } })
    const pieces = result.textStream[Symbol.asyncIterator]()
    const first = pieces.next()
    const request = await gateway.received('ai-one-by-one')
    request.release(2)
    expect((await first).value).toBe('Hello')
    request.release()
    expect((await pieces.next()).value).toBe(', ')
    request.release(3)
    expect([(await pieces.next()).value, (await pieces.next()).done]).toEqual(['wörld 🌊', true])
  })

  test('of an answer that breaks off says why after what has come, and never finishes well', async () => {
    gateway.upstream.scriptNext(brokenStream(chatChunks({ finish: false }), close))
    const errors: unknown[] = []
    const result = streamText({ ...asking(), onError: ({ error }) => void errors.push(error) })
    expect((await collect(result.textStream)).join('')).toBe(text)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ code: 'upstream_stream_error', type: 'upstream_error', isRetryable: false })
    expect(await result.finishReason).toBe('error')
  })
})

const weather = z.object({ city: z.string(), degrees: z.number() })
const said = { city: 'Tel Aviv', degrees: 31 }
const saidPieces = ['{"city":"Tel Aviv",', '"degrees":31}']

describe('an object with a schema', () => {
  /** The schema reached the upstream under the name that the dialect has for it. */
  function expectSchemaAsked(): void {
    const format = { type: 'json_schema', json_schema: { schema: { properties: { city: { type: 'string' } } } } }
    expect(received()['response_format']).toMatchObject(format)
  }

  test('is the output of generateText', async () => {
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: saidPieces })))
    const result = await generateText({ ...asking(), output: Output.object({ schema: weather }) })
    expect(result.output).toEqual(said)
    expectSchemaAsked()
  })

  test('grows in streamText', async () => {
    gateway.upstream.scriptNext(stream([...chatChunks({ pieces: saidPieces }), doneEvent]))
    const result = streamText({ ...asking(), output: Output.object({ schema: weather }) })
    expect(await collect(result.partialOutputStream)).toEqual([{ city: 'Tel Aviv' }, said])
    expect(await result.output).toEqual(said)
    expectSchemaAsked()
  })
})

describe('tools', () => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Kraków"}' },
  } as const

  const cities: string[] = []
  beforeEach(() => void (cities.length = 0))
  const tools = {
    get_weather: tool({
      description: 'The weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city)
        return `31 degrees in ${city}`
      },
    }),
  }

  function completionWithCall(): object {
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    return { ...chatCompletion(), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  }

  /** The call with its arguments in single characters. */
  function chunksWithCall(): readonly object[] {
    const chunk = (delta: object, finishReason: string | null = null) => ({
      ...chatChunks()[0],
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    })
    const begin = { index: 0, ...call, function: { name: call.function.name, arguments: '' } }
    const pieces = Array.from(call.function.arguments, (piece) =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    )
    return [chunk({ role: 'assistant', content: null, tool_calls: [begin] }), ...pieces, chunk({}, 'tool_calls')]
  }

  /** The second turn carried the call and what the tool made of it. */
  function expectResultSent(): void {
    expect(cities).toEqual(['Kraków'])
    const turns = received()['messages'] as readonly object[]
    expect(turns).toHaveLength(3)
    expect(turns[1]).toMatchObject({ role: 'assistant', tool_calls: [call] })
    expect(turns[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', content: '31 degrees in Kraków' })
  }

  test('go out with their schema, are run, and their results make the next turn', async () => {
    gateway.upstream.scriptNext(json(completionWithCall()), json(chatCompletion({ pieces: ['Warm.'] })))
    const result = await generateText({ ...asking(), tools, stopWhen: isStepCount(3) })
    expect(result.text).toBe('Warm.')
    expect(result.steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'stop'])
    expect(result.usage.totalTokens).toBe(2 * sampleUsage.total_tokens)
    expect(received()['tools']).toMatchObject([
      { type: 'function', function: { name: 'get_weather', parameters: { required: ['city'] } } },
    ])
    expectResultSent()
  })

  test('are run in a stream as well, from arguments that came in pieces', async () => {
    gateway.upstream.scriptNext(
      stream([...chunksWithCall(), doneEvent]),
      stream([...chatChunks({ pieces: ['Wa', 'rm.'] }), doneEvent]),
    )
    const result = streamText({ ...asking(), tools, stopWhen: isStepCount(3) })
    expect((await collect(result.textStream)).join('')).toBe('Warm.')
    expect((await result.steps).map((step) => step.finishReason)).toEqual(['tool-calls', 'stop'])
    expectResultSent()
  })
})

describe('embeddings', () => {
  test('embed gives one vector and its usage', async () => {
    const result = await embed({ model: provider.embeddingModel('plain'), value: 'one', maxRetries: 0 })
    expect(result.embedding).toEqual([0.25, -0.5, 0])
    expect(result.usage.tokens).toBe(5)
    expect(received()).toEqual({ model: 'upstream-model', input: ['one'], encoding_format: 'float' })
  })

  test('embedMany gives them in the order of their values', async () => {
    const values = ['one', 'two', 'three']
    const result = await embedMany({ model: provider.embeddingModel('plain'), values, maxRetries: 0 })
    expect(result.values).toEqual(values)
    expect(result.embeddings.map((each) => each.at(-1))).toEqual([0, 1, 2])
  })
})

describe('a refusal is an APICallError:', () => {
  async function failure(calling: PromiseLike<unknown>): Promise<APICallError> {
    const thrown: unknown = await Promise.resolve(calling).catch((error: unknown) => error)
    if (!APICallError.isInstance(thrown)) throw new Error(`no API error: ${String(thrown)}`)
    return thrown
  }

  test('401 for a key that is wrong, not to be tried again', async () => {
    const error = await failure(generateText(asking('plain', providerOf('sk-wrong'))))
    expect([error.statusCode, error.isRetryable]).toEqual([401, false])
    expect(error.data).toMatchObject({ error: { code: 'invalid_api_key', type: 'authentication_error' } })
  })

  test('404 for a model that does not exist, with the sentence of the gateway', async () => {
    const error = await failure(generateText(asking('no-such-model')))
    expect([error.statusCode, error.isRetryable]).toEqual([404, false])
    expect(error.data).toMatchObject({ error: { code: 'model_not_found', param: 'model', message: error.message } })
  })

  test('404 for embeddings, too', async () => {
    const model = provider.embeddingModel('no-such-model')
    expect((await failure(embed({ model, value: 'one', maxRetries: 0 }))).statusCode).toBe(404)
  })

  test("429 of the provider, which may be tried again, with the provider's time to wait", async () => {
    gateway.upstream.scriptNext(rateLimited('7'))
    const error = await failure(generateText(asking()))
    expect([error.statusCode, error.isRetryable, error.responseHeaders?.['retry-after']]).toEqual([429, true, '7'])
    expect(error.data).toMatchObject({ error: { code: 'upstream_rate_limited' } })
  })

  test('429 for too many requests in flight, and served once there is room', async () => {
    const held = await holdStream(gateway, 'narrow')
    const error = await failure(generateText(asking('narrow')))
    expect([error.statusCode, error.isRetryable]).toEqual([429, true])
    expect(error.data).toMatchObject({ error: { code: 'inflight_limit_exceeded' } })
    await held.finish()
    expect((await generateText({ ...asking('narrow'), maxRetries: 20 })).text).toBe(text)
  })

  test('in streamText it comes as the error of the stream', async () => {
    const errors: unknown[] = []
    const result = streamText({ ...asking('no-such-model'), onError: ({ error }) => void errors.push(error) })
    expect(await collect(result.textStream)).toEqual([])
    expect(errors).toHaveLength(1)
    expect(APICallError.isInstance(errors[0])).toBe(true)
    expect(errors[0]).toMatchObject({ statusCode: 404, data: { error: { code: 'model_not_found' } } })
  })

  test('with retries on, a provider that recovers is answered from', async () => {
    gateway.upstream.scriptNext(json({}, 503, { 'Retry-After-Ms': '1' }))
    expect((await generateText({ ...asking(), maxRetries: 1 })).text).toBe(text)
  })
})

describe('aborting', () => {
  test('generateText throws AbortError, and the upstream is let go', async () => {
    gateway.upstream.scriptNext([hang])
    const abort = new AbortController()
    const options = { abortSignal: abort.signal, headers: { 'x-request-id': 'ai-aborted' } }
    const ended = generateText({ ...asking(), ...options }).catch((error: unknown) => error)
    const request = await gateway.received('ai-aborted')
    abort.abort()
    expect(await ended).toHaveProperty('name', 'AbortError')
    await request.closed
    expect(request.aborted).toBe(true)
    expect((await gateway.usageOf('ai-aborted')).code).toBe('client_closed')
  })

  test('streamText ends with an abort after what has come, and the upstream is let go', async () => {
    gateway.upstream.scriptNext([streamHead, ...events(chatChunks({ finish: false })), hang])
    const abort = new AbortController()
    const options = { abortSignal: abort.signal, headers: { 'x-request-id': 'ai-left' } }
    const types: string[] = []
    for await (const part of streamText({ ...asking(), ...options }).stream) {
      types.push(part.type)
      if (part.type === 'text-delta') abort.abort()
    }
    expect(types).toContain('text-delta')
    expect(types.at(-1)).toBe('abort')
    const request = await gateway.received('ai-left')
    await request.closed
    expect((await gateway.usageOf('ai-left')).code).toBe('client_closed')
  })
})
