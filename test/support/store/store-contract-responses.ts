import { expect } from 'bun:test'
import type { StoredResponse } from '#store/stored-responses.ts'
import type { StoreTest } from './store-test.ts'

function aResponse(fields: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id: `resp_${crypto.randomUUID()}`,
    userId: crypto.randomUUID(),
    providerId: crypto.randomUUID(),
    modelId: crypto.randomUUID(),
    usageDue: false,
    createdAt: 1_760_000_000_000,
    ...fields,
  }
}

/** Which provider holds an answer, and whose it is. */
export function responsesContract(storeTest: StoreTest): void {
  storeTest('answers come back as they were stored, by their id', async ({ responses }) => {
    const [one, two] = [aResponse({ usageDue: true }), aResponse()]
    await responses.putMany([one, two])
    expect(await responses.listOfId(one.id)).toEqual([one])
    expect(await responses.listOfId('resp_none')).toEqual([])
    await responses.putMany([])
  })

  storeTest('an id that two users have is two answers, and stored again it is replaced', async ({ responses }) => {
    const one = aResponse()
    const other = aResponse({ id: one.id })
    const moved = { ...one, providerId: crypto.randomUUID(), createdAt: one.createdAt + 1 }
    await responses.putMany([one, other])
    await responses.putMany([moved])
    const byUser = (a: StoredResponse, b: StoredResponse): number => (a.userId < b.userId ? -1 : 1)
    expect((await responses.listOfId(one.id)).toSorted(byUser)).toEqual([moved, other].toSorted(byUser))
    expect(await responses.delete(one)).toBe(true)
    expect(await responses.delete(one)).toBe(false)
    expect(await responses.listOfId(one.id)).toEqual([other])
  })

  storeTest('of any number of readers one counts the tokens of an answer', async ({ responses }) => {
    const [due, settled] = [aResponse({ usageDue: true }), aResponse()]
    await responses.putMany([due, settled])
    const taken = await Promise.all(Array.from({ length: 8 }, () => responses.takeUsage(due)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    for (const key of [settled, aResponse()]) expect(await responses.takeUsage(key)).toBe(false)
    expect(await responses.listOfId(due.id)).toEqual([{ ...due, usageDue: false }])
  })

  storeTest('very many are stored at once, and those from before a moment are purged', async ({ responses }) => {
    const many = Array.from({ length: 1100 }, (_, at) => aResponse({ createdAt: at }))
    await responses.putMany(many)
    expect(await responses.purgeBefore(1000)).toBe(1000)
    expect(await responses.listOfId(many[999]!.id)).toEqual([])
    expect(await responses.listOfId(many[1000]!.id)).toEqual([many[1000]!])
  })
}
