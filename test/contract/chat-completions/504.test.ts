/** 504 of POST /ai/v1/chat/completions, and the time-outs after the first event, which end a stream in-band. */
import { describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { hang, head, json, send, streamHead, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const promised = { status: 504, type: 'upstream_timeout', code: 'upstream_timeout' } as const
const halfBody = [head(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }), send('{"a":')]

interface Silence {
  readonly behaviour: Behaviour
  readonly streamed: boolean
}

/** The upstream falls silent; the client gets a 504 and the upstream is let go. */
async function expectTimeout(gateway: GatewayApp, { behaviour, streamed }: Silence): Promise<string> {
  gateway.upstream.scriptNext(behaviour)
  const requestId = `silent-${crypto.randomUUID()}`
  const options = { headers: { 'x-request-id': requestId } }
  const { message } = await expectRefusal(
    await (streamed ? gateway.stream({}, options) : gateway.chat({}, options)),
    promised,
  )
  await (
    await gateway.received(requestId)
  ).closed
  const row = await gateway.usageOf(requestId)
  expect([row.status, row.code, row.attempts]).toEqual([504, 'upstream_timeout', 1])
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  return message
}

describe('the time-out for the first token', () => {
  const silences: readonly (readonly [string, Silence])[] = [
    ['before the head of a whole answer', { behaviour: [hang], streamed: false }],
    ['before the head of a stream', { behaviour: [hang], streamed: true }],
    ['between the head and the first event of a stream', { behaviour: [streamHead, hang], streamed: true }],
  ]
  for (const [where, silence] of silences) {
    test(`ends a silence ${where}`, async () => {
      await using gateway = await startGateway({ set: ['gateway.first_token_seconds=0.1'] })
      expect(await expectTimeout(gateway, silence)).toContain('first token')
    })
  }

  test('of the model goes before that of the setting', async () => {
    await using gateway = await startGateway()
    const changed = await gateway.operate('PATCH', `/models/${gateway.models.plain.id}`, {
      timeouts: { first_token_seconds: 0.1 },
    })
    expect(changed.status).toBe(200)
    expect(await expectTimeout(gateway, { behaviour: [hang], streamed: true })).toContain('first token')
  })

  test('of the provider goes before that of the setting', async () => {
    await using gateway = await startGateway()
    const changed = await gateway.operate('PATCH', `/providers/${gateway.upProviderId}`, {
      timeouts: { first_token_seconds: 0.1 },
    })
    expect(changed.status).toBe(200)
    expect(await expectTimeout(gateway, { behaviour: [hang], streamed: false })).toContain('first token')
  })

  test('is put off by nothing: comments keep the client waiting, and the error then comes in-band', async () => {
    await using gateway = await startGateway({
      set: ['gateway.keepalive_seconds=0.05', 'gateway.first_token_seconds=0.5'],
    })
    gateway.upstream.scriptNext([streamHead, hang])
    const text = await (await gateway.stream()).text()
    expect(text).toStartWith(': keep-alive\n\n')
    expect(text).toContain('"code":"upstream_timeout"')
    expect(text).not.toContain('[DONE]')
  })
})

describe('the time-out for silence in the middle', () => {
  test('ends a whole answer whose body stops', async () => {
    await using gateway = await startGateway({ set: ['gateway.idle_seconds=0.1'] })
    expect(await expectTimeout(gateway, { behaviour: [...halfBody, hang], streamed: false })).toContain('fell silent')
  })

  test('ends a stream with one error event and no [DONE]', async () => {
    await using gateway = await startGateway({ set: ['gateway.idle_seconds=0.1'] })
    const held = await holdStream(gateway, 'plain')
    const text = await held.response.text()
    expect(text).toContain('"code":"upstream_timeout"')
    expect(text).not.toContain('[DONE]')
    await held.received.closed
    const row = await gateway.usageOf(held.requestId)
    expect([row.status, row.code, row.upstreamStatus]).toEqual([504, 'upstream_timeout', 200])
  })
})

describe('the time-out for the whole request', () => {
  test('ends a stream that has gone on for too long', async () => {
    await using gateway = await startGateway({ set: ['gateway.total_seconds=60'] })
    const held = await holdStream(gateway, 'plain')
    gateway.advance(60_000)
    const text = await held.response.text()
    expect(text).toContain('"code":"upstream_timeout"')
    expect(text).toContain('longer than the time-out for a whole request')
    expect(text).not.toContain('[DONE]')
  })

  test('ends a whole answer that has not come', async () => {
    await using gateway = await startGateway({ set: ['gateway.total_seconds=0.1'] })
    expect(await expectTimeout(gateway, { behaviour: [hang], streamed: false })).toContain('whole request')
  })
})

describe('a time-out of the provider itself', () => {
  for (const status of [408, 504]) {
    test(`(${status}) is ours to the client`, async () => {
      await using gateway = await startGateway()
      gateway.upstream.scriptNext(json(errorObject('canary'), status))
      const error = await expectRefusal(await gateway.chat(), promised)
      expect(error.message).not.toContain('canary')
    })
  }
})
