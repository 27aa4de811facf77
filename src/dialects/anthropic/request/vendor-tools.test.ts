import { describe, expect, test } from 'bun:test'
import { anthropicDialect } from '../anthropic-dialect.ts'

type Json = Readonly<Record<string, unknown>>

const context = { now: 0, newId: () => '00000000-0000-0000-0000-000000000001' }
const question = { role: 'user', content: 'Hi' }
const minimal = { model: 'm', max_tokens: 10, messages: [question] }
const weather = { name: 'weather', input_schema: { type: 'object' } }

function chatBody(fields: Json): Json {
  return anthropicDialect.translate({ ...minimal, ...fields }, context).chatBody
}

describe('tools of a known type', () => {
  const named = (tools: readonly Json[]): readonly string[] =>
    (chatBody({ tools })['tools'] as readonly { readonly function: { readonly name: string } }[]).map(
      (tool) => tool.function.name,
    )

  test('that the client runs are described to the model under the names that the client knows', () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
      { type: 'text_editor_20250124', name: 'str_replace_editor' },
      { type: 'memory_20250818', name: 'memory' },
    ]
    expect(named(tools)).toEqual(tools.map(({ name }) => name))
    const [bash, editor, older] = chatBody({ tools })['tools'] as readonly Json[]
    expect(bash).toMatchObject({
      type: 'function',
      function: { description: expect.any(String), parameters: { properties: { command: { type: 'string' } } } },
    })
    const commands = ['view', 'create', 'str_replace', 'insert']
    expect(editor).toMatchObject({ function: { parameters: { properties: { command: { enum: commands } } } } })
    const undo = { command: { enum: [...commands, 'undo_edit'] } }
    expect(older).toMatchObject({ function: { parameters: { properties: undo } } })
  })

  test('that run at Anthropic are left out beside others, and named', () => {
    const types = ['web_search_20260209', 'web_fetch_20250910', 'tool_search_tool_bm25_20251119']
    const tools = [weather, ...types.map((type) => ({ type, name: type }))]
    expect(named(tools)).toEqual(['weather'])
    expect(anthropicDialect.translate({ ...minimal, tools }, context).dropped).toEqual(types)
  })

  test('and what they found for an earlier answer is left out of the history', () => {
    const found = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'This.', citations: [{ type: 'web_search_result_location', url: 'https://a' }] },
    ]
    expect(chatBody({ messages: [{ role: 'assistant', content: found }, question] })['messages']).toEqual([
      { role: 'assistant', content: 'This.' },
      question,
    ])
  })
})
