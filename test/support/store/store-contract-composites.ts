import { expect } from 'bun:test'
import type { ModelRecord, ModelTarget } from '#catalog/records.ts'
import { InUse, Missing, NameTaken, NotPlain } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import { aComposite, aModel, aProvider } from './store-records.ts'
import { rejection, type StoreTest } from './store-test.ts'

async function plainModels(store: Store, count: number): Promise<readonly ModelRecord[]> {
  const provider = aProvider()
  await store.providers.insert(provider)
  const models = Array.from({ length: count }, () => aModel(provider.id))
  for (const model of models) await store.models.insert(model)
  return models
}

function idsOf(models: readonly ModelRecord[]): readonly string[] {
  return models.map(({ id }) => id)
}

/** Composite models and their components. */
export function compositeContract(storeTest: StoreTest): void {
  shapeContract(storeTest)
  refusalContract(storeTest)
}

function shapeContract(storeTest: StoreTest): void {
  storeTest('a composite comes back as it was stored, its components in their order', async (store) => {
    const plain = await plainModels(store, 3)
    const components = plain.toReversed().map(({ id }, index) => ({
      modelId: id,
      weight: index + 1,
      priority: 10 - index,
      enabled: index !== 1,
    }))
    const failover = { statuses: [429, 500], maxAttempts: 2, budgetSeconds: 0.5 }
    const composite = aComposite([], { strategy: 'latency', components, failover }, { name: 'all', aliases: ['any'] })
    await store.models.insert(composite)
    expect(await store.models.get(composite.id)).toEqual(composite)
    expect(await store.models.byName('any')).toEqual(composite)
    expect(await store.models.all()).toEqual([...plain, composite])
  })

  storeTest('components are replaced whole, and kept by a change of something else', async (store) => {
    const [one, two, three] = idsOf(await plainModels(store, 3)) as [string, string, string]
    const composite = aComposite([one, two])
    await store.models.insert(composite)
    expect(await store.models.update(composite.id, { description: 'x' })).toEqual({ ...composite, description: 'x' })
    const { target } = aComposite([three, one], { strategy: 'priority' })
    expect(await store.models.update(composite.id, { target })).toEqual({ ...composite, description: 'x', target })
    expect(await store.models.delete(two)).toBe(true)
  })

  storeTest('a plain model can become a composite and be plain again', async (store) => {
    const [one, two] = (await plainModels(store, 2)) as [ModelRecord, ModelRecord]
    const { target } = aComposite([two.id])
    expect((await store.models.update(one.id, { target }))?.target).toEqual(target)
    expect(await store.models.update(one.id, { target: one.target })).toEqual(one)
    expect(await store.models.delete(two.id)).toBe(true)
  })

  storeTest('a composite goes with its list of components, which stay', async (store) => {
    const plain = await plainModels(store, 2)
    const composite = aComposite(idsOf(plain))
    await store.models.insert(composite)
    expect(await store.models.delete(composite.id)).toBe(true)
    expect(await store.models.all()).toEqual(plain)
    for (const { id } of plain) expect(await store.models.delete(id)).toBe(true)
  })
}

function refusalContract(storeTest: StoreTest): void {
  storeTest('a model cannot be deleted while it is a component', async (store) => {
    const [one] = idsOf(await plainModels(store, 1)) as [string]
    await store.models.insert(aComposite([one]))
    expect(await rejection(store.models.delete(one))).toBeInstanceOf(InUse)
    expect(await store.models.get(one)).not.toBeNull()
  })

  storeTest('a composite cannot stand in a composite, whichever was there first', async (store) => {
    const [one, two] = (await plainModels(store, 2)) as [ModelRecord, ModelRecord]
    const inner = aComposite([one.id])
    await store.models.insert(inner)
    expect(await rejection(store.models.insert(aComposite([two.id, inner.id])))).toBeInstanceOf(NotPlain)
    const becoming = (id: string, target: ModelTarget) => rejection(store.models.update(id, { target }))
    expect(await becoming(one.id, aComposite([two.id]).target)).toBeInstanceOf(NotPlain)
    expect(await becoming(two.id, aComposite([two.id]).target)).toBeInstanceOf(NotPlain)
    expect(await store.models.all()).toEqual([one, two, inner])
  })

  storeTest('a component that does not exist is refused and leaves nothing behind', async (store) => {
    const [one] = (await plainModels(store, 1)) as [ModelRecord]
    const missing = store.models.insert(aComposite([one.id, crypto.randomUUID()]))
    expect(await rejection(missing)).toBeInstanceOf(Missing)
    const taken = store.models.insert(aComposite([one.id], {}, { name: one.name }))
    expect(await rejection(taken)).toBeInstanceOf(NameTaken)
    expect(await store.models.all()).toEqual([one])
  })

  storeTest('of a model becoming a composite and a composite of it only one succeeds', async (store) => {
    const [one, two] = (await plainModels(store, 2)) as [ModelRecord, ModelRecord]
    const results = await Promise.allSettled([
      store.models.update(one.id, { target: aComposite([two.id]).target }),
      store.models.insert(aComposite([one.id])),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(NotPlain)
  })
}
