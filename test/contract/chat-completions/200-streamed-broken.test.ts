/**
 * Streams of POST /ai/v1/chat/completions that break after their 200 has gone out: they never look
 * complete. What was whole comes through, then one error event, no [DONE], and the end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import {
  brokenStream,
  chunk,
  close,
  cutInsideEvent,
  events,
  eventText,
  gate,
  hang,
  reset,
  send,
  stream,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, errorObject, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

const maxEventBytes = 100_000

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: [`gateway.max_event_bytes=${maxEventBytes}`] })))
afterAll(() => gateway[Symbol.asyncDispose]())

const chunks = chatChunks()
const begun = chunks.slice(0, 2)
const begunText = begun.map(eventText).join('')

interface BrokenAnswer {
  readonly text: string
  readonly error: { readonly message: string; readonly type: string; readonly param: null; readonly code: string }
}

/** Reads a stream that breaks, and checks that it says so once, at its end, and without [DONE]. */
async function readBroken(response: Response): Promise<BrokenAnswer> {
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).not.toContain('[DONE]')
  const all = text.split('\n\n')
  expect(all.pop()).toBe('')
  const last = all.pop() ?? ''
  expect(all.some((event) => event.includes('"error"'))).toBe(false)
  const { error } = JSON.parse(last.slice('data: '.length)) as BrokenAnswer
  return { text: text.slice(0, -(last.length + 2)), error }
}

/** The behaviour after its first events have reached the client. */
function afterBeginning(...steps: Behaviour[]): Behaviour {
  return [streamHead, ...events(begun), gate, ...steps.flatMap((each) => [...each])]
}

/** Runs a stream that breaks only when the client has read its beginning. */
async function broken(requestId: string, behaviour: Behaviour): Promise<BrokenAnswer> {
  gateway.upstream.scriptNext(behaviour)
  const response = await gateway.stream({}, { headers: { 'x-request-id': requestId } })
  ;(await gateway.received(requestId)).release()
  return readBroken(response)
}

describe('an upstream that dies in the middle', () => {
  const half = Buffer.from(eventText(chunks[2]!)).subarray(0, 40)
  const halfEvent = send(Buffer.concat([Buffer.from(`${(200).toString(16)}\r\n`), half]))
  const deaths: readonly (readonly [string, Behaviour])[] = [
    ['by closing its connection', [close]],
    ['by a reset', [reset]],
    ['by closing inside an event', [halfEvent, close]],
    ['by a reset inside an event', [halfEvent, reset]],
    ['by ending its body in good order without a finish reason', [send('0\r\n\r\n')]],
    ['by ending its body in good order inside an event', [chunk(half), send('0\r\n\r\n')]],
    ['by bytes that are no HTTP chunk', [send('what is this?\r\n\r\n'), close]],
  ]
  for (const [index, [how, behaviour]] of deaths.entries()) {
    test(`${how} ends the stream with upstream_stream_error`, async () => {
      const requestId = `death-${index}`
      const { text, error } = await broken(requestId, afterBeginning(behaviour))
      expect(text).toBe(begunText)
      expect(error).toEqual({
        message: expect.stringContaining('incomplete'),
        type: 'upstream_error',
        param: null,
        code: 'upstream_stream_error',
      })
      const row = await gateway.usageOf(requestId)
      expect([row.status, row.code, row.upstreamStatus]).toEqual([502, 'upstream_stream_error', 200])
    })
  }

  test('closes the connection to the client in good order, so that the error is read', async () => {
    gateway.upstream.scriptNext(afterBeginning([reset]))
    using client = new RawClient(gateway.port)
    const headers = { 'X-Request-Id': 'read-to-the-end' }
    const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'a' }], stream: true })
    client.write(rawRequest({ key: gateway.keys.main.secret, headers, body }))
    await client.untilText('data: ', 2)
    ;(await gateway.received('read-to-the-end')).release()
    await client.untilText('upstream_stream_error')
    await client.untilText('\r\n0\r\n\r\n')
  })

  test('is counted as an error of the upstream', async () => {
    const sample =
      'sluice_requests_total{endpoint="chat/completions",model="plain",status="502",code="upstream_stream_error"}'
    const before = await gateway.metric(sample)
    await broken('counted', afterBeginning([reset]))
    expect(await gateway.metric(sample)).toBe(before + 1)
  })

  test('leaves no slot taken', async () => {
    await broken('slot', afterBeginning([reset]))
    expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  })

  test('keeps the token counts that it had told before', async () => {
    const counted = { ...begun[1], usage: sampleUsage }
    await broken('counted-before', [streamHead, ...events([begun[0]!, counted]), gate, reset])
    const row = await gateway.usageOf('counted-before')
    expect([row.promptTokens, row.completionTokens]).toEqual([sampleUsage.prompt_tokens, sampleUsage.completion_tokens])
  })
})

describe("the upstream's own error event", () => {
  test('in the middle becomes the last event, with its message', async () => {
    const { text, error } = await broken(
      'own-error',
      afterBeginning(events([errorObject('No capacity left.')]), [hang]),
    )
    expect(text).toBe(begunText)
    expect(error.message).toContain('No capacity left.')
    expect(error.code).toBe('upstream_stream_error')
  })

  test('followed by [DONE] is an error all the same', async () => {
    const { text } = await broken('error-and-done', afterBeginning(events([errorObject('Died.'), doneEvent]), [close]))
    expect(text).toBe(begunText)
  })

  test('with null for an error is no error', async () => {
    const unharmed = chunks.map((each) => ({ ...each, error: null }))
    gateway.upstream.scriptNext(stream([...unharmed, doneEvent]))
    expect(await (await gateway.stream()).text()).toBe([...unharmed, doneEvent].map(eventText).join(''))
  })

  test('in one piece with the events before it ends the stream at once, and the connection is given up', async () => {
    const piece = [...begun, errorObject('Died.')].map(eventText).join('')
    gateway.upstream.scriptNext([streamHead, chunk(piece), hang])
    const { text, error } = await readBroken(await gateway.stream({}, { headers: { 'x-request-id': 'given-up' } }))
    expect([text, error.message]).toEqual([begunText, expect.stringContaining('Died.')])
    await (
      await gateway.received('given-up')
    ).closed
  })
})

test('an event that is too large does not take those before it along', async () => {
  gateway.upstream.scriptNext([streamHead, chunk(`${begunText}data: "${'x'.repeat(maxEventBytes)}"\n\n`), hang])
  const { text, error } = await readBroken(await gateway.stream())
  expect([text, error.code]).toEqual([begunText, 'upstream_invalid_response'])
})

test('an event larger than the limit ends the stream, and the upstream is let go', async () => {
  const { text, error } = await broken(
    'oversized',
    afterBeginning([chunk(`data: "${'x'.repeat(maxEventBytes)}`), hang]),
  )
  expect(text).toBe(begunText)
  expect(error.code).toBe('upstream_invalid_response')
  await (
    await gateway.received('oversized')
  ).closed
})

test('an upstream that is cut off before its first event is whole answers its real status', async () => {
  for (const behaviour of [brokenStream([], close), brokenStream([], reset), cutInsideEvent([chunks[0]!])]) {
    gateway.upstream.scriptNext(behaviour)
    const response = await gateway.stream()
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'application/json'])
  }
})

test('keep-alive comments before the death of the upstream do not make it look alive', async () => {
  await using patient = await startGateway({ set: ['gateway.keepalive_seconds=0.05'] })
  patient.upstream.scriptNext([streamHead, gate, close])
  const response = await patient.stream({}, { headers: { 'x-request-id': 'comments-first' } })
  ;(await patient.received('comments-first')).release()
  const { text, error } = await readBroken(response)
  expect(text.replaceAll(': keep-alive\n\n', '')).toBe('')
  expect(error.code).toBe('upstream_stream_error')
  await until(async () => (await patient.metric('sluice_inflight_requests{model="plain"}')) === 0)
})
