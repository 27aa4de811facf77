/**
 * The tool `file_search` over vector stores of the gateway, with the official client and OpenAI's agents: the provider
 * speaks chat completions only, and is asked as often as the model searches.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { Agent, fileSearchTool, OpenAIResponsesModel, Runner } from '@openai/agents'
import OpenAI, { NotFoundError, toFile } from 'openai'
import { documentsOfFile, eventually } from '#test/support/app/documents-app.ts'
import { hang, json, stream, events, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

const app = documentsOfFile()
let client: OpenAI
let store: string
let file: string

beforeAll(async () => {
  client = openAiClient(app())
  file = (await client.files.create({ file: await toFile(Buffer.from(handbook), 'leave.md'), purpose: 'assistants' }))
    .id
  store = (await client.vectorStores.create({ name: 'handbooks' })).id
  await client.vectorStores.files.createAndPoll(
    store,
    { file_id: file, attributes: { year: 2024 } },
    { pollIntervalMs: 20 },
  )
})

const handbook = '# Leave\n\nEverybody has thirty days of paid leave.\n'

const chunkOf = (delta: object, finishReason: string | null = null): object => ({
  id: 'chatcmpl-search',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
})

const usage = { ...chunkOf({}), choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }

const searching = (queries: readonly string[], id = 'call_s', name = 'file_search') =>
  stream([
    chunkOf({
      role: 'assistant',
      tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify({ queries }) } }],
    }),
    chunkOf({}, 'tool_calls'),
    usage,
    doneEvent,
  ])

/** The answer, in single characters. */
const saying = (text: string) =>
  stream([...Array.from(text, (content) => chunkOf({ content })), chunkOf({}, 'stop'), usage, doneEvent])

const asked = (more: object = {}): OpenAI.Responses.ResponseCreateParamsNonStreaming => ({
  model: 'plain',
  input: 'How much leave is there?',
  tools: [{ type: 'file_search', vector_store_ids: [store], max_num_results: 3 }],
  ...more,
})

const sent = (at: number) => app().upstream.requests.at(at)!.json()
const cited = 'Thirty days【1】 a year.'
const citation = () => ({ type: 'file_citation', file_id: file, filename: 'leave.md', index: 11 })

describe('a whole response', () => {
  test('has the search, its results where they are asked for, and the file that the text cites', async () => {
    const before = (await app().usageRows()).length
    app().upstream.scriptNext(searching(['paid leave']), saying(cited))
    const response = await client.responses.create(asked({ include: ['file_search_call.results'] }))
    // Each round is recorded, and nothing else.
    await eventually(async () => (await app().usageRows()).length >= before + 2)
    const rows = (await app().usageRows()).slice(before)
    expect(rows.map(({ promptTokens, status }) => [promptTokens, status])).toEqual([
      [10, 200],
      [10, 200],
    ])
    expect(response).toMatchObject({ status: 'completed', output_text: 'Thirty days a year.', store: true })
    expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 4, total_tokens: 24 })
    expect(response.tools).toEqual(asked().tools!)
    expect(response.output).toMatchObject([
      {
        type: 'file_search_call',
        status: 'completed',
        queries: ['paid leave'],
        results: [
          { file_id: file, filename: 'leave.md', attributes: { year: 2024 }, text: expect.stringContaining('thirty') },
        ],
      },
      { type: 'message', content: [{ type: 'output_text', text: 'Thirty days a year.', annotations: [citation()] }] },
    ])
    expect(sent(-2)['tools']).toEqual([
      { type: 'function', function: expect.objectContaining({ name: 'file_search' }) as object },
    ])
    expect(sent(-1)['messages']).toEqual([
      { role: 'user', content: 'How much leave is there?' },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'call_s', content: expect.stringContaining('【1】 leave.md') as string },
    ])
    expect(await client.responses.retrieve(response.id)).toMatchObject({ output: response.output as unknown[] })
    app().upstream.scriptNext(saying('As I said.'))
    const next = await client.responses.create(asked({ previous_response_id: response.id, input: 'Sure?' }))
    expect([next.previous_response_id, next.output_text]).toEqual([response.id, 'As I said.'])
    expect(JSON.stringify(sent(-1)['messages'])).toContain('Thirty days a year.')
  })

  test('is filtered by attributes, and says that nothing was found', async () => {
    const filters = { type: 'gt' as const, key: 'year', value: 2024 }
    app().upstream.scriptNext(searching(['paid leave']), saying('Nothing.'))
    const tools = [{ type: 'file_search' as const, vector_store_ids: [store], filters }]
    const { output } = await client.responses.create(asked({ tools, include: ['file_search_call.results'] }))
    expect(output[0]).toMatchObject({ status: 'completed', results: [] })
    expect(JSON.stringify(sent(-1)['messages'])).toContain('No passage was found.')
  })

  test('gives a call of the client back to it, beside what was searched', async () => {
    const weather = { type: 'function' as const, name: 'weather', parameters: {}, strict: false }
    const call = (index: number, name: string, text: string) => ({
      index,
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: text },
    })
    app().upstream.scriptNext(
      stream([
        chunkOf({ tool_calls: [call(0, 'file_search', '{"queries":["leave"]}')] }),
        chunkOf({ tool_calls: [call(1, 'weather', '{}')] }),
        chunkOf({}, 'tool_calls'),
        doneEvent,
      ]),
    )
    const response = await client.responses.create(asked({ tools: [...asked().tools!, weather] }))
    expect(response.output.map(({ type }) => type)).toEqual(['file_search_call', 'function_call'])
  })

  test('ends after a bounded number of rounds: the last one cannot search', async () => {
    const before = app().upstream.requests.length
    app().upstream.scriptNext(...Array.from({ length: 8 }, () => searching(['leave'])), saying('Enough.'))
    const response = await client.responses.create(asked({ tool_choice: { type: 'file_search' } }))
    expect(response.output.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 8 }, () => 'file_search_call'),
      'message',
    ] as never)
    const rounds = app()
      .upstream.requests.slice(before)
      .map((each) => each.json())
    expect(rounds.map(({ tools, tool_choice: choice }) => [Array.isArray(tools), choice])).toEqual([
      [true, { type: 'function', function: { name: 'file_search' } }],
      ...Array.from({ length: 7 }, () => [true, 'auto']),
      [false, undefined],
    ])
  })

  test('tells the model what is wrong with its call, and goes on', async () => {
    app().upstream.scriptNext(searching([]), saying('Sorry.'))
    const response = await client.responses.create(asked())
    expect(response.output[0]).toMatchObject({ type: 'file_search_call', status: 'failed', queries: [] })
    expect(response.output_text).toBe('Sorry.')
  })

  test('is refused for the store of another account, before any model is asked', async () => {
    const before = app().upstream.requests.length
    const stranger = openAiClient(app(), { apiKey: app().keys.other.secret })
    const refused = await stranger.responses.create(asked()).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(refused).toBeInstanceOf(NotFoundError)
    expect(app().upstream.requests.length).toBe(before)
  })

  test('is made in the background, too', async () => {
    app().upstream.scriptNext(searching(['paid leave']), saying(cited))
    let response = await client.responses.create(asked({ background: true }))
    while (response.status === 'queued' || response.status === 'in_progress')
      response = await client.responses.retrieve(response.id)
    expect([response.status, response.output_text]).toEqual(['completed', 'Thirty days a year.'])
  })
})

describe('a stream', () => {
  test('has the events of the API in their order, numbered through', async () => {
    app().upstream.scriptNext(searching(['paid leave']), saying(cited))
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await client.responses.create({ ...asked(), stream: true })) seen.push(event)
    expect(seen.map(({ sequence_number: at }) => at)).toEqual(seen.map((_event, at) => at))
    const types = seen.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const deltas = seen.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
    expect(deltas.join('')).toBe('Thirty days a year.')
    expect(seen.find(({ type }) => type === 'response.output_text.annotation.added')).toMatchObject({
      output_index: 1,
      annotation_index: 0,
      annotation: citation(),
    })
    app().upstream.scriptNext(searching(['paid leave']), saying(cited))
    const final = await client.responses.stream({ ...asked(), stream: true }).finalResponse()
    expect(final.output_text).toBe('Thirty days a year.')
  })

  test('that breaks in its second round ends as failed', async () => {
    app().upstream.scriptNext(searching(['leave']), json({ error: { message: 'no' } }, 400))
    const types: string[] = []
    const read = async (): Promise<void> => {
      for await (const { type } of await client.responses.create({ ...asked(), stream: true })) types.push(type)
    }
    expect(
      await read().then(
        () => null,
        (thrown: unknown) => thrown,
      ),
    ).toBeInstanceOf(OpenAI.APIError)
    expect(types.at(-1)).not.toBe('response.completed')
  })

  test('that its reader leaves frees the slot and the provider at once', async () => {
    app().upstream.scriptNext(searching(['leave']), [streamHead, ...events(chatChunks().slice(0, 2)), hang])
    const controller = new AbortController()
    const left = client.responses.create({ ...asked(), stream: true }, { signal: controller.signal })
    for await (const { type } of await left) if (type === 'response.output_text.delta') break
    controller.abort()
    await eventually(async () => (await app().metric('sluice_inflight_requests{model="plain"}')) === 0)
    await app().upstream.requests.at(-1)!.closed
  })
})

test('an agent of OpenAI uses it unchanged', async () => {
  app().upstream.scriptNext(searching(['paid leave']), saying(cited))
  const model = new OpenAIResponsesModel(client as never, 'plain')
  const agent = new Agent({ name: 'helper', model, tools: [fileSearchTool([store], { maxNumResults: 2 })] })
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'How much leave is there?')
  expect(finalOutput).toBe('Thirty days a year.')
})
