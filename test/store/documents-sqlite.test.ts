/** The store of documents on SQLite: in a file, which is served by threads, and in memory. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase } from '#store/database.ts'
import { openStore, type Store } from '#store/store.ts'
import { documentContract } from '#test/support/store/store-contract-documents.ts'
import { recordContract } from '#test/support/store/store-contract-records.ts'
import { searchContract } from '#test/support/store/store-contract-search.ts'
import { aDocument, chunks, complete, everything, space, aVector } from '#test/support/store/store-documents.ts'
import type { StoreTest } from '#test/support/store/store-test.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-documents-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function freshFile(): string {
  return join(folder, `${crypto.randomUUID()}.db`)
}

function open(file: string): Promise<Store> {
  return openStore({ url: `sqlite:${file}`, sealer: sealer(new Uint8Array(32)) })
}

function storeTestOn(file: () => string): StoreTest {
  return (guarantee, body) => {
    test(guarantee, async () => {
      const store = await open(file())
      try {
        await body(store)
      } finally {
        await store.close()
      }
    })
  }
}

describe('documents in an SQLite file', () => documentContract(storeTestOn(freshFile)))
describe('records of documents in an SQLite file', () => recordContract(storeTestOn(freshFile)))
describe('search in an SQLite file', () => searchContract(storeTestOn(freshFile)))
describe('documents in memory', () => documentContract(storeTestOn(() => ':memory:')))
describe('records of documents in memory', () => recordContract(storeTestOn(() => ':memory:')))
describe('search in memory', () => searchContract(storeTestOn(() => ':memory:')))

/** What one search by words and vectors finds. */
async function found(store: Store): Promise<readonly [number, number]> {
  const vectors = [{ spaceKey: space.key, vector: aVector(1) }]
  const query = { viewer: everything, filter: {}, keywords: 'chunk', vectors, limit: 100 }
  const { keyword, vector } = await store.documents.find(query)
  return [keyword.length, vector.length]
}

describe('an SQLite file with documents', () => {
  test('a deleted document leaves no row in any table, and nothing in the index of words', async () => {
    const file = freshFile()
    const store = await open(file)
    const document = aDocument()
    await complete(store.documents, document, chunks(600))
    await store.documents.delete(document.id, everything)
    const database = openDatabase({ url: `sqlite:${file}` })
    const tables = ['documents', 'document_owners', 'document_jobs', 'chunk_sets', 'document_chunks', 'chunk_vectors']
    for (const table of [...tables, 'chunk_codes', 'chunk_terms_docsize']) {
      const { rows } = await sql<{ rows: number }>`select count(*) as "rows" from ${sql.table(table)}`.execute(
        database.kysely,
      )
      expect([table, rows[0]?.rows]).toEqual([table, 0])
    }
    await database.close()
    await store.close()
  })

  test('documents and what finds them outlive a restart', async () => {
    const file = freshFile()
    const first = await open(file)
    await complete(first.documents, aDocument(), chunks(70))
    await first.close()
    const second = await open(file)
    expect(await found(second)).toEqual([70, 70])
    await second.close()
  })

  test('what another process has changed is found by the next search', async () => {
    const file = freshFile()
    const [one, two] = [await open(file), await open(file)]
    const document = aDocument()
    expect(await found(one)).toEqual([0, 0])
    await complete(two.documents, document, chunks(3))
    expect(await found(one)).toEqual([3, 3])
    await two.documents.delete(document.id, everything)
    expect(await found(one)).toEqual([0, 0])
    await Promise.all([one.close(), two.close()])
  })

  test('a search keeps up with more changes than it can look up one by one', async () => {
    const file = freshFile()
    const store = await open(file)
    await complete(store.documents, aDocument(), chunks(2))
    expect(await found(store)).toEqual([2, 2])
    const database = openDatabase({ url: `sqlite:${file}` })
    await sql`update document_change_counter set version = version + 100000`.execute(database.kysely)
    await database.close()
    await complete(store.documents, aDocument(), chunks(3))
    expect(await found(store)).toEqual([5, 5])
    await store.close()
  })
})
