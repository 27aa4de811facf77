/** 502 of POST /ai/v1/chat/completions: the provider failed before a byte had gone to the client. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { upstreamCredential } from '#test/support/app/gateway-catalog.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import {
  answer,
  brokenStream,
  chunk,
  close,
  cutBody,
  cutInsideEvent,
  events,
  gzipJson,
  head,
  htmlBadGateway,
  json,
  redirect,
  reset,
  send,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'

const maxResponseBytes = 100_000

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: [`gateway.max_response_bytes=${maxResponseBytes}`] })))
afterAll(() => gateway[Symbol.asyncDispose]())

const type = 'upstream_error'
const canary = 'canary-of-the-upstream'

interface Expected {
  readonly requestId: string
  readonly code: ErrorCode
  readonly streamed?: boolean
}

/** The upstream behaves like this, always; the client gets a 502 that says nothing of the upstream's own words. */
async function expectFailure(behaviour: Behaviour, { requestId, code, streamed = false }: Expected): Promise<string> {
  gateway.upstream.script(behaviour)
  const options = { headers: { 'x-request-id': requestId } }
  const response = await (streamed ? gateway.stream({}, options) : gateway.chat({}, options))
  const { message } = await expectRefusal(response, { status: 502, type, code })
  expect(message).not.toContain(canary)
  const row = await gateway.usageOf(requestId)
  expect([row.status, row.code, row.provider]).toEqual([502, code, 'up'])
  return message
}

describe('a provider that cannot be reached', () => {
  test('because nothing listens there is upstream_error', async () => {
    const refused = await gateway.chat({ model: 'on-refusing' }, { headers: { 'x-request-id': 'refusing' } })
    const error = await expectRefusal(refused, { status: 502, type, code: 'upstream_error' })
    expect(error.message).toBe('The model provider cannot be reached.')
    expect(error.message).not.toContain('127.0.0.1')
    expect(await gateway.usageOf('refusing')).toMatchObject({ provider: 'refusing', upstreamStatus: null })
  })

  for (const [how, ending] of [
    ['closes', close],
    ['resets', reset],
  ] as const) {
    test(`because it ${how} every connection before an answer is upstream_error`, async () => {
      await expectFailure([ending], { requestId: `never-${how}`, code: 'upstream_error' })
    })
  }
})

describe('a provider that answers with an error of its own', () => {
  const refusals: readonly (readonly [string, Behaviour, ErrorCode])[] = [
    ['500', json(errorObject(canary), 500), 'upstream_error'],
    ['503', json(errorObject(canary), 503), 'upstream_error'],
    ['529', json(errorObject(canary), 529), 'upstream_error'],
    ['an HTML 502', htmlBadGateway(), 'upstream_error'],
    ['a 418', json(errorObject(canary), 418), 'upstream_error'],
    ['a redirect', redirect(`http://127.0.0.1:1/${canary}`), 'upstream_error'],
    ['a 304', answer(304, {}, ''), 'upstream_error'],
    ['401', json(errorObject(`Incorrect API key ${canary}`), 401), 'upstream_auth_failed'],
    ['402', json(errorObject(`Insufficient credit of ${canary}`), 402), 'upstream_auth_failed'],
    ['403', json(errorObject(`Project ${canary} may not`), 403), 'upstream_auth_failed'],
  ]
  for (const [what, behaviour, code] of refusals) {
    test(`${what} is ${code}, and its words stay here`, async () => {
      const requestId = what.replaceAll(' ', '-')
      await expectFailure(behaviour, { requestId, code })
      await expectFailure(behaviour, { requestId: `${requestId}-streamed`, code, streamed: true })
    })
  }

  test('does not have its redirect followed, which would take the credential elsewhere', async () => {
    await using elsewhere = await startGateway()
    const target = `${elsewhere.upstream.url}/chat/completions`
    await expectFailure(redirect(target), { requestId: 'followed', code: 'upstream_error' })
    expect(elsewhere.upstream.requests).toEqual([])
  })

  test('has Retry-After passed on with it', async () => {
    gateway.upstream.script(json(errorObject('Overloaded.'), 503, { 'Retry-After': '20' }))
    const response = await gateway.chat()
    expect([response.status, response.headers.get('retry-after')]).toEqual([502, '20'])
  })
})

describe('a provider whose answer cannot be read', () => {
  const packedStream = gzipSync(`data: ${JSON.stringify(chatChunks()[0])}\n\ndata: [DONE]\n\n`)
  const whole: readonly (readonly [string, Behaviour, ErrorCode])[] = [
    ['packed although it was not asked for', gzipJson(chatCompletion()), 'upstream_invalid_response'],
    ['not JSON', answer(200, { 'Content-Type': 'text/html' }, `<h1>${canary}</h1>`), 'upstream_invalid_response'],
    ['empty', answer(200, {}, ''), 'upstream_invalid_response'],
    ['JSON cut off in good order', answer(200, {}, '{"choices":['), 'upstream_invalid_response'],
    ['too large', json({ text: 'x'.repeat(maxResponseBytes) }), 'upstream_invalid_response'],
    ['cut off by a close', cutBody(chatCompletion()), 'upstream_error'],
    ['cut off by a reset', cutBody(chatCompletion(), reset), 'upstream_error'],
    ['no HTTP at all', [send(`${canary}\r\n\r\n`), close], 'upstream_error'],
  ]
  for (const [index, [what, behaviour, code]] of whole.entries()) {
    test(`because it is ${what} is ${code}`, async () => {
      await expectFailure(behaviour, { requestId: `whole-${index}`, code })
    })
  }

  const packedHead = head(200, {
    'Content-Type': 'text/event-stream',
    'Content-Encoding': 'gzip',
    'Content-Length': String(packedStream.length),
  })
  const streams: readonly (readonly [string, Behaviour, ErrorCode])[] = [
    ['packed although it was not asked for', [packedHead, send(packedStream)], 'upstream_invalid_response'],
    ['empty', [streamHead, streamEnd], 'upstream_stream_error'],
    ['cut off before its first event', brokenStream([], close), 'upstream_stream_error'],
    ['reset before its first event', brokenStream([], reset), 'upstream_stream_error'],
    ['cut off inside its first event', cutInsideEvent([chatChunks()[0]!]), 'upstream_stream_error'],
    [
      'an error from its first event on',
      [streamHead, ...events([errorObject('Overloaded.')]), streamEnd],
      'upstream_stream_error',
    ],
    ['one JSON document', json(chatCompletion()), 'upstream_stream_error'],
    ['an HTML page', [streamHead, chunk(`<h1>${canary}</h1>`), streamEnd], 'upstream_stream_error'],
  ]
  for (const [index, [what, behaviour, code]] of streams.entries()) {
    test(`because the stream is ${what} is ${code}`, async () => {
      await expectFailure(behaviour, { requestId: `stream-${index}`, code, streamed: true })
    })
  }
})

test('no failure leaves a slot taken, or the credential of the gateway in the log', async () => {
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  expect(gateway.log()).not.toContain(upstreamCredential)
})
