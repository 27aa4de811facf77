import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { anthropicDialect } from '../anthropic-dialect.ts'
import {
  args,
  calling,
  chunk,
  finish,
  opening,
  request,
  streamed,
  translator,
} from '#test/support/dialects/messages-chunks.ts'
import { readEvents, readMessage } from '#test/support/dialects/messages-events.ts'

type Json = Readonly<Record<string, unknown>>

const types = (sse: string) => readEvents(sse).map(({ type }) => type)
const textBlock = (text: string) => ({ type: 'text', text, signature: '' })
const thinkingBlock = (text: string, signature = '') => ({ type: 'thinking', text, signature })
const useBlock = (id: string, text: string) => ({ type: 'tool_use', id, name: 'weather', text, signature: '' })

describe('a streamed message', () => {
  test('begins with the first chunk, even if that says nothing', () => {
    const [start, ...others] = readEvents(translator().push(opening))
    expect(others).toEqual([])
    expect(start).toEqual({
      type: 'message_start',
      message: {
        id: 'msg_id1',
        type: 'message',
        role: 'assistant',
        model: 'given',
        content: [],
        container: null,
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: expect.objectContaining({ input_tokens: 0, output_tokens: 0 }),
      },
    })
  })

  test('says each piece of text when it comes', () => {
    const stream = translator()
    expect(types(stream.push(opening))).toEqual(['message_start'])
    expect(types(stream.push(chunk({ content: 'Hel' })))).toEqual(['content_block_start', 'content_block_delta'])
    expect(readEvents(stream.push(chunk({ content: 'lo' })))).toEqual([
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    ])
    expect(stream.push(finish('stop'))).toBe('')
    expect(types(stream.end())).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
  })

  test('begins a text without citations, which an upstream never has', () => {
    const [, start] = readEvents(translator().push(chunk({ content: 'Hel' })))
    expect(start).toEqual({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  })

  test('says each piece of arguments when it comes, also of the second call', () => {
    const stream = translator()
    stream.push(opening)
    for (const index of [0, 1]) {
      expect(types(stream.push(calling(index, `c${index}`, 'weather')))).toEqual([
        ...(index === 0 ? [] : ['content_block_stop']),
        'content_block_start',
      ])
      for (const piece of ['{"a":', '"b"}']) {
        expect(readEvents(stream.push(args(index, piece)))).toEqual([
          { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } },
        ])
      }
    }
    expect(types(stream.end())).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
  })

  test('goes over from thoughts to text to a call without waiting', () => {
    const stream = translator()
    stream.push(chunk({ reasoning_content: 'Hm' }))
    const next = ['content_block_stop', 'content_block_start', 'content_block_delta']
    expect(types(stream.push(chunk({ content: 'x' })))).toEqual(next)
    expect(types(stream.push(calling(0, 'c', 'weather', '{}')))).toEqual(next)
    expect(types(stream.push(chunk({ content: 'y' })))).toEqual(next)
  })

  test('counts what it used at its end, from whichever chunk tells', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } }
    for (const last of [
      { choices: [], usage },
      { ...finish('stop'), usage },
    ]) {
      const { delta } = streamed([opening, chunk({ content: 'x' }), last])
      expect(delta).toMatchObject({ usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 3 } })
    }
  })

  test('that says nothing is complete nevertheless', () => {
    for (const chunks of [[], [opening], [opening, finish('stop')]]) {
      const { blocks, delta } = streamed(chunks)
      expect(blocks).toEqual([])
      expect(delta).toMatchObject({ delta: { stop_reason: 'end_turn' } })
    }
  })

  test('says nothing more after its end', () => {
    const stream = translator()
    stream.push(opening)
    stream.end()
    expect(stream.push(chunk({ content: 'x' })) + stream.end() + stream.fail(new ApiError('upstream_error'))).toBe('')
  })
})

describe('stop reason:', () => {
  const rows: readonly (readonly [string, readonly Json[], string, string | null])[] = [
    ['stop', [chunk({ content: 'x' }), finish('stop')], 'end_turn', null],
    ['length', [chunk({ content: 'x' }), finish('length')], 'max_tokens', null],
    ['tool_calls', [calling(0, 'c', 'weather', '{}'), finish('tool_calls')], 'tool_use', null],
    ['stop after a call', [calling(0, 'c', 'weather', '{}'), finish('stop')], 'tool_use', null],
    ['content_filter', [finish('content_filter')], 'refusal', null],
    ['a refusal', [chunk({ refusal: 'No.' }), finish('stop')], 'refusal', null],
    ['a stop sequence', [finish('stop', { stop_reason: 'END' })], 'stop_sequence', 'END'],
    ['none', [chunk({ content: 'x' })], 'end_turn', null],
  ]
  test.each([...rows])('%s', (_name, chunks, reason, sequence) => {
    const { delta } = streamed(chunks, { stop_sequences: ['END'] })
    expect(delta).toMatchObject({ delta: { stop_reason: reason, stop_sequence: sequence } })
  })
})

describe('blocks:', () => {
  const rows: readonly (readonly [string, readonly Json[], readonly Json[]])[] = [
    ['text', [opening, chunk({ content: 'a' }), chunk({ content: '' }), chunk({ content: 'b' })], [textBlock('ab')]],
    ['a refusal', [chunk({ refusal: 'N' }), chunk({ refusal: 'o.' })], [textBlock('No.')]],
    [
      'thoughts, then text',
      [chunk({ reasoning_content: 'H' }), chunk({ reasoning_content: 'm' }), chunk({ content: 'x' })],
      [thinkingBlock('Hm'), textBlock('x')],
    ],
    [
      'thoughts and text in one chunk',
      [chunk({ reasoning: 'Hm', content: 'x' })],
      [thinkingBlock('Hm'), textBlock('x')],
    ],
    [
      'text, a call, text',
      [chunk({ content: 'a' }), calling(0, 'c', 'weather', '{'), args(0, '}'), chunk({ content: 'b' })],
      [textBlock('a'), useBlock('c', '{}'), textBlock('b')],
    ],
    [
      'text inside a call',
      [calling(0, 'c', 'weather', '{'), chunk({ content: 'b' }), args(0, '}')],
      [useBlock('c', '{}'), textBlock('b')],
    ],
    [
      'calls in turns',
      [calling(0, 'c', 'weather', '{"a'), calling(1, 'd', 'weather', '{"'), args(0, '":1}'), args(1, 'b":2}')],
      [useBlock('c', '{"a":1}'), useBlock('d', '{"b":2}')],
    ],
    [
      'two calls in one chunk',
      [
        chunk({
          tool_calls: [
            { index: 0, id: 'c', function: { name: 'weather', arguments: '{}' } },
            { index: 1, id: 'd', function: { name: 'weather', arguments: '{}' } },
          ],
        }),
      ],
      [useBlock('c', '{}'), useBlock('d', '{}')],
    ],
    [
      'a call without arguments before another',
      [calling(0, 'c', 'weather'), calling(1, 'd', 'weather', '{}')],
      [useBlock('c', ''), useBlock('d', '{}')],
    ],
    [
      'a call without an id',
      [chunk({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{}' } }] })],
      [useBlock('toolu_id2', '{}')],
    ],
    [
      'calls without an index',
      [
        chunk({ tool_calls: [{ id: 'c', function: { name: 'weather', arguments: '{' } }] }),
        chunk({ tool_calls: [{ function: { arguments: '}' } }] }),
        chunk({ tool_calls: [{ id: 'd', function: { name: 'weather', arguments: '{}' } }] }),
      ],
      [useBlock('c', '{}'), useBlock('d', '{}')],
    ],
    [
      'calls that all have the same index',
      [calling(0, 'c', 'weather', '{}'), calling(0, 'd', 'weather', '{}')],
      [useBlock('c', '{}'), useBlock('d', '{}')],
    ],
    [
      'a call that repeats its id and name',
      [calling(0, 'c', 'weather', '{'), calling(0, 'c', 'weather', '}')],
      [useBlock('c', '{}')],
    ],
    [
      'other choices',
      [chunk({ content: 'a' }), { choices: [{ index: 1, delta: { content: 'b' } }] }],
      [textBlock('a')],
    ],
    [
      'a brace in a string',
      [calling(0, 'c', 'weather', '{"a":"}'), chunk({ content: 'x' }), args(0, '"}')],
      [useBlock('c', '{"a":"}"}'), textBlock('x')],
    ],
    [
      'an escaped quote',
      [calling(0, 'c', 'weather', '{"a":"\\"}'), chunk({ content: 'x' }), args(0, '"}')],
      [useBlock('c', '{"a":"\\"}"}'), textBlock('x')],
    ],
    [
      'an escaped backslash',
      [calling(0, 'c', 'weather', '{"a":"\\\\"'), args(0, '}'), chunk({ content: 'x' })],
      [useBlock('c', '{"a":"\\\\"}'), textBlock('x')],
    ],
  ]
  test.each([...rows])('%s', (_name, chunks, blocks) => {
    expect(streamed(chunks).blocks).toEqual(blocks as never)
  })
})

describe('thoughts that their upstream wants back', () => {
  const detail = { type: 'reasoning.text', text: 'Hm', extra_content: { vendor: { signature: 's' } } }
  const thought = [chunk({ reasoning_content: 'Hm' }), chunk({ reasoning_details: [detail] }), chunk({ content: 'x' })]
  const returned = (thinking: string, signature: string) =>
    anthropicDialect.translate(
      {
        ...request,
        messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking, signature }] }, ...request.messages],
      },
      { now: 0, newId: () => '1' },
    ).chatBody['messages']

  test('come back as they were, through the signature', () => {
    const [block, ...others] = streamed(thought).blocks
    expect(others).toEqual([textBlock('x')])
    expect(block).toEqual(thinkingBlock('Hm', expect.any(String)))
    expect(returned('Hm', block?.signature ?? '')).toMatchObject([{ reasoning_details: [detail] }, {}])
  })
  test('come back without having been shown', () => {
    const [block] = streamed(thought, { thinking: { type: 'adaptive', display: 'omitted' } }).blocks
    expect(block).toEqual(thinkingBlock('', expect.any(String)))
    expect(returned('', block?.signature ?? '')).toMatchObject([{ reasoning_details: [detail] }, {}])
  })
  test('come back whole if they came in fragments', () => {
    const fragments = [
      { type: 'reasoning.text', index: 0, text: 'H', signature: null },
      { type: 'reasoning.text', index: 0, text: 'm', signature: 's' },
    ]
    const [block] = streamed([
      ...fragments.map((each) => chunk({ reasoning_details: [each] })),
      chunk({ content: 'x' }),
    ]).blocks
    expect(returned('', block?.signature ?? '')).toMatchObject([
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm', signature: 's' }] },
      {},
    ])
  })
  test('are nowhere if thinking was disabled', () => {
    expect(streamed(thought, { thinking: { type: 'disabled' } }).blocks).toEqual([textBlock('x')])
  })
})

describe('an answer that breaks off', () => {
  test('ends with an error event and with nothing that looks like completion', () => {
    const stream = translator()
    const sse = stream.push(chunk({ content: 'x' })) + stream.fail(new ApiError('upstream_stream_error')) + stream.end()
    const { delta, error } = readMessage(
      sse.replace(
        'event: error',
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: error',
      ),
    )
    expect(delta).toBeNull()
    expect(types(sse)).toEqual(['message_start', 'content_block_start', 'content_block_delta', 'error'])
    expect(error).toMatchObject({ error: { type: 'api_error', details: { error_code: 'upstream_stream_error' } } })
  })

  test.each([
    ['null', [null]],
    ['a string', ['x']],
    ['a call without a name', [args(0, '{}')]],
    ['arguments behind their end', [calling(0, 'c', 'weather', '{}'), chunk({ content: 'x' }), args(0, '{}')]],
  ])('because of a chunk that cannot be read is the upstream’s error: %s', (_name, chunks) => {
    const stream = translator()
    expect(() => chunks.forEach((each) => stream.push(each))).toThrow(
      expect.objectContaining({ code: 'upstream_invalid_response' }),
    )
  })
})
