import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { until } from '#test/support/until.ts'

interface Price {
  readonly id: string
  readonly source: string
  readonly rates: Record<string, number>
  readonly note: string
  readonly replaced_at: string | null
}

let app: AdminApp
let homeId: string
let vendorId: string
beforeAll(async () => {
  app = await startAdminApp()
  homeId = await addModel('home', 'http://127.0.0.1:9/v1', 'gpt-4o')
  vendorId = await addModel('vendor', 'https://api.openai.com/v1', 'gpt-4o')
})
afterAll(() => app[Symbol.asyncDispose]())

async function addModel(name: string, baseUrl: string, upstreamName: string): Promise<string> {
  const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name, base_url: baseUrl } })
  const body = { name, provider_id: provider.body.id, upstream_name: upstreamName }
  return (await app.call<{ id: string }>('POST', '/models', { body })).body.id
}

async function priceOf(name: string): Promise<Price | null | undefined> {
  const { body } = await app.call<{ data: { model: string; price: Price | null }[] }>('GET', '/prices')
  return body.data.find(({ model }) => model === name)?.price
}

describe('prices', () => {
  test('a model of a known vendor has its list price, one at home has none', async () => {
    await until(async () => (await priceOf('vendor')) !== null)
    expect(await priceOf('vendor')).toMatchObject({
      source: 'catalogue',
      note: 'openai/gpt-4o',
      rates: { input: 2_500_000_000, output: 10_000_000_000 },
    })
    expect(await priceOf('home')).toBeNull()
    const taken = await app.call('POST', '/prices/import', { body: {} })
    expect(taken.body).toEqual({ priced: ['vendor'], unknown: ['home'] })
    const { body } = await app.call<{ data: Price[] }>('GET', `/models/${vendorId}/prices`)
    expect(body.data.map(({ replaced_at: replaced }) => replaced)).toEqual([null])
  })

  test('a price that is set precedes, is replaced by one for the same moment, and can be removed', async () => {
    const path = `/models/${homeId}/prices`
    const at = { valid_from: '2026-01-01T00:00:00Z' }
    const first = await app.call<Price>('POST', path, { body: { ...at, rates: { input: 5 } } })
    expect(first.status).toBe(201)
    const second = await app.call<Price>('POST', path, {
      body: { ...at, rates: { output: 7, input: 6 }, tiers: [{ above: 100, rates: { input: 9 } }] },
    })
    expect(await priceOf('home')).toEqual(second.body)
    const later = await app.call<Price>('POST', path, { body: { valid_from: '2999-01-01T00:00:00Z', rates: {} } })
    expect(await priceOf('home')).toEqual(second.body)
    const { body } = await app.call<{ data: Price[] }>('GET', path)
    const ids = [first, second, later].map((answer) => answer.body.id)
    expect(body.data.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(body.data.filter(({ replaced_at: replaced }) => replaced !== null).map(({ id }) => id)).toEqual([
      first.body.id,
    ])
    expect((await app.call('DELETE', `${path}/${second.body.id}`)).status).toBe(204)
    expect((await app.call('DELETE', `${path}/${second.body.id}`)).status).toBe(404)
    expect(await priceOf('home')).toBeNull()
  })

  test('a price from the catalogue no longer applies when the model is served elsewhere, and is found again', async () => {
    await app.call('PATCH', `/models/${vendorId}`, { body: { upstream_name: 'gpt-4o-mini' } })
    await until(async () => (await priceOf('vendor'))?.note === 'openai/gpt-4o-mini')
    await app.call('PATCH', `/models/${vendorId}`, { body: { upstream_name: 'of-their-own' } })
    expect(await priceOf('vendor')).toBeNull()
  })

  test('prices of the configuration file are read-only', async () => {
    const modelId = await addModel('declared', 'http://127.0.0.1:9/v1', 'theirs')
    const path = `/models/${modelId}/prices`
    const { body } = await app.call<Price>('POST', path, { body: { rates: { input: 5 } } })
    const own = { modelId, source: 'declared' as const, upstream: null, validFrom: 0, tiers: [], note: '' }
    const price = { ...own, id: 'from-the-file', rates: { input: 7 }, createdAt: Date.now(), replacedAt: null }
    expect(await app.store.prices.setDeclared(modelId, [price], Date.now())).toBe(true)
    expect(await app.store.prices.setDeclared(modelId, [price], Date.now())).toBe(false)
    expect((await app.call('POST', path, { body: { rates: {} } })).code).toBe('declared_read_only')
    for (const id of [price.id, body.id])
      expect((await app.call('DELETE', `${path}/${id}`)).code).toBe('declared_read_only')
    await app.store.prices.releaseDeclared(modelId)
    expect((await app.call('DELETE', `${path}/${price.id}`)).status).toBe(204)
  })

  test('amounts are whole and not negative, kinds are known, tiers have an order', async () => {
    const wrong = [
      { rates: { input: 0.5 } },
      { rates: { input: -1 } },
      { rates: { inputs: 1 } },
      { rates: { input: 2 ** 53 } },
      {
        rates: {},
        tiers: [
          { above: 2, rates: {} },
          { above: 2, rates: {} },
        ],
      },
    ]
    for (const body of wrong) expect((await app.call('POST', `/models/${homeId}/prices`, { body })).status).toBe(422)
    const tiers = [3, 5, 4].map((above) => ({ above, rates: {} }))
    const unordered = await app.call('POST', `/models/${homeId}/prices`, { body: { rates: {}, tiers } })
    expect([unordered.code, unordered.param]).toEqual(['validation_failed', 'tiers.2.above'])
    const composite = await app.call<{ id: string }>('POST', '/models', {
      body: { name: 'both', composite: { strategy: 'weighted', components: [{ model: homeId }] } },
    })
    const refused = await app.call('POST', `/models/${composite.body.id}/prices`, { body: { rates: {} } })
    expect(refused.code).toBe('validation_failed')
  })

  test('the catalogue is not used when it is switched off', async () => {
    await app.call('PUT', '/settings/prices.catalogue', { body: { value: false } })
    expect((await app.call('POST', '/prices/import', { body: {} })).code).toBe('conflict')
  })
})
