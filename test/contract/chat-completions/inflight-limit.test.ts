/** The limit of requests in flight: who shares a count, what the limit is, and what gives a slot back. */
import { describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import {
  brokenStream,
  cutBody,
  gate,
  hang,
  json,
  reset,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

const enforced = 'limits.realtime_inflight.enforce=true'

/** `count` more streams; every one is under way when this resolves. */
function holdStreams(gateway: GatewayApp, count: number, model = 'plain') {
  return Promise.all(Array.from({ length: count }, () => holdStream(gateway, model)))
}

async function statusOf(answered: Promise<Response>): Promise<number> {
  const response = await answered
  await response.arrayBuffer()
  return response.status
}

describe('the limit', () => {
  test('is off by default: requests in flight are counted and none is refused', async () => {
    await using gateway = await startGateway({ set: ['limits.realtime_inflight.default=1'] })
    const held = await holdStreams(gateway, 20)
    expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(20)
    for (const each of held) await each.finish()
    await until(async () => (await gateway.metric('sluice_inflight_requests{model="plain"}')) === 0)
  })

  test('lets exactly so many in, refuses the next, and lets one more in for each that ends', async () => {
    await using gateway = await startGateway({ set: [enforced, 'limits.realtime_inflight.default=3'] })
    const [left, finished] = await holdStreams(gateway, 3)
    expect(await statusOf(gateway.chat())).toBe(429)
    expect(await statusOf(gateway.stream())).toBe(429)
    await left!.leave()
    await gateway.usageOf(left!.requestId)
    await holdStream(gateway, 'plain')
    expect(await statusOf(gateway.chat())).toBe(429)
    expect(await finished!.finish()).toContain('[DONE]')
    expect(await statusOf(gateway.chat())).toBe(200)
  })

  test('is never passed by requests that come at the same moment', async () => {
    await using gateway = await startGateway({ set: [enforced, 'limits.realtime_inflight.default=5'] })
    gateway.upstream.script([gate, ...json(chatCompletion())])
    const statuses = Array.from({ length: 50 }, () => statusOf(gateway.chat()))
    await until(async () => (await gateway.metric('sluice_inflight_refused_total{model="plain"}')) === 45)
    await until(() => gateway.upstream.requests.length === 5)
    gateway.upstream.release(5)
    expect((await Promise.all(statuses)).toSorted((a, b) => a - b)).toEqual([
      ...Array(5).fill(200),
      ...Array(45).fill(429),
    ])
  })

  test('is 14 when nothing else is said', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    await holdStreams(gateway, 14)
    expect(await statusOf(gateway.chat())).toBe(429)
  })

  test("of the model goes before the setting's, and the account's own before the model's", async () => {
    await using gateway = await startGateway({ set: [enforced] })
    const [one] = await holdStreams(gateway, 1, 'narrow')
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(429)
    const { userId } = gateway.keys.main
    const override = `/models/${gateway.models.narrow.id}/inflight-limits/${userId}`
    expect((await gateway.operate('PUT', override, { limit: 2 })).status).toBeLessThan(300)
    const two = await holdStream(gateway, 'narrow')
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(429)
    expect((await gateway.operate('DELETE', override)).status).toBeLessThan(300)
    await two.finish()
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(429)
    await one!.finish()
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(200)
  })

  test('can be switched on and off while requests run', async () => {
    await using gateway = await startGateway()
    await holdStreams(gateway, 2, 'narrow')
    const setting = '/settings/limits.realtime_inflight.enforce'
    expect((await gateway.operate('PUT', setting, { value: true })).status).toBeLessThan(300)
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(429)
    expect((await gateway.operate('DELETE', setting)).status).toBeLessThan(300)
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(200)
  })
})

describe('a count', () => {
  test('is shared by the aliases of a model and by the keys of an account', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    await holdStream(gateway, 'narrow-alias', { key: gateway.keys.second })
    for (const key of [gateway.keys.main, gateway.keys.second])
      for (const model of ['narrow', 'narrow-alias']) expect(await statusOf(gateway.chat({ model }, { key }))).toBe(429)
  })

  test('is not shared with other accounts, nor with other models', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    await holdStream(gateway, 'narrow')
    expect(await statusOf(gateway.chat({ model: 'narrow' }, { key: gateway.keys.other }))).toBe(200)
    expect(await statusOf(gateway.chat({ model: 'plain' }))).toBe(200)
  })

  test('is taken by no request that is refused before it', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    const held = await holdStream(gateway, 'narrow')
    const refused = [gateway.chat('{'), gateway.chat({ model: 'private' }), gateway.chat({ model: 'nothing' })]
    expect(await Promise.all(refused.map(statusOf))).toEqual([400, 403, 404])
    for (let index = 0; index < 5; index += 1) expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(429)
    await held.finish()
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(200)
  })
})

describe('a slot is given back', () => {
  const endings: readonly (readonly [string, Behaviour, number])[] = [
    ['an answer', json(chatCompletion()), 200],
    ["the provider's refusal", json({ error: { message: 'no' } }, 400), 400],
    ["the provider's failure", json({}, 500), 502],
    ['a connection that breaks', [reset], 502],
    ['a body that breaks', cutBody(chatCompletion()), 502],
    ['a silence', [hang], 504],
  ]
  for (const [what, behaviour, status] of endings) {
    test(`after ${what}`, async () => {
      await using gateway = await startGateway({ set: [enforced, 'gateway.first_token_seconds=0.1'] })
      gateway.upstream.script(behaviour)
      for (let index = 0; index < 3; index += 1) expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(status)
    })
  }

  test('after a stream that breaks in the middle', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    gateway.upstream.script(brokenStream(chatChunks().slice(0, 2), reset))
    for (let index = 0; index < 3; index += 1) expect(await statusOf(gateway.stream({ model: 'narrow' }))).not.toBe(429)
  })

  test('after clients that leave at any moment', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    const body = JSON.stringify({ model: 'narrow', stream: true, messages: [{ role: 'user', content: 'a' }] })
    for (const behaviour of [[hang], [streamHead, hang]]) {
      gateway.upstream.scriptNext(behaviour)
      const requestId = `leaves-${crypto.randomUUID()}`
      const client = new RawClient(gateway.port)
      client.write(rawRequest({ key: gateway.keys.main.secret, headers: { 'X-Request-Id': requestId }, body }))
      await gateway.received(requestId)
      client.reset()
      expect((await gateway.usageOf(requestId)).status).toBe(499)
      await (await holdStream(gateway, 'narrow')).leave()
      await until(async () => (await gateway.metric('sluice_inflight_requests{model="narrow"}')) === 0)
    }
    expect(await statusOf(gateway.chat({ model: 'narrow' }))).toBe(200)
  })

  test('before the last byte of a stream has been read: a client may go on at once', async () => {
    await using gateway = await startGateway({ set: [enforced] })
    for (let index = 0; index < 20; index += 1) expect(await statusOf(gateway.stream({ model: 'narrow' }))).toBe(200)
  })
})
