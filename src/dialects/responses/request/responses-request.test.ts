import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../dialect.ts'
import { answer, refusal, translated } from '#test/support/dialects/responses.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const weather = { type: 'function', name: 'weather', parameters }
const time = { type: 'function', name: 'time', description: 'Tells the time', parameters: null, strict: true }
const chatWeather = { type: 'function', function: { name: 'weather', parameters } }

/** A field as it is sent, and what the chat completion has of it. */
const fields: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['max_output_tokens', { max_output_tokens: 9 }, { max_tokens: 9 }],
  ['temperature', { temperature: 0.2 }, { temperature: 0.2 }],
  ['top_p', { top_p: 0.9 }, { top_p: 0.9 }],
  ['reasoning.effort', { reasoning: { effort: 'high', summary: 'auto' } }, { reasoning_effort: 'high' }],
  ['text.verbosity', { text: { verbosity: 'low' } }, { verbosity: 'low' }],
  ['text.format text', { text: { format: { type: 'text' } } }, {}],
  ['text.format json', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
  [
    'text.format schema',
    { text: { format: { type: 'json_schema', name: 'city', schema: parameters, strict: true } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'city', schema: parameters, strict: true } } },
  ],
  ['include of logprobs', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
  ['top_logprobs', { top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
  ['include of what is there anyway', { include: ['reasoning.encrypted_content'] }, {}],
  ['user', { user: 'u' }, { user: 'u' }],
  ['safety_identifier', { safety_identifier: 's' }, { safety_identifier: 's' }],
  ['prompt_cache_key', { prompt_cache_key: 'k' }, { prompt_cache_key: 'k' }],
  ['prompt_cache_retention', { prompt_cache_retention: '24h' }, { prompt_cache_retention: '24h' }],
  ['service_tier', { service_tier: 'flex' }, { service_tier: 'flex' }],
  ['a field that this API does not have', { top_k: 4, seed: 1 }, { top_k: 4, seed: 1 }],
  ['metadata', { metadata: { run: '7' } }, {}],
  ['store', { store: true }, {}],
  ['background', { background: true }, {}],
  ['what the server has put into the input', { previous_response_id: 'resp_1', conversation: 'conv_1' }, {}],
  ['truncation that is off', { truncation: 'disabled' }, {}],
  ['leave to shorten the conversation', { truncation: 'auto' }, {}],
  ['max_tool_calls, which counts hosted tools only', { max_tool_calls: 2 }, {}],
  ['stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [
    'tools',
    { tools: [weather, time] },
    {
      tools: [
        chatWeather,
        { type: 'function', function: { name: 'time', description: 'Tells the time', strict: true } },
      ],
    },
  ],
  [
    'tool_choice by word and parallel_tool_calls',
    { tools: [weather], tool_choice: 'required', parallel_tool_calls: false },
    { tools: [chatWeather], tool_choice: 'required', parallel_tool_calls: false },
  ],
  [
    'tool_choice by name',
    { tools: [weather], tool_choice: { type: 'function', name: 'weather' } },
    { tools: [chatWeather], tool_choice: { type: 'function', function: { name: 'weather' } } },
  ],
  [
    'tool_choice by allowed tools, as an offer of these only',
    {
      tools: [time, weather],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] },
    },
    { tools: [chatWeather], tool_choice: 'required' },
  ],
  ['tool settings without a tool', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}],
  [
    'a field of a tool that is not known here',
    { tools: [{ ...weather, cache_control: {} }] },
    { tools: [{ ...chatWeather, cache_control: {} }] },
  ],
  [
    'tool fields that say what is so anyway',
    { tools: [{ ...weather, defer_loading: false, allowed_callers: ['direct'] }] },
    { tools: [chatWeather] },
  ],
]

describe('a field of the request', () => {
  test.each(fields)('%s is written as a chat completion has it', (_name, sent, wanted) => {
    const messages = [{ role: 'user', content: 'Hello' }]
    expect(translated(sent).chatBody).toEqual({ model: 'small', messages, stream: false, ...wanted })
  })

  test('that is null equals one that is absent', () => {
    const names = fields.flatMap(([, sent]) => Object.keys(sent)).concat('instructions', 'conversation', 'prompt')
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    expect(translated(nulls).chatBody).toEqual(translated({}).chatBody)
    expect(translated(nulls).whole(answer({ content: 'Hi' }))).toEqual(translated({}).whole(answer({ content: 'Hi' })))
  })
})

describe('an answer repeats', () => {
  test('the settings of its request', () => {
    const settings = {
      instructions: 'Be brief.',
      max_output_tokens: 9,
      max_tool_calls: 2,
      metadata: { run: '7' },
      parallel_tool_calls: false,
      prompt_cache_key: 'k',
      reasoning: { effort: 'low', summary: 'auto' },
      safety_identifier: 's',
      service_tier: 'flex',
      temperature: 0.2,
      text: { format: { type: 'json_schema', name: 'city', schema: parameters }, verbosity: 'low' },
      tool_choice: { type: 'function', name: 'weather' },
      top_logprobs: 3,
      top_p: 0.9,
      truncation: 'disabled',
      user: 'u',
    }
    expect(translated({ ...settings, tools: [weather] }).whole(answer({ content: '{}' }))).toMatchObject({
      ...settings,
      tools: [{ ...weather, description: null, strict: false }],
    })
  })

  test('the defaults where nothing was set, and that nothing is stored', () => {
    expect(translated({ store: true }).whole(answer({ content: 'Hi' }))).toMatchObject({
      store: false,
      background: false,
      previous_response_id: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      reasoning: { effort: null, summary: null },
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      truncation: 'disabled',
      service_tier: null,
    })
  })
})

describe('a request is refused with the name of the field', () => {
  const hosted = ['web_search', 'file_search', 'computer_use_preview', 'mcp', 'code_interpreter', 'tool_search']
  test.each(hosted)('when it demands the tool %s, which is left out where the model may do without it', (type) => {
    const tools = [weather, { type, server_label: 'x' }]
    const error = refusal({ tools, tool_choice: { type } })
    expect([error.code, error.status, error.detail.param]).toEqual(['invalid_body', 400, 'tool_choice.type'])
    for (const choice of [undefined, 'auto', 'none', 'required', { type: 'function', name: 'weather' }]) {
      const { chatBody, dropped } = translated({ tools, tool_choice: choice })
      expect([chatBody['tools'], dropped]).toEqual([translated({ tools: [weather] }).chatBody['tools'], [type]])
    }
    expect(translated({ tools: [{ type }] }).chatBody).toEqual(translated({}).chatBody)
    expect(refusal({ tools: [{ type }], tool_choice: 'required' }).detail.param).toBe('tool_choice')
  })

  test.each([
    ['prompt', { prompt: { id: 'p' } }],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['moderation', { moderation: { model: 'm' } }],
    ['stream_options.include_obfuscation', { stream_options: { include_obfuscation: true } }],
    ['reasoning.mode', { reasoning: { mode: 'pro' } }],
    ['reasoning.context', { reasoning: { context: 'all_turns' } }],
    ['reasoning.budget', { reasoning: { budget: 5 } }],
    ['text.tone', { text: { tone: 'warm' } }],
    ['tools.0.tools.0.type', { tools: [{ type: 'namespace', name: 'crm', tools: [{ type: 'web_search' }] }] }],
    ['tools.0.tools.0.type', { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b' }] }] }],
    ['tools.0.allowed_callers', { tools: [{ ...weather, allowed_callers: ['programmatic'] }] }],
    ['tool_choice.type', { tools: [weather], tool_choice: { type: 'file_search' } }],
  ])('%s, when no chat completion can express it', (param, sent) => {
    const error = refusal(sent)
    expect([error.code, error.detail.param]).toEqual(['invalid_body', param])
    expect(error.message).toContain('not supported')
  })

  test.each([
    ['messages', { messages: [] }, '"input"'],
    ['response_format', { response_format: { type: 'json_object' } }, '"text.format"'],
    ['max_tokens', { max_tokens: 5 }, '"max_output_tokens"'],
    ['reasoning_effort', { reasoning_effort: 'low' }, '"reasoning.effort"'],
    ['n', { n: 2 }, 'one choice'],
  ])('%s, with its name in this API', (param, sent, hint) => {
    const error = refusal(sent)
    expect(error.detail.param).toBe(param)
    expect(error.message).toContain(hint)
  })

  test.each([
    ['input', { input: [] }],
    ['input', { input: undefined }],
    ['input', { input: 7 }],
    ['stream', { stream: 'yes' }],
    ['store', { store: 'no' }],
    ['temperature', { temperature: 'hot' }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['top_logprobs', { top_logprobs: 1.5 }],
    ['truncation', { truncation: 'sometimes' }],
    ['include', { include: 'all' }],
    ['include.1', { include: ['message.output_text.logprobs', 'everything'] }],
    ['metadata.run', { metadata: { run: 7 } }],
    ['instructions', { instructions: [] }],
    ['text', { text: 'json' }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['text.format.name', { text: { format: { type: 'json_schema', schema: {} } } }],
    ['tools', { tools: {} }],
    ['tools.0', { tools: ['weather'] }],
    ['tools.0.name', { tools: [{ type: 'function' }] }],
    ['tools.0.name', { tools: [{ type: 'custom' }] }],
    ['tools.0.name', { tools: [{ type: 'namespace', tools: [] }] }],
    [
      'tools',
      {
        tools: [
          { ...weather, name: 'a__b' },
          { type: 'namespace', name: 'a', tools: [{ ...weather, name: 'b' }] },
        ],
      },
    ],
    ['tool_choice', { tool_choice: 'maybe' }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice.name', { tools: [weather], tool_choice: { type: 'function', name: 'time' } }],
    ['tool_choice.tools', { tools: [weather], tool_choice: { type: 'allowed_tools', tools: [] } }],
  ])('%s, when it is malformed', (param, sent) => {
    const error = refusal(sent)
    expect([error.code, error.detail.param]).toEqual(['invalid_body', param])
  })

  test('model, when it is missing', () => {
    expect([refusal({ model: '' }).code, refusal({ model: null }).code]).toEqual(['missing_model', 'missing_model'])
  })
})
