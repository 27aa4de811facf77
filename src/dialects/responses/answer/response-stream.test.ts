import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../../dialect.ts'
import { decodeEncryptedContent } from '../request/encrypted-content.ts'
import { callDelta, chunk, eventsOf, readEvents, translated, type TestEvent } from '#test/support/dialects/responses.ts'

function streamed(chunks: readonly unknown[], request: JsonObject = {}): TestEvent[] {
  return eventsOf(translated({ stream: true, ...request }).stream(), chunks)
}

const types = (events: readonly TestEvent[]): string[] => events.map(({ type }) => type.replace(/^response\./, ''))

function last(events: readonly TestEvent[]): JsonObject {
  return events.at(-1)?.['response'] as JsonObject
}

describe('a streamed answer', () => {
  test('sends text as it arrives, between events that enclose it', () => {
    const chunks = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
    ]
    const events = streamed(chunks)
    expect(types(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events.map((event) => event.sequence_number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(events[4]).toEqual({
      type: 'response.output_text.delta',
      sequence_number: 4,
      item_id: 'msg_2',
      output_index: 0,
      content_index: 0,
      delta: 'Hel',
      logprobs: [],
    })
    expect(last(events)).toMatchObject({
      id: 'resp_1',
      status: 'completed',
      model: 'small-2',
      output: [{ id: 'msg_2', status: 'completed', content: [{ type: 'output_text', text: 'Hello' }] }],
    })
  })

  test('begins with the first chunk, whatever it says', () => {
    expect(
      types(
        readEvents(
          translated({})
            .stream()
            .push(chunk({ role: 'assistant' })),
        ),
      ),
    ).toEqual(['created', 'in_progress'])
  })

  test('announces a citation, also one that comes after its text', () => {
    const cited = { url: 'https://a.example/', title: 'A', start_index: 0, end_index: 3 }
    const annotations = [{ type: 'url_citation', url_citation: cited }]
    const events = streamed([chunk({ content: 'Yes' }), chunk({ annotations }), chunk({}, 'stop')])
    const annotation = { type: 'url_citation', ...cited }
    expect(types(events).slice(4, 7)).toEqual(['output_text.delta', 'output_text.annotation.added', 'output_text.done'])
    expect(events[5]).toMatchObject({ output_index: 0, content_index: 0, annotation_index: 0, annotation })
    expect(last(events)['output']).toMatchObject([{ content: [{ text: 'Yes', annotations: [annotation] }] }])
  })

  test('tells pieces of side-by-side calls each with their own item, one item after the other', () => {
    const events = streamed([
      chunk(callDelta(0, { name: 'weather', arguments: '' }, 'a')),
      chunk(callDelta(0, { arguments: '{"ci' })),
      chunk(callDelta(1, { name: 'time', arguments: '{' }, 'b')),
      chunk(callDelta(0, { arguments: 'ty":1}' })),
      chunk(callDelta(1, { arguments: '}' })),
      chunk({}, 'tool_calls'),
    ])
    expect(types(events).slice(2)).toEqual([
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
    expect(last(events)['output']).toMatchObject([
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":1}' },
      { type: 'function_call', call_id: 'b', name: 'time', arguments: '{}' },
    ])
  })

  test('tells text, calls and text again as three items', () => {
    const events = streamed([
      chunk({ content: 'One' }),
      chunk(callDelta(0, { name: 'weather', arguments: '{}' }, 'a')),
      chunk({ content: 'Two' }),
      chunk({}, 'tool_calls'),
    ])
    expect(last(events)['output']).toMatchObject([
      { type: 'message', content: [{ text: 'One' }] },
      { type: 'function_call', call_id: 'a' },
      { type: 'message', content: [{ text: 'Two' }] },
    ])
  })

  test.each([
    [undefined, 'content_part', 'reasoning_text', 'content_index'],
    ['auto', 'reasoning_summary_part', 'reasoning_summary_text', 'summary_index'],
  ])('tells thoughts first; with a summary asked as %p they are %s', (summary, part, text, index) => {
    const chunks = [
      chunk({ reasoning_content: 'H' }),
      chunk({ reasoning_content: 'm.' }),
      chunk({ content: 'Yes' }, 'stop'),
    ]
    const events = streamed(chunks, summary === undefined ? {} : { reasoning: { summary } })
    expect(types(events).slice(2, 9)).toEqual([
      'output_item.added',
      `${part}.added`,
      `${text}.delta`,
      `${text}.delta`,
      `${text}.done`,
      `${part}.done`,
      'output_item.done',
    ])
    expect(events[4]).toMatchObject({ output_index: 0, [index]: 0, delta: 'H' })
    expect(events[6]).toMatchObject({ text: 'Hm.' })
  })

  test('announces a part before it has any text', () => {
    const events = streamed([chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Yes' })])
    const parts = events.filter(({ type }) => type === 'response.content_part.added').map((event) => event['part'])
    expect(parts).toMatchObject([{ text: '' }, { text: '' }])
  })

  test('joins the fragments of what the upstream wants back with its thoughts', () => {
    const detail = (fields: JsonObject): JsonObject =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] })
    const events = streamed([
      detail({ text: 'H' }),
      detail({ text: 'm.' }),
      detail({ signature: 's' }),
      chunk({ content: 'Yes' }),
    ])
    const [item] = last(events)['output'] as JsonObject[]
    expect(decodeEncryptedContent(String(item?.['encrypted_content']))).toEqual([
      { type: 'reasoning.text', index: 0, text: 'Hm.', signature: 's' },
    ])
  })

  test('tells thoughts of which only the seal may be seen as an item without a part', () => {
    const events = streamed([chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] })])
    expect(types(events).slice(2)).toEqual(['output_item.added', 'output_item.done', 'completed'])
    expect(last(events)['output']).toMatchObject([{ type: 'reasoning', encrypted_content: expect.any(String) }])
  })

  test('leaves out choices that nobody asked for', () => {
    const second = { index: 1, delta: { content: 'No' }, finish_reason: null }
    const events = streamed([{ ...chunk({}), choices: [second] }, chunk({ content: 'Yes' })])
    expect(last(events)['output']).toMatchObject([{ content: [{ text: 'Yes' }] }])
  })

  test('tells a refusal as a part of its own', () => {
    const events = streamed([
      chunk({ content: 'Well' }),
      chunk({ refusal: 'N' }),
      chunk({ refusal: 'o.' }),
      chunk({}, 'stop'),
    ])
    expect(types(events)).toContain('refusal.done')
    expect(last(events)['output']).toMatchObject([
      {
        content: [
          { type: 'output_text', text: 'Well' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    ])
  })

  test.each([
    [
      'in the last chunk',
      [chunk({ content: 'Hi' }), { ...chunk({}, 'stop'), usage: { prompt_tokens: 2, completion_tokens: 1 } }],
    ],
    [
      'in a chunk of its own',
      [chunk({ content: 'Hi' }, 'stop'), { choices: [], usage: { prompt_tokens: 2, completion_tokens: 1 } }],
    ],
    [
      'before the last chunk',
      [
        { ...chunk({ content: 'Hi' }), usage: { prompt_tokens: 2, completion_tokens: 1 } },
        { ...chunk({}, 'stop'), usage: null },
      ],
    ],
    [
      'in every chunk',
      [
        { ...chunk({ content: 'Hi' }), usage: { prompt_tokens: 1 } },
        { ...chunk({}, 'stop'), usage: { prompt_tokens: 2, completion_tokens: 1 } },
      ],
    ],
  ])('reports the usage that came %s', (_name, chunks) => {
    expect(last(streamed(chunks))['usage']).toMatchObject({ input_tokens: 2, output_tokens: 1, total_tokens: 3 })
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('that ends for %s is incomplete, and so is what was growing', (finishReason, reason) => {
    const events = streamed([
      chunk(callDelta(0, { name: 'weather', arguments: '{}' }, 'a')),
      chunk(callDelta(1, { name: 'time', arguments: '{"zo' }, 'b')),
      chunk({}, finishReason),
    ])
    expect(events.at(-1)?.type).toBe('response.incomplete')
    expect(last(events)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      output: [{ status: 'completed' }, { status: 'incomplete', arguments: '{"zo' }],
    })
  })

  test('that says nothing is completed without output', () => {
    const events = streamed([])
    expect(types(events)).toEqual(['created', 'in_progress', 'completed'])
    expect(last(events)['output']).toEqual([])
  })
})

describe('calls of servers that number them otherwise', () => {
  test.each<[string, readonly JsonObject[]]>([
    [
      'all 0',
      [callDelta(0, { name: 'weather', arguments: '{}' }, 'a'), callDelta(0, { name: 'time', arguments: '{}' }, 'b')],
    ],
    [
      'not at all',
      [
        { tool_calls: [{ id: 'a', function: { name: 'weather', arguments: '{' } }] },
        { tool_calls: [{ function: { arguments: '}' } }] },
        { tool_calls: [{ id: 'b', function: { name: 'time', arguments: '{}' } }] },
      ],
    ],
    [
      'rightly, with id and name on each piece',
      [
        callDelta(0, { name: 'weather', arguments: '{' }, 'a'),
        callDelta(0, { name: 'weather', arguments: '}' }, 'a'),
        callDelta(1, { name: 'time', arguments: '{}' }, 'b'),
      ],
    ],
    [
      'rightly, with the name on each piece',
      [
        callDelta(0, { name: 'weather', arguments: '{' }, 'a'),
        callDelta(0, { name: 'weather', arguments: '}' }),
        callDelta(1, { name: 'time', arguments: '{}' }, 'b'),
      ],
    ],
    [
      'rightly, with the name after the id',
      [
        callDelta(0, { arguments: '{' }, 'a'),
        callDelta(0, { name: 'weather', arguments: '}' }),
        callDelta(1, { name: 'time', arguments: '{}' }, 'b'),
      ],
    ],
  ])('%s stay apart', (_name, deltas) => {
    expect(last(streamed(deltas.map((delta) => chunk(delta))))['output']).toMatchObject([
      { call_id: 'a', name: 'weather', arguments: '{}' },
      { call_id: 'b', name: 'time', arguments: '{}' },
    ])
  })

  test('without an id get one', () => {
    const events = streamed([chunk(callDelta(0, { name: 'time', arguments: '{}' }))])
    expect(last(events)['output']).toMatchObject([{ name: 'time', call_id: expect.stringMatching(/^call_./) }])
  })
})

describe('an answer that breaks off', () => {
  const broken = new ApiError('upstream_stream_error')

  test('ends with an error and response.failed, and nothing completed', () => {
    const stream = translated({}).stream()
    stream.push(chunk({ content: 'Hel' }))
    const events = readEvents(stream.fail(broken))
    expect(types(events)).toEqual(['error', 'failed'])
    expect(events[0]).toMatchObject({ code: 'upstream_stream_error', message: broken.message, param: null })
    expect(last(events)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: broken.message },
      output: [{ status: 'incomplete', content: [{ text: 'Hel' }] }],
    })
  })

  test('says nothing more after its end', () => {
    const stream = translated({}).stream()
    stream.fail(broken)
    expect([stream.push(chunk({ content: 'lo' })), stream.end(), stream.fail(broken)]).toEqual(['', '', ''])
  })

  test('before it began still opens', () => {
    const limited = new ApiError('upstream_rate_limited')
    const events = readEvents(translated({}).stream().fail(limited))
    expect(types(events)).toEqual(['created', 'in_progress', 'error', 'failed'])
    expect(last(events)['error']).toEqual({ code: 'rate_limit_exceeded', message: limited.message })
  })

  test.each<[string, unknown, string]>([
    ['is not an object', 'Hi', 'upstream_invalid_response'],
    ['has content of another type', chunk({ content: 7 }), 'upstream_invalid_response'],
    ['is an error', { error: { message: 'overloaded' } }, 'upstream_stream_error'],
  ])('because a chunk %s can be failed properly', (_name, bad, code) => {
    const stream = translated({}).stream()
    const before = stream.push(chunk({ content: 'Hel' }))
    let thrown: unknown
    try {
      stream.push(bad)
    } catch (error) {
      thrown = error
    }
    const error = thrown as ApiError
    expect(error.code).toBe(code as typeof error.code)
    const numbers = readEvents(before + stream.fail(error)).map((event) => event.sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))
  })

  test('because a call never got its name completes no item', () => {
    const stream = translated({}).stream()
    stream.push(chunk({ content: 'Hel' }))
    stream.push(chunk(callDelta(0, { arguments: '{}' }, 'a')))
    expect(() => stream.end()).toThrow(ApiError)
    expect(types(readEvents(stream.fail(broken)))).toEqual(['error', 'failed'])
  })
})
