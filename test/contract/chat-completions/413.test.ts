/** 413 of POST /ai/v1/chat/completions: the body is larger than the limit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { until } from '#test/support/until.ts'

const limitBytes = 4_000_000
const megabyte = Buffer.alloc(1_000_000, 0x61)
const refusal = { status: 413, type: 'request_too_large', code: 'request_too_large' } as const

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: [`server.max_body_bytes=${limitBytes}`] })))
afterAll(() => gateway[Symbol.asyncDispose]())

/** Sends a hundred megabytes in the framing, as far as they are taken; resolves when the head of the answer has come. */
async function sendHundredMegabytes(client: RawClient, key: string, framing: 'declared' | 'chunked'): Promise<void> {
  const chunked = framing === 'chunked'
  const headers = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': '100000000' }
  client.write(rawRequest({ key, headers }))
  const piece = chunked ? Buffer.concat([Buffer.from('f4240\r\n'), megabyte, Buffer.from('\r\n')]) : megabyte
  for (let index = 0; index < 100 && !client.isClosed; index += 1) await client.writeAll(piece)
  if (chunked) client.write('0\r\n\r\n')
  await client.untilText('\r\n\r\n')
}

test('one byte above the limit is refused, the limit itself is not', async () => {
  const padded = (length: number) => `{"model":"plain","messages":[{"role":"user"}]}`.padEnd(length)
  expect((await gateway.chat(padded(limitBytes))).status).toBe(200)
  await expectRefusal(await gateway.chat(padded(limitBytes + 1)), refusal)
})

for (const framing of ['declared', 'chunked'] as const) {
  describe(`100 MB, ${framing}`, () => {
    test('are refused in our own words, and the connection is not left hanging', async () => {
      using client = new RawClient(gateway.port)
      await sendHundredMegabytes(client, gateway.keys.main.secret, framing)
      await client.untilText('"code":"request_too_large"')
      expect(client.text).toStartWith('HTTP/1.1 413')
      expect(client.text).toMatch(/x-request-id: req_/i)
      client.write(rawRequest({ method: 'GET', path: '/healthz', key: 'none' }))
      await until(() => client.isClosed || client.text.includes('{"status":"ok"}'))
    })

    test('are 401 first for a caller without a valid key', async () => {
      using client = new RawClient(gateway.port)
      await sendHundredMegabytes(client, 'sk-slu-wrong', framing)
      expect(client.text).toStartWith('HTTP/1.1 401')
    })

    test('sent ten times cost no memory, and other callers are served meanwhile', async () => {
      const send = async (): Promise<void> => {
        using client = new RawClient(gateway.port)
        await Promise.all([
          sendHundredMegabytes(client, gateway.keys.main.secret, framing),
          gateway.chat().then((response) => expect(response.status).toBe(200)),
        ])
      }
      await send()
      Bun.gc(true)
      const before = process.memoryUsage.rss()
      for (let round = 0; round < 10; round += 1) await send()
      Bun.gc(true)
      expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000)
    })
  })
}
