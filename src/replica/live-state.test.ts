import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loaded } from '#config/test-support.ts'
import type { ApiKey, User } from '#identity/records.ts'
import { systemClock } from '#lib/clock.ts'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { openStore, type Store } from '#store/store.ts'
import { aGroup, aKey, aModel, aProvider, aUser } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { LocalFeed } from './change-feed.ts'
import { LiveState } from './live-state.ts'

let folder: string
let store: Store
/** Called before each read of a key. */
let beforeRead: () => Promise<void>
let state: LiveState
let user: User
let key: ApiKey

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-live-'))
  store = await openStore({ url: `sqlite:${join(folder, 'sluice.db')}`, sealer: sealer(new Uint8Array(32)) })
  beforeRead = async () => {}
  const some = async (ids: readonly string[]) => {
    await beforeRead()
    return store.keys.some(ids)
  }
  const { settings, sources } = loaded({ overrides: ['cluster.replica_timeout_seconds=1'] })
  const logger = createLogger({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  // The real store, whose reads of a key a test can hold up or break.
  state = new LiveState({ ...store, keys: { ...store.keys, some } }, new LiveSettings(settings, sources), logger)
  user = aUser()
  key = aKey(user.id)
  await store.users.insert(user, null)
  await store.keys.insert(key)
  await state.load()
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const inMemory = () => state.directory.keyByDigest(key.digest)

describe('what is in the store', () => {
  test('is in memory after loading', async () => {
    expect([inMemory(), state.directory.account(user.id)?.user]).toEqual([key, user])
    expect([state.certain, state.inDoubt]).toEqual([true, 0])
  })

  test('is in memory once a change of it is applied', async () => {
    await store.keys.delete([key.id])
    expect(inMemory()).toEqual(key)
    await state.apply([{ kind: 'key', id: key.id }])
    expect(inMemory()).toBeUndefined()

    const group = aGroup()
    await store.groups.insert(group)
    await store.groups.addMember(group.id, user.id)
    await state.apply([{ kind: 'user', id: user.id }])
    expect(state.directory.account(user.id)?.groupIds.has(group.id)).toBe(true)
    await store.groups.delete(group.id)
    await state.apply([{ kind: 'directory' }])
    expect(state.directory.account(user.id)?.groupIds.has(group.id)).toBe(false)

    const provider = aProvider()
    await store.providers.insert(provider)
    await store.models.insert(aModel(provider.id, { name: 'm' }))
    const before = state.catalog
    await state.apply([{ kind: 'catalog' }])
    expect([before.models.length, state.catalog.models.map((model) => model.record.name)]).toEqual([0, ['m']])

    await store.settings.set('limits.realtime_inflight.default', 3, 1)
    await state.apply([{ kind: 'settings' }])
    expect(state.settings.get('limits.realtime_inflight.default')).toBe(3)

    await store.users.delete(user.id)
    await state.apply([{ kind: 'user', id: user.id }])
    expect(state.directory.account(user.id)).toBeUndefined()
  })
})

describe('changes that are applied at the same time', () => {
  test('are read one after another, so that an older read never replaces a newer one', async () => {
    const held = Promise.withResolvers<void>()
    const events: string[] = []
    let reads = 0
    beforeRead = async () => {
      reads += 1
      events.push(`read ${reads}`)
      if (reads === 1) await held.promise
      events.push('go on')
    }
    const first = state.apply([{ kind: 'key', id: key.id }])
    await Promise.resolve()
    await store.keys.delete([key.id])
    const second = state.apply([{ kind: 'key', id: key.id }])
    held.resolve()
    await Promise.all([first, second])
    expect(events).toEqual(['read 1', 'go on', 'read 2', 'go on'])
    expect(inMemory()).toBeUndefined()
  })

  test('leave memory as the store is, however long each read takes', async () => {
    const names = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 5 }), fc.nat(3)), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(names, async (changes) => {
        const turns = changes.map(([, count]) => count)
        beforeRead = async () => {
          for (let left = turns.pop() ?? 0; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve))
        }
        const applied = changes.map(async ([name]) => {
          await store.keys.update(key.id, { name })
          await state.apply([{ kind: 'key', id: key.id }])
        })
        await Promise.all(applied)
        expect(inMemory()).toEqual((await store.keys.get(key.id)) ?? undefined)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a change that cannot be read', () => {
  const breakReads = (): void => {
    beforeRead = () => Promise.reject(new Error('the disk is gone'))
  }
  const repair = (): void => {
    beforeRead = async () => {}
  }
  const isRefused = (): boolean => state.directory.isKeyInDoubt(inMemory())

  test('puts what it names in doubt and nothing else, until it has been read after all', async () => {
    const feed = new LocalFeed(state)
    const other = aKey(user.id)
    await store.keys.insert(other)
    await feed.publish([{ kind: 'key', id: other.id }])
    await store.keys.delete([key.id])
    await store.users.update(user.id, { name: 'Renamed' }, 1)
    breakReads()
    await feed.publish([
      { kind: 'key', id: key.id },
      { kind: 'user', id: user.id },
    ])
    expect([isRefused(), state.inDoubt, feed.standing]).toEqual([true, 1, 'current'])
    expect(state.directory.account(user.id)?.user.name).toBe('Renamed')
    expect(state.directory.isAccountInDoubt(state.directory.account(user.id))).toBe(false)
    expect(state.directory.isKeyInDoubt(state.directory.keyByDigest(other.digest))).toBe(false)
    await state.readAgain()
    expect(isRefused()).toBe(true)
    repair()
    await state.readAgain()
    expect([isRefused(), state.inDoubt, inMemory()]).toEqual([false, 0, undefined])
  })

  test('puts a key in doubt that may be new: what is not found is not refused for good', async () => {
    breakReads()
    await state.apply([{ kind: 'key', id: crypto.randomUUID() }])
    expect(state.directory.isKeyInDoubt(undefined)).toBe(true)
    expect(isRefused()).toBe(false)
  })

  test('is in doubt when its read takes too long, and an older read does not end the doubt of a newer change', async () => {
    const reads: PromiseWithResolvers<void>[] = []
    beforeRead = () => {
      const held = Promise.withResolvers<void>()
      reads.push(held)
      return held.promise
    }
    const older = state.apply([{ kind: 'key', id: key.id }])
    await Promise.resolve()
    const newer = state.apply([{ kind: 'key', id: key.id }])
    await Promise.all([older, newer])
    expect([reads.length, isRefused()]).toEqual([1, true])
    await store.keys.delete([key.id])
    reads[0]?.resolve()
    while (reads.length < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(isRefused()).toBe(true)
    reads[1]?.resolve()
    await state.readAgain()
    expect([isRefused(), inMemory()]).toEqual([false, undefined])
  })

  test('is read with everything else by the next load, which fails while it cannot be', async () => {
    breakReads()
    await state.apply([{ kind: 'key', id: key.id }])
    expect(isRefused()).toBe(true)
    await state.load()
    expect([isRefused(), state.inDoubt]).toEqual([false, 0])
    await store.close()
    expect(await rejection(state.load())).toBeInstanceOf(StoreUnavailable)
  })
})
