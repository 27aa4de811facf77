/**
 * 499: the client has gone. Nobody is left to read the status, so it is seen in the usage row; what
 * counts is that the upstream is let go at once and the slot is free.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { hang, head, send, streamHead, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const inflight = 'sluice_inflight_requests{model="plain"}'

interface Leaving {
  readonly requestId: string
  readonly behaviour: Behaviour
  readonly streamed: boolean
}

/** A client that leaves while it waits for its first byte; resolves when the upstream has been let go. */
async function leaveWaiting({ requestId, behaviour, streamed }: Leaving): Promise<void> {
  gateway.upstream.scriptNext(behaviour)
  const client = new AbortController()
  const options = { headers: { 'x-request-id': requestId }, signal: client.signal }
  const answered = (streamed ? gateway.stream({}, options) : gateway.chat({}, options)).catch(() => null)
  const received = await gateway.received(requestId)
  expect(await gateway.metric(inflight)).toBe(1)
  client.abort()
  expect(await answered).toBeNull()
  await received.closed
  expect(received.aborted).toBe(true)
}

describe('a client that leaves', () => {
  const stages: readonly (readonly [string, Behaviour, boolean])[] = [
    ['before the upstream has said anything', [hang], false],
    ['before the upstream has said anything, having asked for a stream', [hang], true],
    [
      'between the head and the body of a whole answer',
      [head(200, { 'Content-Length': '9' }), send('{"a'), hang],
      false,
    ],
    ['between the head and the first event of a stream', [streamHead, hang], true],
  ]
  for (const [index, [when, behaviour, streamed]] of stages.entries()) {
    test(`${when} aborts the upstream, frees the slot and is recorded as 499`, async () => {
      const requestId = `left-${index}`
      await leaveWaiting({ requestId, behaviour, streamed })
      const row = await gateway.usageOf(requestId)
      expect(row).toMatchObject({ status: 499, code: 'client_closed', streamed, responseBytes: 0, attempts: 1 })
      expect(await gateway.metric(inflight)).toBe(0)
    })
  }

  test('in the middle of a stream aborts the upstream, frees the slot and is recorded with what was sent', async () => {
    const held = await holdStream(gateway, 'plain')
    await held.leave()
    expect(held.received.aborted).toBe(true)
    const row = await gateway.usageOf(held.requestId)
    expect(row).toMatchObject({ status: 499, code: 'client_closed', upstreamStatus: 200 })
    expect(row.responseBytes).toBeGreaterThan(0)
    expect(row.firstTokenMs).not.toBeNull()
    expect(await gateway.metric(inflight)).toBe(0)
  })

  test('by cancelling the body alone is gone as well', async () => {
    const held = await holdStream(gateway, 'plain')
    await held.response.body?.cancel()
    await held.received.closed
    expect((await gateway.usageOf(held.requestId)).status).toBe(499)
  })

  test('in the middle of its own request is answered by nobody and reaches no upstream', async () => {
    const before = gateway.upstream.requests.length
    const client = new RawClient(gateway.port)
    const headers = { 'Content-Length': '1000', 'X-Request-Id': 'left-early' }
    client.write(rawRequest({ key: gateway.keys.main.secret, headers }))
    client.write('{"model"')
    await until(async () => (await gateway.metric('sluice_usage_queue_depth')) === 0)
    client.reset()
    const row = await gateway.usageOf('left-early')
    expect(row.status).toBe(499)
    expect(gateway.upstream.requests.length).toBe(before)
  })

  test('is no error of the upstream and none of the server', async () => {
    await leaveWaiting({ requestId: 'no-fault', behaviour: [hang], streamed: true })
    await gateway.usageOf('no-fault')
    expect(await gateway.metric('sluice_upstream_errors_total{provider="up",reason="client_closed"}')).toBe(0)
    expect(gateway.log()).not.toContain('"level":"error"')
  })
})
