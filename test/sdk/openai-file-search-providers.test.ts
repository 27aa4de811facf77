/**
 * The tool `file_search` with providers of every API: those that have the Responses API themselves, with and without
 * storing, Anthropic and Google. The same turns of the model give the same response.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { modelsOfEveryApi, providerApis } from '#test/clients/table/models.ts'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { acted } from '#test/support/upstream/acted-turn.ts'
import { openAiClient } from './openai-client.ts'

const apis = [...providerApis, 'Google'] as const
const app = documentsOfFile()
let client: OpenAI
let tools: OpenAI.Responses.FileSearchTool[]
let file: string
let models: Readonly<Record<string, string>>

beforeAll(async () => {
  client = openAiClient(app())
  const handbook = Buffer.from('# Leave\n\nEverybody has thirty days of paid leave.\n')
  file = (await client.files.create({ file: await toFile(handbook, 'leave.md'), purpose: 'assistants' })).id
  const store = await client.vectorStores.create({ name: 'handbooks' })
  await client.vectorStores.files.createAndPoll(store.id, { file_id: file }, { pollIntervalMs: 20 })
  tools = [{ type: 'file_search', vector_store_ids: [store.id] }]
  const provider = { name: 'google', kind: 'google', base_url: app().upstream.url, credential: 'key' }
  const { id } = (await (await app().operate('POST', '/providers', provider)).json()) as { readonly id: string }
  const gemini = { name: 'gemini', provider_id: id, upstream_name: 'gemini-2.5-flash' }
  expect((await app().operate('POST', '/models', gemini)).status).toBe(201)
  models = { ...(await modelsOfEveryApi(app())), Google: gemini.name }
})

const searches = (query: string) =>
  acted({
    thought: 'I have to look it up.',
    call: { id: 'call_s', name: 'file_search', args: JSON.stringify({ queries: [query] }) },
  })
const answers = acted({ text: 'Thirty days【1】 a year.' })

const asked = (api: string, more: object = {}): OpenAI.Responses.ResponseCreateParamsNonStreaming => ({
  model: models[api]!,
  input: 'How much leave is there?',
  include: ['file_search_call.results'],
  tools,
  ...more,
})

const search = () => ({
  type: 'file_search_call',
  status: 'completed',
  queries: ['paid leave'],
  results: [{ file_id: file, filename: 'leave.md', text: expect.stringContaining('thirty') as string }],
})
const message = () => ({
  type: 'message',
  content: [
    {
      type: 'output_text',
      text: 'Thirty days a year.',
      annotations: [{ type: 'file_citation', file_id: file, filename: 'leave.md', index: 11 }],
    },
  ],
})
const withoutThoughts = (output: readonly OpenAI.Responses.ResponseOutputItem[]) =>
  output.filter(({ type }) => type !== 'reasoning')

describe.each(apis)('with a provider of %s', (api) => {
  test('the model searches, is told what was found, and its answer cites the file', async () => {
    const before = app().upstream.requests.length
    app().upstream.scriptNext(searches('paid leave'), answers)
    const response = await client.responses.create(asked(api))
    expect(response).toMatchObject({ status: 'completed', output_text: 'Thirty days a year.' })
    expect(withoutThoughts(response.output)).toMatchObject([search(), message()])
    // The acted stream of chat completions counts no tokens.
    if (api === providerApis[0]) expect(response.usage).toBeNull()
    else expect(response.usage).toMatchObject({ input_tokens: 22, output_tokens: 6, total_tokens: 28 })
    const rounds = app()
      .upstream.requests.slice(before)
      .map((each) => each.json())
    expect(rounds).toHaveLength(2)
    // What providers offer by this name is theirs; the model gets a function.
    for (const round of rounds) expect(JSON.stringify(round)).not.toContain('vector_store_ids')
    expect(JSON.stringify(rounds[1])).toContain('【1】 leave.md')
    // A response of the gateway goes on, whoever answered it.
    app().upstream.scriptNext(acted({ text: 'As I said.' }))
    const next = await client.responses.create(asked(api, { previous_response_id: response.id, input: 'Sure?' }))
    expect(next.output_text).toBe('As I said.')
    expect(JSON.stringify(app().upstream.requests.at(-1)!.json())).toContain('Thirty days a year.')
  })

  test('a stream has the search, the text and the citation in their order', async () => {
    app().upstream.scriptNext(searches('paid leave'), answers)
    const types: string[] = []
    let text = ''
    let last: OpenAI.Responses.Response | null = null
    for await (const event of await client.responses.create({ ...asked(api), stream: true })) {
      if (event.type !== types.at(-1)) types.push(event.type)
      if (event.type === 'response.output_text.delta') text += event.delta
      if (event.type === 'response.completed') last = event.response
    }
    expect(text).toBe('Thirty days a year.')
    expect(types.filter((type) => type.startsWith('response.file_search_call'))).toEqual([
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
    ])
    expect(types.filter((type) => type === 'response.output_text.annotation.added')).toHaveLength(1)
    expect(withoutThoughts(last!.output)).toMatchObject([search(), message()])
  })

  test('searches go on until the model answers, or none is left', async () => {
    app().upstream.scriptNext(searches('paid leave'), searches('leave'), answers)
    const response = await client.responses.create(asked(api, { max_tool_calls: 2, tool_choice: 'required' }))
    expect(withoutThoughts(response.output).map(({ type }) => type)).toEqual([
      'file_search_call',
      'file_search_call',
      'message',
    ])
    // The last round offers nothing to call.
    expect(app().upstream.requests.at(-1)!.json()['tools'] ?? []).toEqual([])
  })
})
