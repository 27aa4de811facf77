/**
 * A request of Claude Code in the middle of its work, in the form that it sends to `ANTHROPIC_BASE_URL`: system blocks
 * with cache breakpoints, tools with schemas, thoughts of an earlier turn, a result of a tool. The texts are ours.
 * Form: https://platform.claude.com/docs/en/api/beta/messages/create, https://code.claude.com/docs/en/llm-gateway
 */
import type { AgentRequest } from './agent-request.ts'

const cache_control = { type: 'ephemeral' } as const
const schema = (properties: object, required: readonly string[]) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const claudeCode: AgentRequest = {
  agent: 'Claude Code',
  path: '/ai/v1/messages?beta=true',
  headers: {
    'anthropic-version': '2023-06-01',
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24',
    'anthropic-dangerous-direct-browser-access': 'true',
    'x-app': 'cli',
    'x-stainless-lang': 'js',
    'x-stainless-retry-count': '0',
    'x-stainless-timeout': '600',
    'user-agent': 'claude-cli/2.1.0 (external, cli)',
  },
  body: {
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli;' },
      { type: 'text', text: 'You are an agent for code.', cache_control },
      { type: 'text', text: '# Environment\nWorking directory: /src', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    tools: [
      {
        name: 'Read',
        description: 'Reads a file.',
        input_schema: schema({ file_path: { type: 'string', description: 'Absolute path' } }, ['file_path']),
        eager_input_streaming: true,
      },
      {
        name: 'mcp__docs__search',
        description: 'Searches the documentation.',
        input_schema: { type: 'object', properties: { query: { type: 'string' } } },
        defer_loading: false,
        cache_control,
      },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nNotes of the project.\n</system-reminder>' },
          { type: 'text', text: 'What does main.ts do?', cache_control },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I need the file.', signature: 'ErUBCkYIChgCIkDOtherServer' },
          { type: 'text', text: 'I read it.' },
          {
            type: 'tool_use',
            id: 'toolu_01',
            name: 'Read',
            input: { file_path: '/src/main.ts' },
            caller: { type: 'direct' },
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_01',
            content: [{ type: 'text', text: 'import { run } from "./run.ts"' }],
            is_error: false,
            cache_control,
          },
        ],
      },
    ],
    metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) }) },
    thinking: { type: 'adaptive' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
  },
  calls: 'mcp__docs__search',
  seen: ['You are an agent for code.', 'import { run }', 'Searches the documentation.'],
  last: 'message_stop',
}
