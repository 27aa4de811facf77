/** How realtime sessions end, from either side and by the server, and that nothing is left of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startRealtimeApp, type RealtimeApp, type RealtimeClient } from '#test/support/app/realtime-app.ts'
import { compositeOf } from '#test/support/contract/endpoint-contract.ts'
import { RawClient } from '#test/support/network/raw-client.ts'
import { until } from '#test/support/until.ts'

const kib = 1024
let app: RealtimeApp
beforeAll(async () => {
  const limits = ['realtime.max_message_bytes=100000', 'limits.realtime_inflight.enforce=true']
  app = await startRealtimeApp({ set: [...limits, 'limits.realtime_inflight.default=1000'] })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void (app.upstream.onMessage = ({ socket }, message) => void socket.send(message)))

const inflight = (of = app) => of.gateway.metric('sluice_inflight_requests{model="voice"}')

/** Nothing is open at either end, and no slot is held. */
async function nothingIsLeft(of = app): Promise<void> {
  await until(() => of.upstream.open === 0)
  await until(async () => (await inflight(of)) === 0)
}

describe('a close', () => {
  const codes = [1000, 1001, 1003, 1008, 1011, 3000, 4001, 4999]

  test.each(codes)('of the client with %d reaches the provider with its reason', async (code) => {
    const client = await app.connect()
    client.socket.close(code, 'as agreed')
    await until(() => app.upstream.peer.closed !== null)
    expect(app.upstream.peer.closed).toEqual({ code, reason: 'as agreed' })
    await nothingIsLeft()
  })

  test.each(codes)(
    'of the provider with %d reaches the client with its reason, after what it has sent',
    async (code) => {
      const client = await app.connect()
      for (let at = 0; at < 50; at += 1) app.upstream.peer.socket.send('x'.repeat(1000))
      app.upstream.peer.socket.close(code, 'as agreed')
      await until(() => client.closed !== null)
      expect([client.received.length, client.closed]).toEqual([50, { code, reason: 'as agreed' }])
      await nothingIsLeft()
    },
  )
})

describe('a session ends with 1008, and tells the provider', () => {
  const cases: Record<string, (keyId: string, userId: string) => [string, string, object?]> = {
    'when its key is deleted': (keyId) => ['DELETE', `/keys/${keyId}`],
    'when its user is disabled': (_, userId) => ['PATCH', `/users/${userId}`, { disabled: true }],
    'when its key may no longer use the model': (keyId) => [
      'PATCH',
      `/keys/${keyId}`,
      { scopes: { models: ['plain'] } },
    ],
  }
  for (const [when, change] of Object.entries(cases)) {
    test(when, async () => {
      const operate = async (...[method, path, body]: [string, string, object?]) => {
        const answer = await app.gateway.operate(method, path, body)
        const text = await answer.text()
        expect([text, answer.ok]).toEqual([text, true])
        return text === '' ? null : (JSON.parse(text) as { readonly id: string; readonly secret: string })
      }
      const user = await operate('POST', '/users', { email: `${crypto.randomUUID()}@example.org` })
      const key = await operate('POST', `/users/${user!.id}/keys`, { name: 'voice' })
      const client = await app.connect({ key: key!.secret })
      const other = await app.connect()
      await operate(...change(key!.id, user!.id))
      await until(() => client.closed !== null)
      expect(client.closed!.code).toBe(1008)
      expect(other.closed).toBeNull()
      other.socket.close()
      await nothingIsLeft()
    })
  }
})

test('a provider that dies is 1011 for the client, and a failure in the record', async () => {
  const client = await app.connect({ headers: { 'x-request-id': 'killed' } })
  app.upstream.peer.socket.terminate()
  await until(() => client.closed !== null)
  expect(client.closed!.code).toBe(1011)
  await nothingIsLeft()
  expect(await app.gateway.usageOf('killed')).toMatchObject({ status: 502, code: 'upstream_stream_error' })
})

test('a client that dies is "going away" for the provider', async () => {
  const client = await app.connect({ headers: { 'x-request-id': 'gone' } })
  client.socket.terminate()
  await nothingIsLeft()
  expect(app.upstream.peer.closed!.code).toBe(1001)
  expect(await app.gateway.usageOf('gone')).toMatchObject({ status: 499, code: 'client_closed' })
})

describe('a message above the limit', () => {
  test('of the client ends the session with 1009, and does not reach the provider', async () => {
    const client = await app.connect({ headers: { 'x-request-id': 'large' } })
    client.socket.send('x'.repeat(100_001))
    await until(() => client.closed !== null)
    expect([client.closed!.code, app.upstream.peer.received]).toEqual([1009, []])
    await nothingIsLeft()
    expect(await app.gateway.usageOf('large')).toMatchObject({ status: 413, code: 'request_too_large' })
  })

  test('of the provider ends it, too, and does not reach the client', async () => {
    const client = await app.connect()
    app.upstream.peer.socket.send('x'.repeat(100_001))
    await until(() => client.closed !== null)
    expect([client.closed!.code, client.received]).toEqual([1009, []])
    await nothingIsLeft()
  })

  test('is not one of exactly its length', async () => {
    const client = await app.connect()
    client.socket.send('x'.repeat(100_000))
    await until(() => client.received.length === 1)
    client.socket.close()
    await nothingIsLeft()
  })
})

describe('a slow reader', () => {
  const piece = Buffer.alloc(64 * kib, 7)
  const pieces = 1500

  test('at the client slows the provider down, and gets everything in the end', async () => {
    const client = await app.connect()
    client.socket.pause()
    const { socket } = app.upstream.peer
    for (let at = 0; at < pieces; at += 1) socket.send(piece)
    // What the gateway and the sockets of the system hold between the two is all that leaves the provider.
    await settled(() => socket.getBufferedAmount())
    expect(socket.getBufferedAmount()).toBeGreaterThan((pieces * piece.length) / 2)
    client.socket.resume()
    await until(() => client.received.length === pieces)
    expect(client.received.every((each) => piece.equals(each as Buffer))).toBe(true)
    client.socket.close()
    await nothingIsLeft()
  }, 30_000)

  test('at the provider slows the client down, and gets everything in the end', async () => {
    app.upstream.onMessage = () => {}
    const client = await app.connect()
    const { socket, received } = app.upstream.peer
    socket.pause()
    for (let at = 0; at < pieces; at += 1) client.socket.send(piece)
    await settled(() => client.socket.bufferedAmount)
    expect(client.socket.bufferedAmount).toBeGreaterThan((pieces * piece.length) / 2)
    socket.resume()
    await until(() => received.length === pieces)
    client.socket.close()
    await nothingIsLeft()
  }, 30_000)

  test('at the client that reads nothing at all is cut off after the time for that', async () => {
    const client = await app.connect({ headers: { 'x-request-id': 'stuck' } })
    client.socket.pause()
    const { socket } = app.upstream.peer
    for (let at = 0; at < pieces; at += 1) socket.send(piece)
    await settled(() => socket.getBufferedAmount())
    app.gateway.advance(61_000)
    await nothingIsLeft()
    expect(await app.gateway.usageOf('stuck')).toMatchObject({ code: 'client_closed' })
  }, 30_000)

  test('at the provider that reads nothing at all is given up after the time for that', async () => {
    const client = await app.connect()
    app.upstream.peer.socket.pause()
    for (let at = 0; at < pieces; at += 1) client.socket.send(piece)
    await settled(() => client.socket.bufferedAmount)
    app.gateway.advance(61_000)
    await until(() => client.closed !== null)
    expect(client.closed!.code).toBe(1011)
    app.upstream.peer.socket.terminate()
    await nothingIsLeft()
  }, 30_000)
})

test('a silent provider is asked for a sign of life, and given up when there is none', async () => {
  const client = await app.connect()
  const { peer } = app.upstream
  // Only its pongs keep it: no round is longer than the time that it has, and all of them together are.
  for (let round = 1; round <= 4; round += 1) {
    app.gateway.advance(31_000)
    await until(() => peer.pings === round || client.closed !== null)
    await settled(() => peer.pings)
  }
  expect(client.closed).toBeNull()
  peer.socket.pause()
  app.gateway.advance(61_000)
  await until(() => client.closed !== null)
  expect(client.closed!.code).toBe(1011)
  app.upstream.peer.socket.terminate()
  await nothingIsLeft()
})

describe('a stop of the server', () => {
  test('ends idle sessions at once with 1012, and the others after their answer', async () => {
    const own = await startRealtimeApp({ set: ['server.drain_seconds=30'] })
    await using _ = own
    const idle = await own.connect()
    const busy = await own.connect()
    const { socket } = own.upstream.peer
    socket.send('{"type":"response.created","response":{}}')
    await until(() => busy.received.length === 1)
    const closing = own.gateway.app.close()
    await until(() => idle.closed !== null)
    expect([idle.closed!.code, busy.closed]).toEqual([1012, null])
    const refused = await own.refused({ headers: { connection: 'Upgrade, close' } })
    expect(refused.status).toBe(503)
    socket.send('{"type":"response.output_text.delta","delta":"a"}')
    socket.send('{"type":"response.done","response":{"usage":{"input_tokens":1,"output_tokens":1}}}')
    await until(() => busy.closed !== null)
    expect([busy.closed!.code, busy.received.length]).toEqual([1012, 3])
    await closing
    await until(() => own.upstream.open === 0)
  }, 30_000)

  test('that has waited long enough ends every session with 1012', async () => {
    const own = await startRealtimeApp()
    await using _ = own
    const clients: RealtimeClient[] = []
    for (let at = 0; at < 5; at += 1) clients.push(await own.connect())
    for (const { socket } of own.upstream.peers) socket.send('{"type":"response.created"}')
    await until(() => clients.every(({ received }) => received.length === 1))
    await own.gateway.app.close()
    await until(() => clients.every(({ closed }) => closed !== null) && own.upstream.open === 0)
    expect(clients.map(({ closed }) => closed!.code)).toEqual([1012, 1012, 1012, 1012, 1012])
  })
})

describe('a client that leaves', () => {
  test('while the provider is asked ends that request, too', async () => {
    app.upstream.silent = true
    const path = '/ai/v1/realtime?model=voice'
    for (let round = 0; round < 5; round += 1) {
      using client = new RawClient(app.gateway.port)
      const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'a',
      }
      client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.gateway.keys.main.secret}\r\n`)
      client.write(
        `${Object.entries(headers)
          .map((each) => `${each.join(': ')}\r\n`)
          .join('')}\r\n`,
      )
      await until(async () => (await inflight()) === 1)
    }
    app.upstream.silent = false
    await nothingIsLeft()
  })

  test('without a word when the provider has said goodbye holds no slot', async () => {
    const client = await app.connect()
    client.socket.pause()
    for (let at = 0; at < 200; at += 1) app.upstream.peer.socket.send(Buffer.alloc(64 * kib))
    await settled(() => app.upstream.peer.socket.getBufferedAmount())
    app.upstream.peer.socket.close(1000, 'done')
    app.gateway.advance(61_000)
    await nothingIsLeft()
    client.socket.terminate()
  })

  test('without a word when it has read nothing holds no slot either', async () => {
    const client = await app.connect()
    client.socket.pause()
    app.upstream.peer.socket.send('hello')
    app.upstream.peer.socket.close(1000, 'done')
    await nothingIsLeft()
    client.socket.terminate()
  })
})

test('a composite whose first component refuses connections is served by the second', async () => {
  const fields = {
    name: 'gone',
    kind: 'openai',
    base_url: 'http://127.0.0.1:1/v1',
    options: { endpoints: ['realtime'] },
  }
  const made = (await (await app.gateway.operate('POST', '/providers', fields)).json()) as { readonly id: string }
  await app.gateway.operate('POST', '/models', { name: 'gone', provider_id: made.id, upstream_name: 'x' })
  const name = await compositeOf(app.gateway, ['gone', 'voice'])
  const client = await app.connect({ search: `?model=${name}`, headers: { 'x-request-id': 'second' } })
  client.socket.close()
  await until(() => app.upstream.open === 0)
  expect(await app.gateway.usageOf('second')).toMatchObject({ provider: 'talk', attempts: 2, status: 200 })
})

test('of 200 sessions that end in every way nothing is left', async () => {
  const clients = await Promise.all(Array.from({ length: 200 }, () => app.connect()))
  expect([app.upstream.open, await inflight()]).toEqual([200, 200])
  const peers = app.upstream.peers.slice(-200)
  for (const [index, { socket }] of clients.entries()) socket.send(`session ${index}`)
  await until(() => clients.every(({ received }) => received.length === 1))
  expect(clients.map(({ received }) => received[0])).toEqual(clients.map((_, index) => `session ${index}`))
  for (const [index, { socket }] of clients.entries()) {
    if (index % 4 === 0) socket.close()
    else if (index % 4 === 1) socket.terminate()
    else if (index % 4 === 2) peers[index]!.socket.close(4000)
    else peers[index]!.socket.terminate()
  }
  await until(() => clients.every(({ closed }) => closed !== null))
  await nothingIsLeft()
})

/** Waits until a number has stayed the same for many turns of the event loop. */
async function settled(read: () => number): Promise<void> {
  let last = read()
  let same = 0
  await until(() => {
    const now = read()
    same = now === last ? same + 1 : 0
    last = now
    return same > 2000
  })
}
