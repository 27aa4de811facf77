/** Budgets in the admin API: their names, their filters, and what is said when a threshold is reached. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startAdminApp, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

interface Budget {
  readonly id: string
  readonly scope: string
  readonly scope_id: string
  readonly name: string | null
  readonly starts_at: string
  readonly spent: number
  readonly reached: number | null
  readonly declared: boolean
}

let app: AdminApp
beforeAll(async () => void (app = await startAdminApp()))
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const { id } of await list()) await app.store.budgets.delete(id)
})

async function list(query = ''): Promise<readonly Budget[]> {
  return (await app.call<{ data: Budget[] }>('GET', `/budgets${query}`)).body.data
}

async function add(scope: string, id: string, fields: object = {}): Promise<Budget> {
  const body = { scope, scope_id: id, amount: 1000, period: 'month', ...fields }
  const answer = await app.call<Budget>('POST', '/budgets', { body })
  expect(answer.status).toBe(201)
  return answer.body
}

async function spend({ id, starts_at: from }: Budget, cost: number): Promise<void> {
  const counters = JSON.stringify([`${id}@${Date.parse(from)}`])
  await app.store.usage.insertMany([aUsage({ at: Date.now(), cost, counters })])
}

async function made(path: string, body: object): Promise<string> {
  return (await app.call<{ id: string }>('POST', path, { body })).body.id
}

describe('a list of budgets', () => {
  test('says what each is on by its name, and null when that is deleted', async () => {
    const groupId = await made('/groups', { name: 'research' })
    const provider_id = await made('/providers', { name: 'vendor', base_url: 'http://127.0.0.1:9/v1' })
    const modelId = await made('/models', { name: 'dear', provider_id })
    const keyId = await made(`/users/${app.userId}/keys`, { name: 'nightly' })
    const on = { key: keyId, user: app.userId, group: groupId, model: modelId, provider: provider_id }
    for (const [scope, id] of Object.entries(on)) await add(scope, id)
    const named = async () => Object.fromEntries((await list()).map(({ scope, name }) => [scope, name]))
    const names = { key: 'nightly', user: userEmail, group: 'research', model: 'dear', provider: 'vendor' }
    expect(await named()).toEqual(names)
    await app.call('DELETE', `/groups/${groupId}`)
    expect(await named()).toEqual({ ...names, group: null })
  })

  test('is narrowed to what they are on', async () => {
    const own = await add('user', app.userId)
    await add('user', app.adminId)
    expect((await list(`?scope=user&scope_id=${app.userId}`)).map(({ id }) => id)).toEqual([own.id])
    expect((await list('?scope=user')).length).toBe(2)
    expect((await list('?scope=model')).length).toBe(0)
    expect((await app.call('GET', '/budgets?scope=planet')).param).toBe('scope')
  })

  test('is narrowed to those that have reached a threshold, to the unit', async () => {
    const first = await add('user', app.userId, { thresholds: [50, 80] })
    const second = await add('user', app.adminId, { thresholds: [] })
    const reached = async () => (await list('?reached=true')).map(({ id, reached: percent }) => [id, percent])
    await spend(first, 499)
    await spend(second, 2000)
    expect(await reached()).toEqual([])
    await spend(first, 1)
    expect(await reached()).toEqual([[first.id, 50]])
    await spend(first, 299)
    expect(await reached()).toEqual([[first.id, 50]])
    await spend(first, 1)
    expect(await reached()).toEqual([[first.id, 80]])
    expect((await list('?reached=false')).map(({ id }) => id)).toEqual([second.id])
  })

  test('has all of thousands, each with what is spent', async () => {
    const count = 2500
    const createdAt = Date.now()
    const ids = Array.from({ length: count }, (_, index) => `many-${index}`)
    for (const id of ids)
      await app.store.budgets.insert({
        id,
        scope: 'key',
        scopeId: id,
        period: 'total',
        timeZone: 'UTC',
        amount: 5,
        hard: false,
        thresholds: [100],
        declared: false,
        createdAt,
      })
    const records = ids.map((id) => aUsage({ at: createdAt, cost: 5, counters: JSON.stringify([`${id}@0`]) }))
    await app.store.usage.insertMany(records)
    const all = await list('?reached=true')
    expect(all.length).toBe(count)
    expect(all.every(({ spent, name }) => spent === 5 && name === null)).toBe(true)
  }, 30_000)
})

test('the proof counts all counters, and names only those that differ from their records', async () => {
  interface Proof {
    readonly counters: number
    readonly difference: number
    readonly data: readonly unknown[]
  }
  const proof = async (): Promise<Proof> => (await app.call<Proof>('GET', '/budgets-proof')).body
  const before = await proof()
  await spend(await add('user', app.userId), 30)
  await spend(await add('user', app.adminId), 7)
  expect(await proof()).toEqual({ counters: before.counters + 2, difference: 0, data: [] })
})

test('a budget of the configuration file is read-only', async () => {
  const { id } = await add('user', app.userId)
  await app.store.budgets.update(id, { declared: true })
  expect((await list())[0]?.declared).toBe(true)
  expect((await app.call('PATCH', `/budgets/${id}`, { body: { amount: 1 } })).code).toBe('declared_read_only')
  expect((await app.call('DELETE', `/budgets/${id}`)).code).toBe('declared_read_only')
  expect((await app.call('DELETE', '/budgets/nothing')).code).toBe('not_found')
})

describe('what a caller may still spend', () => {
  interface Own {
    readonly budgets: readonly { readonly scope: string; readonly name: string; readonly reached: number | null }[]
  }
  const own = async (key: string): Promise<Own['budgets']> =>
    (await app.call<Own>('GET', '//ai/v1/usage/me', { key })).body.budgets

  test('has names and thresholds, and nothing of other users or other keys', async () => {
    const other = await made(`/users/${app.userId}/keys`, { name: 'another key' })
    await add('key', other)
    await add('user', app.adminId)
    await spend(await add('user', app.userId, { thresholds: [10] }), 100)
    expect((await own(app.userKey)).map(({ scope, name, reached }) => [scope, name, reached])).toEqual([
      ['user', userEmail, 10],
    ])
  })
})

describe('usage', () => {
  test('has the dearest groups with top_by=cost, and the currency of its costs', async () => {
    const spender = crypto.randomUUID()
    const record = (model: string, cost: number) =>
      aUsage({ at: Date.now() - 1, userId: spender, modelServed: model, cost })
    const records = [record('dear', 1000), record('middle', 500), ...Array.from({ length: 5 }, () => record('busy', 1))]
    await app.store.usage.insertMany(records)
    const top = async (query: string) => {
      interface Series {
        readonly data: readonly { readonly group: string }[]
        readonly others: readonly { readonly cost: number }[]
      }
      const { body } = await app.call<Series>('GET', `/usage/series?user_id=${spender}&group_by=model&${query}`)
      return [body.data.map(({ group }) => group), body.others.map(({ cost }) => cost)]
    }
    expect(await top('top=1')).toEqual([['busy'], [1500]])
    expect(await top('top=1&top_by=cost')).toEqual([['dear'], [505]])
    expect((await top('top=2&top_by=cost'))[1]).toEqual([5])
    const { body } = await app.call<{ currency: string; cost: number }>('GET', `/usage?user_id=${spender}`)
    expect(body).toMatchObject({ currency: 'USD', cost: 1505 })
  })
})
