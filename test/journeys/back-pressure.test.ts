/**
 * Clients that do not read, or do not finish what they have to say: nothing piles up for them, and
 * nobody else notices.
 */
import { expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { endlessStream } from '#test/support/upstream/upstream-behaviours.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'

const megabyte = 1_000_000
/** More than the kernel's buffers of two connections hold. */
const tooMuch = 100 * megabyte

const body = JSON.stringify({ model: 'plain', stream: true, messages: [{ role: 'user', content: 'a' }] })
const payload = { choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) }, finish_reason: null }] }

async function openEndless(gateway: GatewayApp, client: RawClient): Promise<ReceivedRequest> {
  gateway.upstream.scriptNext(endlessStream(payload))
  const requestId = `endless-${crypto.randomUUID()}`
  client.write(rawRequest({ key: gateway.keys.other.secret, headers: { 'X-Request-Id': requestId }, body }))
  return gateway.received(requestId)
}

/** Serves other callers, round by round, until the upstream sends nothing more for a whole round. */
async function untilUpstreamWaits(gateway: GatewayApp, received: readonly ReceivedRequest[]): Promise<number> {
  const sent = (): number => received.reduce((sum, each) => sum + each.bytesSent, 0)
  for (;;) {
    const before = sent()
    for (let index = 0; index < 100; index += 1) {
      const response = await gateway.chat()
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
    if (sent() === before) return before
    if (sent() > tooMuch * received.length) throw new Error(`nobody reads, yet ${sent()} bytes were sent`)
  }
}

test('the provider is not read while the client does not read, and goes on when it does', async () => {
  await using gateway = await startGateway()
  using client = new RawClient(gateway.port, false)
  const received = await openEndless(gateway, client)
  await until(() => client.bytesReceived > 10 * megabyte)
  Bun.gc(true)
  const rssBefore = process.memoryUsage.rss()
  client.pause()
  const sentWhenWaiting = await untilUpstreamWaits(gateway, [received])
  Bun.gc(true)
  expect(process.memoryUsage.rss() - rssBefore).toBeLessThan(64 * megabyte)
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(1)

  client.resume()
  await until(() => client.bytesReceived > sentWhenWaiting + 10 * megabyte)
  client.reset()
  await received.closed
  await until(async () => (await gateway.metric('sluice_inflight_requests{model="plain"}')) === 0)
})

test('twenty clients that do not read cost no more than the buffers of their connections', async () => {
  await using gateway = await startGateway()
  const clients = Array.from({ length: 20 }, () => new RawClient(gateway.port, false))
  const received = await Promise.all(clients.map((client) => openEndless(gateway, client)))
  await until(() => clients.every((client) => client.bytesReceived > 0))
  for (const client of clients) client.pause()
  await untilUpstreamWaits(gateway, received)
  Bun.gc(true)
  const rssWaiting = process.memoryUsage.rss()
  await untilUpstreamWaits(gateway, received)
  Bun.gc(true)
  expect(process.memoryUsage.rss() - rssWaiting).toBeLessThan(32 * megabyte)
  for (const client of clients) client.reset()
  await Promise.all(received.map((each) => each.closed))
  await until(async () => (await gateway.metric('sluice_inflight_requests{model="plain"}')) === 0)
})

test('a time-out for silence does not strike a provider that only waits for its client', async () => {
  await using gateway = await startGateway({ set: ['gateway.idle_seconds=5'] })
  using client = new RawClient(gateway.port, false)
  const received = await openEndless(gateway, client)
  await until(() => client.bytesReceived > 0)
  client.pause()
  const sent = await untilUpstreamWaits(gateway, [received])
  const silent = await holdStream(gateway, 'plain')
  gateway.advance(60_000)
  expect(await silent.response.text()).toContain('"code":"upstream_timeout"')
  client.resume()
  await until(() => client.bytesReceived > sent + megabyte)
  expect(client.isClosed).toBe(false)
})

test('a thousand connections that never finish their headers, and a hundred their bodies, disturb nobody', async () => {
  await using gateway = await startGateway()
  using unfinished = new DisposableStack()
  const clients = Array.from({ length: 1100 }, () => unfinished.use(new RawClient(gateway.port)))
  for (const [index, client] of clients.entries()) {
    if (index < 1000) client.write('POST /ai/v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    else client.write(rawRequest({ key: gateway.keys.other.secret, headers: { 'Content-Length': '9999' }, body: '{' }))
  }
  const answers = await Promise.all(Array.from({ length: 200 }, () => gateway.chat()))
  expect(answers.every((response) => response.status === 200)).toBe(true)
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  expect(gateway.upstream.requests).toHaveLength(200)
})
