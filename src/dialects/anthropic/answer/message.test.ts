import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { anthropicDialect } from '../anthropic-dialect.ts'

type Json = Readonly<Record<string, unknown>>

const context = { now: 0, newId: () => '00000000-0000-4000-8000-000000000001' }
const request = { model: 'asked', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

function answerOf(message: unknown, choice: Json = {}, more: Json = {}): Json {
  return {
    id: 'chatcmpl-1',
    model: 'given',
    choices: [{ index: 0, message, finish_reason: 'stop', ...choice }],
    ...more,
  }
}

function whole(answer: unknown, fields: Json = {}): Json {
  return anthropicDialect.translate({ ...request, ...fields }, context).whole(answer) as Json
}

const text = (value: string) => ({ type: 'text', text: value })
const call = (name: unknown, args: unknown, id: unknown = 'c1') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const use = (input: unknown, id = 'c1') => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input,
  caller: { type: 'direct' },
})

test('a message has all its fields', () => {
  expect(whole(answerOf({ role: 'assistant', content: 'Hello' }))).toEqual({
    id: 'msg_00000000000040008000000000000001',
    type: 'message',
    role: 'assistant',
    model: 'given',
    content: [text('Hello')],
    container: null,
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: null,
    },
  })
})

test('an answer without a model is of the model that was asked', () => {
  expect(whole(answerOf({ content: 'Hello' }, {}, { model: undefined }))['model']).toBe('asked')
})

describe('content:', () => {
  const rows: readonly (readonly [string, Json, readonly unknown[]])[] = [
    ['text', { content: 'Hello' }, [text('Hello')]],
    [
      'text in parts',
      {
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
        ],
      },
      [text('Hello')],
    ],
    ['nothing', { content: '' }, []],
    ['null', { content: null }, []],
    ['a refusal', { content: null, refusal: 'No.' }, [text('No.')]],
    ['a call', { content: null, tool_calls: [call('weather', '{"city":"Bern"}')] }, [use({ city: 'Bern' })]],
    ['a call without arguments', { tool_calls: [call('weather', '')] }, [use({})]],
    [
      'a call without an id',
      { tool_calls: [call('weather', '{}', null)] },
      [use({}, 'toolu_00000000000040008000000000000001')],
    ],
    [
      'text and calls',
      { content: 'Wait', tool_calls: [call('weather', '{}'), call('weather', '{}', 'c2')] },
      [text('Wait'), use({}), use({}, 'c2')],
    ],
    [
      'thoughts',
      { content: 'Yes', reasoning_content: 'Hm' },
      [{ type: 'thinking', thinking: 'Hm', signature: '' }, text('Yes')],
    ],
    [
      'thoughts by their other name',
      { content: 'Yes', reasoning: 'Hm' },
      [{ type: 'thinking', thinking: 'Hm', signature: '' }, text('Yes')],
    ],
    [
      'thoughts among the parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Yes' },
        ],
      },
      [{ type: 'thinking', thinking: 'Hm', signature: '' }, text('Yes')],
    ],
  ]
  test.each([...rows])('%s', (_name, message, content) => {
    expect(whole(answerOf(message))['content']).toEqual([...content])
  })
})

describe('thoughts that their upstream wants back', () => {
  const details = [{ type: 'reasoning.text', text: 'Hm', extra_content: { vendor: { signature: 's' } } }]
  const message = { content: 'Yes', reasoning_content: 'Hm', reasoning_details: details }
  const again = (content: unknown) =>
    anthropicDialect.translate(
      {
        ...request,
        messages: [
          { role: 'assistant', content },
          { role: 'user', content: '?' },
        ],
      },
      context,
    ).chatBody['messages']

  test('come back as they were, through the block that the caller keeps', () => {
    const { content } = whole(answerOf(message))
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: expect.stringMatching(/^sluice\./) },
      text('Yes'),
    ])
    expect(again(content)).toEqual([
      { role: 'assistant', content: 'Yes', reasoning_details: details },
      { role: 'user', content: '?' },
    ])
  })
  test('come back without having been shown', () => {
    const { content } = whole(answerOf(message), { thinking: { type: 'adaptive', display: 'omitted' } })
    expect(content).toEqual([{ type: 'thinking', thinking: '', signature: expect.any(String) }, text('Yes')])
    expect(again(content)).toMatchObject([{ reasoning_details: details }, {}])
  })
  test('are nowhere if thinking was disabled', () => {
    expect(whole(answerOf(message), { thinking: { type: 'disabled' } })['content']).toEqual([text('Yes')])
  })
})

describe('stop reason:', () => {
  const refused = { type: 'refusal', category: null, explanation: null }
  const rows: readonly (readonly [string, Json, Json, Json])[] = [
    ['stop', { content: 'x' }, { finish_reason: 'stop' }, { stop_reason: 'end_turn' }],
    ['length', { content: 'x' }, { finish_reason: 'length' }, { stop_reason: 'max_tokens' }],
    [
      'tool_calls',
      { tool_calls: [call('weather', '{}')] },
      { finish_reason: 'tool_calls' },
      { stop_reason: 'tool_use' },
    ],
    [
      'stop after a call',
      { tool_calls: [call('weather', '{}')] },
      { finish_reason: 'stop' },
      { stop_reason: 'tool_use' },
    ],
    [
      'length after a call',
      { tool_calls: [call('weather', '{}')] },
      { finish_reason: 'length' },
      { stop_reason: 'max_tokens' },
    ],
    [
      'content_filter',
      { content: 'x' },
      { finish_reason: 'content_filter' },
      { stop_reason: 'refusal', stop_details: refused },
    ],
    ['a refusal', { refusal: 'No.' }, { finish_reason: 'stop' }, { stop_reason: 'refusal', stop_details: refused }],
    [
      'a stop sequence of vLLM',
      { content: 'x' },
      { stop_reason: 'END' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [
      'a stop sequence of SGLang',
      { content: 'x' },
      { matched_stop: 'END' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    ['a token that nobody asked for', { content: 'x' }, { stop_reason: '<eos>' }, { stop_reason: 'end_turn' }],
    ['the id of a token', { content: 'x' }, { matched_stop: 128_009 }, { stop_reason: 'end_turn' }],
    ['a word that nobody knows', { content: 'x' }, { finish_reason: 'constructor' }, { stop_reason: 'end_turn' }],
    ['none', { content: 'x' }, { finish_reason: null }, { stop_reason: 'end_turn' }],
  ]
  test.each([...rows])('%s', (_name, message, choice, stop) => {
    expect(whole(answerOf(message, choice), { stop_sequences: ['END'] })).toMatchObject({
      stop_sequence: null,
      stop_details: null,
      ...stop,
    })
  })
})

describe('usage', () => {
  test('counts cached tokens apart, and thoughts with the output', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 5 },
    }
    expect(whole(answerOf({ content: 'x' }, {}, { usage, service_tier: 'default' }))['usage']).toEqual({
      input_tokens: 10,
      output_tokens: 20,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: null,
      service_tier: 'standard',
    })
  })
  test('is never negative', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 5 } }
    expect(whole(answerOf({ content: 'x' }, {}, { usage }))['usage']).toMatchObject({
      input_tokens: 0,
      output_tokens: 2,
    })
  })
})

describe('a call that the limit cut through', () => {
  const calls = { tool_calls: [call('weather', '{"city":"Bern"}'), call('weather', '{"city":"Gen', 'c2')] }
  test('is left out, and the calls before it are there', () => {
    const message = whole(answerOf(calls, { finish_reason: 'length' }))
    expect(message).toMatchObject({ content: [use({ city: 'Bern' })], stop_reason: 'max_tokens' })
  })
  test('is an error if nothing cut it', () => {
    expect(() => whole(answerOf(calls))).toThrow(ApiError)
  })
})

describe('what is not a chat completion is the upstream’s error:', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['a string', 'Hello'],
    ['an empty object', {}],
    ['no choice', { choices: [] }],
    ['a choice without a message', { choices: [{ index: 0 }] }],
    ['content of another type', answerOf({ content: 7 })],
    ['a part of an unknown type', answerOf({ content: [{ type: 'video' }] })],
    ['arguments that are an object', answerOf({ tool_calls: [call('weather', {})] })],
    ['a call without a name', answerOf({ tool_calls: [call(undefined, '{}')] })],
    ['a call without a function', answerOf({ tool_calls: [{ id: 'c' }] })],
    ['arguments that are not JSON', answerOf({ tool_calls: [call('weather', 'city')] })],
    ['arguments that are not an object', answerOf({ tool_calls: [call('weather', '[1]')] })],
  ]
  test.each([...rows])('%s', (_name, answer) => {
    expect(() => whole(answer)).toThrow(expect.objectContaining({ code: 'upstream_invalid_response' }))
  })
})
