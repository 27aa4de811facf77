/** What the catalogue tells of the models that a caller may use: prices, limits, and how they have done in the last day. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

const hourMs = 3_600_000

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp({ set: ['limits.realtime_inflight.enforce=true'] })
  const made = async (path: string, body: object) => (await app.call<{ id: string }>('POST', path, { body })).body.id
  const provider = await made('/providers', { name: 'practice', kind: 'demo' })
  const hosted = await made('/providers', { name: 'hosted', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' })
  await made('/models', { name: 'quick', provider_id: provider, upstream_name: 'demo-chat', inflight_limit: 3 })
  const priced = await made('/models', { name: 'priced', provider_id: hosted, upstream_name: 'made-up' })
  await made(`/models/${priced}/prices`, { rates: { input: 5, output: 9 }, valid_from: '2026-01-01T00:00:00Z' })
  await made('/models', { name: 'closed', provider_id: provider, upstream_name: 'demo-chat', groups: [] })
  await made('/models', { name: 'mixed', composite: { strategy: 'priority', components: [{ model: 'priced' }] } })
  const stream = { streamed: true, firstTokenMs: 200, durationMs: 1200, completionTokens: 50, userId: app.userId }
  const now = app.now()
  await app.store.usage.insertMany([
    aUsage({ at: now, modelServed: 'quick', ...stream }),
    aUsage({ at: now - hourMs, modelServed: 'quick', ...stream, firstTokenMs: 400, durationMs: 1400 }),
    aUsage({ at: now - hourMs, modelServed: 'quick', ...stream, streamed: false }),
    aUsage({ at: now - hourMs, modelServed: 'quick', status: 503, completionTokens: null }),
    aUsage({ at: now - hourMs, modelServed: 'quick', status: 400, completionTokens: null }),
    aUsage({ at: now - 30 * hourMs, modelServed: 'quick', status: 503 }),
    aUsage({ at: now, modelServed: 'closed', ...stream }),
    aUsage({ at: now, modelServed: 'priced', status: 404 }),
  ])
})
afterAll(() => app[Symbol.asyncDispose]())

const figuresOfQuick = {
  uptime: 0.75,
  first_token_ms: 300,
  // Of 200 and 400, of 1200 and 1400: percentiles are those of a histogram.
  first_token_p50_ms: 204,
  first_token_p95_ms: 408,
  duration_p50_ms: 1184,
  duration_p95_ms: 1376,
  tokens_per_second: 50,
}

interface Figures {
  readonly model?: string
  readonly requests: number | null
  readonly uptime: number | null
  readonly first_token_ms: number | null
  readonly tokens_per_second: number | null
}

interface Performance {
  readonly data: readonly Figures[]
  readonly hours: readonly Figures[]
}

test('models have their price, their provider’s kind and the account’s limit', async () => {
  interface Usable {
    readonly currency: string
    readonly data: readonly { readonly name: string }[]
  }
  const { body } = await app.call<Usable>('GET', '/me/models', { key: app.userKey })
  expect(body.currency).toBe('USD')
  expect(body.data.map(({ name }) => name)).toEqual(['mixed', 'priced', 'quick'])
  const [mixed, priced, quick] = body.data
  expect(mixed).toMatchObject({ provider: 'sluice', provider_kind: null, rates: null, in_flight_limit: 14 })
  expect(priced).toMatchObject({ provider_kind: 'openai', rates: { input: 5, output: 9 } })
  expect(quick).toMatchObject({ provider_kind: 'demo', in_flight_limit: 3 })
})

test('speed and outages of the last day are those of all requests, without what callers did wrong', async () => {
  const { body } = await app.call<Performance>('GET', '/me/models/performance')
  const quick = { model: 'quick', requests: 5, ...figuresOfQuick }
  const none = { duration_p50_ms: null, duration_p95_ms: null, first_token_p50_ms: null, first_token_p95_ms: null }
  const priced = { model: 'priced', requests: 1, uptime: null, first_token_ms: null, tokens_per_second: null, ...none }
  expect([...body.data].toSorted((a, b) => (a.model! < b.model! ? -1 : 1))).toEqual([priced, quick])
  expect(body.hours).toEqual([])
})

test('one model has its hours, and users see neither how much others use it nor models that they cannot use', async () => {
  const of = async (model: string) =>
    (await app.call<Performance>('GET', `/me/models/performance?model=${model}`, { key: app.userKey })).body
  const { data, hours } = await of('quick')
  expect(data).toEqual([{ model: 'quick', requests: null, ...figuresOfQuick }])
  expect(hours.map(({ uptime }) => uptime)).toEqual([2 / 3, 1])
  expect(await of('closed')).toMatchObject({ data: [], hours: [] })
})
