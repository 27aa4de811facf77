import { describe, expect, test } from 'bun:test'
import { systemClock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { readAll } from '#lib/http1/reply.ts'
import { Secret } from '#lib/secret.ts'
import { Ticker } from '#lib/ticker.ts'
import { upstreamCall } from '#test/support/contract/provider-contract.ts'
import { aProvider } from '#test/support/store/store-records.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'
import { anthropicProvider } from './anthropic.ts'

describe('Messages at Anthropic', () => {
  test('go out byte for byte, with the key where its API takes it and the version that the client names', async () => {
    await using upstream = await startUpstream()
    using ticker = new Ticker()
    using http1 = new Http1Client({ clock: systemClock, ticker })
    const record = aProvider({ kind: 'anthropic', baseUrl: upstream.url, credential: new Secret('upstream-key') })
    const provider = anthropicProvider(record, http1)
    expect([...provider.endpoints]).toEqual(['chat/completions', 'messages'])
    const body = Buffer.from('{ "model":"claude", "max_tokens":1e1, "messages":[], "big":12345678901234567890 }')
    for (const [sent, expected] of [
      [{}, '2023-06-01'],
      [{ 'anthropic-version': '2099-01-01', 'anthropic-beta': 'x' }, '2099-01-01'],
    ] as const) {
      upstream.script(json({ type: 'message' }))
      const content = { kind: 'json', body: new Uint8Array(body) } as const
      const reply = await provider.send({ ...upstreamCall('messages', {}), content, headers: sent })
      expect((await readAll(reply.body, 1000))?.toString()).toBe('{"type":"message"}')
      const received = upstream.requests.at(-1)!
      expect([received.method, received.path]).toEqual(['POST', '/v1/messages'])
      expect(Buffer.from(received.body)).toEqual(body)
      expect(received.header('x-api-key')).toBe('upstream-key')
      expect(received.header('anthropic-version')).toBe(expected)
      expect(received.header('authorization') ?? null).toBeNull()
    }
  })
})
