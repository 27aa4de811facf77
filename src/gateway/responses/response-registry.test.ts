import { describe, expect, test } from 'bun:test'
import type { StoredResponse, StoredResponseStore } from '#store/stored-responses.ts'
import { ResponseRegistry } from './response-registry.ts'

function aResponse(fields: Partial<StoredResponse> = {}): StoredResponse {
  const id = `resp_${crypto.randomUUID()}`
  return { id, userId: 'ada', providerId: 'p', modelId: 'm', usageDue: true, createdAt: 0, ...fields }
}

/** A database that can be gone, and counts its writes. */
function store() {
  const rows = new Map<string, StoredResponse>()
  const state = { gone: false, writes: 0 }
  const there = <T>(value: () => T): Promise<T> =>
    state.gone ? Promise.reject(new Error('gone')) : Promise.resolve(value())
  const responses: StoredResponseStore = {
    putMany: (all) =>
      there(() => {
        state.writes += 1
        for (const row of all) rows.set(row.userId + row.id, row)
      }),
    listOfId: (id) => there(() => [...rows.values()].filter((row) => row.id === id)),
    takeUsage: ({ id, userId }) =>
      there(() => {
        const row = rows.get(userId + id)
        if (row?.usageDue !== true) return false
        rows.set(userId + id, { ...row, usageDue: false })
        return true
      }),
    delete: ({ id, userId }) => there(() => rows.delete(userId + id)),
    purgeBefore: () => there(() => 0),
  }
  const errors: unknown[] = []
  const registry = new ResponseRegistry({ store: responses, onError: (error) => errors.push(error), unwrittenMax: 3 })
  return { state, registry, rows, errors }
}

describe('an answer', () => {
  test('is in the database when it has been noted, and those that come together share one write', async () => {
    const { registry, rows, state } = store()
    const many = [aResponse(), aResponse(), aResponse()]
    await Promise.all(many.map((each) => registry.register(each)))
    expect([...rows.values()]).toEqual(many)
    expect(state.writes).toBe(1)
    await registry.flush()
    expect(state.writes).toBe(1)
  })

  test('is found by its user only, and others learn no more than that it is taken', async () => {
    const { registry } = store()
    const response = aResponse()
    await registry.register(response)
    expect(await registry.find(response)).toEqual({ kind: 'found', response })
    expect(await registry.find({ ...response, userId: 'bob' })).toEqual({ kind: 'unknown', ownedByOther: true })
    expect(await registry.find(aResponse())).toEqual({ kind: 'unknown', ownedByOther: false })
    await registry.remove(response)
    expect(await registry.find(response)).toEqual({ kind: 'unknown', ownedByOther: false })
  })

  test('that the database did not take is found nevertheless, and written when it is back', async () => {
    const { registry, rows, state, errors } = store()
    const response = aResponse()
    state.gone = true
    await registry.register(response)
    expect(errors).toHaveLength(1)
    expect(await registry.find(response)).toEqual({ kind: 'found', response })
    expect(await registry.claimUsage(response)).toBe(false)
    state.gone = false
    await registry.flush()
    expect([...rows.values()]).toEqual([response])
    expect([await registry.claimUsage(response), await registry.claimUsage(response)]).toEqual([true, false])
  })

  test('does not fill the memory while the database is gone', async () => {
    const { registry, rows, state } = store()
    state.gone = true
    for (let count = 0; count < 10; count += 1) await registry.register(aResponse())
    state.gone = false
    await registry.flush()
    expect(rows.size).toBe(3)
  })

  test('is store_unavailable, not unknown, while the database cannot be read', async () => {
    const { registry, state } = store()
    state.gone = true
    const thrown = await registry.find(aResponse()).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'store_unavailable' })
  })
})
