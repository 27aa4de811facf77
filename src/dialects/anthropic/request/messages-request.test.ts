import { describe, expect, test } from 'bun:test'
import { anthropicDialect } from '../anthropic-dialect.ts'
import { readMessagesRequest } from './messages-request.ts'
import { thinkingSignature } from './thinking.ts'

type Json = Readonly<Record<string, unknown>>

const context = { now: 0, newId: () => '00000000-0000-0000-0000-000000000001' }
const minimal = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const pixel = 'iVBORw0KGgo='

function chatBody(fields: Json): Json {
  return anthropicDialect.translate({ ...minimal, ...fields }, context).chatBody
}

/** The messages for one turn of this role with this content. */
function turn(content: unknown, role = 'user'): unknown {
  const messages = [{ role, content }]
  return chatBody({ messages: role === 'assistant' ? [...messages, { role: 'user', content: '?' }] : messages })[
    'messages'
  ]
}

const weather = { name: 'weather', description: 'Tells it', input_schema: { type: 'object', properties: {} } }
const weatherTool = {
  type: 'function',
  function: { name: 'weather', description: 'Tells it', parameters: { type: 'object', properties: {} } },
}

test('a minimal request becomes a minimal chat body', () => {
  expect(chatBody({})).toEqual({
    model: 'm',
    max_tokens: 10,
    stream: false,
    messages: [{ role: 'user', content: 'Hi' }],
  })
})

describe('a field of the request is translated:', () => {
  const rows: readonly (readonly [string, Json, Json])[] = [
    ['stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
    ['temperature', { temperature: 0.5 }, { temperature: 0.5 }],
    ['top_p', { top_p: 0.9 }, { top_p: 0.9 }],
    ['top_k', { top_k: 40 }, { top_k: 40 }],
    ['stop_sequences', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    ['metadata.user_id', { metadata: { user_id: 'u1' } }, { user: 'u1' }],
    ['service_tier', { service_tier: 'standard_only' }, { service_tier: 'default' }],
    ['the least budget', { thinking: { type: 'enabled', budget_tokens: 1024 } }, { reasoning_effort: 'low' }],
    ['a budget below medium', { thinking: { type: 'enabled', budget_tokens: 4095 } }, { reasoning_effort: 'low' }],
    ['a medium budget', { thinking: { type: 'enabled', budget_tokens: 4096 } }, { reasoning_effort: 'medium' }],
    ['a budget below high', { thinking: { type: 'enabled', budget_tokens: 16_383 } }, { reasoning_effort: 'medium' }],
    ['a high budget', { thinking: { type: 'enabled', budget_tokens: 16_384 } }, { reasoning_effort: 'high' }],
    ['thinking disabled', { thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }],
    ['effort', { output_config: { effort: 'max' } }, { reasoning_effort: 'max' }],
    [
      'effort with adaptive thinking',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { reasoning_effort: 'xhigh' },
    ],
    [
      'effort beside a budget',
      { thinking: { type: 'enabled', budget_tokens: 1024 }, output_config: { effort: 'high' } },
      { reasoning_effort: 'high' },
    ],
    [
      'output_config.format',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    [
      'output_format',
      { output_format: { type: 'json_schema', schema: { type: 'object' } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    ['tools', { tools: [weather] }, { tools: [weatherTool] }],
    ['a custom tool', { tools: [{ ...weather, type: 'custom' }] }, { tools: [weatherTool] }],
    [
      'strict',
      { tools: [{ ...weather, strict: true }] },
      { tools: [{ ...weatherTool, function: { ...weatherTool.function, strict: true } }] },
    ],
    [
      'input_examples',
      { tools: [{ ...weather, input_examples: [{ city: 'Bern' }] }] },
      {
        tools: [
          {
            type: 'function',
            function: {
              ...weatherTool.function,
              parameters: { type: 'object', properties: {}, examples: [{ city: 'Bern' }] },
            },
          },
        ],
      },
    ],
    [
      'tool_choice auto',
      { tools: [weather], tool_choice: { type: 'auto' } },
      { tools: [weatherTool], tool_choice: 'auto' },
    ],
    [
      'tool_choice any',
      { tools: [weather], tool_choice: { type: 'any' } },
      { tools: [weatherTool], tool_choice: 'required' },
    ],
    [
      'tool_choice none',
      { tools: [weather], tool_choice: { type: 'none' } },
      { tools: [weatherTool], tool_choice: 'none' },
    ],
    [
      'tool_choice tool',
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather' } },
      { tools: [weatherTool], tool_choice: { type: 'function', function: { name: 'weather' } } },
    ],
    [
      'disable_parallel_tool_use',
      { tools: [weather], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { tools: [weatherTool], tool_choice: 'auto', parallel_tool_calls: false },
    ],
  ]
  test.each([...rows])('%s', (_name, fields, expected) => {
    expect(chatBody(fields)).toEqual({ ...chatBody({}), ...expected })
  })
})

describe('a hint has no effect:', () => {
  const rows: readonly (readonly [string, Json])[] = [
    ['cache_control', { cache_control: { type: 'ephemeral' } }],
    ['diagnostics', { diagnostics: { previous_message_id: 'msg_1' } }],
    ['service_tier auto', { service_tier: 'auto' }],
    ['speed standard', { speed: 'standard' }],
    ['inference_geo global', { inference_geo: 'global' }],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }],
    ['clearing of thoughts', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['no stop sequence', { stop_sequences: [] }],
    ['no tools', { tools: [], tool_choice: { type: 'auto' } }],
    ['no servers', { mcp_servers: [] }],
    [
      'null',
      { temperature: null, system: null, tools: null, thinking: null, container: null, metadata: { user_id: null } },
    ],
  ]
  test.each([...rows])('%s', (_name, fields) => {
    expect(chatBody(fields)).toEqual(chatBody({}))
  })

  test('on tools and blocks too', () => {
    const hints = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const tool = { ...weather, ...hints, defer_loading: true, eager_input_streaming: true, allowed_callers: ['direct'] }
    expect(chatBody({ tools: [tool] })['tools']).toEqual([weatherTool])
    expect(turn([{ type: 'text', text: 'Hi', citations: null, ...hints }])).toEqual(turn('Hi'))
  })
})

describe('a user id of more characters than upstreams take', () => {
  test('becomes a short name that is the same every time and another for another user', () => {
    const [first, again, other] = ['a', 'a', 'b'].map(
      (letter) => chatBody({ metadata: { user_id: letter.repeat(65) } })['user'],
    )
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(again).toBe(first as string)
    expect(other).not.toBe(first)
  })
})

describe('the system prompt', () => {
  const user = { role: 'user', content: 'Hi' }
  test('comes first, as a string', () => {
    expect(chatBody({ system: 'Be brief.' })['messages']).toEqual([{ role: 'system', content: 'Be brief.' }, user])
    const blocks = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]
    expect(chatBody({ system: blocks })['messages']).toEqual([{ role: 'system', content: 'Be brief.' }, user])
  })
  test('keeps its blocks apart', () => {
    const system = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ]
    expect(chatBody({ system })['messages']).toEqual([{ role: 'system', content: system }, user])
  })
  test('may change in the middle', () => {
    const messages = [user, { role: 'system', content: 'Now shout.' }, user]
    expect(chatBody({ messages })['messages']).toEqual(messages)
  })
})

describe('a block of the user is translated:', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['text', { type: 'text', text: 'Hi' }, 'Hi'],
    ['a picture', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }, [image]],
    [
      'the address of a picture',
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
    ],
    ['a text document', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Once' } }, 'Once'],
    [
      'a document with a title',
      {
        type: 'document',
        title: 'Tale',
        context: 'old',
        citations: { enabled: false },
        source: { type: 'text', media_type: 'text/plain', data: 'Once' },
      },
      [
        { type: 'text', text: 'Document: Tale\nContext: old' },
        { type: 'text', text: 'Once' },
      ],
    ],
    [
      'a document of blocks',
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'Once' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
      },
      [{ type: 'text', text: 'Once' }, image],
    ],
    [
      'a PDF',
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
      [{ type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }],
    ],
    [
      'a search result',
      { type: 'search_result', title: 'T', source: 'https://example.org', content: [{ type: 'text', text: 'found' }] },
      [
        { type: 'text', text: 'Search result: T\nSource: https://example.org' },
        { type: 'text', text: 'found' },
      ],
    ],
  ]
  test.each([...rows])('%s', (_name, block, content) => {
    expect(turn([block])).toEqual([{ role: 'user', content }])
  })

  test('in the order in which they stand', () => {
    const blocks = [
      { type: 'text', text: 'Before' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      { type: 'text', text: 'after' },
    ]
    expect(turn(blocks)).toEqual([{ role: 'user', content: [blocks[0], image, blocks[2]] }])
  })
})

describe('a tool result', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }
  const result = (content: unknown, more: Json = {}) => ({ type: 'tool_result', tool_use_id: 'c1', content, ...more })
  const rows: readonly (readonly [string, Json, string])[] = [
    ['a string', result('21 °C'), '21 °C'],
    [
      'blocks',
      result([
        { type: 'text', text: '21' },
        { type: 'text', text: '22' },
      ]),
      '21\n22',
    ],
    ['nothing', { type: 'tool_result', tool_use_id: 'c1' }, ''],
    ['an error', result('no such city', { is_error: true }), 'Error: no such city'],
    ['no error', result('fine', { is_error: false }), 'fine'],
  ]
  test.each([...rows])('that is %s is a message of its own', (_name, block, content) => {
    expect(turn([block])).toEqual([{ role: 'tool', tool_call_id: 'c1', content }])
  })

  test('comes before what else the user says', () => {
    const messages = turn([{ type: 'text', text: 'And?' }, result('1'), result('2', { tool_use_id: 'c2' })])
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '1' },
      { role: 'tool', tool_call_id: 'c2', content: '2' },
      { role: 'user', content: 'And?' },
    ])
  })

  test('hands its pictures to the message that follows all results', () => {
    expect(
      turn([
        result([{ type: 'text', text: 'See' }, image]),
        result('2', { tool_use_id: 'c2' }),
        { type: 'text', text: 'And?' },
      ]),
    ).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'See\n[Attached to the next message: 1]' },
      { role: 'tool', tool_call_id: 'c2', content: '2' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of tool call c1:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
  })
})

describe('an earlier answer', () => {
  const call = { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Bern' }, caller: { type: 'direct' } }
  const chatCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
  const question = { role: 'user', content: '?' }
  const details = [{ type: 'reasoning.text', text: 'Hm', extra_content: { vendor: { signature: 's' } } }]
  const rows: readonly (readonly [string, unknown, Json])[] = [
    ['a string', 'Yes', { content: 'Yes' }],
    ['text', [{ type: 'text', text: 'Yes', citations: null }], { content: 'Yes' }],
    ['calls', [call], { content: null, tool_calls: [chatCall] }],
    ['text and calls', [{ type: 'text', text: 'Wait' }, call], { content: 'Wait', tool_calls: [chatCall] }],
    [
      "another service's thoughts",
      [
        { type: 'thinking', thinking: 'Hm', signature: 'EqQBCg' },
        { type: 'text', text: 'Yes' },
      ],
      { content: 'Yes' },
    ],
    [
      'unsigned thoughts',
      [
        { type: 'thinking', thinking: 'Hm', signature: '' },
        { type: 'text', text: 'Yes' },
      ],
      { content: 'Yes' },
    ],
    [
      'encrypted thoughts',
      [
        { type: 'redacted_thinking', data: 'x' },
        { type: 'text', text: 'Yes' },
      ],
      { content: 'Yes' },
    ],
    ['thoughts alone', [{ type: 'thinking', thinking: 'Hm', signature: '' }], { content: '' }],
    [
      'thoughts that their upstream wants back',
      [{ type: 'thinking', thinking: 'Hm', signature: thinkingSignature(details) }, call],
      { content: null, tool_calls: [chatCall], reasoning_details: details },
    ],
  ]
  test.each([...rows])('of %s is given back', (_name, content, message) => {
    expect(turn(content, 'assistant')).toEqual([{ role: 'assistant', ...message }, question])
  })
})

test('fields that this API does not have go to the provider as they are, and do not replace what is translated', () => {
  const extra = { seed: 7, top_a: 0.5, chat_template_kwargs: { thinking: true }, reasoning_effort: 'low' }
  const thinking = { type: 'enabled', budget_tokens: 20_000 }
  const { chatBody: sent } = readMessagesRequest({
    model: 'm',
    max_tokens: 30_000,
    messages: [{ role: 'user', content: 'Hi' }],
    thinking,
    none: null,
    ...extra,
  })
  expect(sent).toMatchObject({ ...extra, reasoning_effort: 'high' })
  expect(sent).not.toContainKey('none')
})
