/** POST /ai/v1/images/generations, answered whole and as events. */
import { describe, expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, endpointRequests, mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import {
  brokenStream,
  chunk,
  reset,
  stream,
  streamEnd,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()

test('a whole answer is what the upstream sent, and is counted', async () => {
  const headers = { 'x-request-id': 'whole' }
  const response = await callEndpoint(gateway(), 'images/generations', { size: '1024x1024' }, { headers })
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['images/generations']])
  const received = await gateway().received('whole')
  expect([received.path, received.json()]).toEqual([
    '/v1/images/generations',
    { model: 'upstream-model', ...endpointRequests['images/generations'], size: '1024x1024' },
  ])
  expect(await gateway().usageOf('whole')).toMatchObject({
    endpoint: 'images/generations',
    streamed: false,
    promptTokens: 20,
    completionTokens: 100,
  })
})

describe('a stream', () => {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const partial = event('image_generation.partial_image', { b64_json: 'aGk='.repeat(50_000), partial_image_index: 0 })
  const completed = event('image_generation.completed', { b64_json: 'aGk=', usage: mediaUsage })
  const ask = (requestId: string) =>
    callEndpoint(gateway(), 'images/generations', { stream: true }, { headers: { 'x-request-id': requestId } })

  test('is relayed byte for byte and counted, and nothing is added to its end', async () => {
    gateway().upstream.scriptNext([streamHead, chunk(partial), chunk(completed), streamEnd])
    const response = await ask('events')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await response.text()).toBe(partial + completed)
    expect((await gateway().received('events')).json()).not.toHaveProperty('stream_options')
    const row = await gateway().usageOf('events')
    expect(row).toMatchObject({ status: 200, streamed: true, promptTokens: 20, completionTokens: 100 })
  })

  test('without its last event never looks complete, however the connection ends', async () => {
    for (const [index, behaviour] of [
      [streamHead, chunk(partial), streamEnd],
      [streamHead, chunk(partial), reset],
      [streamHead, chunk(partial), chunk(completed.slice(0, -10)), streamEnd],
    ].entries()) {
      gateway().upstream.scriptNext(behaviour)
      const text = await (await ask(`cut-${index}`)).text()
      expect(text).toStartWith(partial)
      expect(text).not.toContain('image_generation.completed')
      expect(text).toContain('"code":"upstream_stream_error"')
      expect(await gateway().usageOf(`cut-${index}`)).toMatchObject({ status: 502, code: 'upstream_stream_error' })
    }
  })

  test('that fails before its first event has its real status', async () => {
    gateway().upstream.scriptNext(brokenStream([], reset))
    expect((await ask('early')).status).toBe(502)
    gateway().upstream.scriptNext(stream([{ type: 'error', error: { message: 'No.', code: 'x' } }]))
    expect((await ask('early-event')).status).toBe(502)
  })

  test('from an upstream that cannot stream is the whole answer', async () => {
    const response = await ask('cannot')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(endpointAnswers['images/generations'])
  })
})
