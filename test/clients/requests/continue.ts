/**
 * A request of Continue in agent mode to a model of its provider `openai` with an `apiBase`: a chat completion with
 * tools and the result of one. The texts are ours.
 * Form: its package openai-adapters (github.com/continuedev/continue), which uses the official client.
 */
import type { AgentRequest } from './agent-request.ts'

export const continueAgent: AgentRequest = {
  agent: 'Continue',
  path: '/ai/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 5.13.1', 'x-stainless-lang': 'js', 'x-stainless-retry-count': '0' },
  body: {
    messages: [
      { role: 'system', content: 'You are in agent mode.' },
      { role: 'user', content: [{ type: 'text', text: 'What does main.ts do?' }] },
      {
        role: 'assistant',
        content: 'I read it.',
        tool_calls: [
          {
            id: 'call_01',
            type: 'function',
            function: { name: 'read_file', arguments: '{"filepath":"main.ts"}' },
          },
        ],
      },
      { role: 'tool', content: 'import { run } from "./run.ts"', tool_call_id: 'call_01' },
    ],
    max_tokens: 4096,
    temperature: 0.2,
    stop: ['\n\n\n\n'],
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: 'function',
        function: {
          name: 'read_file',
          description: 'Reads a file.',
          parameters: { type: 'object', required: ['filepath'], properties: { filepath: { type: 'string' } } },
        },
      },
      {
        type: 'function',
        function: {
          name: 'search_docs',
          description: 'Searches the documentation.',
          parameters: { type: 'object', properties: { query: { type: 'string' } } },
        },
      },
    ],
  },
  calls: 'search_docs',
  seen: ['You are in agent mode.', 'import { run }', 'Searches the documentation.'],
  last: '[DONE]',
}
