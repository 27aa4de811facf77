/** A composite whose components fail in every way: what the client sees, and what is left behind. */
import { describe, expect, test } from 'bun:test'
import type { AttemptReason } from '#store/usage/usage-record.ts'
import { startComposite, type CompositeApp } from '#test/support/app/composite-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import {
  brokenStream,
  close,
  events,
  gate,
  hang,
  htmlBadGateway,
  json,
  rateLimited,
  reset,
  stream,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent, errorObject } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

interface Outcome {
  readonly status: number
  readonly provider: string | null
  readonly attempts: string | null
  readonly text: string
  readonly reasons: readonly AttemptReason[] | null
}

/** One request of the composite, and what its record says of the tries. */
async function ask({ chat, gateway }: CompositeApp, fields: object = {}): Promise<Outcome> {
  const requestId = `journey-${crypto.randomUUID()}`
  const response = await chat(fields, { headers: { 'x-request-id': requestId } })
  const text = await response.text()
  const { attemptReasons } = await gateway.usageOf(requestId)
  return {
    status: response.status,
    provider: response.headers.get('x-sluice-provider'),
    attempts: response.headers.get('x-sluice-attempts'),
    text,
    reasons: attemptReasons,
  }
}

/** A call that was sent and failed, with when, for how long and why. */
function failedAt(provider: string, reason: string): AttemptReason {
  return expect.objectContaining({
    provider,
    reason,
    model: expect.any(String),
    message: expect.stringMatching(/\w\.$/),
    startedMs: expect.any(Number),
    durationMs: expect.any(Number),
  })
}

function inflight({ gateway }: CompositeApp): Promise<number> {
  return gateway.metric('sluice_inflight_requests{model="composite"}')
}

describe('a component that fails before its first byte is passed over', () => {
  const failures: readonly (readonly [string, Behaviour, string])[] = [
    ['a reset', [reset], 'upstream_error'],
    ['a close', [close], 'upstream_error'],
    ['a 500', json(errorObject('No.'), 500), 'upstream_error'],
    ['a 529', json(errorObject('Overloaded.'), 529), 'upstream_error'],
    ['an HTML 502', htmlBadGateway(), 'upstream_error'],
    ['a 504', json(errorObject('Late.'), 504), 'upstream_timeout'],
    ['a 429', rateLimited('1'), 'upstream_rate_limited'],
    ['silence', [hang], 'upstream_timeout'],
  ]
  const streamed: readonly (readonly [string, Behaviour, string])[] = [
    ['an error as its first event', stream([errorObject('Overloaded.')]), 'upstream_stream_error'],
    ['a stream that breaks before its first event', brokenStream([], reset), 'upstream_stream_error'],
    ['a stream that stays silent', [streamHead, hang], 'upstream_timeout'],
  ]
  for (const [what, behaviour, reason] of failures) {
    for (const isStreamed of [false, true]) {
      test(`${what}, ${isStreamed ? 'streamed' : 'whole'}`, () => expectPassedOver(behaviour, reason, isStreamed))
    }
  }
  for (const [what, behaviour, reason] of streamed) test(what, () => expectPassedOver(behaviour, reason, true))

  async function expectPassedOver(behaviour: Behaviour, reason: string, isStreamed: boolean): Promise<void> {
    // Short only where the time is what is awaited.
    const seconds = reason === 'upstream_timeout' ? 0.1 : 30
    await using app = await startComposite({ components: 2, set: [`gateway.first_token_seconds=${seconds}`] })
    app.servers[0]!.script(behaviour)
    const outcome = await ask(app, { stream: isStreamed })
    expect(outcome).toMatchObject({ status: 200, provider: 'server-1', attempts: '2' })
    expect(outcome.reasons).toEqual([failedAt('server-0', reason)])
    expect(outcome.text).toContain(isStreamed ? 'data: [DONE]' : '"chat.completion"')
    expect(outcome.text).not.toContain('"error"')
    expect(app.servers.map((server) => server.requests.length)).toEqual([1, 1])
    expect(await inflight(app)).toBe(0)
  }

  test('a connection that is refused', async () => {
    await using app = await startComposite({ components: 2, dead: [0] })
    const outcome = await ask(app)
    expect(outcome).toMatchObject({ status: 200, provider: 'server-1', attempts: '2' })
    expect(outcome.reasons).toEqual([failedAt('server-0', 'upstream_error')])
  })
})

describe('what another component could do no better is not tried again', () => {
  for (const [status, answered] of [
    [400, 400],
    [404, 404],
    [422, 422],
    [401, 502],
    [403, 502],
  ] as const) {
    test(`a ${status} of the upstream`, async () => {
      await using app = await startComposite({ components: 2 })
      app.servers[0]!.script(json(errorObject('No.'), status))
      expect(await ask(app)).toMatchObject({ status: answered, attempts: '1' })
      expect(app.servers[1]!.requests).toEqual([])
    })
  }

  test('a failure after the first byte: nothing is doubled, and nothing looks complete', async () => {
    await using app = await startComposite({ components: 2 })
    app.servers[0]!.script(brokenStream(chatChunks().slice(0, 2), reset))
    const outcome = await ask(app, { stream: true })
    expect(outcome).toMatchObject({ status: 200, provider: 'server-0', attempts: '1' })
    expect(outcome.text).toContain('"code":"upstream_stream_error"')
    expect(outcome.text).not.toContain('[DONE]')
    expect(app.servers[1]!.requests).toEqual([])
  })
})

describe('when every component fails', () => {
  test('each is asked once before one is asked again, as often as the setting says', async () => {
    await using app = await startComposite({ components: 2, set: ['failover.max_attempts=3'] })
    for (const server of app.servers) server.script(json(errorObject('No.'), 500))
    const outcome = await ask(app)
    expect(outcome).toMatchObject({ status: 502, provider: 'server-0', attempts: '3' })
    expect(outcome.reasons?.map((each) => each.provider)).toEqual(['server-0', 'server-1', 'server-0'])
  })

  test('by limiting requests, the client is told to come back when they say', async () => {
    await using app = await startComposite({ components: 2 })
    for (const server of app.servers) server.script(rateLimited('9'))
    const response = await app.chat()
    expect(response.headers.get('retry-after')).toBe('9')
    await expectRefusal(response, { status: 429, type: 'rate_limit_error', code: 'upstream_rate_limited' })
  })

  test('a client that leaves ends the tries', async () => {
    await using app = await startComposite({ components: 2, set: ['failover.max_attempts=20'] })
    for (const server of app.servers) server.script([hang])
    const leaving = new AbortController()
    const requestId = 'leaves'
    const asked = app.chat({}, { signal: leaving.signal, headers: { 'x-request-id': requestId } }).catch(() => null)
    await app.servers[0]!.nextRequest()
    leaving.abort()
    await asked
    expect(await app.gateway.usageOf(requestId)).toMatchObject({ status: 499, attempts: 1 })
    expect(app.servers[1]!.requests).toEqual([])
  })
})

describe('a component that keeps failing', () => {
  const ejecting = ['health.failures_to_eject=2', 'health.ejection_seconds=10', 'health.ejection_max_seconds=40']

  /** Requests until the first component is left out. */
  async function eject(app: CompositeApp): Promise<void> {
    app.servers[0]!.script(json(errorObject('No.'), 500))
    for (let index = 0; index < 2; index += 1) expect((await ask(app)).attempts).toBe('2')
  }

  test('is left out, tried again by one request when its time is over, and used again when that succeeds', async () => {
    await using app = await startComposite({ components: 2, set: ejecting })
    await eject(app)
    for (let index = 0; index < 3; index += 1) expect((await ask(app)).attempts).toBe('1')
    expect(app.servers[0]!.requests).toHaveLength(2)

    app.gateway.advance(10_001)
    app.servers[0]!.script([gate, ...json(chatCompletion())])
    const probing = ask(app)
    await until(() => app.servers[0]!.requests.length === 3)
    expect((await ask(app)).provider).toBe('server-1')
    app.servers[0]!.release()
    expect((await probing).provider).toBe('server-0')
    app.servers[0]!.script(json(chatCompletion()))
    expect((await ask(app)).provider).toBe('server-0')
  })

  test('is left out for twice as long each time that the try fails', async () => {
    await using app = await startComposite({ components: 2, set: ejecting })
    await eject(app)
    for (const outForMs of [10_000, 20_000, 40_000, 40_000]) {
      app.gateway.advance(outForMs - 1000)
      expect((await ask(app)).attempts).toBe('1')
      app.gateway.advance(1001)
      expect((await ask(app)).attempts).toBe('2')
    }
  })

  test('is not left out for what callers do wrong', async () => {
    await using app = await startComposite({ components: 2, set: ejecting })
    app.servers[0]!.script(json(errorObject('No.'), 400))
    for (let index = 0; index < 5; index += 1) expect((await ask(app)).status).toBe(400)
    expect(app.servers[1]!.requests).toEqual([])
  })

  test('is asked for its models in the background, and is back as soon as it offers them', async () => {
    await using app = await startComposite({
      components: 2,
      set: [...ejecting, 'health.ejection_seconds=40', 'health.probe_seconds=5'],
    })
    await eject(app)
    const [first] = app.servers
    const probes = () => first!.requests.filter((request) => request.path === '/v1/models').length
    expect(probes()).toBe(0)
    app.gateway.advance(5001)
    await until(() => probes() === 1)
    expect((await ask(app)).attempts).toBe('1')
    first!.script((request) =>
      request.method === 'GET'
        ? json({ object: 'list', data: [{ id: 'upstream-model', object: 'model' }] })
        : json(chatCompletion()),
    )
    app.gateway.advance(5001)
    await until(async () => (await ask(app)).provider === 'server-0')
    expect(probes()).toBe(2)
  })
})

test('10 components, one of them dead, 1,000 requests: none fails', async () => {
  await using app = await startComposite({ components: 10, strategy: 'weighted', dead: [3] })
  const statuses: number[] = []
  const worker = async (): Promise<void> => {
    while (statuses.length < 1000) {
      const response = await app.chat({ stream: statuses.length % 2 === 0 })
      const text = await response.text()
      statuses.push(text.includes('"error"') ? 0 : response.status)
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  for (const [index, server] of app.servers.entries())
    if (index !== 3) expect(server.requests.length).toBeGreaterThan(50)
  await until(async () => (await inflight(app)) === 0)
})

test('a component that is killed while streams run takes only its own with it, and none of them looks complete', async () => {
  await using app = await startComposite({
    components: 3,
    strategy: 'weighted',
    set: ['limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=60'],
  })
  const [first = {}, ...rest] = chatChunks()
  const held: Behaviour = [streamHead, ...events([first]), gate, ...events([...rest, doneEvent]), streamEnd]
  for (const server of app.servers) server.script(held)
  const responses = await Promise.all(Array.from({ length: 60 }, () => app.chat({ stream: true })))
  expect((await app.chat({ stream: true })).status).toBe(429)
  const [killed, ...alive] = app.servers
  const lost = killed!.requests.length
  expect(lost).toBe(20)
  await killed!.close()
  for (const server of alive) server.release(server.requests.length)
  const texts = await Promise.all(responses.map((response) => response.text()))
  const complete = texts.filter((text) => text.includes('data: [DONE]'))
  const broken = texts.filter((text) => text.includes('"code":"upstream_stream_error"'))
  expect([complete.length, broken.length]).toEqual([60 - lost, lost])
  for (const text of broken) expect(text).not.toContain('[DONE]')
  for (const text of complete) expect(text.split('"role":"assistant"')).toHaveLength(2)
  await until(async () => (await inflight(app)) === 0)

  for (const server of alive) server.script(stream([...chatChunks(), doneEvent]))
  const after = await Promise.all(Array.from({ length: 60 }, () => app.chat({ stream: true })))
  for (const response of after)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('[DONE]')])
  await until(async () => (await app.gateway.usageRows()).length === 121)
})
