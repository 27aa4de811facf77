import { expect } from 'bun:test'
import type { ModelRecord } from '#catalog/records.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import { InUse, Missing, NameTaken } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import { compositeContract } from './store-contract-composites.ts'
import { allPages, rejection, type StoreTest } from './store-test.ts'
import { aGroup, aModel, aProvider, aUser } from './store-records.ts'

/** Providers, models, in-flight overrides and settings. */
export function catalogContract(storeTest: StoreTest): void {
  providerContract(storeTest)
  modelContract(storeTest)
  modelNameContract(storeTest)
  modelChangeContract(storeTest)
  compositeContract(storeTest)
  overrideContract(storeTest)
  settingContract(storeTest)
}

function providerContract(storeTest: StoreTest): void {
  storeTest('a provider comes back as it was stored, its credential and headers readable', async ({ providers }) => {
    const provider = aProvider({
      headers: { authorization: 'Basic secret', 'x-ünïcode': '✓' },
      options: { region: 'eu-central-1', session_token: 'secret', settings: { list: [1, null, 'ü'] } },
      reasoning: { efforts: ['low'], writes: [{ pointer: '/reasoning_effort', values: { low: 'low' } }] },
      servers: { urls: ['http://10.0.0.2:8000/v1'], dns: 'srv', strategy: 'latency' },
    })
    const plain = aProvider({
      credential: null,
      headers: {},
      timeouts: {},
      baseUrl: '',
      enabled: false,
      declared: true,
    })
    await providers.insert(provider)
    await providers.insert(plain)
    const found = await providers.get(provider.id)
    expect(found).toEqual(provider)
    expect(found?.credential?.reveal()).toBe(`credential of ${provider.id}`)
    expect(await providers.byName(plain.name)).toEqual(plain)
    expect((await providers.get(plain.id))?.credential).toBeNull()
    expect((await providers.all()).map(({ id }) => id)).toEqual([provider.id, plain.id])
    expect(await allPages((cursor) => providers.list({ cursor, limit: 1 }))).toHaveLength(2)
    expect(await providers.byName('unknown')).toBeNull()
  })

  storeTest('a provider’s credential can be replaced and removed without touching the rest', async ({ providers }) => {
    const provider = aProvider()
    await providers.insert(provider)
    const replaced = await providers.update(provider.id, { credential: new Secret('new') })
    expect(replaced?.credential?.reveal()).toBe('new')
    const removed = await providers.update(provider.id, { credential: null })
    expect(removed).toEqual({ ...provider, credential: null })
    expect(await providers.update(provider.id, {})).toEqual({ ...provider, credential: null })
    const reasoning = { efforts: [], writes: [] }
    const extended = { ...provider, credential: null, options: { package: 'x' }, reasoning }
    expect(await providers.update(provider.id, { options: { package: 'x' }, reasoning })).toEqual(extended)
    expect(await providers.update(provider.id, { reasoning: null })).toEqual({ ...extended, reasoning: null })
    expect(await providers.update(crypto.randomUUID(), { enabled: false })).toBeNull()
  })

  storeTest('a provider’s name is unique', async ({ providers }) => {
    const [one, two] = [aProvider({ name: 'one' }), aProvider({ name: 'two' })]
    await providers.insert(one)
    await providers.insert(two)
    expect(await rejection(providers.insert(aProvider({ name: 'one' })))).toBeInstanceOf(NameTaken)
    expect(await rejection(providers.update(two.id, { name: 'one' }))).toBeInstanceOf(NameTaken)
  })

  storeTest('a provider with models cannot be deleted, and one without can', async ({ providers, models }) => {
    const provider = aProvider()
    await providers.insert(provider)
    const model = aModel(provider.id)
    await models.insert(model)
    expect(await rejection(providers.delete(provider.id))).toBeInstanceOf(InUse)
    await models.delete(model.id)
    expect(await providers.delete(provider.id)).toBe(true)
    expect(await providers.delete(provider.id)).toBe(false)
  })
}

async function withProvider(store: Store): Promise<string> {
  const provider = aProvider()
  await store.providers.insert(provider)
  return provider.id
}

function providerOf({ target }: ModelRecord): string {
  if (target.kind !== 'plain') throw new Error('The model is a composite.')
  return target.providerId
}

function modelContract(storeTest: StoreTest): void {
  storeTest('a model comes back as it was stored', async (store) => {
    const group = aGroup()
    await store.groups.insert(group)
    const providerId = await withProvider(store)
    const full = aModel(providerId, {
      name: 'openai/gpt "4o"',
      aliases: ['a,b', 'fast', 'ünï'],
      description: 'A model.',
      contextLength: 1_000_000,
      capabilities: { endpoints: ['chat/completions'], input: ['text'], tools: true },
      groupIds: [everyoneGroupId, group.id],
      inflightLimit: 3,
      timeouts: { idleSeconds: 5 },
      rules: { realtime: { action: 'deny' }, batch: { action: 'redirect', modelId: group.id } },
      reasoning: {
        efforts: ['none', 'high'],
        writes: [{ pointer: '/thinking', values: { none: { type: 'disabled' }, high: { budget_tokens: 1024 } } }],
      },
      declared: true,
    })
    const bare = aModel(providerId, { active: false })
    await store.models.insert(full)
    await store.models.insert(bare)
    expect(await store.models.get(full.id)).toEqual(full)
    expect(await store.models.all()).toEqual([full, bare])
    expect(await allPages((cursor) => store.models.list({ cursor, limit: 1 }))).toEqual([full, bare])
    expect(await store.models.get(crypto.randomUUID())).toBeNull()
  })

  storeTest('models can be listed by provider', async (store) => {
    const [one, two] = [await withProvider(store), await withProvider(store)]
    const mine = aModel(one)
    await store.models.insert(mine)
    await store.models.insert(aModel(two))
    expect((await store.models.list({ providerId: one, limit: 10 })).items).toEqual([mine])
  })

  storeTest('a model is found by its name and each alias, in their exact case', async (store) => {
    const model = aModel(await withProvider(store), { name: 'GPT', aliases: ['fast'] })
    await store.models.insert(model)
    expect((await store.models.byName('GPT'))?.id).toBe(model.id)
    expect((await store.models.byName('fast'))?.id).toBe(model.id)
    expect(await store.models.byName('gpt')).toBeNull()
    expect(await store.models.byName('Fast')).toBeNull()
  })

  storeTest('a model refers to a provider and groups that exist', async (store) => {
    const providerId = await withProvider(store)
    expect(await rejection(store.models.insert(aModel(crypto.randomUUID())))).toBeInstanceOf(Missing)
    const model = aModel(providerId, { groupIds: [crypto.randomUUID()] })
    expect(await rejection(store.models.insert(model))).toBeInstanceOf(Missing)
    expect(await store.models.all()).toEqual([])
  })

  storeTest('deleting a model frees its names and removes its limits', async (store) => {
    const model = aModel(await withProvider(store), { name: 'gpt', aliases: ['fast'] })
    const user = aUser()
    await store.users.insert(user, null)
    await store.models.insert(model)
    await store.inflightOverrides.set({ userId: user.id, modelId: model.id, inflightLimit: 1 })
    expect(await store.models.delete(model.id)).toBe(true)
    expect(await store.models.delete(model.id)).toBe(false)
    expect(await store.inflightOverrides.all()).toEqual([])
    await store.models.insert(aModel(providerOf(model), { name: 'fast', aliases: ['gpt'] }))
  })

  storeTest('deleting a group takes it off its models', async (store) => {
    const group = aGroup()
    await store.groups.insert(group)
    const model = aModel(await withProvider(store), { groupIds: [everyoneGroupId, group.id] })
    await store.models.insert(model)
    await store.groups.delete(group.id)
    expect((await store.models.get(model.id))?.groupIds).toEqual([everyoneGroupId])
  })
}

function modelNameContract(storeTest: StoreTest): void {
  const clashes = [
    { what: 'a name that is a name', names: { name: 'gpt', aliases: ['new'] }, taken: 'gpt' },
    { what: 'a name that is an alias', names: { name: 'fast', aliases: ['new'] }, taken: 'fast' },
    { what: 'an alias that is a name', names: { name: 'new', aliases: ['gpt'] }, taken: 'gpt' },
    { what: 'an alias that is an alias', names: { name: 'new', aliases: ['new2', 'fast'] }, taken: 'fast' },
    { what: 'an alias that is its own name', names: { name: 'new', aliases: ['new'] }, taken: 'new' },
    { what: 'the same alias twice', names: { name: 'other', aliases: ['new', 'new'] }, taken: 'new' },
  ]
  for (const { what, names, taken } of clashes) {
    storeTest(`${what} is refused by name, and leaves nothing behind`, async (store) => {
      const model = aModel(await withProvider(store), { name: 'gpt', aliases: ['fast'] })
      await store.models.insert(model)
      const second = aModel(providerOf(model), names)
      const refused = await rejection(store.models.insert(second))
      expect(refused).toBeInstanceOf(NameTaken)
      expect((refused as NameTaken).taken).toBe(taken)
      expect(await store.models.all()).toEqual([model])
      expect(await store.models.byName('new')).toBeNull()

      const third = aModel(providerOf(model), { name: 'third', groupIds: [everyoneGroupId] })
      await store.models.insert(third)
      const update = store.models.update(third.id, { ...names, groupIds: [], description: 'changed' })
      expect(((await rejection(update)) as NameTaken).taken).toBe(taken)
      expect(await store.models.get(third.id)).toEqual(third)
    })
  }

  storeTest('of many models that take one name at the same time exactly one gets it', async (store) => {
    const providerId = await withProvider(store)
    const attempts = Array.from({ length: 8 }, (_attempt, index) =>
      store.models.insert(aModel(providerId, index % 2 === 0 ? { name: 'gpt' } : { aliases: ['gpt'] })),
    )
    const results = await Promise.allSettled(attempts)
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(7)
    for (const { reason } of refused) expect((reason as NameTaken).taken).toBe('gpt')
    expect(await store.models.all()).toHaveLength(1)
  })
}

function modelChangeContract(storeTest: StoreTest): void {
  storeTest('an update changes what it names and nothing else', async (store) => {
    const model = aModel(await withProvider(store), {
      aliases: ['a', 'b'],
      groupIds: [everyoneGroupId],
      inflightLimit: 2,
    })
    await store.models.insert(model)
    expect(await store.models.update(model.id, { inflightLimit: null })).toEqual({ ...model, inflightLimit: null })
    const renamed = { ...model, inflightLimit: null, name: 'renamed' }
    expect(await store.models.update(model.id, { name: 'renamed' })).toEqual(renamed)
    expect(await store.models.byName(model.name)).toBeNull()
    expect(await store.models.update(model.id, { aliases: ['c'], groupIds: [] })).toEqual({
      ...renamed,
      aliases: ['c'],
      groupIds: [],
    })
    expect(await store.models.update(model.id, {})).toEqual({ ...renamed, aliases: ['c'], groupIds: [] })
    expect(await store.models.update(crypto.randomUUID(), { name: 'x' })).toBeNull()
  })

  storeTest('a model’s name and alias can change places', async (store) => {
    const model = aModel(await withProvider(store), { name: 'gpt', aliases: ['fast'] })
    await store.models.insert(model)
    const swapped = await store.models.update(model.id, { name: 'fast', aliases: ['gpt'] })
    expect(swapped).toEqual({ ...model, name: 'fast', aliases: ['gpt'] })
  })

  storeTest('a rename onto a kept alias is refused', async (store) => {
    const model = aModel(await withProvider(store), { name: 'gpt', aliases: ['fast'] })
    await store.models.insert(model)
    expect(await rejection(store.models.update(model.id, { name: 'fast' }))).toBeInstanceOf(NameTaken)
    expect(await store.models.get(model.id)).toEqual(model)
  })

  storeTest('an update that names an unknown group or provider changes nothing', async (store) => {
    const model = aModel(await withProvider(store), { aliases: ['a'] })
    await store.models.insert(model)
    const unknown = crypto.randomUUID()
    const badGroup = store.models.update(model.id, { aliases: ['b'], groupIds: [unknown] })
    expect(await rejection(badGroup)).toBeInstanceOf(Missing)
    expect(
      await rejection(
        store.models.update(model.id, { target: { kind: 'plain', providerId: unknown, upstreamName: 'x' } }),
      ),
    ).toBeInstanceOf(Missing)
    expect(await store.models.get(model.id)).toEqual(model)
  })

  storeTest('changes of one model at the same time all succeed, one after the other', async (store) => {
    const model = aModel(await withProvider(store), { name: 'gpt', aliases: ['a'] })
    await store.models.insert(model)
    const changes = Array.from({ length: 6 }, (_change, index) =>
      store.models.update(model.id, { aliases: ['a', `b${index}`], groupIds: [everyoneGroupId] }),
    )
    await Promise.all(changes)
    const { aliases, name, groupIds } = (await store.models.get(model.id))!
    expect(aliases).toEqual(['a', expect.stringMatching(/^b[0-5]$/)])
    expect(name).toBe('gpt')
    expect(groupIds).toEqual([everyoneGroupId])
  })
}

function overrideContract(storeTest: StoreTest): void {
  storeTest('a limit of a user for a model is set, replaced, listed and removed', async (store) => {
    const [ada, bob] = [aUser(), aUser()]
    await store.users.insert(ada, null)
    await store.users.insert(bob, null)
    const providerId = await withProvider(store)
    const [one, two] = [aModel(providerId), aModel(providerId)]
    await store.models.insert(one)
    await store.models.insert(two)
    const { inflightOverrides } = store
    await inflightOverrides.set({ userId: ada.id, modelId: one.id, inflightLimit: 1 })
    await inflightOverrides.set({ userId: ada.id, modelId: one.id, inflightLimit: 2 })
    await inflightOverrides.set({ userId: bob.id, modelId: two.id, inflightLimit: 3 })
    expect(await inflightOverrides.all()).toHaveLength(2)
    expect(await inflightOverrides.listOfModel(one.id)).toEqual([{ userId: ada.id, modelId: one.id, inflightLimit: 2 }])
    expect(await inflightOverrides.delete(ada.id, one.id)).toBe(true)
    expect(await inflightOverrides.delete(ada.id, one.id)).toBe(false)
    const unknown = { userId: crypto.randomUUID(), modelId: one.id, inflightLimit: 1 }
    expect(await rejection(inflightOverrides.set(unknown))).toBeInstanceOf(Missing)
  })
}

function settingContract(storeTest: StoreTest): void {
  storeTest('settings of every JSON type come back as they were set', async ({ settings }) => {
    const values: [string, unknown][] = [
      ['a.boolean', true],
      ['a.list', ['x', 'y']],
      ['a.null', null],
      ['a.number', 1.5],
      ['a.text', 'true'],
    ]
    for (const [name, value] of values) await settings.set(name, value, 1)
    expect(await settings.all()).toEqual(new Map(values))
    await settings.set('a.number', 2, 2)
    expect((await settings.all()).get('a.number')).toBe(2)
    expect(await settings.delete('a.number')).toBe(true)
    expect(await settings.delete('a.number')).toBe(false)
    expect((await settings.all()).has('a.number')).toBe(false)
  })
}
