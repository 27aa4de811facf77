/**
 * The official OpenAI client on models whose provider has only chat completions: responses are state, which the
 * gateway keeps.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import {
  close,
  events,
  gate,
  json,
  openAiAnswer,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

const said = 'Hello, wörld 🌊'
const model = 'plain'

/** The conversation that the upstream was given last. */
function given(): unknown {
  return gateway.upstream.requests.at(-1)!.json()['messages']
}

const user = (content: string) => ({ role: 'user', content })
const assistant = { role: 'assistant', content: said }

/** The status that a call fails with. */
async function failure(promise: PromiseLike<unknown>): Promise<readonly [number | undefined, unknown]> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof APIError)) throw new Error(`no APIError came, but ${String(thrown)}`)
  return [thrown.status as number | undefined, thrown.code]
}

type Turn = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** The response that the last event of a stream holds. */
async function streamedResponse(asked: object): Promise<OpenAI.Responses.Response> {
  const stream = await client.responses.create({ model, ...asked, stream: true })
  for await (const event of stream) if (event.type === 'response.completed') return event.response
  throw new Error('the stream was not completed')
}

const [firstChunk = {}, ...otherChunks] = chatChunks({ usage: 'last' })
/** Stops at a gate after its first event. */
const gated: Behaviour = [streamHead, ...events([firstChunk]), gate, ...events([...otherChunks, doneEvent]), streamEnd]

describe('a chain of responses', () => {
  test.each([false, true])('goes on for ten turns, each with all before it (streamed: %p)', async (stream) => {
    let previous: string | null = null
    const expected: object[] = []
    for (let turn = 0; turn < 10; turn += 1) {
      const asked: Turn = { model, input: `Turn ${turn}`, previous_response_id: previous }
      const response: OpenAI.Responses.Response = stream
        ? await streamedResponse(asked)
        : await client.responses.create(asked)
      expected.push(user(`Turn ${turn}`))
      expect(given()).toEqual(expected)
      expected.push(assistant)
      expect(response).toMatchObject({ previous_response_id: previous, status: 'completed', object: 'response' })
      previous = response.id
    }
    const kept = await client.responses.retrieve(previous!)
    expect(kept).toMatchObject({ id: previous!, status: 'completed', output_text: said, model: expect.any(String) })
    const items = await Array.fromAsync(await client.responses.inputItems.list(previous!, { order: 'asc', limit: 7 }))
    expect(items).toHaveLength(19)
    expect(new Set(items.map((item) => item.id)).size).toBe(19)
  })

  test('has a tool loop: the result alone is sent with the next turn', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
    const message = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] }
    gateway.upstream.scriptNext(json({ ...chatCompletion(), choices: [{ message, finish_reason: 'tool_calls' }] }))
    const tools: OpenAI.Responses.FunctionTool[] = [
      { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
    ]
    const first = await client.responses.create({ model, input: 'How warm is it?', tools })
    const output = { type: 'function_call_output', call_id: 'call_1', output: '21 °C' } as const
    await client.responses.create({ model, previous_response_id: first.id, input: [output], tools })
    expect(given()).toEqual([
      user('How warm is it?'),
      { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
    ])
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
    expect(await failure(others.responses.delete(second.id))).toEqual([404, 'response_not_found'])
    await client.responses.delete(first.id)
    expect(await failure(goOn(first.id))).toEqual(notFound)
    expect(await failure(goOn(second.id))).toEqual(notFound)
    const unkept = await client.responses.create({ model, input: 'One', store: false })
    expect(unkept).toMatchObject({ store: false })
    expect(await failure(goOn(unkept.id))).toEqual(notFound)
    expect(await failure(client.responses.cancel(second.id))).toEqual([400, 'invalid_body'])
  })

  test('is not kept when a setting turns it off', async () => {
    await gateway.operate('PUT', '/settings/responses.keep', { value: false })
    const response = await client.responses.create({ model, input: 'One' })
    expect(response).toMatchObject({ store: false })
    await gateway.operate('PUT', '/settings/responses.keep', { value: true })
    expect(await failure(client.responses.retrieve(response.id))).toEqual([404, 'response_not_found'])
  })
})

describe('items by their ids', () => {
  test('stand for themselves in any order, of the answer or the input, with or without their type', async () => {
    const first = await client.responses.create({ model, input: 'One' })
    const [input] = (await client.responses.inputItems.list(first.id)).data
    const output = first.output[0]!.id!
    const reference = (id: string) => ({ type: 'item_reference', id }) as const
    const items = [reference(input!.id!), { id: output } as OpenAI.Responses.ResponseInputItem.ItemReference]
    const next = await client.responses.create({ model, input: [...items, { role: 'user', content: 'Two' }] })
    expect(given()).toEqual([user('One'), assistant, user('Two')])
    await client.responses.create({ model, input: 'Three', previous_response_id: next.id })
    expect(given()).toEqual([user('One'), assistant, user('Two'), assistant, user('Three')])
  })

  test('of nobody, or of another account, are not found', async () => {
    const first = await client.responses.create({ model, input: 'One' })
    const others = openAiClient(gateway, { apiKey: gateway.keys.other.secret })
    const own = first.output[0]!.id!
    const ask = (id: string, from = client) => from.responses.create({ model, input: [{ type: 'item_reference', id }] })
    for (const refused of [
      ask(own, others),
      ask(`msg_${'0'.repeat(36)}`),
      ask('msg_elsewhere'),
      ask(`${own.slice(0, -1)}9`),
    ])
      expect(await failure(refused)).toEqual([404, 'item_not_found'])
  })
})

describe('a response in the background', () => {
  test('is queued at once, made while nobody waits, and found when it is ready', async () => {
    gateway.upstream.scriptNext(gated)
    const made = await client.responses.create({ model, input: 'Long work', background: true })
    expect(made).toMatchObject({ status: 'queued', background: true, store: true, output: [] })
    const first = await client.responses.retrieve(made.id)
    expect(['queued', 'in_progress']).toContain(first.status!)
    await until(() => gateway.upstream.requests.at(-1)?.path === '/v1/chat/completions')
    gateway.upstream.requests.at(-1)!.release()
    await until(async () => (await client.responses.retrieve(made.id)).status === 'completed')
    const kept = await client.responses.retrieve(made.id)
    expect(kept).toMatchObject({ id: made.id, output_text: said, background: true, created_at: made.created_at })
    await client.responses.create({ model, input: 'More', previous_response_id: made.id })
    expect(given()).toEqual([user('Long work'), assistant, user('More')])
    expect(await failure(client.responses.cancel(made.id))).toEqual([400, 'invalid_body'])
  })

  test('has its stream read on from any event, while it is made and afterwards', async () => {
    gateway.upstream.scriptNext(gated)
    const stream = await client.responses.create({ model, input: 'Long work', background: true, stream: true })
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) {
      seen.push(event)
      if (event.type === 'response.in_progress') gateway.upstream.requests.at(-1)!.release()
    }
    expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, at) => at))
    expect(seen.at(-1)?.type).toBe('response.completed')
    const [{ response }] = seen as [OpenAI.Responses.ResponseCreatedEvent]
    for (const after of [...seen.keys(), -1]) {
      const again = await client.responses.retrieve(response.id, {
        stream: true,
        ...(after >= 0 && { starting_after: after }),
      })
      expect(await Array.fromAsync(again)).toEqual(seen.slice(after + 1))
    }
  })

  test('is cancelled: the provider is left at once, and nothing of it is made', async () => {
    gateway.upstream.scriptNext(gated)
    const made = await client.responses.create({ model, input: 'Long work', background: true })
    await until(() => gateway.upstream.requests.at(-1)?.path === '/v1/chat/completions')
    const received = gateway.upstream.requests.at(-1)!
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled')
    await received.closed
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled')
    expect((await client.responses.retrieve(made.id)).status).toBe('cancelled')
    const left = await Array.fromAsync(await client.responses.retrieve(made.id, { stream: true }))
    expect(left.at(-1)?.type as string).toBe('response.cancelled')
    expect(left.map((event) => event.type)).not.toContain('response.completed')
  })

  test('fails with the reason when its provider fails, before its first event and after it', async () => {
    for (const behaviour of [
      json({ error: { message: 'Down.' } }, 500),
      [streamHead, ...events([firstChunk]), close],
    ]) {
      gateway.upstream.script(() => behaviour)
      const made = await client.responses.create({ model, input: 'Long work', background: true })
      await until(async () => (await client.responses.retrieve(made.id)).status === 'failed')
      const failed = await client.responses.retrieve(made.id)
      expect(failed.error).toMatchObject({ code: 'server_error', message: expect.stringContaining('provider') })
      const stream = await client.responses.retrieve(made.id, { stream: true })
      const types: string[] = []
      const reading = async (): Promise<void> => {
        for await (const { type } of stream) types.push(type)
      }
      await reading().catch((error: unknown) => expect(error).toBeInstanceOf(APIError))
      expect(types).not.toContain('response.completed')
    }
  })

  test('takes no in-flight slot, and its tokens are counted once, with those of its own call', async () => {
    const before = new Set((await gateway.usageRows()).map((row) => row.requestId))
    const made = await client.responses.create({ model, input: 'Long work', background: true })
    await until(async () => (await client.responses.retrieve(made.id)).status === 'completed')
    const last = await client.responses.retrieve(made.id, undefined, { headers: { 'x-request-id': 'read-last' } })
    await gateway.usageOf('read-last')
    const rows = (await gateway.usageRows()).filter((row) => !before.has(row.requestId))
    const counted = rows.filter((row) => row.completionTokens !== null)
    expect(counted.map((row) => row.completionTokens)).toEqual([last.usage!.output_tokens])
    expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  })
})

describe('a conversation', () => {
  test('is gone on with by responses of any model, streamed or not, and lists its items', async () => {
    const { id } = await client.conversations.create({
      metadata: { topic: 'tests' },
      items: [{ type: 'message', role: 'user', content: 'Zero' }],
    })
    const first = await client.responses.create({ model, input: 'One', conversation: id })
    expect(first.conversation).toEqual({ id })
    expect(given()).toEqual([user('Zero'), user('One')])
    for await (const _ of await client.responses.create({ model, input: 'Two', conversation: { id }, stream: true }));
    expect(given()).toEqual([user('Zero'), user('One'), assistant, user('Two')])
    const items = await Array.fromAsync(await client.conversations.items.list(id, { order: 'asc', limit: 2 }))
    const roles = items.map((item) => (item.type === 'message' ? item.role : item.type))
    expect(roles).toEqual(['user', 'user', 'assistant', 'user', 'assistant'])
    const [item] = items
    expect(await client.conversations.items.retrieve(item!.id!, { conversation_id: id })).toEqual(item!)
    await client.conversations.items.delete(item!.id!, { conversation_id: id })
    await client.responses.create({ model, input: 'Three', conversation: id, store: false })
    expect(given()).toEqual([user('One'), assistant, user('Two'), assistant, user('Three')])
    expect(await client.conversations.update(id, { metadata: { topic: 'x' } })).toMatchObject({
      metadata: { topic: 'x' },
    })
    expect(await client.conversations.retrieve(id)).toMatchObject({ id, metadata: { topic: 'x' } })
    expect(await client.conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true })
    const notFound = [404, 'conversation_not_found'] as const
    expect(await failure(client.conversations.retrieve(id))).toEqual(notFound)
    expect(await failure(client.responses.create({ model, input: 'Four', conversation: id }))).toEqual(notFound)
  })

  test('of another account is unknown, whatever is asked of it', async () => {
    const { id } = await client.conversations.create()
    const { conversations, responses } = openAiClient(gateway, { apiKey: gateway.keys.other.secret })
    const one = { conversation_id: id }
    for (const refused of [
      conversations.retrieve(id),
      conversations.update(id, { metadata: {} }),
      conversations.delete(id),
      conversations.items.list(id),
      conversations.items.create(id, { items: [{ role: 'user', content: 'x' }] }),
      conversations.items.retrieve('msg_1', one),
      conversations.items.delete('msg_1', one),
      responses.create({ model, input: 'x', conversation: id }),
    ])
      expect(await failure(refused)).toEqual([404, 'conversation_not_found'])
    expect((await client.conversations.retrieve(id)).id).toBe(id)
  })
})
