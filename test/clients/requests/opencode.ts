/**
 * Requests of opencode with both kinds of providers that it is set up with for a gateway: `@ai-sdk/openai-compatible`
 * (chat completions) and `@ai-sdk/openai` (Responses, nothing stored, thoughts asked for encrypted). The texts are ours.
 * Form: its packages/opencode/src/provider (github.com/anomalyco/opencode), over the AI SDK.
 */
import type { AgentRequest } from './agent-request.ts'

const headers = { 'user-agent': 'opencode/1.2.0 ai-sdk/provider-utils/4.0.0 runtime/bun/1.3.5' }
const parameters = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { query: { description: 'What to look for', type: 'string' } },
  required: ['query'],
  additionalProperties: false,
}
const read = { name: 'read', description: 'Reads a file.', parameters }
const search = { name: 'docs_search', description: 'Searches the documentation.', parameters }
const seen = ['You are opencode.', 'import { run }', 'Searches the documentation.']

export const openCodeChat: AgentRequest = {
  agent: 'opencode, chat completions',
  path: '/ai/v1/chat/completions',
  headers,
  body: {
    max_tokens: 32_000,
    temperature: 0.55,
    top_p: 1,
    messages: [
      { role: 'system', content: 'You are opencode.' },
      { role: 'system', content: '<env>\n  Working directory: /src\n</env>' },
      { role: 'user', content: 'What does main.ts do?' },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'I need the file.',
        tool_calls: [{ id: 'call_01', type: 'function', function: { name: 'read', arguments: '{"query":"main.ts"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_01', content: 'import { run } from "./run.ts"' },
    ],
    tools: [read, search].map((called) => ({ type: 'function', function: called })),
    tool_choice: 'auto',
    stream: true,
    stream_options: { include_usage: true },
  },
  calls: 'docs_search',
  seen,
  last: '[DONE]',
}

export const openCodeResponses: AgentRequest = {
  agent: 'opencode, Responses API',
  path: '/ai/v1/responses',
  headers,
  body: {
    input: [
      { role: 'developer', content: 'You are opencode.' },
      { role: 'user', content: [{ type: 'input_text', text: 'What does main.ts do?' }] },
      {
        type: 'reasoning',
        id: 'rs_01',
        encrypted_content: 'gAAAAABo-of-another-server',
        summary: [{ type: 'summary_text', text: 'I need the file.' }],
      },
      { type: 'function_call', call_id: 'call_01', name: 'read', arguments: '{"query":"main.ts"}' },
      { type: 'function_call_output', call_id: 'call_01', output: 'import { run } from "./run.ts"' },
    ],
    max_output_tokens: 32_000,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'ses_01',
    reasoning: { effort: 'medium', summary: 'auto' },
    tools: [read, search].map((called) => ({ type: 'function', ...called, strict: false })),
    tool_choice: 'auto',
    stream: true,
  },
  calls: 'docs_search',
  seen,
  last: 'response.completed',
}
