import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { ResponseInput } from 'openai/resources/responses/responses'
import { z } from 'zod'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../dialect.ts'
import { responsesDialect } from './responses-dialect.ts'
import { answer, callDelta, chunk } from '#test/support/dialects/responses.ts'

/** What the upstream answers next; an Error in a stream breaks it off. */
let script: { whole?: JsonObject; chunks?: readonly (JsonObject | ApiError)[] } = {}
let asked: JsonObject = {}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    try {
      const context = { now: Date.now(), newId: () => crypto.randomUUID() }
      const translated = responsesDialect.translate((await request.json()) as JsonObject, context)
      asked = translated.chatBody
      if (asked['stream'] !== true) return Response.json(translated.whole(script.whole))
      const stream = translated.stream()
      const texts = (script.chunks ?? []).map((one) => (one instanceof ApiError ? stream.fail(one) : stream.push(one)))
      return new Response([...texts, stream.end()].join(''), { headers: { 'content-type': 'text/event-stream' } })
    } catch (thrown) {
      return responsesDialect.errorResponse(toApiError(thrown))
    }
  },
})
const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.port}/ai/v1`, maxRetries: 0 })

beforeEach(() => {
  script = {}
  asked = {}
})
afterAll(() => server.stop(true))

const weather = {
  type: 'function' as const,
  name: 'weather',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const callChunks = [
  chunk({ role: 'assistant', content: null }),
  chunk(callDelta(0, { name: 'weather', arguments: '' }, 'call_a')),
  chunk(callDelta(0, { arguments: '{"city":' })),
  chunk(callDelta(0, { arguments: '"Oslo"}' })),
  chunk({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 } },
]

describe('with the official SDK', () => {
  test('a whole answer is read with its text and usage', async () => {
    script = { whole: answer({ content: 'Hello there' }) }
    const response = await client.responses.create({ model: 'small', instructions: 'Be brief.', input: 'Hello' })
    expect(response.output_text).toBe('Hello there')
    expect([response.status, response.usage?.input_tokens, response.usage?.output_tokens]).toEqual(['completed', 3, 5])
    expect(asked['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
  })

  test('a stream is read event by event', async () => {
    script = { chunks: [chunk({ content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop')] }
    const deltas: string[] = []
    let end = ''
    for await (const event of await client.responses.create({ model: 'small', input: 'Hi', stream: true })) {
      if (event.type === 'response.output_text.delta') deltas.push(event.delta)
      end = event.type
    }
    expect([deltas, end]).toEqual([['Hel', 'lo'], 'response.completed'])
  })

  test.each([undefined, 'auto' as const])(
    'the stream accumulator has the final response (summary %p)',
    async (summary) => {
      script = {
        chunks: [
          chunk({ reasoning_content: 'H' }),
          chunk({ reasoning_content: 'm.' }),
          chunk({ content: 'I ' }),
          chunk({ content: 'look.' }),
          chunk(callDelta(0, { name: 'weather', arguments: '{"city":' }, 'call_a')),
          chunk(callDelta(1, { name: 'weather', arguments: '{"city":"Ber' }, 'call_b')),
          chunk(callDelta(0, { arguments: '"Oslo"}' })),
          chunk(callDelta(1, { arguments: 'gen"}' })),
          chunk({}, 'tool_calls'),
        ],
      }
      const reasoning = summary === undefined ? {} : { reasoning: { summary } }
      const stream = client.responses.stream({ model: 'small', input: 'Hi', tools: [weather], ...reasoning })
      const snapshots: string[] = []
      stream.on('response.output_text.delta', (event) => snapshots.push(event.snapshot))
      stream.on('response.function_call_arguments.delta', (event) => snapshots.push(event.snapshot))
      const response = await stream.finalResponse()
      expect(snapshots.slice(0, 2)).toEqual(['I ', 'I look.'])
      expect(snapshots.slice(-4)).toEqual(['{"city":', '{"city":"Oslo"}', '{"city":"Ber', '{"city":"Bergen"}'])
      expect(response.output_text).toBe('I look.')
      expect(response.output.map((item) => item.type)).toEqual([
        'reasoning',
        'message',
        'function_call',
        'function_call',
      ])
      const [thoughts] = response.output
      const parts = thoughts?.type === 'reasoning' ? [...thoughts.summary, ...(thoughts.content ?? [])] : []
      expect(parts).toMatchObject([{ text: 'Hm.', type: summary === undefined ? 'reasoning_text' : 'summary_text' }])
      expect(response.output[3]).toMatchObject({ call_id: 'call_b', parsed_arguments: { city: 'Bergen' } })
    },
  )

  test('structured output is parsed', async () => {
    const City = z.object({ city: z.string(), people: z.number() })
    script = { whole: answer({ content: '{"city":"Oslo","people":700000}' }) }
    const text = { format: zodTextFormat(City, 'city') }
    const response = await client.responses.parse({ model: 'small', input: 'Oslo?', text })
    expect(response.output_parsed).toEqual({ city: 'Oslo', people: 700_000 })
    expect(asked['response_format']).toMatchObject({ type: 'json_schema', json_schema: { name: 'city', strict: true } })
  })

  test('structured output is parsed from a stream', async () => {
    const City = z.object({ city: z.string() })
    script = { chunks: [chunk({ content: '{"city":' }), chunk({ content: '"Oslo"}' }), chunk({}, 'stop')] }
    const stream = client.responses.stream({
      model: 'small',
      input: 'Oslo?',
      text: { format: zodTextFormat(City, 'city') },
    })
    expect((await stream.finalResponse()).output_parsed).toEqual({ city: 'Oslo' })
  })

  test.each([
    ['whole', false],
    ['streamed', true],
  ])('a tool is called, and its result answered: %s', async (_name, streamed) => {
    const input: ResponseInput = [{ role: 'user', content: 'Weather in Oslo?' }]
    const toolCall = { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
    script = {
      whole: answer({ content: null, tool_calls: [toolCall] }, { finish_reason: 'tool_calls' }),
      chunks: callChunks,
    }
    const tools = [zodResponsesFunction({ name: 'weather', parameters: z.object({ city: z.string() }) })]
    const first = streamed
      ? await client.responses.stream({ model: 'small', input, tools }).finalResponse()
      : await client.responses.parse({ model: 'small', input, tools })
    const call = first.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'weather', call_id: 'call_a', parsed_arguments: { city: 'Oslo' } })

    script = { whole: answer({ content: 'Sunny.' }) }
    const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: '{"sky":"clear"}' }
    const second = await client.responses.create({
      model: 'small',
      input: [...input, ...(first.output as ResponseInput), result],
    })
    expect(second.output_text).toBe('Sunny.')
    expect(asked['messages']).toEqual([
      { role: 'user', content: 'Weather in Oslo?' },
      { role: 'assistant', content: null, tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: 'call_a', content: '{"sky":"clear"}' },
    ])
  })

  test('an answer that was cut is incomplete', async () => {
    script = { chunks: [chunk({ content: 'On' }), chunk({}, 'length')] }
    const response = await client.responses
      .stream({ model: 'small', input: 'Count', max_output_tokens: 1 })
      .finalResponse()
    expect([response.status, response.incomplete_details?.reason]).toEqual(['incomplete', 'max_output_tokens'])
    expect([response.output_text, asked['max_tokens']]).toEqual(['On', 1])
  })

  test('a stream that breaks off throws, whichever way it is read', async () => {
    script = { chunks: [chunk({ content: 'Hel' }), new ApiError('upstream_stream_error')] }
    const read = async (): Promise<void> => {
      for await (const event of await client.responses.create({ model: 'small', input: 'Hi', stream: true })) void event
    }
    const errors = [read(), client.responses.stream({ model: 'small', input: 'Hi' }).finalResponse()].map((result) =>
      result.then(
        () => 'nothing was thrown',
        (thrown: unknown) => thrown,
      ),
    )
    const wanted = { code: 'upstream_stream_error' }
    expect(await Promise.all(errors)).toMatchObject([wanted, wanted])
  })

  test('a request that cannot be translated is a BadRequestError that names the field', async () => {
    const request = client.responses.create({ model: 'small', input: 'Hi', prompt: { id: 'pmpt_1' } })
    const error = await request.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ code: 'invalid_body', param: 'prompt' })
  })

  test('an answer that is none is an error of the upstream', async () => {
    script = { whole: { object: 'list' } }
    const error = await client.responses.create({ model: 'small', input: 'Hi' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 502, code: 'upstream_invalid_response' })
  })
})
