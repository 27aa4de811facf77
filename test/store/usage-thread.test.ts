import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { InvalidCursor } from '#store/page.ts'
import { openStore, type Store } from '#store/store.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { usageStore } from '#store/usage/usage.ts'
import { UsageThread, usageOn } from '#store/usage/usage-thread.ts'
import { aKey, aUsage, aUser } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'

const ownSealer = sealer(new Uint8Array(32))
const always = { from: 0, to: Number.MAX_SAFE_INTEGER }
const dyingWorker = new URL('../support/store/dying-usage-worker.ts', import.meta.url)
const usageProcess = new URL('../support/store/usage-process.ts', import.meta.url).pathname
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-usage-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function freshFile(): string {
  return join(folder, `${crypto.randomUUID()}.db`)
}

function open(file: string): Promise<Store> {
  return openStore({ url: `sqlite:${file}`, sealer: ownSealer })
}

async function withStore(body: (store: Store, file: string) => Promise<void>): Promise<void> {
  const file = freshFile()
  const store = await open(file)
  try {
    await body(store, file)
  } finally {
    await store.close()
  }
}

function someUsage(rows: number): readonly UsageRecord[] {
  return Array.from({ length: rows }, () => aUsage())
}

/** Names in the order in which their promises resolve. */
async function orderOf(named: Readonly<Record<string, Promise<unknown>>>): Promise<readonly string[]> {
  const order: string[] = []
  await Promise.all(Object.entries(named).map(([name, promise]) => promise.then(() => order.push(name))))
  return order
}

describe('usage on a thread of its own', () => {
  test('a report, a batch, a purge and a backup do not hold up a key look-up that comes after them', async () => {
    await withStore(async (store, file) => {
      const { usage, users, keys } = store
      const ada = aUser()
      const key = aKey(ada.id)
      await users.insert(ada, null)
      await keys.insert(key)
      await usage.insertMany(someUsage(20_000))
      const order = await orderOf({
        report: usage.series({ ...always, bucketMs: 10, groupBy: 'key' }),
        list: usage.list({ ...always, limit: 1000 }),
        batch: usage.insertMany(someUsage(500)),
        purge: usage.purgeBefore(1000),
        backup: store.backup(`${file}.copy`),
        look_up: keys.get(key.id),
      })
      expect(order[0]).toBe('look_up')
    })
  })

  test('rows are written before the reports that wait', async () => {
    await withStore(async ({ usage }) => {
      const reports = [1, 2, 3].map(() => usage.totals(always))
      await usage.insertMany(someUsage(5))
      // The first was under way when the rows came.
      expect((await Promise.all(reports)).map((totals) => totals.requests)).toEqual([0, 5, 5])
    })
  })

  test('everything that was asked for before a close is done, and nothing after it', async () => {
    const file = freshFile()
    const store = await open(file)
    const batches = [500, 1, 700].map((rows) => store.usage.insertMany(someUsage(rows)))
    const report = store.usage.totals(always)
    const copied = store.backup(`${file}.copy`)
    const closed = Promise.all([store.close(), store.close()])
    expect(await rejection(store.usage.insertMany([aUsage()]))).toBeInstanceOf(StoreUnavailable)
    expect(await rejection(store.backup(`${file}.late`))).toBeInstanceOf(StoreUnavailable)
    await closed
    await Promise.all([...batches, copied])
    expect((await report).requests).toBe(1201)
    expect(existsSync(`${file}.late`)).toBe(false)
    for (const [name, rows] of [
      [file, 1201],
      [`${file}.copy`, expect.any(Number)],
    ] as const) {
      const again = await open(name)
      expect((await again.usage.totals(always)).requests).toEqual(rows)
      await again.close()
    }
  })

  test('a cursor that no store gave out is refused as such', async () => {
    await withStore(async ({ usage }) => {
      const refused = await rejection(usage.list({ ...always, limit: 1, cursor: 'never given out' }))
      expect(refused).toBeInstanceOf(InvalidCursor)
    })
  })

  test('a database file that is gone is unavailable', async () => {
    await withStore(async ({ usage }, file) => {
      rmSync(file)
      expect(await rejection(usage.insertMany([aUsage()]))).toBeInstanceOf(StoreUnavailable)
      expect(existsSync(file)).toBe(false)
    })
  })

  test('a process ends by itself with its store open, and what it recorded is written, wherever it was started', async () => {
    const file = freshFile()
    const child = Bun.spawn([process.execPath, usageProcess, `sqlite:${file}`, '1234'], { cwd: '/', stderr: 'inherit' })
    expect(await child.exited).toBe(0)
    const store = await open(file)
    expect((await store.usage.totals(always)).requests).toBe(1234)
    await store.close()
  }, 30_000)

  test('a database in memory records usage too', async () => {
    const store = await open(':memory:')
    await store.usage.insertMany(someUsage(1500))
    expect(await store.usage.purgeBefore(always.to)).toBe(1500)
    await store.close()
  })
})

describe('a thread for usage that dies', () => {
  for (const way of ['exit', 'throw']) {
    test(`takes only its job with it, and leaves no lock and no half of it (${way})`, async () => {
      await withStore(async (store, file) => {
        writeFileSync(`${file}.${way}`, '')
        const thread = new UsageThread({ file, whenIdle: 'keep', script: dyingWorker })
        const usage = usageStore(usageOn(thread))
        const [died, next] = [rejection(usage.insertMany(someUsage(3))), usage.insertMany(someUsage(4))]
        expect(await died).toBeInstanceOf(StoreUnavailable)
        await next
        await store.settings.set('writable', true, 1)
        expect((await usage.totals(always)).requests).toBe(4)
        expect(await store.settings.all()).toEqual(new Map([['writable', true]]))
        await thread.close()
      })
    })
  }

  test('makes its jobs unavailable and nothing else when it cannot even start', async () => {
    await withStore(async ({ settings }, file) => {
      const script = new URL('./no-such-worker.ts', import.meta.url)
      const thread = new UsageThread({ file, whenIdle: 'keep', script })
      for (const _call of [1, 2]) {
        expect(await rejection(usageOn(thread).totals(always))).toBeInstanceOf(StoreUnavailable)
      }
      await settings.set('writable', true, 1)
      await thread.close()
    })
  })
})
