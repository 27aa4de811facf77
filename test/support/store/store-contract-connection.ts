import { expect } from 'bun:test'
import { NameTaken, StoreUnavailable } from '#store/errors.ts'
import { rejection, type StoreTest } from './store-test.ts'
import { aModel, aProvider, aUser } from './store-records.ts'

/** What holds for the connection as a whole. */
export function connectionContract(storeTest: StoreTest): void {
  storeTest('an open store answers a ping', async (store) => {
    await store.ping()
  })

  storeTest('a closed store says that it is unavailable, and closing twice does no harm', async (store) => {
    await store.close()
    await store.close()
    expect(await rejection(store.ping())).toBeInstanceOf(StoreUnavailable)
    expect(await rejection(store.users.all())).toBeInstanceOf(StoreUnavailable)
    expect(await rejection(store.users.insert(aUser(), null))).toBeInstanceOf(StoreUnavailable)
    expect(await rejection(store.models.all())).toBeInstanceOf(StoreUnavailable)
    expect(await rejection(store.models.insert(aModel(crypto.randomUUID())))).toBeInstanceOf(StoreUnavailable)
  })

  storeTest('a write that is refused takes none of the writes beside it back', async (store) => {
    const provider = aProvider()
    await store.providers.insert(provider)
    await store.models.insert(aModel(provider.id, { name: 'gpt' }))
    const people = Array.from({ length: 40 }, () => aUser())
    const refused: Promise<unknown>[] = []
    const stored: Promise<void>[] = []
    for (const user of people) {
      refused.push(rejection(store.models.insert(aModel(provider.id, { aliases: ['other', 'gpt'] }))))
      stored.push(store.users.insert(user, null))
    }
    await Promise.all(stored)
    for (const reason of await Promise.all(refused)) expect(reason).toBeInstanceOf(NameTaken)
    expect(await store.users.all()).toEqual(people)
    expect(await store.models.all()).toHaveLength(1)
  })

  storeTest('texts of any language and any SQL are stored as they are', async ({ users }) => {
    const ada = aUser({ name: `Ада 𝓐 "quoted" 'single' ; drop table users; -- \\ % _ \n\t` })
    await users.insert(ada, null)
    expect(await users.get(ada.id)).toEqual(ada)
  })
}
