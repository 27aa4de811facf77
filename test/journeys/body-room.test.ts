/** Large bodies: no more of them in memory than the server may hold, whatever they come as, and nobody loses a request by that. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startGateway, type ChatOptions, type GatewayApp, type GatewayOptions } from '#test/support/app/gateway-app.ts'
import { clientOf } from '#test/support/batches/file-client.ts'
import { modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { until } from '#test/support/until.ts'
import {
  gate,
  json,
  openAiAnswer,
  type Behaviour,
  type ScriptedRequest,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'

const kilobytes = 600
const large = 'a'.repeat(kilobytes * 1000)
/** What asks only what the provider is, is answered at once. */
const held = (request: ScriptedRequest): Behaviour =>
  request.method === 'POST' ? [gate, ...openAiAnswer(request)] : openAiAnswer(request)
const typed = { 'content-type': 'application/json' }
const messages = [{ role: 'user', content: large }]

/** Room for one large request of each user, and for three in all. */
const narrow = ['server.bytes_in_flight=2000000', 'server.max_body_bytes=950000']

let gateway: GatewayApp
async function open(options: GatewayOptions = { set: narrow }): Promise<void> {
  gateway = await startGateway(options)
}
afterEach(() => gateway[Symbol.asyncDispose]())

const waiting = (): Promise<number> => gateway.metric('sluice_bodies_waiting')
const inMemory = (): Promise<number> => gateway.metric('sluice_body_bytes')
const arrived = (): number => gateway.upstream.requests.filter(({ method }) => method === 'POST').length

type Ask = (options?: ChatOptions) => Promise<Response>

/** Each way in which a request has much in memory, made ready: what it returns asks once. */
const ways: Readonly<Record<string, () => Promise<Ask>>> = {
  'a body of known length': async () => (options) => gateway.chat({ messages }, options),
  'a body in chunks': async () => (options) => {
    const bytes = Buffer.from(JSON.stringify({ model: 'plain', messages }))
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 100_000) controller.enqueue(bytes.subarray(at, at + 100_000))
        controller.close()
      },
    })
    return gateway.request('POST', '/ai/v1/chat/completions', { ...options, headers: typed, body })
  },
  'a form whose model comes last': async () => {
    const model = await modelWithEndpoints(gateway, ['audio/transcriptions'])
    return (options) => {
      const body = new FormData()
      body.append('file', new Blob([large]), 'a.mp3')
      body.append('model', model)
      return gateway.request('POST', '/ai/v1/audio/transcriptions', { ...options, body, nonsense: true })
    }
  },
  'a file that it names': async () => {
    const { id } = await clientOf(gateway).uploaded(large, 'user_data')
    const content = [{ type: 'file', file: { file_id: id } }]
    return (options) => gateway.chat({ messages: [{ role: 'user', content }] }, options)
  },
  'a response that it builds on': async () => {
    gateway.upstream.scriptNext(json(chatCompletion()))
    const id = await makeResponse(gateway, { input: large })
    const body = JSON.stringify({ model: 'plain', previous_response_id: id, input: 'Go on.' })
    return (options) => gateway.request('POST', '/ai/v1/responses', { ...options, headers: typed, body })
  },
  'a prompt of generation': async () => {
    const body = JSON.stringify({ text: large, consumer_group: 'plain' })
    return (options) => gateway.request('POST', '/generate', { ...options, headers: typed, body })
  },
}

describe.each(Object.keys(ways))('%s', (way) => {
  test('waits while as much is in memory as its user may have, and small requests pass it', async () => {
    await open()
    const ask = await ways[way]!()
    const before = arrived()
    gateway.upstream.script(held)
    const [first, second] = [ask(), ask()]
    await until(async () => arrived() === before + 1 && (await waiting()) === 1)
    expect(await inMemory()).toBeGreaterThanOrEqual(kilobytes * 1000 * 0.75)
    // Also where nobody knew how much would come.
    expect(await inMemory()).toBeLessThan(900_000)

    gateway.upstream.scriptNext(json(chatCompletion()))
    expect((await gateway.chat()).status).toBe(200)
    expect(arrived()).toBe(before + 2)
    gateway.upstream.release()
    await until(() => arrived() === before + 3)
    gateway.upstream.release()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    await until(async () => (await inMemory()) === 0)
  })
})

describe('requests that wait for room in memory', () => {
  beforeEach(async () => {
    await open()
    gateway.upstream.script(held)
  })

  test('leave room for other users', async () => {
    const own = [gateway.chat({ messages }), gateway.chat({ messages })]
    await until(async () => arrived() === 1 && (await waiting()) === 1)
    gateway.upstream.scriptNext(json(chatCompletion()))
    expect((await gateway.chat({ messages }, { key: gateway.keys.other })).status).toBe(200)
    gateway.upstream.release()
    await until(() => arrived() === 3)
    gateway.upstream.release()
    for (const answer of own) expect((await answer).status).toBe(200)
  })

  test('give their place up when their clients leave', async () => {
    const first = gateway.chat({ messages })
    await until(() => arrived() === 1)
    const leaving = new AbortController()
    const second = gateway.chat({ messages }, { signal: leaving.signal })
    second.catch(() => undefined)
    await until(async () => (await waiting()) === 1)
    leaving.abort()
    await until(async () => (await waiting()) === 0)
    gateway.upstream.release()
    expect((await first).status).toBe(200)
    await until(async () => (await inMemory()) === 0)
    expect(arrived()).toBe(1)
  })
})

test('a request for which there is no room in time is told so, and holds nothing', async () => {
  await open({ set: [...narrow, 'server.body_read_seconds=0.2'] })
  gateway.upstream.script(held)
  const first = gateway.chat({ messages })
  await until(() => arrived() === 1)
  const refused = await gateway.chat({ messages })
  await expectRefusal(refused, { status: 503, type: 'api_error', code: 'overloaded' })
  expect(refused.headers.get('retry-after')).toBe('5')
  gateway.upstream.release()
  expect((await first).status).toBe(200)
  await until(async () => (await inMemory()) === 0)
})

test.each([8, 32])(
  '%d large requests of two users are all answered, never more than three of them at once',
  async (count) => {
    await open()
    gateway.upstream.script(held)
    const asked = Array.from({ length: count }, (_, index) =>
      gateway.chat({ messages }, index % 2 === 0 ? {} : { key: gateway.keys.other }),
    )
    for (let answered = 0; answered < count; answered += 1) {
      await until(() => arrived() > answered)
      expect(arrived() - answered).toBeLessThanOrEqual(3)
      gateway.upstream.release()
    }
    for (const answer of asked) expect((await answer).status).toBe(200)
    expect([await inMemory(), await waiting()]).toEqual([0, 0])
  },
)
