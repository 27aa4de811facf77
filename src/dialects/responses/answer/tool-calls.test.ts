import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../../dialect.ts'
import { answer, callDelta, chunk, translated } from '#test/support/dialects/responses.ts'
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
