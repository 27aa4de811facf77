import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { aiSdkProvider } from '../ai-sdk.ts'
import { responseOf } from '#test/support/network/reply-response.ts'
import { upstreamCall } from '#test/support/contract/provider-contract.ts'
import { startUpstream, type ReceivedRequest, type Upstream } from '#test/support/upstream/upstream.ts'
import { json, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { vendorAnswer, vendorRecord } from '#test/support/upstream/vendor-fixtures.ts'
import { anthropicWire, googleWire } from '#test/support/upstream/vendor-wires.ts'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hello = [{ role: 'user', content: 'Hello' }]
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(() =>
  upstream.script((request) => (request.path.includes('/messages') ? anthropicWire : googleWire)(request)),
)

interface Sent {
  readonly response: Response
  readonly request: ReceivedRequest | undefined
}

async function send(kind: string, body: object, more: object = {}, model = ''): Promise<Sent> {
  const before = upstream.requests.length
  const names: Record<string, string> = {
    anthropic: 'claude-sonnet-4-5',
    google: 'gemini-2.5-flash',
    mistral: 'mistral-large-latest',
  }
  const record = { ...vendorRecord(kind, upstream.url), ...more }
  const call = upstreamCall('chat/completions', { model: model || names[kind], messages: hello, ...body })
  const response = responseOf(await aiSdkProvider(record).send(call))
  return { response, request: upstream.requests[before] }
}

async function paramRefused(kind: string, body: object, model = ''): Promise<string | null> {
  const { response, request } = await send(kind, body, {}, model)
  expect(request).toBeUndefined()
  expect(response.status).toBe(400)
  return ((await response.json()) as { error: { param: string | null } }).error.param
}

describe('what a request says reaches the vendor', () => {
  const conversation = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this, and how is the weather?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    },
    {
      role: 'assistant',
      content: 'I will look.',
      reasoning_details: [{ text: 'A thought.', extra_content: { anthropic: { signature: 'Sig' } } }],
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Łódź"}' },
          extra_content: { google: { thoughtSignature: 'Cs' } },
        },
        { id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Kraków"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '12 °C' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: '14 °C' }] },
    { role: 'user', content: 'Well?' },
  ]

  test('to Anthropic: system, picture, signed thought, parallel calls and their results', async () => {
    const { request } = await send('anthropic', {
      messages: conversation,
      tools: [weather],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      max_tokens: 100,
      top_k: 5,
      stop: 'END',
      temperature: 0.5,
      frequency_penalty: 0,
      user: 'user-17',
    })
    expect(request?.header('x-api-key')).toBe('key-of-the-vendor')
    expect(request?.json()).toMatchObject({
      model: 'claude-sonnet-4-5',
      system: [{ type: 'text', text: 'Be brief.' }],
      max_tokens: 100,
      top_k: 5,
      temperature: 0.5,
      stop_sequences: ['END'],
      metadata: { user_id: 'user-17' },
      tools: [{ name: 'get_weather', description: 'Weather of a city', input_schema: weather.function.parameters }],
      tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this, and how is the weather?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'A thought.', signature: 'Sig' },
            { type: 'text', text: 'I will look.' },
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Łódź' } },
            { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { city: 'Kraków' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: '12 °C' },
            { type: 'tool_result', tool_use_id: 'call_2', content: '14 °C' },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
    })
  })

  test('to Google: the same, with the signature of the call', async () => {
    const { request } = await send('google', {
      messages: conversation,
      tools: [weather],
      tool_choice: 'required',
      seed: 7,
    })
    expect(request?.header('x-goog-api-key')).toBe('key-of-the-vendor')
    expect(request?.path).toBe('/v1/models/gemini-2.5-flash:generateContent')
    const sent = request?.json()
    expect(sent).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { seed: 7 },
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    })
    expect(JSON.stringify(sent)).toContain('"thoughtSignature":"Cs"')
    expect(JSON.stringify(sent)).toContain(pixel)
    expect(JSON.stringify(sent)).toContain('14 °C')
  })

  test('a schema for the answer', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    }
    const format = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
    expect((await send('anthropic', format)).request?.json()).toMatchObject({
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect((await send('google', format)).request?.json()).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    })
    const { request } = await send('google', { response_format: { type: 'json_object' } })
    expect(request?.json()).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } })
  })

  test('effort becomes a budget of thought, and thoughts are asked for', async () => {
    const anthropic = (await send('anthropic', { reasoning_effort: 'low' })).request?.json()
    expect(anthropic).toMatchObject({ thinking: { type: 'enabled', budget_tokens: expect.any(Number) } })
    const google = (await send('google', { reasoning_effort: 'low' })).request?.json()
    expect(google).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: expect.any(Number) } },
    })
    const off = (await send('google', { reasoning_effort: 'none' })).request?.json()
    expect(off).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } })
  })

  test("the record's own headers, the request id and the trace, and of the client's headers nothing else", async () => {
    const record = { ...vendorRecord('anthropic', upstream.url), headers: { 'X-Team': 'blue', 'x-api-key': 'another' } }
    const call = upstreamCall('chat/completions', { model: 'claude-sonnet-4-5', messages: hello })
    const before = upstream.requests.length
    await aiSdkProvider(record).send({ ...call, headers: { traceparent: '00-1', 'x-stainless-lang': 'js' } })
    const request = upstream.requests[before]
    expect(
      ['x-team', 'x-api-key', 'x-request-id', 'traceparent', 'x-stainless-lang', 'accept-encoding'].map((name) =>
        request?.header(name),
      ),
    ).toEqual(['blue', 'another', 'contract-test', '00-1', null, 'identity'])
  })

  test('a provider without a credential takes none from the environment', async () => {
    const variables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'] as const
    const before = variables.map((name) => process.env[name])
    for (const name of variables) process.env[name] = 'http://127.0.0.1:1/of-another-client'
    try {
      const { request, response } = await send('anthropic', {}, { credential: null })
      expect(response.status).toBe(200)
      expect(request?.header('x-api-key')).toBeNull()
    } finally {
      for (const [index, name] of variables.entries()) {
        const value = before[index]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })

  test('any other package of the AI SDK works by its name', async () => {
    upstream.script(stream(['[DONE]']))
    const record = vendorRecord('ai-sdk', upstream.url, { package: '@ai-sdk/mistral' })
    const call = upstreamCall('chat/completions', { model: 'open-model', messages: hello, stream: true })
    const before = upstream.requests.length
    await aiSdkProvider(record).send(call)
    expect(upstream.requests[before]?.path).toBe('/v1/chat/completions')
    expect(upstream.requests[before]?.header('authorization')).toBe('Bearer key-of-the-vendor')
  })
})

describe('what cannot be honoured is refused by name, before anything is sent', () => {
  const refused: readonly (readonly [string, object, string])[] = [
    ['anthropic', { n: 2 }, 'n'],
    ['google', { logprobs: true }, 'logprobs'],
    ['google', { logit_bias: { '50256': -100 } }, 'logit_bias'],
    ['anthropic', { modalities: ['text', 'audio'] }, 'modalities'],
    ['anthropic', { seed: 1 }, 'seed'],
    ['anthropic', { presence_penalty: 0.5 }, 'presence_penalty'],
    ['anthropic', { response_format: { type: 'json_object' } }, 'response_format'],
    ['google', { parallel_tool_calls: false }, 'parallel_tool_calls'],
    ['mistral', { top_k: 3 }, 'top_k'],
    ['anthropic', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0.type'],
    ['anthropic', { tools: [weather], tool_choice: { type: 'function', function: { name: 'other' } } }, 'tool_choice'],
    ['anthropic', { reasoning_effort: 'extreme' }, 'reasoning_effort'],
    ['anthropic', { verbosity: 'extreme' }, 'verbosity'],
    [
      'anthropic',
      { messages: [{ role: 'user', content: [{ type: 'video', video: 'x' }] }] },
      'messages.0.content.0.type',
    ],
    ['anthropic', { messages: [{ role: 'tool', tool_call_id: 'unknown', content: 'x' }] }, 'messages.0.tool_call_id'],
    [
      'anthropic',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages.0.content.0.file',
    ],
    [
      'anthropic',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://example.com/a.png' } }] }] },
      'messages.0.content.0.image_url.url',
    ],
  ]
  for (const [kind, body, param] of refused) {
    test(`${kind}: ${param} (${JSON.stringify(body).slice(0, 60)})`, async () => {
      expect(await paramRefused(kind, body)).toBe(param)
    })
  }

  test('values that change nothing are accepted', async () => {
    const body = {
      n: 1,
      logprobs: false,
      presence_penalty: 0,
      parallel_tool_calls: true,
      modalities: ['text'],
      logit_bias: {},
      seed: null,
      store: false,
    }
    expect((await send('anthropic', body)).response.status).toBe(200)
  })

  test.each(['anthropic', 'google'])(
    '%s: how long the answer is to be is left out, and the answer says so',
    async (kind) => {
      for (const [verbosity, ignored] of [
        ['low', 'verbosity'],
        ['medium', null],
        ['high', 'verbosity'],
        [null, null],
      ]) {
        for (const streamed of [false, true]) {
          const { response, request } = await send(kind, { verbosity, stream: streamed })
          expect([response.status, response.headers.get('x-sluice-ignored-fields')]).toEqual([200, ignored ?? null])
          const { output_config: config } = request?.json() ?? {}
          expect(config).toBeUndefined()
          expect(new TextDecoder().decode(request?.body)).not.toContain('verbosity')
        }
      }
    },
  )

  test('a setting that only the package knows to be left out is refused as well', async () => {
    for (const streamed of [false, true]) {
      const { response } = await send('anthropic', { temperature: 0.5, stream: streamed }, {}, 'claude-opus-4-7')
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { param: 'temperature', code: 'unsupported_parameter' } })
    }
  })

  test('an address of a picture goes to the vendor that fetches it', async () => {
    const url = 'https://example.com/cat.webp'
    const { request } = await send('anthropic', {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    })
    expect(request?.json()).toMatchObject({
      messages: [{ content: [{ type: 'image', source: { type: 'url', url } }] }],
    })
  })
})

describe('a whole answer', () => {
  async function answered(kind: string, file: string, model: string): Promise<unknown> {
    upstream.script(json(await vendorAnswer(file)))
    return (await send(kind, { tools: [weather] }, {}, model)).response.json()
  }

  test('of Anthropic has its thought, its call and its cached tokens', async () => {
    expect(await answered('anthropic', 'anthropic-message.json', 'claude-sonnet-4-5')).toMatchObject({
      id: 'msg_01Whole',
      object: 'chat.completion',
      model: 'claude-sonnet-4-5-20250929',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Looking.',
            reasoning_content: 'A short thought.',
            reasoning_details: [{ extra_content: { anthropic: { signature: 'EqQBWhole' } } }],
            tool_calls: [
              { id: 'toolu_01W', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Łódź"}' } },
            ],
          },
        },
      ],
      usage: {
        prompt_tokens: 27,
        completion_tokens: 33,
        total_tokens: 60,
        prompt_tokens_details: { cached_tokens: 7 },
      },
    })
  })

  test('of Google has its thought, its signed call and its thinking tokens', async () => {
    expect(await answered('google', 'google-generate-content.json', 'gemini-2.5-flash')).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            reasoning_content: 'A thought.',
            tool_calls: [
              { function: { name: 'get_weather' }, extra_content: { google: { thoughtSignature: 'CsWhole' } } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 40, completion_tokens: 25, completion_tokens_details: { reasoning_tokens: 5 } },
    })
  })

  test('of Bedrock, signed with an access key', async () => {
    upstream.script(json(await vendorAnswer('bedrock-converse.json')))
    const record = vendorRecord('bedrock', upstream.url, { access_key_id: 'AKIDEXAMPLE' })
    const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
    const { response, request } = await send('bedrock', { tools: [weather] }, record, model)
    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { content: 'I will look: Łódź 🌦', tool_calls: [{ id: 'tooluse_fixture' }] },
        },
      ],
      usage: { prompt_tokens: 30, completion_tokens: 62 },
    })
    expect(request?.header('authorization')).toStartWith('AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/')
    expect(request?.header('authorization')).toContain('/eu-central-1/bedrock/aws4_request')
  })
})
