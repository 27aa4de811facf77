/** 415 of POST /ai/v1/chat/completions: the body comes in an encoding. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'bun:test'
import { messages, startGateway } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const refusal = { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' } as const

test('a packed body is refused unread, so that a small one cannot unfold into a large one', async () => {
  await using gateway = await startGateway()
  const packed = gzipSync(JSON.stringify({ model: 'plain', messages }))
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity']) {
    const refused = await gateway.chat(packed, { headers: { 'content-encoding': encoding } })
    const error = await expectRefusal(refused, refusal)
    expect(error.message).toContain('without content encoding')
  }
  expect((await gateway.chat({}, { headers: { 'content-encoding': 'identity' } })).status).toBe(200)
  expect(gateway.upstream.requests).toHaveLength(1)
})
