/** POST /ai/v1/audio/speech: sound as it is made. */
import { describe, expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import {
  answer,
  chunk,
  close,
  endlessStream,
  gate,
  head,
  json,
  reset,
  send,
  streamEnd,
  streamHead,
  type Step,
} from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'

const gateway = gatewayOfFile()
const sound = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256))
const soundHead = head(200, { 'Content-Type': 'audio/mpeg', 'Transfer-Encoding': 'chunked' })
const rawSpeech = () => {
  const body = JSON.stringify({ model: 'plain', input: 'Hello.' })
  return rawRequest({ path: '/ai/v1/audio/speech', key: gateway().keys.main.secret, body })
}

test('the sound is the bytes and the type that the upstream sent', async () => {
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'audio/mpeg' }, sound))
  const response = await callEndpoint(gateway(), 'audio/speech', {}, { headers: { 'x-request-id': 'sound' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  expect(Buffer.from(await response.arrayBuffer()).equals(sound)).toBe(true)
  expect((await gateway().received('sound')).header('accept')).toBe('*/*')
  expect(await gateway().usageOf('sound')).toMatchObject({
    endpoint: 'audio/speech',
    status: 200,
    streamed: false,
    promptTokens: null,
    completionTokens: null,
    responseBytes: sound.length,
  })
})

test('an empty answer is one', async () => {
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'audio/wav' }, ''))
  const response = await callEndpoint(gateway(), 'audio/speech')
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0])
})

test('the first bytes are there while the rest is still being made', async () => {
  gateway().upstream.scriptNext([soundHead, chunk('first'), gate, chunk('second'), streamEnd])
  using client = new RawClient(gateway().port)
  client.write(rawSpeech())
  await client.untilText('first')
  expect(client.text).not.toContain('second')
  gateway().upstream.release()
  await client.untilText('0\r\n\r\n')
  expect(client.text).toContain('second')
})

test('a client that stops reading stops the upstream', async () => {
  gateway().upstream.scriptNext(endlessStream('x'.repeat(65_536)))
  using client = new RawClient(gateway().port, false)
  client.write(rawSpeech())
  await until(() => client.bytesReceived > 1_000_000)
  client.pause()
  const received = gateway().upstream.requests.at(-1)!
  let last = -1
  for (let turns = 0; turns < 200; turns += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (received.bytesSent !== last) turns = 0
    last = received.bytesSent
  }
  expect(received.bytesSent).toBeLessThan(64_000_000)
  client.reset()
  await received.closed
})

describe('sound that breaks off', () => {
  const cuts: readonly (readonly [string, readonly Step[]])[] = [
    ['a reset', [soundHead, chunk('first'), gate, reset]],
    ['a close', [soundHead, chunk('first'), gate, close]],
    ['a length that was not reached', [head(200, { 'Content-Length': '99' }), send('first'), gate, close]],
  ]
  for (const [what, steps] of cuts) {
    test(`after ${what} breaks the connection, and no end of the body is sent`, async () => {
      gateway().upstream.scriptNext(steps)
      using client = new RawClient(gateway().port)
      client.write(rawSpeech())
      await client.untilText('first')
      const received = gateway().upstream.requests.at(-1)!
      received.release()
      await client.closed
      expect(client.text).not.toContain('0\r\n\r\n')
      const row = await gateway().usageOf(received.header('x-request-id')!)
      expect(row).toMatchObject({ status: 502, code: 'upstream_stream_error' })
    })
  }

  test('before its first byte has its real status', async () => {
    gateway().upstream.scriptNext([soundHead, reset])
    const refused = await callEndpoint(gateway(), 'audio/speech')
    await expectRefusal(refused, { status: 502, type: 'upstream_error', code: 'upstream_stream_error' })
    gateway().upstream.scriptNext(json({ error: { message: 'No such voice.' } }, 400))
    expect((await callEndpoint(gateway(), 'audio/speech')).status).toBe(400)
  })
})

test('as events it is relayed event by event, and counted', async () => {
  const event = (payload: object) => `data: ${JSON.stringify(payload)}\n\n`
  const delta = event({ type: 'speech.audio.delta', audio: 'aGk=' })
  const done = event({ type: 'speech.audio.done', usage: mediaUsage })
  gateway().upstream.scriptNext([streamHead, chunk(delta), chunk(done), streamEnd])
  const headers = { 'x-request-id': 'events' }
  const response = await callEndpoint(gateway(), 'audio/speech', { stream_format: 'sse' }, { headers })
  expect(await response.text()).toBe(delta + done)
  expect(await gateway().usageOf('events')).toMatchObject({ streamed: true, promptTokens: 20, completionTokens: 100 })
})
