/** 408 of POST /ai/v1/chat/completions: the body does not arrive in time. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: ['server.body_read_seconds=0.1'] })))
afterAll(() => gateway[Symbol.asyncDispose]())

const framings = {
  'a declared length': { 'Content-Length': '100000' },
  chunks: { 'Transfer-Encoding': 'chunked' },
} as const

for (const [what, framing] of Object.entries(framings)) {
  test(`a body with ${what} that stops in the middle is refused, and the connection closed`, async () => {
    using client = new RawClient(gateway.port)
    const headers = { ...framing, 'X-Request-Id': `slow body with ${what.length}`.replaceAll(' ', '-') }
    client.write(rawRequest({ key: gateway.keys.main.secret, headers }))
    client.write(what === 'chunks' ? '5\r\n{"mod\r\n' : '{"mod')
    await client.untilText('"code":"body_timeout"')
    expect(client.text).toStartWith('HTTP/1.1 408')
    expect(client.text.toLowerCase()).toContain('connection: close')
    await client.closed
    const row = await gateway.usageOf(headers['X-Request-Id'])
    expect([row.status, row.code, row.attempts]).toEqual([408, 'body_timeout', 0])
  })
}

test('a body that dribbles in is refused by the whole time it takes, not by its silences', async () => {
  using client = new RawClient(gateway.port)
  client.write(rawRequest({ key: gateway.keys.main.secret, headers: { 'Content-Length': '30000000' } }))
  while (client.bytesReceived === 0) {
    await client.writeAll(Buffer.from(' '))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(client.text).toStartWith('HTTP/1.1 408')
})
