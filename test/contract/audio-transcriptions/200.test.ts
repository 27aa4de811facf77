/** POST /ai/v1/audio/transcriptions: as JSON, as subtitles, and as events. */
import { describe, expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { answer, chunk, eventText, json, streamEnd, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import { doneEvent } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const ask = (requestId: string) =>
  callEndpoint(gateway(), 'audio/transcriptions', {}, { headers: { 'x-request-id': requestId } })

test('a transcript in JSON is what the upstream sent, and is counted in tokens', async () => {
  const response = await ask('json')
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['audio/transcriptions']])
  const row = await gateway().usageOf('json')
  expect(row).toMatchObject({ endpoint: 'audio/transcriptions', promptTokens: 20, completionTokens: 100 })
})

test('an upstream that counts seconds is recorded without tokens', async () => {
  gateway().upstream.scriptNext(json({ text: 'Hello.', usage: { type: 'duration', seconds: 9 } }))
  await (await ask('seconds')).arrayBuffer()
  expect(await gateway().usageOf('seconds')).toMatchObject({ promptTokens: null, completionTokens: null })
})

test('subtitles and plain text are the bytes and the type that the upstream sent', async () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHällo.\n'
  for (const type of ['text/vtt; charset=utf-8', 'text/plain', 'Text/SRT']) {
    gateway().upstream.scriptNext(answer(200, { 'Content-Type': type }, vtt))
    const response = await ask('text')
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, vtt])
  }
})

test('JSON that is none is 502', async () => {
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, '{"text":'))
  const promised = { status: 502, type: 'upstream_error', code: 'upstream_invalid_response' } as const
  await expectRefusal(await ask('broken'), promised)
})

describe('a stream', () => {
  const delta = eventText({ type: 'transcript.text.delta', delta: 'Hello "transcript.text.done"' })
  const done = eventText({ type: 'transcript.text.done', text: 'Hello.', usage: mediaUsage })

  test('is relayed as it comes and counted', async () => {
    gateway().upstream.scriptNext([streamHead, chunk(delta), chunk(done), streamEnd])
    expect(await (await ask('events')).text()).toBe(delta + done)
    expect(await gateway().usageOf('events')).toMatchObject({ streamed: true, promptTokens: 20, completionTokens: 100 })
  })

  test('that ends with [DONE], as some servers have it, is complete too', async () => {
    const piece = eventText({ object: 'transcription.chunk', choices: [{ delta: { content: 'Hello.' } }] })
    gateway().upstream.scriptNext([streamHead, chunk(piece), chunk(eventText(doneEvent)), streamEnd])
    expect(await (await ask('done')).text()).toBe(piece + eventText(doneEvent))
    expect(await gateway().usageOf('done')).toMatchObject({ status: 200 })
  })

  test('without its last event never looks complete', async () => {
    gateway().upstream.scriptNext([streamHead, chunk(delta), streamEnd])
    const text = await (await ask('cut')).text()
    expect(text).toStartWith(delta)
    expect(text).toContain('"code":"upstream_stream_error"')
  })
})
