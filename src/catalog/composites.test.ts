import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { efforts } from '#config/declared/routing-forms.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aComposite, aModel, aProvider, aUser } from '#test/support/store/store-records.ts'
import { Catalog, type Model } from './catalog.ts'
import type { Effort, ModelRecord, ReasoningConfig } from './records.ts'

const [on, off] = [aProvider({ name: 'on' }), aProvider({ name: 'off', enabled: false })]

function modelOf(name: string, records: readonly ModelRecord[]): Model {
  const catalog = new Catalog({ providers: [on, off], models: records, inflightOverrides: [] })
  return catalog.models.find(({ record }) => record.name === name)!
}

function upstreamNames({ upstreams }: Model): readonly string[] {
  return upstreams.map(({ model }) => model.name)
}

/** What takes these efforts, as words. */
function taking(...listed: readonly Effort[]): ReasoningConfig {
  const values = Object.fromEntries(listed.map((effort) => [effort, effort]))
  return { efforts: listed, writes: [{ pointer: '/reasoning_effort', values }] }
}

describe('a composite', () => {
  const plain = aModel(on.id, { name: 'plain' })
  const inactive = aModel(on.id, { name: 'inactive', active: false })
  const onDisabled = aModel(off.id, { name: 'on-disabled' })
  const all = [plain, inactive, onDisabled]

  test('has those upstreams that can serve, with the weight and priority that it gives them', () => {
    const components = [
      { modelId: onDisabled.id, weight: 1, priority: 0, enabled: true },
      { modelId: plain.id, weight: 7, priority: 3, enabled: true },
      { modelId: inactive.id, weight: 1, priority: 0, enabled: true },
    ]
    const composite = aComposite([], { components, strategy: 'latency', failover: { maxAttempts: 2 } }, { name: 'all' })
    const model = modelOf('all', [composite, ...all])
    expect(model).toMatchObject({ ownedBy: 'sluice', strategy: 'latency', failover: { maxAttempts: 2 } })
    expect(model.upstreams).toEqual([
      {
        id: plain.id,
        model: plain,
        provider: on,
        upstreamName: 'upstream-model',
        weight: 7,
        priority: 3,
        reasoning: null,
        prices: [],
        caps: [],
      },
    ])
  })

  test('without a component that can serve is still listed', () => {
    const composite = aComposite([plain.id], {}, { name: 'none' })
    const components = [{ modelId: plain.id, weight: 1, priority: 0, enabled: false }]
    const disabled = { ...composite, target: { ...aComposite([], { components }).target } }
    expect(upstreamNames(modelOf('none', [composite, plain]))).toEqual(['plain'])
    expect(upstreamNames(modelOf('none', [disabled, plain]))).toEqual([])
  })

  test('has an access of its own, whatever its components are', () => {
    const user = aUser()
    const by: Caller = { account: { user, groupIds: new Set([everyoneGroupId]) }, key: null }
    const closed = aModel(on.id, { name: 'closed', groupIds: [] })
    const composite = aComposite([closed.id], {}, { name: 'open', groupIds: [everyoneGroupId] })
    const catalog = new Catalog({ providers: [on], models: [closed, composite], inflightOverrides: [] })
    expect(catalog.resolve('open', by).kind).toBe('found')
    expect(catalog.resolve('closed', by).kind).toBe('forbidden')
    expect(catalog.resolveId(composite.id, by).kind).toBe('found')
    expect(catalog.resolveId(closed.id, by).kind).toBe('forbidden')
    expect(catalog.resolveId(crypto.randomUUID(), by).kind).toBe('unknown')
  })
})

test('a plain model has one upstream, and none while its provider is disabled', () => {
  const records = [aModel(on.id, { name: 'a' }), aModel(off.id, { name: 'b' })]
  expect(modelOf('a', records)).toMatchObject({ ownedBy: 'on', upstreams: [{ model: records[0], provider: on }] })
  expect(modelOf('b', records)).toMatchObject({ ownedBy: 'off', upstreams: [] })
})

describe('reasoning', () => {
  test('of a model is its own, else its provider’s, else the preset of the vendor’s model', () => {
    const vendor = aProvider({ baseUrl: 'https://api.openai.com/v1' })
    const generous = { ...vendor, id: crypto.randomUUID(), reasoning: taking('low', 'max') }
    const target = (providerId: string) => ({ kind: 'plain', providerId, upstreamName: 'o3' }) as const
    const models = [
      aModel(vendor.id, { name: 'a', target: target(vendor.id) }),
      aModel(vendor.id, { name: 'b', target: target(generous.id) }),
      aModel(vendor.id, { name: 'c', target: target(generous.id), reasoning: { efforts: [], writes: [] } }),
      aModel(vendor.id, { name: 'd' }),
    ]
    const catalog = new Catalog({ providers: [vendor, generous], models, inflightOverrides: [] })
    expect(catalog.models.map(({ supportedEfforts }) => supportedEfforts)).toEqual([
      ['low', 'medium', 'high'],
      ['low', 'max'],
      [],
      null,
    ])
  })

  test('of a composite is what all its enabled components take, and unknown when it is of one of them', () => {
    const subset = fc.subarray([...efforts])
    const component = fc.record({ efforts: fc.option(subset), enabled: fc.boolean(), disabledProvider: fc.boolean() })
    fc.assert(
      fc.property(fc.array(component, { maxLength: 6 }), (made) => {
        const records = made.map(({ efforts: own, disabledProvider }) =>
          aModel(disabledProvider ? off.id : on.id, { reasoning: own === null ? null : taking(...own) }),
        )
        const components = records.map(({ id }, index) => ({
          modelId: id,
          weight: 1,
          priority: 0,
          enabled: made[index]!.enabled,
        }))
        const composite = aComposite([], { components }, { name: 'composite' })
        const { supportedEfforts } = modelOf('composite', [...records, composite])
        const enabled = made.filter((each) => each.enabled)
        const isKnown = enabled.length > 0 && enabled.every((each) => each.efforts !== null)
        const common = efforts.filter((effort) => enabled.every((each) => each.efforts?.includes(effort)))
        expect(supportedEfforts).toEqual(isKnown ? common : null)
      }),
    )
  })
})
