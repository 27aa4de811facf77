/** What would happen to the requests of a composite: shares, fallbacks and failures, with components down and all of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

interface Component {
  readonly model: string
  readonly state: string
  readonly is_down: boolean
  readonly chosen: number
  readonly served: number
  readonly rescued: number
  readonly failures: number
}

interface Forecast {
  readonly requests: number
  readonly failed: number
  readonly lost_ms: number
  readonly components: readonly Component[]
}

let app: AdminApp
const ids = new Map<string, string>()
beforeAll(async () => {
  app = await startAdminApp({ set: ['failover.max_attempts=2'] })
  const made = async (path: string, body: object): Promise<string> =>
    (await app.call<{ id: string }>('POST', path, { body })).body.id
  const practice = await made('/providers', { name: 'practice', kind: 'demo' })
  const nowhere = await made('/providers', { name: 'nowhere', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' })
  for (const name of ['a', 'b', 'c'])
    ids.set(name, await made('/models', { name, provider_id: practice, upstream_name: 'demo-chat' }))
  ids.set('gone', await made('/models', { name: 'gone', provider_id: nowhere }))
  ids.set('inactive', await made('/models', { name: 'inactive', provider_id: practice, active: false }))
})
afterAll(() => app[Symbol.asyncDispose]())

const strategies = ['weighted', 'priority', 'latency', 'affinity'] as const

/** @param components names with their weight and priority, in the order of the list */
async function simulated(
  strategy: (typeof strategies)[number],
  components: Readonly<Record<string, readonly [weight: number, priority: number]>>,
  down: readonly string[] = [],
): Promise<Forecast> {
  const listed = Object.entries(components).map(([model, [weight, priority]]) => ({ model, weight, priority }))
  const body = { composite: { strategy, components: listed }, down: down.map((name) => ids.get(name)) }
  const answer = await app.call<Forecast>('POST', '/composite-simulations', { body })
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body
}

const total = ({ components }: Forecast, of: 'chosen' | 'served' | 'failures' | 'rescued'): number =>
  components.reduce((sum, each) => sum + each[of], 0)

describe('a simulation', () => {
  test('accounts for every request with any number of components down, by every strategy', async () => {
    const down = [[], ['a'], ['a', 'b'], ['a', 'b', 'c']]
    for (const strategy of strategies)
      for (const some of down) {
        const forecast = await simulated(strategy, { a: [3, 0], b: [1, 1], c: [1, 2] }, some)
        const what = [strategy, some.length]
        expect([...what, total(forecast, 'chosen')]).toEqual([...what, 1000])
        expect([...what, total(forecast, 'served') + forecast.failed]).toEqual([...what, 1000])
        for (const { model, is_down: isDown, served, failures } of forecast.components)
          expect([...what, model, isDown, isDown ? served : failures]).toEqual([
            ...what,
            model,
            some.includes(model),
            0,
          ])
        // One try of another component is enough while one of two is left.
        if (some.length < 2) expect([...what, forecast.failed]).toEqual([...what, 0])
        if (some.length === 3) expect([...what, forecast.failed]).toEqual([...what, 1000])
        if (some.length === 1) expect(total(forecast, 'rescued')).toBe(total(forecast, 'failures'))
      }
  })

  test('shares by weight, and gives all to the first by priority until that is down', async () => {
    for (const weight of [1, 2, 4, 8]) {
      const [heavy, light] = (await simulated('weighted', { a: [weight, 0], b: [1, 0] })).components
      const share = (heavy?.served ?? 0) / ((heavy?.served ?? 0) + (light?.served ?? 0))
      expect(Math.abs(share - weight / (weight + 1))).toBeLessThan(0.05)
    }
    const served = async (down: readonly string[]) =>
      (await simulated('priority', { c: [1, 2], a: [1, 0], b: [1, 1] }, down)).components.map((each) => each.served)
    expect(await served([])).toEqual([0, 1000, 0])
    expect(await served(['a'])).toEqual([0, 0, 1000])
    expect(await served(['a', 'b'])).toEqual([expect.any(Number) as number, 0, 0])
  })

  test('has a component that is down ejected after a few failures, as a server has', async () => {
    const { components, lost_ms: lostMs } = await simulated('priority', { a: [1, 0], b: [1, 1] }, ['a'])
    const failures = components[0]?.failures ?? 0
    expect(failures).toBeGreaterThan(0)
    expect(failures).toBeLessThan(30)
    expect(components[1]?.rescued).toBe(failures)
    expect(lostMs).toBeGreaterThan(0)
  })

  test('has the same outcome each time, and changes nothing that is real', async () => {
    const question = () => simulated('latency', { a: [3, 0], b: [1, 1] }, ['a'])
    const before = await app.call('GET', '/audit')
    expect(await question()).toEqual(await question())
    expect((await app.call('GET', '/audit')).text).toBe(before.text)
    const health = await app.call<{ data: { state: string }[] }>('GET', `/models/${ids.get('a')}/health`)
    expect(health.body.data.map(({ state }) => state)).toEqual(['unknown'])
    expect((await app.call('GET', '/models?limit=200')).text).not.toContain('simulation')
  })

  test('begins with the health of now: what is ejected gets next to nothing, what is off nothing', async () => {
    const messages = [{ role: 'user', content: 'Hello' }]
    const state = async () => {
      await app.call('POST', '//ai/v1/chat/completions', { body: { model: 'gone', messages } })
      return (await app.call<{ data: { state: string }[] }>('GET', `/models/${ids.get('gone')}/health`)).body.data[0]
        ?.state
    }
    while ((await state()) !== 'out');
    const { components } = await simulated('priority', { gone: [1, 0], inactive: [1, 1], a: [1, 2] })
    expect(components.map(({ state: now, is_down: isDown }) => [now, isDown])).toEqual([
      ['out', true],
      ['off', false],
      ['unknown', false],
    ])
    const [gone, inactive, a] = components
    expect(gone?.chosen).toBeLessThan(10)
    expect([inactive?.chosen, a?.served]).toEqual([0, 1000])
  })

  test('refuses what is not a composite, and leaves the server to others', async () => {
    const refused = async (composite: unknown) =>
      (await app.call('POST', '/composite-simulations', { body: { composite } })).param
    expect(await refused({ components: [] })).toBe('composite.components')
    expect(await refused({ components: [{ model: 'nothing' }] })).toBe('composite.components.0.model')
    const [{ status }] = await Promise.all([
      app.call('GET', '/me'),
      ...Array.from({ length: 20 }, () => simulated('weighted', { a: [1, 0], b: [1, 0] }, ['a'])),
    ])
    expect(status).toBe(200)
  })
})
