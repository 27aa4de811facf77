/** What a provider says in the headers of its answer reaches the client, whichever API it speaks and the provider has. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { json, send, stream, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: ['gateway.response_headers=x-region'] })))
afterAll(() => gateway[Symbol.asyncDispose]())

const told = {
  'X-Request-Id': 'provider-7',
  'X-RateLimit-Remaining-Tokens': '41',
  'X-Region': 'north',
  'Set-Cookie': 'session=upstream',
  'X-Internal': 'private',
}

/** The behaviour with these headers in its head. */
function telling([first, ...rest]: readonly unknown[]): Behaviour {
  const { bytes } = first as { readonly bytes: Uint8Array }
  const lines = Object.entries(told).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = Buffer.from(bytes).toString('latin1')
  const at = text.indexOf('\r\n') + 2
  const head = send(Buffer.from(text.slice(0, at) + lines.join('') + text.slice(at), 'latin1'))
  return [head, ...rest] as Behaviour
}

const input = [{ role: 'user', content: 'Hello' }]
const calls: readonly (readonly [path: string, body: object])[] = [
  ['chat/completions', { messages: input }],
  ['responses', { input }],
  ['messages', { messages: input, max_tokens: 100 }],
]

for (const [path, body] of calls) {
  for (const streamed of [false, true]) {
    test(`${path}, ${streamed ? 'streamed' : 'whole'}`, async () => {
      const answer = streamed ? stream([...chatChunks(), doneEvent]) : json(chatCompletion())
      gateway.upstream.scriptNext(telling([...answer]))
      const response = await gateway.request('POST', `/ai/v1/${path}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'plain', stream: streamed, ...body }),
      })
      await response.text()
      const { headers } = response
      expect([response.status, headers.get('x-upstream-request-id')]).toEqual([200, 'provider-7'])
      expect(headers.get('x-ratelimit-remaining-tokens')).toBe('41')
      expect(headers.get('x-region')).toBe('north')
      expect(headers.get('x-request-id')).toMatch(/^req_/)
      expect([headers.get('set-cookie'), headers.get('x-internal')]).toEqual([null, null])
      const type = streamed ? 'text/event-stream; charset=utf-8' : 'application/json'
      expect(headers.get('content-type')).toBe(type)
    })
  }
}
