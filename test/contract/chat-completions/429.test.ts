/** 429 of POST /ai/v1/chat/completions: the provider is limiting the gateway, or the gateway the account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { json, rateLimited } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway({ set: ['limits.realtime_inflight.enforce=true'] })))
afterAll(() => gateway[Symbol.asyncDispose]())

describe("the provider's", () => {
  const promised = { status: 429, type: 'rate_limit_error', code: 'upstream_rate_limited' } as const

  test('is passed on with its Retry-After, and without the words about an account that is not the caller’s', async () => {
    gateway.upstream.scriptNext(rateLimited('7'))
    const refused = await gateway.chat()
    expect(refused.headers.get('retry-after')).toBe('7')
    const error = await expectRefusal(refused, promised)
    expect(error.message).not.toContain('Slow down.')
  })

  test('is passed on with the milliseconds that SDKs read, and without either when the provider named none', async () => {
    gateway.upstream.scriptNext(json(errorObject('Slow down.'), 429, { 'Retry-After-Ms': '1234' }), json({}, 429))
    const exact = await gateway.chat()
    expect([exact.headers.get('retry-after-ms'), exact.headers.get('retry-after')]).toEqual(['1234', null])
    const silent = await gateway.stream()
    expect([silent.headers.get('retry-after-ms'), silent.headers.get('retry-after')]).toEqual([null, null])
    await expectRefusal(silent, promised)
  })

  test('is asked for once, and recorded', async () => {
    const counter = 'sluice_upstream_errors_total{provider="up",reason="upstream_rate_limited"}'
    const before = await gateway.metric(counter)
    gateway.upstream.scriptNext(rateLimited('7'))
    await gateway.chat({}, { headers: { 'x-request-id': 'limited-upstream' } })
    const row = await gateway.usageOf('limited-upstream')
    expect(row).toMatchObject({ status: 429, code: 'upstream_rate_limited', upstreamStatus: 429, attempts: 1 })
    expect(await gateway.metric(counter)).toBe(before + 1)
  })
})

describe("the gateway's own, for requests in flight", () => {
  const promised = { status: 429, type: 'rate_limit_error', code: 'inflight_limit_exceeded' } as const

  test('tells when to come back, in seconds and with jitter in milliseconds', async () => {
    const held = await holdStream(gateway, 'narrow')
    const waits = new Set<string>()
    for (let index = 0; index < 20; index += 1) {
      const refused = await gateway.chat({ model: 'narrow' })
      expect(refused.headers.get('retry-after')).toBe('1')
      const ms = refused.headers.get('retry-after-ms') ?? ''
      expect(Number(ms)).toBeGreaterThanOrEqual(500)
      expect(Number(ms)).toBeLessThan(1500)
      waits.add(ms)
      const error = await expectRefusal(refused, promised)
      expect(error.message).toContain('1 requests in flight on narrow')
    }
    expect(waits.size).toBeGreaterThan(1)
    expect(await held.finish()).toContain('[DONE]')
  })

  test('reaches no upstream and is counted once, in the row and in the counter of its own', async () => {
    const held = await holdStream(gateway, 'narrow')
    const counter = 'sluice_inflight_refused_total{model="narrow"}'
    const [refusedBefore, receivedBefore] = [await gateway.metric(counter), gateway.upstream.requests.length]
    await gateway.chat({ model: 'narrow-alias' }, { headers: { 'x-request-id': 'one-too-many' } })
    expect(await gateway.usageOf('one-too-many')).toMatchObject({
      status: 429,
      code: 'inflight_limit_exceeded',
      modelAsked: 'narrow-alias',
      modelServed: 'narrow',
      upstreamStatus: null,
      attempts: 0,
    })
    expect(await gateway.metric(counter)).toBe(refusedBefore + 1)
    expect(gateway.upstream.requests.length).toBe(receivedBefore)
    expect(await gateway.metric('sluice_inflight_requests{model="narrow"}')).toBe(1)
    await held.finish()
  })
})

describe("the gateway's own, for rates", () => {
  const promised = { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' } as const
  const limited = (...rules: readonly string[]): Promise<GatewayApp> =>
    startGateway({ environment: { SLUICE_LIMITS_RATES: rules.join(', ') } })
  const headersOf = (answer: Response, unit: string): (string | null)[] =>
    ['limit', 'remaining', 'reset'].map((what) => answer.headers.get(`x-ratelimit-${what}-${unit}`))

  test('names the limit, and tells when to come back', async () => {
    await using own = await limited('user:* requests 2/minute', 'model:* requests 100/minute')
    const first = await own.chat()
    expect([first.status, ...headersOf(first, 'requests').slice(0, 2)]).toEqual([200, '2', '1'])
    expect((await own.chat()).status).toBe(200)
    const refused = await own.chat()
    expect(headersOf(refused, 'requests').slice(0, 2)).toEqual(['2', '0'])
    expect(headersOf(refused, 'requests')[2]).toMatch(/^(59(\.\d+)?s|1m0s)$/)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(Number(refused.headers.get('retry-after-ms'))).toBeLessThanOrEqual(30_000)
    const error = await expectRefusal(refused, promised)
    expect(error.message).toContain('"user:* requests 2/minute"')
    own.advance(30_000)
    expect((await own.chat()).status).toBe(200)
  })

  test('counts tokens as they were used, not as they were reserved, and failures not at all', async () => {
    await using own = await limited('user:* tokens 1000/day')
    expect((await own.chat({ max_tokens: 900 })).status).toBe(200)
    own.upstream.scriptNext(json(errorObject('Broken.'), 400))
    expect((await own.chat({ max_tokens: 900 })).status).toBe(400)
    await (await own.stream({ max_tokens: 900 })).text()
    const refused = await own.chat({ max_tokens: 990 })
    await expectRefusal(refused, promised)
    // Two answers of 14 tokens each.
    expect(headersOf(refused, 'tokens').slice(0, 2)).toEqual(['1000', '972'])
  })

  test('counts for a group the requests of all its members together, for each group apart, and for a key its own', async () => {
    await using own = await startGateway()
    const limit = async (...value: readonly string[]): Promise<void> =>
      expect((await own.operate('PUT', '/settings/limits.rates', { value })).status).toBe(200)
    await limit('group:"night shift" requests 3/day', 'group:* requests 5/day')
    const { id } = (await (await own.operate('POST', '/groups', { name: 'night shift' })).json()) as { id: string }
    const users = (await (await own.operate('GET', '/users')).json()) as { data: { id: string }[] }
    for (const user of users.data) expect((await own.operate('PUT', `/users/${user.id}/groups/${id}`)).status).toBe(204)
    const ask = async (key: 'main' | 'second' | 'other'): Promise<number> =>
      (await own.chat({}, { key: own.keys[key] })).status
    expect([await ask('main'), await ask('other'), await ask('main'), await ask('other')]).toEqual([200, 200, 200, 429])
    // Nobody is in a group of the rule's name any more; the rule for each group still counts.
    expect((await own.operate('PATCH', `/groups/${id}`, { name: 'day shift' })).status).toBe(200)
    expect([await ask('main'), await ask('other'), await ask('main')]).toEqual([200, 200, 429])
    await limit(`group:${id} requests 1/day`)
    expect([await ask('main'), await ask('other')]).toEqual([200, 429])
    await limit('key:* requests 1/day')
    expect([await ask('main'), await ask('second'), await ask('main')]).toEqual([200, 200, 429])
  })

  test('is changed for the next request, and concerns those whom it names', async () => {
    await using own = await startGateway()
    const path = '/settings/limits.rates'
    const change = async (value: readonly string[]): Promise<number> =>
      (await own.operate('PUT', path, { value })).status
    expect(await change(['user:nobody@example.org requests 1/day'])).toBe(200)
    expect((await own.chat()).headers.get('x-ratelimit-limit-requests')).toBeNull()
    expect(await change(['user:* requests 1/day'])).toBe(200)
    expect([(await own.chat()).status, (await own.chat()).status]).toEqual([200, 429])
    expect(await change(['user:* requests 2 per day'])).toBe(422)
    expect(await change([])).toBe(200)
    expect((await own.chat()).status).toBe(200)
  })
})
