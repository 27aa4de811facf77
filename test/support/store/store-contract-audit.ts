/** The audit log: its chain, retention, and that no change of a row goes unnoticed. */
import { expect } from 'bun:test'
import type { AuditEntry } from '#store/audit.ts'
import type { Store } from '#store/store.ts'
import { allPages, type StoreTest } from './store-test.ts'

const entry = (n: number): AuditEntry => ({
  at: n,
  action: n % 2 === 0 ? 'PATCH /users/:id' : 'sign-in',
  outcome: 'done',
  source: 'key',
  actor: `person${n % 3}@example.org`,
  actorId: n % 5 === 0 ? null : `user-${n}`,
  keyId: null,
  address: '192.0.2.1',
  requestId: `req-${n}`,
  record: `/users/${n}`,
  details: { before: { name: 'a' }, after: { name: `b${n}` } },
})

async function filled(store: Store, rows: number): Promise<void> {
  for (let n = 1; n <= rows; n += 1) await store.audit.append(entry(n))
}

export function auditContract(test: StoreTest): void {
  test('appends at the same time make one chain, which a proof finds whole', async (store) => {
    for (const many of [1, 10, 100, 150])
      await Promise.all(Array.from({ length: many }, (_, n) => store.audit.append(entry(n))))
    expect(await store.audit.verify()).toMatchObject({ brokenAt: null, checked: 261, seq: 261 })
  })

  test('a list has the newest first, page by page, and only what the filters name', async (store) => {
    await filled(store, 30)
    const seqs = async (filter: object): Promise<readonly number[]> =>
      (await allPages((cursor) => store.audit.list({ ...filter, cursor, limit: 4 }))).map(({ seq }) => seq)
    const all = Array.from({ length: 30 }, (_, n) => 30 - n)
    expect(await seqs({})).toEqual(all)
    expect(await seqs({ actor: 'person0@example.org' })).toEqual(all.filter((n) => n % 3 === 0))
    expect(await seqs({ action: 'sign-in' })).toEqual(all.filter((n) => n % 2 === 1))
    expect(await seqs({ record: '/users/7' })).toEqual([7])
    expect(await seqs({ outcome: 'failed' })).toEqual([])
    expect(await seqs({ since: 10, until: 20 })).toEqual(all.filter((n) => n >= 10 && n < 20))
  })

  test('retention removes the oldest rows, and the rest still proves', async (store) => {
    await filled(store, 30)
    for (const [before, limit, removed] of [
      [1, 5, 0],
      [9, 5, 5],
      [9, 5, 3],
      [9, 5, 0],
      [100, 100, 22],
    ] as const) {
      expect(await store.audit.purgeBefore(before, limit)).toBe(removed)
      expect((await store.audit.verify()).brokenAt).toBeNull()
    }
    expect(await store.audit.append(entry(31))).toBe(31)
    expect(await store.audit.verify()).toMatchObject({ brokenAt: null, checked: 1, seq: 31 })
  })
}
