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
  const { settings, sources } = loaded()
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
    expect(state.current).toBe(true)
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
    }
    const first = state.apply([{ kind: 'key', id: key.id }]).then(() => events.push('first'))
    await Promise.resolve()
    await store.keys.delete([key.id])
    const second = state.apply([{ kind: 'key', id: key.id }]).then(() => events.push('second'))
    held.resolve()
    await Promise.all([first, second])
    expect(events).toEqual(['read 1', 'first', 'read 2', 'second'])
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
  const failure = new Error('the disk is gone')
  const breakReads = (): void => {
    beforeRead = () => Promise.reject(failure)
  }
  const repair = (): void => {
    beforeRead = async () => {}
  }

  test('is reported to the caller that made it, and does not stop others, beside it or after it', async () => {
    breakReads()
    await store.users.update(user.id, { name: 'Renamed' }, 1)
    expect(
      await rejection(
        state.apply([
          { kind: 'key', id: key.id },
          { kind: 'user', id: user.id },
        ]),
      ),
    ).toBe(failure)
    expect(state.directory.account(user.id)?.user.name).toBe('Renamed')
    repair()
    await state.apply([{ kind: 'catalog' }])
    expect(state.current).toBe(true)
  })

  test('makes memory known to be old, until it has been read after all', async () => {
    const feed = new LocalFeed(state)
    await store.keys.delete([key.id])
    breakReads()
    expect(await rejection(feed.publish([{ kind: 'key', id: key.id }]))).toBe(failure)
    expect([state.current, feed.connected]).toEqual([false, false])
    expect(await rejection(state.apply([]))).toBe(failure)
    expect(feed.connected).toBe(false)
    repair()
    await state.apply([])
    expect([state.current, feed.connected]).toEqual([true, true])
    expect(inMemory()).toBeUndefined()
  })
})
