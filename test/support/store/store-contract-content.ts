/** Logged content: it comes back as it was written, in pages, within budgets, and what is removed no longer counts. */
import { expect } from 'bun:test'
import type { ContentFilter, FullContentLog } from '#store/content/content-logs.ts'
import type { Store } from '#store/store.ts'
import { allPages, type StoreTest } from './store-test.ts'

const dayMs = 86_400_000

const row = (n: number, fields: Partial<FullContentLog> = {}): FullContentLog => ({
  id: `content_${String(n).padStart(4, '0')}`,
  // Two rows of each moment, three of each day.
  at: Math.floor(n / 3) * dayMs + Math.floor(n / 2),
  requestId: `req-${n}`,
  userId: `user-${n % 3}`,
  keyId: n % 2 === 0 ? `key-${n % 4}` : null,
  model: `model-${n % 5}`,
  endpoint: 'chat/completions',
  status: 200,
  code: null,
  request: `{"n":${n},"text":"ä😀"}`,
  answer: n % 7 === 0 ? null : `answer ${n}`,
  requestCut: n % 2 === 0,
  answerCut: false,
  ...fields,
})

async function filled(store: Store, count: number): Promise<readonly FullContentLog[]> {
  const rows = Array.from({ length: count }, (_, n) => row(n))
  await store.contentLogs.insertMany(rows)
  return rows.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
}

/** All rows that match, by scans of at most so many. */
async function scanned(store: Store, filter: ContentFilter, rowsMax: number): Promise<readonly FullContentLog[]> {
  const found: FullContentLog[] = []
  for (let cursor: string | null = null; ;) {
    const scan = await store.contentLogs.scan({ filter, cursor, rowsMax, bytesMax: 1e9 })
    expect(scan.rows.length).toBeLessThanOrEqual(rowsMax)
    found.push(...scan.rows)
    if (scan.nextCursor === null) return found
    cursor = scan.nextCursor
  }
}

export function contentContract(test: StoreTest): void {
  test('content comes back as it was written, the newest first, whatever the size of a page and the filter', async (store) => {
    const rows = await filled(store, 50)
    for (const [filter, expected] of [
      [{}, rows],
      [{ userId: 'user-1' }, rows.filter((each) => each.userId === 'user-1')],
      [{ keyId: 'key-2', model: 'model-1' }, rows.filter((each) => each.keyId === 'key-2' && each.model === 'model-1')],
      [{ requestId: 'req-9' }, rows.filter((each) => each.requestId === 'req-9')],
      [{ from: 3 * dayMs, to: 6 * dayMs }, rows.filter(({ at }) => at >= 3 * dayMs && at < 6 * dayMs)],
    ] as const) {
      const ids = expected.map(({ id }) => id)
      for (const limit of [1, 7, 200]) {
        const listed = await allPages((cursor) => store.contentLogs.list({ ...filter, cursor, limit }))
        expect(listed.map(({ id }) => id)).toEqual(ids)
      }
      for (const rowsMax of [1, 8, 9, 200]) expect(await scanned(store, filter, rowsMax)).toEqual([...expected])
    }
    expect(await store.contentLogs.find('content_0003')).toEqual(row(3))
    expect(await store.contentLogs.find('content_9999')).toBe(null)
  })

  test('a scan ends with its bytes, and has one row at least', async (store) => {
    await filled(store, 20)
    const { rows, nextCursor } = await store.contentLogs.scan({ filter: {}, cursor: null, rowsMax: 100, bytesMax: 1 })
    expect([rows.length, nextCursor === null]).toEqual([1, false])
  })

  test('the sum of bytes is that of the rows, through inserts and removals, the oldest first', async (store) => {
    const rows = await filled(store, 30)
    const sum = async (): Promise<number> =>
      (await allPages((cursor) => store.contentLogs.list({ cursor, limit: 100 }))).reduce(
        (all, each) => all + each.bytes,
        0,
      )
    expect(await store.contentLogs.totalBytes()).toBe(await sum())
    expect(await store.contentLogs.removeSome({}, 4)).toBe(4)
    const left = await allPages((cursor) => store.contentLogs.list({ cursor, limit: 100 }))
    expect(left.map(({ id }) => id)).toEqual(rows.slice(0, -4).map(({ id }) => id))
    expect(await store.contentLogs.removeSome({ userId: 'user-1' }, 100)).toBe(9)
    expect(await store.contentLogs.totalBytes()).toBe(await sum())
    await Promise.all([1, 2, 3].map((n) => store.contentLogs.insertMany([row(100 + n)])))
    expect(await store.contentLogs.totalBytes()).toBe(await sum())
    while ((await store.contentLogs.removeSome({}, 10)) > 0);
    expect(await store.contentLogs.totalBytes()).toBe(0)
  })

  test('rows are added all or none', async (store) => {
    await store.contentLogs.insertMany([row(1)])
    expect(await store.contentLogs.insertMany([row(2), row(1)]).catch(() => 'refused')).toBe('refused')
    expect((await store.contentLogs.list({ limit: 10 })).items.map(({ id }) => id)).toEqual([row(1).id])
  })
}
