/**
 * The official OpenAI client on a model whose provider has the Responses API and stores nothing, as vLLM and others: the
 * gateway keeps the answers, under ids of its own, and replays the conversation.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { typedEvents, typedStream } from '#test/support/contract/dialect-samples.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { close, gate, json, streamEnd, type Behaviour, type Step } from '#test/support/upstream/upstream-behaviours.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
let model: string
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
  model = await modelWithEndpoints(gateway, ['responses', 'chat/completions'], false)
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script((request) => forgetful(request)))

const said = 'Hello, wörld 🌊'
const call = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' } as const
type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const hex = (): string => crypto.randomUUID().replaceAll('-', '')

/** A provider that gives each answer ids of its own, numbers its events from 7, and knows nothing of earlier ones. */
function forgetful(request: ReceivedRequest, stop: 'whole' | 'gated' | 'broken' = 'whole'): Behaviour {
  const { stream, input, previous_response_id: previous, conversation } = request.json()
  if (request.path !== '/v1/responses' || (previous ?? null) !== null || (conversation ?? null) !== null)
    return json({ error: { message: 'Not found.' } }, 404)
  const message = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: said, annotations: [] }],
  }
  const calls = JSON.stringify(input).includes('How warm') && !JSON.stringify(input).includes('call_output')
  const items = [
    { id: `rs_${hex()}`, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
    calls ? { id: `fc_${hex()}`, status: 'completed', ...call } : { id: `msg_${hex()}`, ...message },
  ]
  const usage = { input_tokens: 25, output_tokens: 15, total_tokens: 40 }
  const whole = {
    id: `resp_${hex()}`,
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    model: 'upstream-model',
    output: items,
    store: false,
    usage,
    'a field of tomorrow': 1,
  }
  if (stream !== true) return json(whole)
  const begun = { ...whole, status: 'in_progress', output: [], usage: null }
  const events: readonly Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...(item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta: said }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: whole },
  ].map((event, at) => ({ ...event, sequence_number: at + 7 }))
  if (stop === 'whole') return typedStream(events)
  const steps = typedEvents(events) as readonly Step[]
  return stop === 'gated' ? [...steps.slice(0, 3), gate, ...steps.slice(3), streamEnd] : [...steps.slice(0, 4), close]
}

function sent(): Readonly<Record<string, unknown>> {
  return gateway.upstream.requests.at(-1)!.json()
}

/** The texts and types of the conversation that the provider was given last. */
function given(): readonly string[] {
  const { input } = sent()
  if (typeof input === 'string') return [input]
  return (input as readonly Readonly<Record<string, unknown>>[]).map(({ type, content, output }) => {
    if (type === 'function_call' || type === 'reasoning') return type
    if (type === 'function_call_output') return String(output)
    return typeof content === 'string' ? content : (content as { readonly text: string }[])[0]!.text
  })
}

async function failure(promise: PromiseLike<unknown>): Promise<readonly [number | undefined, unknown]> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof APIError)) throw new Error(`no APIError came, but ${String(thrown)}`)
  return [thrown.status as number | undefined, thrown.code]
}

type Turn = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** The response of a stream, whose events all name the same ids and count from 0. */
async function streamed(asked: object): Promise<OpenAI.Responses.Response> {
  const events = await Array.fromAsync(await client.responses.create({ model, ...asked, stream: true }))
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
  const last = events.at(-1)
  if (last?.type !== 'response.completed') throw new Error('the stream was not completed')
  const ids = last.response.output.map((item) => item.id)
  for (const event of events) {
    if ('response' in event) expect(event.response.id).toBe(last.response.id)
    if ('item' in event) expect(event.item.id).toBe(ids[event.output_index])
    if ('item_id' in event && 'output_index' in event) expect(event.item_id).toBe(ids[event.output_index]!)
  }
  return last.response
}

describe('a chain of responses', () => {
  test.each([false, true])('goes on for ten turns, each with all before it (streamed: %p)', async (stream) => {
    let previous: string | null = null
    const expected: string[] = []
    for (let turn = 0; turn < 10; turn += 1) {
      const asked: Turn = { model, input: `Turn ${turn}`, previous_response_id: previous }
      const response: OpenAI.Responses.Response = stream ? await streamed(asked) : await client.responses.create(asked)
      expected.push(`Turn ${turn}`)
      expect(given()).toEqual(expected)
      expect(sent()).toMatchObject({ store: false, model: 'upstream-model' })
      expected.push('reasoning', said)
      expect(response).toMatchObject({ previous_response_id: previous, store: true, 'a field of tomorrow': 1 })
      previous = response.id
    }
    const kept = await client.responses.retrieve(previous!)
    expect(kept).toMatchObject({ id: previous!, status: 'completed', output_text: said, store: true })
    const items = await Array.fromAsync(await client.responses.inputItems.list(previous!, { order: 'asc', limit: 7 }))
    expect(items).toHaveLength(28)
    expect(new Set(items.map((item) => item.id)).size).toBe(28)
  })

  test('has a tool loop: the result alone is sent with the next turn', async () => {
    const tools: OpenAI.Responses.FunctionTool[] = [
      { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
    ]
    for (const make of [streamed, (asked: object) => client.responses.create({ model, ...asked } as Turn)]) {
      const first = await make({ input: 'How warm is it?', tools })
      expect(first.output.at(-1)).toMatchObject(call)
      const output = { type: 'function_call_output', call_id: 'call_1', output: '21 °C' } as const
      const next = await make({ previous_response_id: first.id, input: [output], tools })
      expect(given()).toEqual(['How warm is it?', 'reasoning', 'function_call', '21 °C'])
      expect(next.output_text ?? '').toBe(make === streamed ? (next.output_text ?? '') : said)
    }
  })

  test('is broken by a deleted response, and cannot be gone on with by another account or with store: false', async () => {
    const first = await client.responses.create({ model, input: 'One' })
    const second = await client.responses.create({ model, input: 'Two', previous_response_id: first.id })
    const others = openAiClient(gateway, { apiKey: gateway.keys.other.secret })
    const notFound = [400, 'previous_response_not_found'] as const
    const goOn = (id: string, from = client) =>
      from.responses.create({ model, input: 'Three', previous_response_id: id })
    expect(await failure(goOn(second.id, others))).toEqual(notFound)
    expect(await failure(others.responses.retrieve(second.id))).toEqual([404, 'response_not_found'])
    await client.responses.delete(first.id)
    expect(await failure(goOn(second.id))).toEqual(notFound)
    const unkept = await client.responses.create({ model, input: 'One', store: false })
    expect(unkept).toMatchObject({ store: false })
    expect(await failure(goOn(unkept.id))).toEqual(notFound)
  })

  test('goes on at a model of another kind, and back', async () => {
    const chat = await client.responses.create({ model, input: 'One' })
    gateway.upstream.scriptNext(
      json({ choices: [{ message: { role: 'assistant', content: 'Two!' }, finish_reason: 'stop' }] }),
    )
    const second = await client.responses.create({ model: 'plain', input: 'Two', previous_response_id: chat.id })
    await client.responses.create({ model, input: 'Three', previous_response_id: second.id })
    expect(given()).toEqual(['One', 'reasoning', said, 'Two', 'Two!', 'Three'])
  })

  test('has items that stand for themselves by their ids', async () => {
    const first = await client.responses.create({ model, input: 'One' })
    const input = first.output.map(({ id }) => ({ type: 'item_reference', id: id! }) as const)
    await client.responses.create({ model, input: [...input, { role: 'user', content: 'Two' }] })
    expect(given()).toEqual(['reasoning', said, 'Two'])
  })
})

describe('a response in the background', () => {
  test('is made by the gateway while nobody waits, and gone on with', async () => {
    gateway.upstream.script((request) => forgetful(request, 'gated'))
    const count = gateway.upstream.requests.length
    const made = await client.responses.create({ model, input: 'Long work', background: true })
    expect(made).toMatchObject({ status: 'queued', background: true, store: true, output: [], tools: [] })
    await until(() => gateway.upstream.requests.length > count)
    expect(sent()).toMatchObject({ background: false, store: false, stream: true })
    gateway.upstream.requests.at(-1)!.release()
    await until(async () => (await client.responses.retrieve(made.id)).status === 'completed')
    expect(await client.responses.retrieve(made.id)).toMatchObject({ id: made.id, output_text: said, background: true })
    gateway.upstream.script((request) => forgetful(request))
    await client.responses.create({ model, input: 'More', previous_response_id: made.id })
    expect(given()).toEqual(['Long work', 'reasoning', said, 'More'])
  })

  test('has its stream read on from any event', async () => {
    const stream = await client.responses.create({ model, input: 'Long work', background: true, stream: true })
    const seen = await Array.fromAsync(stream)
    expect(seen.at(-1)?.type).toBe('response.completed')
    const [{ response }] = seen as [OpenAI.Responses.ResponseCreatedEvent]
    for (const after of [...seen.keys(), -1]) {
      const query = { stream: true, ...(after >= 0 && { starting_after: after }) } as const
      expect(await Array.fromAsync(await client.responses.retrieve(response.id, query))).toEqual(seen.slice(after + 1))
    }
  })

  test('is cancelled, and fails when its provider breaks off', async () => {
    gateway.upstream.script((request) => forgetful(request, 'gated'))
    const count = gateway.upstream.requests.length
    const made = await client.responses.create({ model, input: 'Long work', background: true })
    await until(() => gateway.upstream.requests.length > count)
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled')
    await gateway.upstream.requests.at(-1)!.closed
    gateway.upstream.script((request) => forgetful(request, 'broken'))
    const failing = await client.responses.create({ model, input: 'Long work', background: true })
    await until(async () => (await client.responses.retrieve(failing.id)).status === 'failed')
  })
})

test('a conversation is gone on with, whole and streamed', async () => {
  const { id } = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: 'Zero' }] })
  const first = await client.responses.create({ model, input: 'One', conversation: id })
  expect(first.conversation).toEqual({ id })
  expect(given()).toEqual(['Zero', 'One'])
  expect((await streamed({ input: 'Two', conversation: id })).conversation).toEqual({ id })
  expect(given()).toEqual(['Zero', 'One', 'reasoning', said, 'Two'])
  const items = await Array.fromAsync(await client.conversations.items.list(id, { order: 'asc' }))
  expect(items).toHaveLength(7)
})

test('a stream that breaks off is an error and is not kept', async () => {
  gateway.upstream.script((request) => forgetful(request, 'broken'))
  const stream = await client.responses.create({ model, input: 'One', stream: true })
  let id = ''
  const reading = async (): Promise<void> => {
    for await (const event of stream) if (event.type === 'response.created') id = event.response.id
  }
  expect(await reading().catch((error: unknown) => error)).toBeInstanceOf(APIError)
  expect(await failure(client.responses.retrieve(id))).toEqual([404, 'response_not_found'])
})

test('components that store and that do not keep their answers each in its place', async () => {
  const stores = await modelWithEndpoints(gateway, ['responses'])
  gateway.upstream.scriptNext(
    json({ id: 'resp_theirs', object: 'response', status: 'completed', output: [], store: true }),
  )
  const theirs = await client.responses.create({ model: stores, input: 'One' })
  expect([theirs.id, sent()['store']]).toEqual(['resp_theirs', undefined])
  const ours = await client.responses.create({ model, input: 'One' })
  expect(ours.id).toMatch(/^resp_[0-9a-f]{32}$/)
  expect(await failure(client.responses.create({ model, input: 'Two', previous_response_id: theirs.id }))).toEqual([
    400,
    'previous_response_not_found',
  ])
})
