/** The store of documents on SQLite: in a file, which is served by threads, and in memory. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase } from '#store/database.ts'
import { openStore, type Store } from '#store/store.ts'
import { documentContract } from '#test/support/store/store-contract-documents.ts'
import { recordContract } from '#test/support/store/store-contract-records.ts'
import { searchContract } from '#test/support/store/store-contract-search.ts'
import { aDocument, chunks, complete, everything, space, aVector, viewer } from '#test/support/store/store-documents.ts'
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
    for (const table of [...tables, 'chunk_codes', 'chunk_words', 'chunk_terms_docsize']) {
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

  test('a process that starts takes the codes from the file of the one before, and what is newer from the database', async () => {
    const [file, searchDirectory] = [freshFile(), join(folder, crypto.randomUUID())]
    const url = `sqlite:${file}`
    const openWithCodes = (): Promise<Store> => openStore({ url, searchDirectory, sealer: sealer(new Uint8Array(32)) })
    const first = await openWithCodes()
    const [gone, stays] = [aDocument(), aDocument()]
    await complete(first.documents, gone, chunks(5))
    await complete(first.documents, stays, chunks(7))
    expect(await found(first)).toEqual([12, 12])
    await first.close()
    expect(readdirSync(searchDirectory)).toHaveLength(1)
    const database = openDatabase({ url })
    await sql`delete from chunk_codes`.execute(database.kysely)
    await database.close()
    const second = await openWithCodes()
    await second.documents.delete(gone.id, everything)
    await complete(second.documents, aDocument(), chunks(3))
    expect(await found(second)).toEqual([10, 10])
    await second.close()
    const codes = join(searchDirectory, readdirSync(searchDirectory)[0]!)
    const filled = await openWithCodes()
    await filled.documents.fillSearch()
    // The memory has been filled from the file, which is not asked again.
    writeFileSync(codes, 'broken')
    expect(await found(filled)).toEqual([10, 10])
    await filled.close()
    writeFileSync(codes, 'broken')
    const third = await openWithCodes()
    // The set whose codes are in no file and no longer in the database is found by its words alone.
    expect(await found(third)).toEqual([10, 3])
    await third.close()
  })

  test('searches of many viewers at once each find what is theirs, with records being read beside them', async () => {
    const store = await open(freshFile())
    const names = Array.from({ length: 12 }, (_each, index) => `user ${index}`)
    for (const [index, name] of names.entries()) {
      const document = aDocument({
        importerId: name,
        owners: [`user:${name}`, 'group:everyone'].slice(0, 1 + (index % 2)),
      })
      await complete(store.documents, document, chunks(index + 1))
    }
    const shared = names.reduce((sum, _name, index) => sum + (index % 2 === 1 ? index + 1 : 0), 0)
    const vectors = [{ spaceKey: space.key, vector: aVector(1) }]
    const asked = names.map(async (name, index) => {
      const its = viewer(name, 'group:everyone')
      const [{ keyword, vector }, counts] = await Promise.all([
        store.documents.find({ viewer: its, filter: {}, keywords: 'chunk', vectors, limit: 200 }),
        store.documents.counts(),
      ])
      const expected = shared + (index % 2 === 1 ? 0 : index + 1)
      expect([name, keyword.length, vector.length, counts.completed]).toEqual([name, expected, expected, 12])
    })
    await Promise.all(asked)
    await Promise.all(names.map(async () => expect(await found(store)).toEqual([78, 78])))
    await store.close()
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
