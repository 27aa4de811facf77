import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { anthropicDialect } from '../anthropic-dialect.ts'

type Json = Readonly<Record<string, unknown>>

const minimal = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const weather = { name: 'weather', input_schema: { type: 'object' } }
const pixel = 'iVBORw0KGgo='

function refusal(fields: Json): ApiError {
  try {
    anthropicDialect.translate({ ...minimal, ...fields }, { now: 0, newId: () => '1' })
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
    throw thrown
  }
  throw new Error('not refused')
}

describe('a request is refused with the path of the field at fault:', () => {
  const block = (fields: Json) => ({ messages: [{ role: 'user', content: [fields] }] })
  const answer = (fields: Json) => ({
    messages: [
      { role: 'assistant', content: [fields] },
      { role: 'user', content: '?' },
    ],
  })
  const picture = (source: Json) => block({ type: 'image', source })
  const paper = (source: Json) => block({ type: 'document', source })
  const at = 'messages.0.content.0'
  const rows: readonly (readonly [string, Json])[] = [
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_tokens', { max_tokens: '10' }],
    ['messages', { messages: [] }],
    ['messages', { messages: undefined }],
    ['messages', { messages: 'Hi' }],
    ['messages.0', { messages: ['Hi'] }],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'Hi' }] }],
    ['messages.0.role', { messages: [{ content: 'Hi' }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: [] }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages.0.name', { messages: [{ role: 'user', content: 'Hi', name: 'Ann' }] }],
    ['messages.1', { messages: [...minimal.messages, { role: 'assistant', content: 'The answer is (' }] }],
    [`${at}.type`, block({ type: 'video' })],
    [`${at}.type`, block({ type: 'container_upload', file_id: 'f' })],
    [`${at}.type`, answer({ type: 'code_execution_tool_result', tool_use_id: 's', content: {} })],
    [`${at}.text`, block({ type: 'text' })],
    [`${at}.text`, block({ type: 'text', text: 5 })],
    [`${at}.colour`, block({ type: 'text', text: 'Hi', colour: 'red' })],
    [`${at}.source`, block({ type: 'image' })],
    [`${at}.source.type`, picture({ type: 'file', file_id: 'f' })],
    [`${at}.source.media_type`, picture({ type: 'base64', media_type: 'image/bmp', data: pixel })],
    [`${at}.source.data`, picture({ type: 'base64', media_type: 'image/png' })],
    [`${at}.source.url`, picture({ type: 'url', url: 'file:///etc/passwd' })],
    [`${at}.source.type`, paper({ type: 'url', url: 'https://example.org/a.pdf' })],
    [`${at}.source.type`, paper({ type: 'file', file_id: 'f' })],
    [`${at}.source.media_type`, paper({ type: 'base64', media_type: 'application/msword', data: '' })],
    [
      `${at}.citations.enabled`,
      block({ type: 'document', citations: { enabled: true }, source: { type: 'text', data: 'x' } }),
    ],
    [`${at}.tool_use_id`, block({ type: 'tool_result', content: 'x' })],
    [`${at}.is_error`, block({ type: 'tool_result', tool_use_id: 'c', is_error: 'yes' })],
    [
      `${at}.content.0.type`,
      block({ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'tool_reference', tool_name: 't' }] }),
    ],
    [`${at}.input`, answer({ type: 'tool_use', id: 'c', name: 't', input: '{}' })],
    [`${at}.id`, answer({ type: 'tool_use', name: 't', input: {} })],
    [
      `${at}.caller.type`,
      answer({ type: 'tool_use', id: 'c', name: 't', input: {}, caller: { type: 'code_execution_20250825' } }),
    ],
    [`${at}.signature`, answer({ type: 'thinking', thinking: 'Hm', signature: 'sluice.%%%' })],
    ['system', { system: 5 }],
    ['system.0', { system: [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }] }],
    ['temperature', { temperature: 'hot' }],
    ['top_k', { top_k: -1 }],
    ['stop_sequences.1', { stop_sequences: ['a', 1] }],
    ['stream', { stream: 'yes' }],
    ['metadata', { metadata: 'me' }],
    ['metadata.team', { metadata: { team: 'x' } }],
    ['service_tier', { service_tier: 'priority' }],
    ['inference_geo', { inference_geo: 'us' }],
    ['speed', { speed: 'fast' }],
    ['container', { container: 'c1' }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.org' }] }],
    ['thinking.type', { thinking: { type: 'between_tools' } }],
    ['thinking.type', { thinking: {} }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled' } }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 1023 } }],
    ['output_config.effort', { output_config: { effort: 'most' } }],
    ['output_config.task_budget', { output_config: { task_budget: { type: 'tokens', total: 5 } } }],
    ['output_config.format.type', { output_config: { format: { type: 'xml' } } }],
    ['output_config.format.schema', { output_config: { format: { type: 'json_schema' } } }],
    ['context_management.edits.0.type', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
    ['tools.0.type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools.0.type', { tools: [{ type: 'computer_20250124', name: 'computer' }] }],
    ['tools.0.display_width_px', { tools: [{ type: 'bash_20250124', name: 'bash', display_width_px: 9 }] }],
    [
      'tools.1.type',
      {
        tools: [weather, { type: 'web_search_20250305', name: 'web_search' }],
        tool_choice: { type: 'tool', name: 'web_search' },
      },
    ],
    ['tools.0.name', { tools: [{ input_schema: weather.input_schema }] }],
    ['tools.0.input_schema', { tools: [{ name: 'weather' }] }],
    ['tools.0.allowed_callers', { tools: [{ ...weather, allowed_callers: ['code_execution_20250825'] }] }],
    ['tool_choice', { tool_choice: { type: 'any' } }],
    ['tool_choice.type', { tools: [weather], tool_choice: { type: 'some' } }],
    ['tool_choice.type', { tools: [weather], tool_choice: {} }],
    ['tool_choice.name', { tools: [weather], tool_choice: { type: 'tool' } }],
  ]
  test.each([...rows])('%s', (param, fields) => {
    const error = refusal(fields)
    expect(error.code).toBe('invalid_body')
    expect(error.detail.param).toBe(param)
    expect(error.message).toStartWith(`"${param}" `)
  })

  test('model', () => {
    for (const model of [undefined, null, '']) expect(refusal({ model }).code).toBe('missing_model')
    expect(refusal({ model: 5 }).detail.param).toBe('model')
  })
})
