import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../dialect.ts'
import { encodeEncryptedContent } from './encrypted-content.ts'
import { refusal, translated } from '#test/support/dialects/responses.ts'

function messagesOf(input: unknown, more: JsonObject = {}): unknown {
  return translated({ input, ...more }).chatBody['messages']
}

const call = (id: string, name = 'weather'): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: '{}',
})
const result = (id: string, output: unknown = 'sunny'): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output,
})
const chatCall = (id: string, name = 'weather'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const said = (text: string): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})

describe('a message', () => {
  test('keeps its role and its text; instructions come first', () => {
    const input = [
      { role: 'developer', content: 'Use metres.' },
      { role: 'user', content: [{ type: 'input_text', text: 'How far?' }] },
      { role: 'assistant', content: 'Two.' },
      { type: 'message', role: 'system', content: 'Be kind.' },
    ]
    expect(messagesOf(input, { instructions: 'Be brief.' })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Use metres.' },
      { role: 'user', content: 'How far?' },
      { role: 'assistant', content: 'Two.' },
      { role: 'system', content: 'Be kind.' },
    ])
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'an image',
      { type: 'input_image', image_url: 'https://a/b.png', detail: 'high' },
      { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'high' } },
    ],
    [
      'an image of automatic detail',
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ],
    [
      'a file',
      { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
    ],
    [
      'a file that the upstream has',
      { type: 'input_file', file_id: 'file-1' },
      { type: 'file', file: { file_id: 'file-1' } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    ],
    [
      'text with a field that is not known here',
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
    ],
  ])('carries %s', (_name, part, wanted) => {
    const content = [{ type: 'input_text', text: 'Look' }, part]
    expect(messagesOf([{ role: 'user', content }])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look' }, wanted] },
    ])
  })

  test('of the assistant keeps a refusal apart from text', () => {
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(messagesOf([{ ...said(''), content }])).toEqual([{ role: 'assistant', content: null, refusal: 'No.' }])
  })
})

describe('what the assistant said in one turn is one message', () => {
  test('with text before its calls', () => {
    const input = [said('I look.'), call('a'), call('b', 'time'), result('b'), result('a')]
    expect(messagesOf(input)).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [chatCall('a'), chatCall('b', 'time')] },
      { role: 'tool', tool_call_id: 'b', content: 'sunny' },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
    ])
  })

  test('with text behind its calls, whose results follow at once', () => {
    expect(messagesOf([said('I look. '), call('a'), said('Wait.'), result('a')])).toEqual([
      { role: 'assistant', content: 'I look. Wait.', tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
    ])
  })

  test('and two where it spoke twice', () => {
    expect(messagesOf([said('One.'), said('Two.')])).toEqual([
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
    ])
  })

  test('and two where a result is between its calls', () => {
    expect(messagesOf([call('a'), result('a'), call('b'), result('b')])).toEqual([
      { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'assistant', content: null, tool_calls: [chatCall('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'sunny' },
    ])
  })

  test('with what its upstream wants back with a call', () => {
    const extra = { extra_content: { google: { thought_signature: 's' } } }
    expect(messagesOf([{ ...call('a'), ...extra, id: 'fc_1', status: 'completed', parsed_arguments: {} }])).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ ...chatCall('a'), ...extra }] },
    ])
  })
})

describe('the result of a tool', () => {
  test('may be text in parts, and pictures', () => {
    const output = [
      { type: 'input_text', text: 'A map' },
      { type: 'input_image', image_url: 'https://a/b.png' },
    ]
    expect(messagesOf([call('a'), result('a', output)])).toContainEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'A map' },
        { type: 'image_url', image_url: { url: 'https://a/b.png' } },
      ],
    })
  })
})

describe('thoughts', () => {
  const thoughts = (fields: JsonObject): JsonObject => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields })
  const content = [{ type: 'reasoning_text', text: 'Hm.' }]
  const summary = [{ type: 'summary_text', text: 'Hm.' }]

  test.each([
    ['as such', { content }],
    ['as a summary', { summary }],
  ])('that have text %s go back to the upstream with their message', (_name, fields) => {
    expect(messagesOf([thoughts(fields), said('Yes.')])).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
    ])
  })

  test('go back with what the upstream sealed in them', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'ß' }]
    expect(messagesOf([thoughts({ content, encrypted_content: encodeEncryptedContent(details) }), call('a')])).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        reasoning_details: details,
        tool_calls: [chatCall('a')],
      },
    ])
  })

  test.each(['gAAAAABo', 'sluice-1.e30', 'sluice-1.%%%'])('that another party sealed (%s) are left out', (sealed) => {
    expect(messagesOf([thoughts({ summary, encrypted_content: sealed }), said('Yes.')])).toEqual([
      { role: 'assistant', content: 'Yes.' },
    ])
  })

  test('that led to nothing are left out', () => {
    expect(messagesOf([thoughts({ content }), { role: 'user', content: 'And?' }])).toEqual([
      { role: 'user', content: 'And?' },
    ])
  })
})

test('what the API itself searched for an earlier answer is left out, and the answer stays', () => {
  const input = [
    { role: 'user', content: 'What is new?' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'new' } },
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['new'], results: null },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'a', tools: [] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'This.', annotations: [] }] },
    { role: 'user', content: 'And?' },
  ]
  expect(translated({ input }).chatBody['messages']).toEqual([
    { role: 'user', content: 'What is new?' },
    { role: 'assistant', content: 'This.' },
    { role: 'user', content: 'And?' },
  ])
})

describe('an item is refused with its path', () => {
  const user = (part: JsonObject): JsonObject => ({ role: 'user', content: [part] })
  test.each<[string, unknown]>([
    ['input.0', ['Hello']],
    ['input.0.role', [{ content: 'Hello' }]],
    ['input.0.role', [{ role: 'tool', content: 'Hello' }]],
    ['input.0.content', [{ role: 'user' }]],
    ['input.0.content', [{ role: 'assistant' }]],
    ['input.0.content.0', [{ role: 'user', content: ['Hello'] }]],
    ['input.0.content.0.type', [user({ text: 'Hello' })]],
    ['input.0.content.0.type', [user({ type: 'input_video' })]],
    ['input.0.content.0.text', [user({ type: 'input_text' })]],
    ['input.0.content.0.image_url', [user({ type: 'input_image' })]],
    ['input.0.content.0.file_id', [user({ type: 'input_image', file_id: 'file-1' })]],
    ['input.0.content.0.file_url', [user({ type: 'input_file', file_url: 'https://a/b.pdf' })]],
    ['input.0.content.0.file_data', [user({ type: 'input_file' })]],
    ['input.0.content.0.detail', [user({ type: 'input_file', file_id: 'file-1', detail: 'high' })]],
    ['input.0.content.0.type', [{ role: 'assistant', content: [{ type: 'input_image', image_url: 'https://a' }] }]],
    [
      'input.0.content.0.cache_control',
      [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', cache_control: {} }] }],
    ],
    ['input.0.type', [{ type: 'computer_call', call_id: 'a', action: { type: 'screenshot' } }]],
    ['input.0.input', [{ type: 'custom_tool_call', call_id: 'a', name: 'n' }]],
    ['input.0.call_id', [{ type: 'function_call', name: 'n', arguments: '' }]],
    ['input.0.arguments', [{ type: 'function_call', call_id: 'a', name: 'n', arguments: {} }]],
    ['input.0.namespace', [{ ...call('a'), namespace: 7 }]],
    ['input.0.caller', [{ ...call('a'), caller: { type: 'program', caller_id: 'p' } }]],
    ['input.0.call_id', [result('a')]],
    ['input.1.output', [call('a'), { type: 'function_call_output', call_id: 'a' }]],
    ['input.0.summary.0.text', [{ type: 'reasoning', summary: [{ type: 'summary_text' }] }]],
  ])('%s', (param, input) => {
    const error = refusal({ input })
    expect([error.code, error.detail.param]).toEqual(['invalid_body', param])
  })
})
