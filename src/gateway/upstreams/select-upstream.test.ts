import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Catalog, type Model } from '#catalog/catalog.ts'
import type { Strategy } from '#catalog/records.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { PrefixAffinity } from './affinity.ts'
import { selectUpstream } from './select-upstream.ts'
import { UpstreamHealth } from './upstream-health.ts'

interface Component {
  readonly weight?: number
  readonly priority?: number
}

function composite(strategy: Strategy, components: readonly Component[]): Model {
  const provider = aProvider()
  const parts = components.map((_, index) => aModel(provider.id, { name: `part-${index}` }))
  const record = aModel(provider.id, {
    name: 'composite',
    target: {
      kind: 'composite',
      strategy,
      failover: {},
      components: components.map(({ weight = 1, priority = 0 }, index) => ({
        modelId: parts[index]!.id,
        weight,
        priority,
        enabled: true,
      })),
    },
  })
  const catalog = new Catalog({ providers: [provider], models: [...parts, record], inflightOverrides: [] })
  return catalog.models.find((model) => model.record.name === 'composite')!
}

interface Rig {
  readonly model: Model
  readonly clock: ManualClock
  readonly health: UpstreamHealth
  /** Index of the upstream that is chosen. */
  readonly choose: (tried?: readonly number[], random?: number) => number | null
  readonly load: (index: number, count: number) => void
  readonly eject: (index: number) => void
  readonly answers: (index: number, firstByteMs: number) => void
}

function rig(strategy: Strategy, components: readonly Component[]): Rig {
  const model = composite(strategy, components)
  const clock = new ManualClock()
  const health = new UpstreamHealth(() => ({ failuresToEject: 1, ejectionMs: 1000, ejectionMaxMs: 9000 }), clock)
  const affinity = new PrefixAffinity()
  const id = (index: number): string => model.upstreams[index]!.model.id
  return {
    model,
    clock,
    health,
    choose(tried = [], random = 0) {
      const without = new Set<Upstream>(tried.map((index) => model.upstreams[index]!))
      const chosen = selectUpstream(model, without, { health, affinity, random: () => random })
      return chosen === null ? null : model.upstreams.indexOf(chosen)
    },
    load(index, count) {
      for (let each = 0; each < count; each += 1) health.begin(id(index))
    },
    eject(index) {
      using attempt = health.begin(id(index))
      attempt.failed()
    },
    answers(index, firstByteMs) {
      using attempt = health.begin(id(index))
      attempt.succeeded(firstByteMs)
    },
  }
}

describe('weighted', () => {
  test('chooses the one with the fewest requests in flight for its weight', () => {
    const { choose, load } = rig('weighted', [{ weight: 1 }, { weight: 4 }])
    load(0, 1)
    load(1, 3)
    expect(choose()).toBe(1)
    load(1, 2)
    expect(choose()).toBe(0)
  })

  test('spreads requests that come one after the other by weight', () => {
    const { choose } = rig('weighted', [{ weight: 1 }, { weight: 3 }])
    const chosen = Array.from({ length: 100 }, (_, index) => choose([], index / 100))
    expect(chosen.filter((index) => index === 0)).toHaveLength(25)
  })

  test('keeps requests that run at once in proportion to the weights', () => {
    const weights = [1, 2, 5]
    const { choose, load, health, model } = rig(
      'weighted',
      weights.map((weight) => ({ weight })),
    )
    for (let index = 0; index < 80; index += 1) load(choose([], (index * 0.37) % 1)!, 1)
    expect(model.upstreams.map((upstream) => health.inFlight(upstream.model.id))).toEqual([10, 20, 50])
  })
})

describe('priority', () => {
  test('chooses the lowest that is usable, and among equals the least loaded', () => {
    const { choose, eject, load } = rig('priority', [{ priority: 2 }, { priority: 1 }, { priority: 1 }])
    load(1, 1)
    expect(choose()).toBe(2)
    expect(choose([2])).toBe(1)
    expect(choose([1, 2])).toBe(0)
    eject(1)
    eject(2)
    expect(choose()).toBe(0)
  })
})

describe('latency', () => {
  test('of two at random takes the one that is faster for its load', () => {
    const { answers, choose, load } = rig('latency', [{}, {}])
    answers(0, 100)
    answers(1, 10)
    for (const random of [0, 0.4, 0.6, 0.99]) expect(choose([], random)).toBe(1)
    load(1, 20)
    for (const random of [0, 0.4, 0.6, 0.99]) expect(choose([], random)).toBe(0)
  })

  test('tries one without any measurement', () => {
    const { answers, choose } = rig('latency', [{}, {}])
    answers(0, 10)
    expect([choose([], 0), choose([], 0.9)]).toEqual([1, 1])
  })

  test('never takes the slowest of three', () => {
    const { answers, choose } = rig('latency', [{}, {}, {}])
    for (const [index, ms] of [10, 20, 900].entries()) answers(index, ms)
    for (let random = 0; random < 1; random += 0.05) expect(choose([], random)).not.toBe(2)
  })
})

const strategies: readonly Strategy[] = ['weighted', 'priority', 'latency', 'affinity']
for (const strategy of strategies) {
  describe(`whatever the strategy (${strategy})`, () => {
    test('one that was tried is not chosen, and in the end there is none', () => {
      const { choose } = rig(strategy, [{}, {}, {}])
      fc.assert(
        fc.property(fc.subarray([0, 1, 2]), fc.double({ min: 0, max: 0.999, noNaN: true }), (tried, random) => {
          const chosen = choose(tried, random)
          expect(chosen === null).toBe(tried.length === 3)
          if (chosen !== null) expect(tried).not.toContain(chosen)
        }),
      )
    })

    test('one that is left out is not chosen while another can be', () => {
      const { choose, eject, clock } = rig(strategy, [{}, {}, {}])
      eject(0)
      clock.advance(100)
      eject(1)
      for (const random of [0, 0.5, 0.99]) expect(choose([], random)).toBe(2)
      expect(choose([2])).toBe(0)
      expect(choose([0, 2])).toBe(1)
    })
  })
}

test('an upstream that is alone is chosen again although it was tried or left out', () => {
  const { choose, eject } = rig('weighted', [{}])
  eject(0)
  expect([choose(), choose([0])]).toEqual([0, 0])
  expect(rig('weighted', []).choose()).toBeNull()
})
