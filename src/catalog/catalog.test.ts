import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aKey, aModel, aProvider, aUser } from '#test/support/store/store-records.ts'
import { Catalog } from './catalog.ts'

const provider = aProvider()

/** A caller in these groups, with a key limited to these models. */
function caller(groupIds: readonly string[], modelIds: readonly string[] | null = null): Caller {
  const user = aUser()
  const account = { user, groupIds: new Set([everyoneGroupId, ...groupIds]) }
  return { account, key: aKey(user.id, { scopes: { modelIds, areas: null } }) }
}

function catalogOf(...models: ReturnType<typeof aModel>[]): Catalog {
  return new Catalog({ providers: [provider], models, inflightOverrides: [] })
}

/** What a name leads to, in one word. */
function resolved(catalog: Catalog, name: string, by: Caller): string {
  const resolution = catalog.resolve(name, by)
  return resolution.kind === 'found' ? resolution.model.record.name : resolution.kind
}

function listed(catalog: Catalog, by: Caller): string[] {
  return catalog.listFor(by).map((model) => model.record.name)
}

describe('a name', () => {
  const open = { groupIds: [everyoneGroupId] }
  const catalog = catalogOf(
    aModel(provider.id, { name: 'large', aliases: ['gpt-4', 'meta/llama', 'Large'], ...open }),
    aModel(provider.id, { name: 'asleep', aliases: ['sleeper'], active: false, ...open }),
    aModel(crypto.randomUUID(), { name: 'orphan', ...open }),
  )

  test('leads to its model as does every alias, and the canonical name comes out', () => {
    for (const name of ['large', 'gpt-4', 'meta/llama', 'Large'])
      expect(resolved(catalog, name, caller([]))).toBe('large')
  })

  test('is exact: case, spaces, parts and what every object has are other names', () => {
    const others = ['LARGE', ' large', 'large ', 'larg', '', 'meta', 'constructor', '__proto__', 'toString']
    for (const name of others) expect(resolved(catalog, name, caller([]))).toBe('unknown')
  })

  test('of an inactive model, or of one whose provider is gone, is unknown and not listed', () => {
    for (const name of ['asleep', 'sleeper', 'orphan']) expect(resolved(catalog, name, caller([]))).toBe('unknown')
    expect(listed(catalog, caller([]))).toEqual(['large'])
    expect(catalog.models.map((model) => model.record.name)).toEqual(['large'])
  })
})

describe('access', () => {
  const model = aModel(provider.id, { name: 'closed', aliases: ['other'], groupIds: ['g1', 'g2'] })
  const nobodys = aModel(provider.id, { name: 'nobodys', groupIds: [] })
  const catalog = catalogOf(model, nobodys)

  test('takes one group in common, by the name and by every alias', () => {
    for (const name of ['closed', 'other']) {
      expect(resolved(catalog, name, caller(['g2', 'g3']))).toBe('closed')
      expect(resolved(catalog, name, caller(['g3']))).toBe('forbidden')
      expect(resolved(catalog, name, caller([]))).toBe('forbidden')
    }
  })

  test('to a model without groups has nobody, an administrator neither', () => {
    const by = caller(['g1', 'g2'])
    const admin = { ...by, account: { ...by.account, user: aUser({ role: 'admin' }) } }
    expect(resolved(catalog, 'nobodys', admin)).toBe('forbidden')
  })

  test('of a key with models is for those only, and only as far as its user has them', () => {
    expect(resolved(catalog, 'other', caller(['g1'], [model.id]))).toBe('closed')
    expect(resolved(catalog, 'closed', caller(['g1'], [nobodys.id]))).toBe('forbidden')
    expect(resolved(catalog, 'closed', caller(['g1'], []))).toBe('forbidden')
    expect(resolved(catalog, 'closed', caller(['g3'], [model.id]))).toBe('forbidden')
    expect(resolved(catalog, 'closed', { ...caller(['g1'], []), key: null })).toBe('closed')
  })

  test('to a model of a disabled provider stays, so that the caller learns what is wrong', () => {
    const off = aProvider({ enabled: false })
    const models = [aModel(off.id, { name: 'off', groupIds: [everyoneGroupId] })]
    const disabled = new Catalog({ providers: [off], models, inflightOverrides: [] })
    expect(resolved(disabled, 'off', caller([]))).toBe('off')
    expect(listed(disabled, caller([]))).toEqual(['off'])
  })
})

test('a model is listed exactly when it can be called, sorted by name', () => {
  const groups = fc.subarray([everyoneGroupId, 'g1', 'g2', 'g3'])
  const models = fc.array(fc.record({ groups, active: fc.boolean(), aliases: fc.nat(2), key: fc.nat(1_000_000) }), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(models, groups, fc.option(fc.array(fc.nat(9), { maxLength: 6 })), (made, own, scope) => {
      const records = made.map(({ groups: groupIds, active, aliases, key }, index) =>
        aModel(provider.id, {
          name: `${key}-${index}`,
          aliases: Array.from({ length: aliases }, (_, each) => `alias ${each} of ${index}`),
          groupIds,
          active,
        }),
      )
      const catalog = catalogOf(...records)
      const by = caller(own, scope?.flatMap((index) => records[index]?.id ?? []) ?? null)
      const callable = records.filter(({ name, aliases }) => {
        const found = [name, ...aliases].map((each) => resolved(catalog, each, by) === name)
        expect(new Set(found).size).toBe(1)
        return found[0]
      })
      expect(listed(catalog, by)).toEqual(callable.map(({ name }) => name).toSorted())
    }),
  )
})

test("an account's limit is its own for the model, else the model's, else the default", () => {
  const [own, default_] = [aModel(provider.id, { inflightLimit: 5 }), aModel(provider.id, { inflightLimit: null })]
  const by = caller([])
  const { id: userId } = by.account.user
  const limits = (overrides: readonly { modelId: string; inflightLimit: number }[]): number[] => {
    const inflightOverrides = overrides.map((override) => ({ userId, ...override }))
    const catalog = new Catalog({ providers: [provider], models: [own, default_], inflightOverrides })
    const limitOf = (id: string, account = by.account): number =>
      catalog.inflightLimit(
        account,
        catalog.models.find((model) => model.record.id === id)!,
        14,
      )
    return [limitOf(own.id), limitOf(default_.id), limitOf(own.id, caller([]).account)]
  }
  expect(limits([])).toEqual([5, 14, 5])
  expect(limits([{ modelId: own.id, inflightLimit: 0 }])).toEqual([0, 14, 5])
  expect(limits([{ modelId: default_.id, inflightLimit: 100 }])).toEqual([5, 100, 5])
})
