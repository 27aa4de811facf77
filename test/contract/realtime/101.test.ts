/** GET /ai/v1/realtime: a WebSocket whose messages pass in both directions as they are. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startRealtimeApp, type RealtimeApp, type RealtimeClient } from '#test/support/app/realtime-app.ts'
import { until } from '#test/support/until.ts'

let app: RealtimeApp
beforeAll(async () => void (app = await startRealtimeApp({ set: ['limits.realtime_inflight.enforce=true'] })))
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void (app.upstream.onMessage = ({ socket }, message) => void socket.send(message)))

const event = (fields: object) => JSON.stringify(fields)

async function closed(client: RealtimeClient): Promise<void> {
  client.socket.close(1000, 'done')
  await until(() => client.closed !== null && app.upstream.peer.closed !== null)
}

test('text and bytes of any length come back as they were sent, in their order', async () => {
  const client = await app.connect()
  const message = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 70_000 }))
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      const before = client.received.length
      for (const each of messages) client.socket.send(each as string)
      await until(() => client.received.length === before + messages.length)
      const sent = messages.map((each) => (typeof each === 'string' ? each : Buffer.from(each)))
      expect(client.received.slice(before)).toEqual(sent)
    }),
    { numRuns: 30 },
  )
  await closed(client)
})

test('what the provider sends before the client is there is not lost', async () => {
  for (let round = 0; round < 20; round += 1) {
    const before = app.upstream.peers.length
    const opening = app.connect()
    await until(() => app.upstream.peers.length > before)
    for (let at = 0; at < 3; at += 1) app.upstream.peer.socket.send(event({ type: 'session.created', at }))
    const client = await opening
    await until(() => client.received.length === 3)
    expect(client.received.map((each) => (JSON.parse(String(each)) as { at: number }).at)).toEqual([0, 1, 2])
    await closed(client)
  }
})

test('the provider sees its own name of the model, its credential and what may travel, and nothing of the client', async () => {
  const search = '?model=speech&intent=conversation&api-version=2025-01-01'
  const client = await app.connect({
    search,
    headers: { 'x-request-id': 'seen', 'openai-beta': 'realtime=v1', cookie: 'a=b' },
  })
  const { target, headers } = app.upstream.peer
  expect(target).toBe('/v1/realtime?intent=conversation&model=gpt-realtime')
  expect(headers.get('authorization')).toBe('Bearer talk-credential')
  expect([headers.get('x-request-id'), headers.get('openai-beta'), headers.get('cookie')]).toEqual([
    'seen',
    'realtime=v1',
    null,
  ])
  await closed(client)
})

describe('the key', () => {
  test.each(['x-api-key', 'api-key'])('may be in %s', async (name) => {
    await closed(await app.connect({ key: null, headers: { [name]: app.gateway.keys.main.secret } }))
  })

  test('may be in a protocol, as pages send it, which does not come back and goes no further', async () => {
    const key = `openai-insecure-api-key.${app.gateway.keys.main.secret}`
    const protocols = ['realtime', key, 'openai-beta.realtime-v1']
    const client = await app.connect({ key: null, protocols })
    expect(client.socket.protocol).toBe('realtime')
    expect(JSON.stringify([...app.upstream.peer.headers])).not.toContain(app.gateway.keys.main.secret)
    expect(app.upstream.peer.headers.get('openai-beta')).toBe('realtime=v1')
    await closed(client)
    expect(app.gateway.log()).not.toContain(app.gateway.keys.main.secret)
  })
})

test.each(['/ai/openai/realtime', '/ai/openai/v1/realtime'])("Azure's address %s is the same", async (path) => {
  await closed(await app.connect({ path, search: '?deployment=voice&api-version=2024-10-01-preview' }))
  expect(app.upstream.peer.target).toBe('/v1/realtime?model=gpt-realtime')
})

describe('the usage record', () => {
  const usage = (input: number, output: number, cached: number, audio: number) => ({
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: { cached_tokens: cached, text_tokens: input - audio, audio_tokens: audio },
    output_token_details: { text_tokens: 1, audio_tokens: output - 1 },
  })

  test('has the sum of all answers with cached and spoken tokens, and of nothing that only looks like one', async () => {
    const client = await app.connect({ headers: { 'x-request-id': 'used' } })
    const sent = [
      event({ type: 'response.created', response: {} }),
      event({ type: 'response.done', response: { usage: usage(100, 20, 30, 60) } }),
      event({ type: 'conversation.item.done', item: { text: '"response.done"', usage: usage(9, 9, 9, 9) } }),
      event({ type: 'response.done', response: { status: 'cancelled', usage: null } }),
      event({ type: 'response.done', response: { usage: usage(200, 40, 150, 80) } }),
      '"response.done" is not JSON',
    ]
    for (const each of sent) app.upstream.peer.socket.send(each)
    await until(() => client.received.length === sent.length)
    client.socket.send('1234ö')
    await until(() => app.upstream.peer.received.length === 1)
    await closed(client)
    const row = await app.gateway.usageOf('used')
    expect(row).toMatchObject({
      endpoint: 'realtime',
      modelAsked: 'voice',
      modelServed: 'voice',
      provider: 'talk',
      status: 200,
      streamed: true,
      upstreamStatus: 101,
      promptTokens: 300,
      completionTokens: 60,
      cachedTokens: 180,
      requestBytes: 6,
    })
    expect(row.units).toBe('{"audioInput":140,"audioOutput":58}')
  })

  test('of a session without an answer has no tokens', async () => {
    await closed(await app.connect({ headers: { 'x-request-id': 'unused' } }))
    expect(await app.gateway.usageOf('unused')).toMatchObject({ status: 200, promptTokens: null })
  })
})

test('the slot is held while the session is open, and free when it has ended', async () => {
  const inflight = () => app.gateway.metric('sluice_inflight_requests{model="voice"}')
  const clients = await Promise.all([app.connect(), app.connect(), app.connect()])
  expect(await inflight()).toBe(3)
  for (const client of clients) client.socket.close()
  await until(async () => (await inflight()) === 0)
  await until(() => app.upstream.open === 0)
})

test("the provider's credential is in no event and in no reason of an end, wherever it stands", async () => {
  const client = await app.connect()
  const error = (message: string) => event({ type: 'error', error: { message } })
  const { socket } = app.upstream.peer
  const secrets = ['talk-credential', 'Bearer talk-credential.', 'x'.repeat(70_000) + 'talk-credentialtalk-credential']
  for (const secret of secrets) socket.send(error(secret))
  socket.send(error('talk-credentia'))
  await until(() => client.received.length === secrets.length + 1)
  expect(client.received.map(String)).toEqual([
    error('[secret]'),
    error('Bearer [secret].'),
    error(`${'x'.repeat(70_000)}[secret][secret]`),
    error('talk-credentia'),
  ])
  socket.close(4001, 'talk-credential is not valid')
  await until(() => client.closed !== null)
  expect(client.closed).toEqual({ code: 4001, reason: '[secret] is not valid' })
})
