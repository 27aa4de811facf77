/**
 * What Codex sends with its defaults to a provider of the Responses API: tools of every type that it has, nothing
 * stored, reasoning asked for encrypted. The wire format is that of its sources (openai/codex, codex-rs/tools and
 * codex-rs/codex-api); the texts are ours.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { acted } from '#test/support/upstream/acted-turn.ts'
import { stream } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { modelsOfEveryApi, providerApis } from './table/models.ts'

let gateway: GatewayApp
let models: Readonly<Record<string, string>>
beforeAll(async () => {
  gateway = await startGateway()
  models = await modelsOfEveryApi(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const text = { type: 'string' }
const tools = [
  {
    type: 'function',
    name: 'exec_command',
    description: 'Runs a command.',
    strict: false,
    parameters: { type: 'object', properties: { cmd: text }, required: ['cmd'], additionalProperties: false },
  },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Changes files by a patch.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
  },
  {
    type: 'namespace',
    name: 'mcp__docs__',
    description: 'Tools in the mcp__docs__ namespace.',
    tools: [
      {
        type: 'function',
        name: 'search',
        description: 'Searches.',
        strict: false,
        defer_loading: true,
        parameters: { type: 'object', properties: { query: text } },
      },
    ],
  },
  { type: 'web_search', external_web_access: false },
  { type: 'image_generation', output_format: 'png' },
  { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: { type: 'object' } },
]

const user = (words: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] })

function request(input: readonly object[], model: string): object {
  return {
    model,
    instructions: 'You are a coding agent.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions/>' }] },
      ...input,
    ],
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: crypto.randomUUID(),
    text: { verbosity: 'low' },
    client_metadata: { installation: crypto.randomUUID() },
  }
}

type Item = Readonly<Record<string, unknown>>

interface Run {
  readonly head: Headers
  readonly items: readonly Item[]
}

async function run(input: readonly object[], model = 'plain'): Promise<Run> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', originator: 'codex_cli_rs' }
  const body = JSON.stringify(request(input, model))
  const response = await gateway.request('POST', '/ai/v1/responses', { headers, body })
  const answer = await response.text()
  expect([response.status, answer]).toEqual([200, expect.stringContaining('response.completed')])
  const events = [...answer.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Item)
  const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Item)
  return { head: response.headers, items }
}

/** A turn of the model that calls one tool. */
function calling(name: string, args: string): void {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } }
  const chunks = [
    {
      ...chatChunks()[0],
      choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null }],
    },
    { ...chatChunks()[0], choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]
  gateway.upstream.scriptNext(stream([...chunks, doneEvent]))
}

test('a run with a command, a patch and a tool of a server goes round, and every call is named as Codex named it', async () => {
  const turns: readonly (readonly [string, string, Item])[] = [
    ['exec_command', '{"cmd":"ls"}', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' }],
    [
      'apply_patch',
      '{"input":"*** Begin Patch\\n"}',
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n' },
    ],
    ['mcp__docs__search', '{}', { type: 'function_call', name: 'search', namespace: 'mcp__docs__', arguments: '{}' }],
  ]
  const input: object[] = [user('List the files, then change one.')]
  for (const [turn, [name, args, expected]] of turns.entries()) {
    calling(name, args)
    const { head, items } = await run(input)
    expect(head.get('x-sluice-dropped-tools')).toBe('web_search, image_generation, tool_search')
    expect(items).toMatchObject([expected])
    const callId = `call_${turn}`
    const type = `${String(expected['type'])}_output`
    input.push(
      { ...items[0], call_id: callId, id: undefined, status: undefined },
      { type, call_id: callId, output: 'Done.' },
    )
  }
  const { items } = await run(input)
  expect(items).toMatchObject([{ type: 'message' }])
  const sent = gateway.upstream.requests.at(-1)!.json()
  expect(sent).not.toContainKey('client_metadata')
  const offered = sent['tools'] as readonly { readonly function: { readonly name: string } }[]
  expect(offered.map((tool) => tool.function.name)).toEqual(['exec_command', 'apply_patch', 'mcp__docs__search'])
  const messages = sent['messages'] as readonly { readonly role: string }[]
  const round = ['assistant', 'tool']
  expect(messages.map(({ role }) => role)).toEqual(['system', 'system', 'user', ...round, ...round, ...round])
})

test.each(providerApis)('its defaults are taken by a model whose provider has %s', async (api) => {
  const args = '{"cmd":"ls"}'
  gateway.upstream.script(acted({ thought: 'I look.', call: { id: 'call_1', name: 'exec_command', args } }))
  const { head, items } = await run([user('List the files.')], models[api])
  expect(items.at(-1)).toMatchObject({ type: 'function_call', name: 'exec_command', arguments: args })
  // How long the answer is to be: a provider that has nothing for it does without, and the answer says so.
  expect(head.get('x-sluice-ignored-fields')).toBe(api === 'Anthropic' ? 'verbosity' : null)
  const sent = new TextDecoder().decode(gateway.upstream.requests.at(-1)!.body)
  expect(sent.includes('verbosity')).toBe(api !== 'Anthropic')
})
