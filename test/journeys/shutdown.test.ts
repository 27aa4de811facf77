/** A graceful stop, from the first refusal to the last row. The signal itself is tested in test/cli/stop.test.ts. */
import { describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { hang } from '#test/support/upstream/upstream-behaviours.ts'
import type { StoredUsage } from '#store/usage/usage-record.ts'
import { until } from '#test/support/until.ts'

/** The usage row of a request, read from the database after the app has closed it. */
async function rowLeftBehind(gateway: GatewayApp, requestId: string): Promise<StoredUsage | undefined> {
  const store = await gateway.openStoreAgain()
  const { items } = await store.usage.list({ from: 0, to: Date.now() + 1000, limit: 100 })
  await store.close()
  return items.find((row) => row.requestId === requestId)
}

/** A connection that has served a request and waits for the next. */
async function keptConnection(gateway: GatewayApp): Promise<RawClient> {
  const client = new RawClient(gateway.port)
  client.write(rawRequest({ method: 'GET', path: '/healthz', key: 'none' }))
  await client.untilText('{"status":"ok"}')
  return client
}

/** Resolves when a request on a new connection is not served any more: refused, or answered with 503. */
function servesNobody({ port }: GatewayApp): Promise<void> {
  return until(async () => {
    using client = new RawClient(port)
    client.write(rawRequest({ method: 'GET', path: '/readyz', key: 'none' }))
    await until(() => client.isClosed || client.text.includes('\r\n\r\n'))
    return client.bytesReceived === 0 || client.text.startsWith('HTTP/1.1 503')
  })
}

// Far apart from the flush at the stop, so that a row that is found was written by it.
const rarely = 'usage.flush_milliseconds=600000'

describe('while the server drains', () => {
  test('a running stream goes on to its end, and the stop waits for it', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=3600', rarely] })
    const held = await holdStream(gateway, 'plain')
    let isClosed = false
    const closing = gateway.app.close().then(() => (isClosed = true))
    await servesNobody(gateway)
    expect(isClosed).toBe(false)
    expect(await held.finish()).toEndWith('data: [DONE]\n\n')
    await closing
    expect(await rowLeftBehind(gateway, held.requestId)).toMatchObject({ status: 200, code: null })
  })

  test('a request on a kept connection is not served', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=3600'] })
    using kept = await keptConnection(gateway)
    const held = await holdStream(gateway, 'plain')
    const closing = gateway.app.close()
    await servesNobody(gateway)
    const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'a' }] })
    kept.write(rawRequest({ key: gateway.keys.main.secret, body }))
    await until(() => kept.isClosed || kept.text.includes('"code":"shutting_down"'))
    expect(kept.text).not.toContain('chat.completion')
    expect(gateway.upstream.requests).toHaveLength(1)
    await held.finish()
    await closing
  })

  test('readyz is 503 and healthz stays 200, and other requests are told to come back', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=3600'] })
    const held = await holdStream(gateway, 'plain')
    const closing = gateway.app.close()
    const ask = (path: string) => gateway.app.handleTrusted(new Request(`http://localhost${path}`))
    const shuttingDown = { status: 503, type: 'api_error', code: 'shutting_down' } as const
    const ready = await ask('/readyz')
    expect(ready.headers.get('retry-after')).toBe('1')
    await expectRefusal(ready, shuttingDown)
    expect((await ask('/healthz')).status).toBe(200)
    expect((await ask('/metrics')).status).toBe(200)
    const models = await ask('/ai/v1/models')
    expect(models.headers.get('connection')).toBe('close')
    await expectRefusal(models, shuttingDown)
    await held.finish()
    await closing
  })

  test('closing again waits for the same stop', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=3600'] })
    const held = await holdStream(gateway, 'plain')
    const closings = [gateway.app.close(), gateway.app.close()]
    await servesNobody(gateway)
    await held.finish()
    await Promise.all([...closings, gateway.app.close()])
  })
})

describe('after the time to drain', () => {
  test('a stream ends with one error event and no [DONE], the upstream is let go, and the row is written', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=0.1', rarely] })
    const held = await holdStream(gateway, 'plain')
    const closing = gateway.app.close()
    const text = await held.response.text()
    expect(text).not.toContain('[DONE]')
    expect(text.split('"error"')).toHaveLength(2)
    expect(JSON.parse(text.trimEnd().split('data: ').at(-1) ?? '')).toMatchObject({ error: { code: 'shutting_down' } })
    await held.received.closed
    await closing
    expect(await rowLeftBehind(gateway, held.requestId)).toMatchObject({ status: 503, code: 'shutting_down' })
  })

  test('a stream that nobody reads does not hold the stop up', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=0', rarely] })
    const held = await holdStream(gateway, 'plain')
    await gateway.app.close()
    await held.received.closed
    expect((await rowLeftBehind(gateway, held.requestId))?.code).toBe('shutting_down')
  })

  test('a request that still waits for its first byte is answered 503', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=0.1', rarely] })
    gateway.upstream.script([hang])
    const waiting = gateway.chat({}, { headers: { 'x-request-id': 'waiting' } })
    const received = await gateway.received('waiting')
    const closing = gateway.app.close()
    const refused = await waiting
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'shutting_down',
    ])
    await received.closed
    await closing
    expect((await rowLeftBehind(gateway, 'waiting'))?.code).toBe('shutting_down')
  })

  test('a request whose body is still on its way does not hold the stop up', async () => {
    await using gateway = await startGateway({ set: ['server.drain_seconds=0.1'] })
    using client = new RawClient(gateway.port)
    client.write(rawRequest({ key: gateway.keys.main.secret, headers: { 'Content-Length': '100' } }))
    client.write('{"model"')
    // Once this is answered the server has taken the request before it.
    expect((await gateway.chat()).status).toBe(200)
    await gateway.app.close()
    await client.closed
  })
})

test('what was written behind is written at the stop: usage, and when keys were last used', async () => {
  await using gateway = await startGateway({ set: [rarely] })
  const before = Date.now()
  for (let index = 0; index < 50; index += 1) {
    await (await gateway.chat({}, { headers: { 'x-request-id': `request-${index}` } })).arrayBuffer()
  }
  expect(await gateway.usageRows()).toEqual([])
  await gateway.app.close()
  const store = await gateway.openStoreAgain()
  const { items } = await store.usage.list({ from: 0, to: Date.now() + 1000, limit: 100 })
  expect(new Set(items.map((row) => row.requestId)).size).toBe(50)
  const key = await store.keys.get(gateway.keys.main.id)
  expect(key?.lastUsedAt).toBeGreaterThanOrEqual(before)
  await store.close()
})
