/** GET /ai/v1/models: what is told of reasoning efforts, and the filter by real-time deny rules. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'

interface ListedModel {
  readonly id: string
  readonly owned_by: string
  readonly supported_reasoning_efforts?: readonly string[]
}

let gateway: GatewayApp
beforeAll(async () => {
  gateway = await startGateway()
  const provider_id = gateway.upProviderId
  await create({ name: 'thinker', provider_id, reasoning: taking('max', 'none', 'low') })
  await create({ name: 'other-thinker', provider_id, reasoning: taking('high', 'low', 'none') })
  await create({ name: 'no-thinker', provider_id, reasoning: { efforts: [] } })
  await create({ name: 'both', composite: { components: [{ model: 'thinker' }, { model: 'other-thinker' }] } })
  const unknown = { model: 'plain' }
  await create({ name: 'one-unknown', composite: { components: [{ model: 'thinker' }, unknown] } })
  const components = [{ model: 'thinker' }, { ...unknown, enabled: false }]
  await create({ name: 'unknown-disabled', composite: { components } })
  await create({ name: 'denied', provider_id, rules: { realtime: { action: 'deny' } } })
  await create({ name: 'batch-denied', provider_id, rules: { batch: { action: 'deny' } } })
  await create({ name: 'redirected', provider_id, rules: { realtime: { action: 'redirect', model: 'plain' } } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function create(body: object): Promise<void> {
  const answer = await gateway.operate('POST', '/models', body)
  expect([answer.status, await answer.text()]).toMatchObject([201, expect.any(String)])
}

function taking(...efforts: readonly string[]): object {
  return { efforts, writes: [{ pointer: '/reasoning_effort', values: Object.fromEntries(efforts.map((e) => [e, e])) }] }
}

async function listed(query = ''): Promise<readonly ListedModel[]> {
  const response = await gateway.request('GET', `/ai/v1/models${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: ListedModel[] }).data
}

async function effortsOf(query: string): Promise<Record<string, readonly string[] | undefined>> {
  const models = await listed(query)
  return Object.fromEntries(models.map((model) => [model.id, model.supported_reasoning_efforts]))
}

describe('supported_reasoning_efforts', () => {
  test('are told when asked for, from none to max, where they are known', async () => {
    expect(await effortsOf('?include_reasoning_capabilities=TRUE')).toMatchObject({
      thinker: ['none', 'low', 'max'],
      'other-thinker': ['none', 'low', 'high'],
      'no-thinker': [],
    })
  })

  test('of a composite are those of all its enabled components, and absent when one is unknown', async () => {
    const efforts = await effortsOf('?include_reasoning_capabilities=true')
    expect(efforts['both']).toEqual(['none', 'low'])
    expect(efforts['unknown-disabled']).toEqual(['none', 'low', 'max'])
    const models = await listed('?include_reasoning_capabilities=true')
    for (const name of ['plain', 'one-unknown'])
      expect(Object.keys(models.find(({ id }) => id === name)!)).toEqual(['id', 'object', 'created', 'owned_by'])
  })

  test('are not told otherwise', async () => {
    for (const query of ['', '?include_reasoning_capabilities=false'])
      for (const model of await listed(query)) expect(model).not.toHaveProperty('supported_reasoning_efforts')
  })

  test('of one model are told the same way', async () => {
    const path = '/ai/v1/models/both'
    const asked = await gateway.request('GET', `${path}?include_reasoning_capabilities=true`)
    expect(await asked.json()).toMatchObject({ id: 'both', supported_reasoning_efforts: ['none', 'low'] })
    const response = await gateway.request('GET', path)
    expect(await response.json()).not.toHaveProperty('supported_reasoning_efforts')
    const wrong = await gateway.request('GET', `${path}?include_reasoning_capabilities=maybe`)
    expect([wrong.status, ((await wrong.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'invalid_query_parameter',
    ])
  })

  test('follow a change of the provider at once', async () => {
    const provider = `/providers/${gateway.upProviderId}`
    await gateway.operate('PATCH', provider, { reasoning: taking('low') })
    const changed = await effortsOf('?include_reasoning_capabilities=true')
    expect([changed['plain'], changed['one-unknown']]).toEqual([['low'], ['low']])
    expect(changed['thinker']).toEqual(['none', 'low', 'max'])
    await gateway.operate('PATCH', provider, { reasoning: null })
    expect((await effortsOf('?include_reasoning_capabilities=true'))['plain']).toBeUndefined()
  })
})

describe('available_for_realtime', () => {
  test('parts the models with a real-time deny rule from all others; a redirect is no denial', async () => {
    const all = (await listed()).map(({ id }) => id)
    expect((await listed('?available_for_realtime=false')).map(({ id }) => id)).toEqual(['denied'])
    const open = (await listed('?available_for_realtime=true')).map(({ id }) => id)
    expect(open).toEqual(all.filter((id) => id !== 'denied'))
    expect(open).toContain('redirected')
  })

  test('follows the rule at once', async () => {
    const { id } = gateway.models.plain
    await gateway.operate('PATCH', `/models/${id}`, { rules: { realtime: { action: 'deny' } } })
    expect((await listed('?available_for_realtime=false')).map((model) => model.id)).toEqual(['denied', 'plain'])
    await gateway.operate('PATCH', `/models/${id}`, { rules: {} })
    expect((await listed('?available_for_realtime=false')).map((model) => model.id)).toEqual(['denied'])
  })
})

test('a composite is owned by sluice', async () => {
  expect((await listed()).find(({ id }) => id === 'both')).toMatchObject({ owned_by: 'sluice' })
})
