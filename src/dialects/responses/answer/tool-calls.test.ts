import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../../dialect.ts'
import { answer, callDelta, chunk, readEvents, translated, type TestEvent } from '#test/support/dialects/responses.ts'
import { chatNameOf } from '../request/tool-names.ts'

const parameters = { type: 'object', properties: {} }
const inNamespace = {
  type: 'namespace',
  name: 'crm',
  description: 'Customers.',
  tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters, strict: false, defer_loading: true }],
}
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
}
const tools = [inNamespace, patch]

function called(name: string, args: string): JsonObject {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: args } }
  return answer({ content: null, tool_calls: [call] }, { finish_reason: 'tool_calls' })
}

function callOf(name: string, args: string): JsonObject {
  const whole = translated({ tools }).whole(called(name, args)) as { readonly output: readonly JsonObject[] }
  return whole.output[0]!
}

describe('tools of a client', () => {
  test('are functions of the chat completion, each with a name of its own', () => {
    const [find, apply] = translated({ tools }).chatBody['tools'] as readonly { readonly function: JsonObject }[]
    expect(find!.function).toEqual({ name: 'crm__find', description: 'Finds.', parameters, strict: false })
    expect(apply!.function).toMatchObject({ name: 'apply_patch', parameters: { required: ['input'] } })
    expect(apply!.function['description']).toContain('start: "x"')
  })

  test('are named in the answer as the client named them, and repeated as it sent them', () => {
    const found = { type: 'function_call', name: 'find', namespace: 'crm', call_id: 'call_1', arguments: '{"a":1}' }
    expect(callOf('crm__find', '{"a":1}')).toMatchObject(found)
    const applied = { type: 'custom_tool_call', name: 'apply_patch', call_id: 'call_1', input: '*** Begin' }
    expect(callOf('apply_patch', '{"input":"*** Begin"}')).toMatchObject(applied)
    expect(callOf('unheard_of', '{}')).toMatchObject({ type: 'function_call', name: 'unheard_of' })
    expect(translated({ tools }).whole(called('crm__find', '{}'))).toMatchObject({ tools: [inNamespace, patch] })
  })

  test('have any text as the input of a custom call, whether or not the model wrote it as it should', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(callOf('apply_patch', JSON.stringify({ input: text }))['input']).toBe(text)
      }),
    )
    for (const wrong of ['*** Begin', '{"input":7}', '[]', 'null', '{"input":'])
      expect(callOf('apply_patch', wrong)['input']).toBe(wrong)
    expect(callOf('apply_patch', '"text"')['input']).toBe('text')
  })

  test('are chosen by the names that the client uses', () => {
    const choices: readonly (readonly [object, string])[] = [
      [{ type: 'custom', name: 'apply_patch' }, 'apply_patch'],
      [{ type: 'function', name: 'find' }, 'crm__find'],
      [{ type: 'function', name: 'find', namespace: 'crm' }, 'crm__find'],
    ]
    for (const [choice, name] of choices)
      expect(translated({ tools, tool_choice: choice }).chatBody['tool_choice']).toEqual({
        type: 'function',
        function: { name },
      })
  })

  test('keep their calls and results in the conversation', () => {
    const input = [
      { type: 'function_call', call_id: 'a', name: 'find', namespace: 'crm', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** "x"' },
      { type: 'function_call_output', call_id: 'a', output: 'Found.' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'Done.' },
    ]
    expect(translated({ tools, input }).chatBody['messages']).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'crm__find', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** \\"x\\""}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Found.' },
      { role: 'tool', tool_call_id: 'b', content: 'Done.' },
    ])
  })

  test('are streamed: a custom call has its input when it is complete', () => {
    const stream = translated({ tools, stream: true }).stream()
    const pieces = ['{"inp', 'ut":"a', 'b"}'].map((args) => chunk(callDelta(0, { arguments: args })))
    const first = chunk(callDelta(0, { name: 'apply_patch' }, 'call_1'))
    const text = [first, ...pieces, chunk({}, 'tool_calls')].map((each) => stream.push(each)).join('') + stream.end()
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as JsonObject)
    const about = events.filter(({ type }) => String(type).includes('custom_tool_call'))
    expect(about.map(({ type, delta, input }) => [type, delta ?? input])).toEqual([
      ['response.custom_tool_call_input.delta', 'ab'],
      ['response.custom_tool_call_input.done', 'ab'],
    ])
    const done = events.find(({ type }) => type === 'response.output_item.done')
    expect(done?.['item']).toMatchObject({ type: 'custom_tool_call', input: 'ab', status: 'completed' })
  })
})

describe('calls of several tools in one stream', () => {
  const args = ['{"city":"Zürich 🌊"}', '{}', '{"zone":"{[\\"]}"}']
  const begin = (index: number): JsonObject => chunk(callDelta(index, { name: `tool_${index}` }, `call_${index}`))
  const add = (index: number, text: string): JsonObject => chunk(callDelta(index, { arguments: text }))
  const eventsOf = (chunks: readonly JsonObject[]): TestEvent[] => {
    const stream = translated({ stream: true }).stream()
    return readEvents([...chunks, chunk({}, 'tool_calls')].map((each) => stream.push(each)).join('') + stream.end())
  }
  /** What a client sees that knows only one open item at a time. */
  const told = (events: readonly TestEvent[]): readonly string[] => {
    const seen: string[] = []
    for (const { type, delta, item } of events) {
      if (type === 'response.output_item.added') seen.push(`${String((item as JsonObject)['name'])}: `)
      if (type === 'response.function_call_arguments.delta') seen[seen.length - 1] += String(delta)
      if (type === 'response.output_item.done') seen[seen.length - 1] += ' done'
    }
    return seen
  }
  const whole = args.map((each, index) => `tool_${index}: ${each} done`)

  test('come one after another, as from the API itself, however the server mixes their fragments', () => {
    const letters = args.map((each) => Array.from({ length: each.length }, (_, at) => each.charAt(at)))
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(2)), (turns) => {
        const left = letters.map((each) => [...each])
        const chunks = [0, 1, 2].map(begin)
        while (left.some((each) => each.length > 0)) {
          const index = turns.next().value ?? 0
          const letter = left[index]?.shift()
          if (letter !== undefined) chunks.push(add(index, letter))
        }
        const events = eventsOf(chunks)
        expect(told(events)).toEqual(whole)
        for (const { delta } of events) if (typeof delta === 'string') expect(delta.isWellFormed()).toBe(true)
      }),
    )
  })

  test('are each done as soon as the next begins', () => {
    const stream = translated({ stream: true }).stream()
    const sent = [begin(0), add(0, args[0]!), begin(1)].map((each) => stream.push(each)).join('')
    expect(told(readEvents(sent))).toEqual([whole[0]!, 'tool_1: '])
  })

  test('break the stream when one goes on after the end of its arguments', () => {
    const late = [begin(0), add(0, '{}'), begin(1), add(0, ' \n'), add(0, '{}')]
    expect(() => eventsOf(late)).toThrow(expect.objectContaining({ code: 'upstream_invalid_response' }))
  })
})

test('a name in the chat completion is short enough for every server, and the same each time', () => {
  const part = fc.string({ minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(part, part, (namespace, name) => {
      const chatName = chatNameOf({ namespace, name })
      expect(chatName).toMatch(/^[\w-]{1,64}$/)
      expect(chatNameOf({ namespace, name })).toBe(chatName)
    }),
  )
  expect(chatNameOf({ namespace: 'mcp__files__', name: 'read' })).toBe('mcp__files__read')
  expect(chatNameOf({ namespace: null, name: 'a name as it is' })).toBe('a name as it is')
})
