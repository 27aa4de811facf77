/** What a store without an administrator gets. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Declared } from '#config/declared/declared.ts'
import { digestKey, isWellFormedKey } from '#identity/api-key.ts'
import { passwordMatches } from '#identity/password.ts'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'
import { firstStart, undoFirstStart } from './first-start.ts'
import { StartProblem } from './start-problem.ts'

let store: Store

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:', sealer: sealer(new Uint8Array(32)) })
})
afterEach(() => store.close())

const nothing: Declared = { providers: [], models: [], groups: [], users: [], aliases: [], budgets: [] }
const bob = {
  path: 'users[0]',
  email: 'bob@example.org',
  name: '',
  role: 'user',
  kind: 'person',
  password: null,
  disabled: false,
} as const

function start(declared: Declared = nothing) {
  return firstStart({ store, declared, adminEmail: 'admin@localhost', now: 1000 })
}

describe('the first start', () => {
  test('makes an administrator, a key that cannot administrate, and the practice models for everyone', async () => {
    const made = await start()
    const user = await store.users.byEmail('admin@localhost')
    expect(user).toMatchObject({ id: made!.userId, role: 'admin', declared: false })
    expect(await passwordMatches(made!.password, (await store.users.password(user!.id))?.hash ?? null)).toBe(true)
    const keys = await store.keys.all()
    expect(keys).toMatchObject([
      { name: 'First key', userId: user!.id, scopes: { modelIds: null, areas: ['inference', 'documents'] } },
    ])
    expect(isWellFormedKey(made!.apiKey)).toBe(true)
    expect(keys[0]?.digest).toBe(digestKey(made!.apiKey))
    const models = await store.models.all()
    expect(models.map((model) => model.name).sort()).toEqual(['demo-chat', 'demo-embed', 'demo-vision'])
    expect(models.every((model) => model.description.includes('no AI is behind it'))).toBe(true)
  })

  test('happens once', async () => {
    await start()
    expect(await start()).toBeNull()
    expect(await store.keys.all()).toHaveLength(1)
  })

  test('of two processes at the same time, one makes the administrator and the other finds it', async () => {
    const made = await Promise.all([start(), start()])
    expect(made.filter((each) => each !== null)).toHaveLength(1)
    expect(await store.users.all()).toHaveLength(1)
    expect(await store.keys.all()).toHaveLength(1)
    expect(await store.models.all()).toHaveLength(3)
  })

  test('comes again after it was undone', async () => {
    const first = await start()
    await undoFirstStart(store, first!)
    expect(await store.keys.all()).toEqual([])
    const second = await start()
    expect(second!.apiKey).not.toBe(first!.apiKey)
    expect(await store.models.all()).toHaveLength(3)
  })

  test('makes no administrator beside a declared one', async () => {
    expect(await start({ ...nothing, users: [{ ...bob, role: 'admin' }] })).toBeNull()
    expect(await store.users.all()).toEqual([])
  })

  test('makes one beside declared ordinary users', async () => {
    expect(await start({ ...nothing, users: [bob] })).not.toBeNull()
  })

  test('leaves the practice provider out where providers are declared', async () => {
    const provider = {
      path: 'providers[0]',
      name: 'p',
      kind: 'demo',
      baseUrl: '',
      credential: null,
      headers: {},
      timeouts: {},
      options: {},
      reasoning: null,
      maxConcurrent: null,
      servers: null,
      enabled: true,
    }
    await start({ ...nothing, providers: [provider] })
    expect(await store.providers.all()).toEqual([])
  })

  test('is refused when the file makes an ordinary user of the administrator', async () => {
    const refused = await start({ ...nothing, users: [{ ...bob, email: 'admin@localhost' }] }).catch(
      (thrown: unknown) => thrown,
    )
    expect(refused).toBeInstanceOf(StartProblem)
  })
})
