/** The official Anthropic client against the dialect alone: scripted chat answers, over real HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { anthropicDialect } from '#dialects/anthropic/anthropic-dialect.ts'
import { countTokens } from '#dialects/anthropic/count-tokens.ts'
import { modelPage } from '#dialects/anthropic/models.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'

type Json = Readonly<Record<string, unknown>>

/** What the upstream will say: a whole answer, chunks, or an error; after the chunks, whether it breaks off. */
interface Script {
  readonly whole?: unknown
  readonly chunks?: readonly unknown[]
  readonly breaks?: boolean
  readonly error?: ApiError
}

let script: Script = {}
let asked: Json = {}
let server: ReturnType<typeof serve>
let client: Anthropic

function serve() {
  return Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
}

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  try {
    if (pathname === '/v1/models') {
      const listed = ['a', 'b', 'c'].map((id) => ({ id, createdAt: 0 }))
      return Response.json(modelPage(listed, searchParams))
    }
    const body = (await request.json()) as Json
    if (pathname.endsWith('/count_tokens')) return Response.json({ input_tokens: await countTokens(body, 'account') })
    if (script.error !== undefined) throw script.error
    const translated = anthropicDialect.translate(body, { now: 0, newId: () => crypto.randomUUID() })
    asked = translated.chatBody
    if (asked['stream'] !== true) return Response.json(translated.whole(script.whole))
    const { chunks = [], breaks } = script
    const stream = translated.stream()
    async function* events() {
      for (const chunk of chunks) yield stream.push(chunk)
      yield breaks === true ? stream.fail(new ApiError('upstream_stream_error')) : stream.end()
    }
    return new Response(events(), { headers: { 'content-type': 'text/event-stream' } })
  } catch (thrown) {
    return anthropicDialect.errorResponse(toApiError(thrown))
  }
}

beforeAll(() => {
  server = serve()
  client = new Anthropic({ baseURL: server.url.href, apiKey: 'sk-slu-test', maxRetries: 0 })
})
afterAll(() => server.stop(true))

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'Tells the weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const params: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'm',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'How is the weather in Bern?' }],
}
const usage = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 }
const chunk = (delta: Json, finish: string | null = null) => ({
  model: 'given',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const call = (name: string, args: string) => ({ id: 'call_1', type: 'function', function: { name, arguments: args } })

describe('a whole answer', () => {
  test('is a message', async () => {
    script = {
      whole: {
        model: 'given',
        choices: [{ message: { role: 'assistant', content: 'Sunny.' }, finish_reason: 'stop' }],
        usage,
      },
    }
    const message = await client.messages.create(params)
    expect<unknown>(message.content).toEqual([{ type: 'text', text: 'Sunny.' }])
    expect(message).toMatchObject({ role: 'assistant', model: 'given', stop_reason: 'end_turn' })
    expect(message.usage).toMatchObject({ input_tokens: 12, output_tokens: 7 })
  })

  test('with a tool call goes round: the result comes back as a message of the tool', async () => {
    const message = { role: 'assistant', content: 'Let me see.', tool_calls: [call('weather', '{"city":"Bern"}')] }
    script = { whole: { choices: [{ message, finish_reason: 'tool_calls' }] } }
    const first = await client.messages.create({ ...params, tools: [weather], tool_choice: { type: 'any' } })
    const use = first.content.find((block) => block.type === 'tool_use')
    expect(first.stop_reason).toBe('tool_use')
    expect(use).toMatchObject({ id: 'call_1', name: 'weather', input: { city: 'Bern' } })

    script = { whole: { choices: [{ message: { content: '21 °C.' }, finish_reason: 'stop' }] } }
    const result: Anthropic.ToolResultBlockParam = { type: 'tool_result', tool_use_id: 'call_1', content: '21' }
    await client.messages.create({
      ...params,
      tools: [weather],
      messages: [
        ...params.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [result] },
      ],
    })
    expect(asked['messages']).toEqual([
      { role: 'user', content: 'How is the weather in Bern?' },
      message,
      { role: 'tool', tool_call_id: 'call_1', content: '21' },
    ])
  })

  test('that cannot be read is an error of the server', async () => {
    script = { whole: { choices: [] } }
    expect(await failure(client.messages.create(params))).toBeInstanceOf(InternalServerError)
  })
})

describe('a stream', () => {
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Bern' }),
    chunk({ reasoning_content: '…' }),
    chunk({ content: 'Let me ' }),
    chunk({ content: 'see.' }),
    chunk({ tool_calls: [{ index: 0, ...call('weather', '') }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
    chunk({ tool_calls: [{ index: 1, ...call('weather', '{"city":"Genève"}'), id: 'call_2' }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
    chunk({}, 'tool_calls'),
    { choices: [], usage },
  ]

  test('is put together by the helper', async () => {
    script = { chunks }
    const stream = client.messages.stream({ ...params, tools: [weather] })
    const texts: string[] = []
    const thoughts: string[] = []
    stream.on('text', (delta) => texts.push(delta))
    stream.on('thinking', (delta) => thoughts.push(delta))
    const message = await stream.finalMessage()
    expect(asked).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(texts).toEqual(['Let me ', 'see.'])
    expect(thoughts).toEqual(['Bern', '…'])
    expect(JSON.parse(JSON.stringify(message.content))).toEqual([
      { type: 'thinking', thinking: 'Bern…', signature: '' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' }, caller: { type: 'direct' } },
      { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: 'Genève' }, caller: { type: 'direct' } },
    ])
    expect(message).toMatchObject({
      model: 'given',
      stop_reason: 'tool_use',
      usage: { input_tokens: 12, output_tokens: 7 },
    })
  })

  test('is iterated event by event', async () => {
    script = { chunks: [chunk({ content: 'Sunny.' }), chunk({}, 'stop')] }
    const types: string[] = []
    for await (const { type } of await client.messages.create({ ...params, stream: true })) types.push(type)
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })

  test('that breaks off is an error, not a message', async () => {
    script = { chunks: chunks.slice(0, 5), breaks: true }
    const error = await failure(client.messages.stream(params).finalMessage())
    expect(error).toBeInstanceOf(APIError)
    expect((error as APIError).type).toBe('api_error')
    expect((error as APIError).errorCode).toBe('upstream_stream_error')
  })
})

describe('an error is of the class that belongs to it:', () => {
  const rows: readonly (readonly [ErrorCode, new (...given: never[]) => APIError, string])[] = [
    ['invalid_api_key', AuthenticationError, 'authentication_error'],
    ['model_access_denied', PermissionDeniedError, 'permission_error'],
    ['model_not_found', NotFoundError, 'not_found_error'],
    ['inflight_limit_exceeded', RateLimitError, 'rate_limit_error'],
    ['upstream_unavailable', InternalServerError, 'overloaded_error'],
  ]
  test.each([...rows])('%s', async (code, type, name) => {
    script = { error: new ApiError(code) }
    const error = await failure(client.messages.create(params))
    expect(error).toBeInstanceOf(type)
    expect((error as APIError).type).toBe(name as never)
    expect((error as APIError).errorCode).toBe(code)
    script = {}
  })

  test('a request that cannot be translated', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' } as const]
    const error = await failure(client.messages.create({ ...params, tools }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect((error as APIError).apiMessage).toContain('tools.0.type')
  })
})

test('tokens are counted without asking a model', async () => {
  const counted = await client.messages.countTokens({ model: 'm', messages: params.messages, tools: [weather] })
  expect(counted.input_tokens).toBeGreaterThan(20)
})

test('the list of models is read page by page', async () => {
  const ids: string[] = []
  for await (const { id } of client.models.list({ limit: 2 })) ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
})

async function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (thrown) {
    return thrown
  }
  throw new Error('no error came')
}
