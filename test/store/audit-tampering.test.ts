/** What a proof of the audit log finds when its tables are changed by hand. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'

const rows = 7
let folder: string
let store: Store
let database: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-audit-'))
  store = await openStore({ url: `sqlite:${join(folder, 'a.db')}`, sealer: sealer(Buffer.alloc(32, 1)) })
  for (let n = 1; n <= rows; n += 1)
    await store.audit.append({
      at: n,
      action: 'PATCH /users/:id',
      outcome: 'done',
      source: 'key',
      actor: 'person@example.org',
      actorId: `user-${n}`,
      keyId: `key-${n}`,
      address: '192.0.2.1',
      requestId: `req-${n}`,
      record: `/users/${n}`,
      details: { n },
    })
  database = new Database(join(folder, 'a.db'))
})
afterEach(async () => {
  database.close()
  await store.close()
  await rm(folder, { recursive: true })
})

/** Runs the statement, proves, and takes the statement back. */
async function brokenBy(...statements: readonly string[]): Promise<number | null> {
  const kept = database.query('select * from audit_rows').values() as (string | number | null)[][]
  for (const statement of statements) database.run(statement)
  const { brokenAt } = await store.audit.verify()
  database.run('delete from audit_rows')
  const insert = `insert into audit_rows values (${kept[0]?.map(() => '?').join(', ')})`
  for (const values of kept) database.run(insert, values)
  expect((await store.audit.verify()).brokenAt).toBeNull()
  return brokenAt
}

test('a change of any column of any row is found at that row', async () => {
  const columns = database.query('pragma table_info(audit_rows)').all() as { name: string; type: string }[]
  expect(columns.length).toBeGreaterThan(10)
  for (let n = 1; n <= rows; n += 1)
    for (const { name, type } of columns) {
      const value = type === 'INTEGER' ? `${name} + 1000` : `coalesce(${name}, '') || '0'`
      expect([name, n, await brokenBy(`update audit_rows set ${name} = ${value} where seq = ${n}`)]).toEqual([
        name,
        n,
        n,
      ])
    }
})

test('a row that is removed is found, in the middle and at both ends', async () => {
  for (let n = 1; n <= rows; n += 1)
    for (let last = n; last <= rows; last += 1)
      expect(await brokenBy(`delete from audit_rows where seq between ${n} and ${last}`)).toBe(n)
})

test('two rows that change places are found at the first of them', async () => {
  for (let n = 1; n < rows; n += 1)
    for (let other = n + 1; other <= rows; other += 1)
      expect(
        await brokenBy(
          `update audit_rows set seq = -1 where seq = ${n}`,
          `update audit_rows set seq = ${n} where seq = ${other}`,
          `update audit_rows set seq = ${other} where seq = -1`,
        ),
      ).toBe(n)
})

test('a row before the beginning is found', async () => {
  expect(
    await brokenBy(
      'insert into audit_rows select 0, at, action, outcome, source, actor, actor_id, key_id, address, request_id, record, details, previous, hash from audit_rows where seq = 1',
    ),
  ).toBe(0)
})
