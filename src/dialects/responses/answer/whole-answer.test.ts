import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../../dialect.ts'
import { encodeEncryptedContent } from '../request/encrypted-content.ts'
import { answer, translated } from '#test/support/dialects/responses.ts'

function wholeOf(chatAnswer: unknown, request: JsonObject = {}): JsonObject {
  return translated(request).whole(chatAnswer) as JsonObject
}

function outputOf(message: JsonObject, more: JsonObject = {}, request: JsonObject = {}): unknown {
  return wholeOf(answer(message, more), request)['output']
}

const message = (id: string, text: string, status = 'completed'): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
})

describe('a whole answer', () => {
  test('is a Response with the model and the usage that the upstream reported', () => {
    const usage = {
      prompt_tokens: 30,
      completion_tokens: 12,
      total_tokens: 42,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 7 },
    }
    const body = wholeOf({ ...answer({ content: 'Hi' }), usage, service_tier: 'priority' }, { service_tier: 'auto' })
    expect(body).toMatchObject({
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'small-2',
      service_tier: 'priority',
      output: [message('msg_2', 'Hi')],
      usage: {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 20, cache_write_tokens: 4 },
        output_tokens: 12,
        output_tokens_details: { reasoning_tokens: 7 },
        total_tokens: 42,
      },
    })
  })

  test('names the model of the request, and no usage, where the upstream reports none', () => {
    const { choices } = answer({ content: 'Hi' })
    expect(wholeOf({ choices })).toMatchObject({ model: 'small', usage: null })
  })

  test('holds thoughts, text and calls in this order', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' }, extra_content: { google: 1 } },
    ]
    const more = { finish_reason: 'tool_calls' }
    expect(outputOf({ content: 'I look.', reasoning_content: 'Hm.', tool_calls: calls }, more)).toEqual([
      {
        id: 'rs_2',
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Hm.' }],
        status: 'completed',
      },
      message('msg_3', 'I look.'),
      {
        id: 'fc_4',
        type: 'function_call',
        status: 'completed',
        call_id: 'a',
        name: 'weather',
        arguments: '{"city":"Oslo"}',
      },
      {
        id: 'fc_5',
        type: 'function_call',
        status: 'completed',
        call_id: 'b',
        name: 'time',
        arguments: '{}',
        extra_content: { google: 1 },
      },
    ])
  })

  test('words thoughts as a summary for a client that asked for one', () => {
    expect(outputOf({ content: null, reasoning: 'Hm.' }, {}, { reasoning: { summary: 'auto' } })).toEqual([
      { id: 'rs_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], status: 'completed' },
    ])
  })

  test('seals what the upstream wants back with its thoughts', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }]
    expect(outputOf({ content: null, reasoning_details: details })).toMatchObject([
      { type: 'reasoning', encrypted_content: encodeEncryptedContent(details) },
    ])
  })

  test('reads content that comes in parts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ]
    expect(outputOf({ content })).toMatchObject([
      { type: 'reasoning', content: [{ text: 'Hm.' }] },
      { type: 'message', content: [{ text: 'Yes.' }] },
    ])
  })

  test('cites the pages that the upstream cites, and nothing else of its annotations', () => {
    const cited = { url: 'https://a.example/', title: 'A', start_index: 0, end_index: 3 }
    const annotations = [
      { type: 'url_citation', url_citation: cited },
      { type: 'url_citation', url_citation: { url: 'https://b.example/' } },
      { type: 'file', file: { hash: 'x' } },
      { type: 'url_citation' },
      'odd',
    ]
    const expected = [
      { type: 'url_citation', ...cited },
      { type: 'url_citation', url: 'https://b.example/', title: '', start_index: 0, end_index: 0 },
    ]
    expect(outputOf({ content: 'Yes', annotations })).toMatchObject([{ content: [{ annotations: expected }] }])
    expect(outputOf({ content: 'Yes', annotations: 'odd' })).toMatchObject([{ content: [{ annotations: [] }] }])
    expect(outputOf({ content: null, annotations })).toEqual([])
  })

  test('holds a refusal and log probabilities', () => {
    expect(outputOf({ content: null, refusal: 'No.' })).toMatchObject([
      { content: [{ type: 'refusal', refusal: 'No.' }] },
    ])
    const content = [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }]
    expect(outputOf({ content: 'Hi' }, { logprobs: { content } })).toMatchObject([
      { content: [{ type: 'output_text', text: 'Hi', logprobs: content }] },
    ])
  })

  test('that says nothing has no output', () => {
    expect(outputOf({ content: '' })).toEqual([])
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('that ended for %s is incomplete, and so is its last item', (finishReason, reason) => {
    const body = wholeOf(answer({ content: 'On', reasoning_content: 'Hm.' }, { finish_reason: finishReason }))
    expect(body).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
    expect(body['output']).toMatchObject([{ status: 'completed' }, { status: 'incomplete' }])
  })

  test.each(['stop', 'tool_calls', 'function_call', null])('that ended for %p is completed', (finishReason) => {
    const body = wholeOf(answer({ content: 'Hi' }, { finish_reason: finishReason }))
    expect(body).toMatchObject({ status: 'completed', incomplete_details: null })
  })

  test.each<[string, unknown]>([
    ['no object', 'Hi'],
    ['no choices', {}],
    ['no choice', { choices: [] }],
    ['no message', { choices: [{ index: 0 }] }],
    ['content of another type', answer({ content: 7 })],
    ['content in parts of another type', answer({ content: [{ type: 'video' }] })],
    ['calls that are not a list', answer({ content: null, tool_calls: {} })],
    ['a call without a name', answer({ content: null, tool_calls: [{ id: 'a', function: { arguments: '' } }] })],
    [
      'a call whose function is not an object',
      answer({ content: null, tool_calls: [{ id: 'a', function: 'weather' }] }),
    ],
  ])('that has %s is refused as unreadable', (_name, chatAnswer) => {
    let thrown: unknown
    try {
      wholeOf(chatAnswer)
    } catch (error) {
      thrown = error
    }
    expect(thrown instanceof ApiError && thrown.code).toBe('upstream_invalid_response')
  })
})
