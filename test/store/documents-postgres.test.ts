/** The store of documents on the PostgreSQL server that SLUICE_TEST_POSTGRES_URL names. */
import { describe, expect, test } from 'bun:test'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { documentContract } from '#test/support/store/store-contract-documents.ts'
import { recordContract } from '#test/support/store/store-contract-records.ts'
import { searchContract } from '#test/support/store/store-contract-search.ts'
import { aDocument, aVector, chunks, complete, everything, space } from '#test/support/store/store-documents.ts'
import type { StoreTest } from '#test/support/store/store-test.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reasonToSkip = serverUrl === undefined ? 'SLUICE_TEST_POSTGRES_URL names no server' : undefined
const suite = reasonToSkip === undefined ? describe : describe.skip

async function withSchema(body: (schema: PostgresSchema) => Promise<void>): Promise<void> {
  const schema = await makePostgresSchema(serverUrl ?? '')
  try {
    await body(schema)
  } finally {
    await schema.drop()
  }
}

function open(schema: PostgresSchema): Promise<Store> {
  return openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)), poolMax: 4 })
}

const storeTest: StoreTest = (guarantee, body) => {
  test(
    guarantee,
    async () => {
      await withSchema(async (schema) => {
        const store = await open(schema)
        try {
          await body(store)
        } finally {
          await store.close()
        }
      })
    },
    60_000,
  )
}

suite(`PostgreSQL${reasonToSkip === undefined ? '' : ` (skipped: ${reasonToSkip})`}`, () => {
  describe('documents', () => documentContract(storeTest))
  describe('records of documents', () => recordContract(storeTest))
  describe('search', () => searchContract(storeTest))

  test('a deleted document leaves no row in any table', async () => {
    await withSchema(async (schema) => {
      const store = await open(schema)
      const document = aDocument()
      await complete(store.documents, document, chunks(600))
      await store.documents.delete(document.id, everything)
      const tables = ['documents', 'document_owners', 'document_jobs', 'chunk_sets', 'document_chunks']
      for (const table of [...tables, 'chunk_vectors', 'chunk_codes', 'chunk_words', 'chunk_terms']) {
        expect([table, await schema.run(`select * from ${table}`)]).toEqual([table, []])
      }
      await store.close()
    })
  }, 60_000)

  test('two processes import, work and search as one', async () => {
    await withSchema(async (schema) => {
      const [one, two] = [await open(schema), await open(schema)]
      const same = Array.from({ length: 10 }, () => aDocument())
      const outcomes = await Promise.all(
        [one, two, one, two].map((store, index) => {
          const order = index < 2 ? same : same.toReversed()
          return store.documents.insert(order.map((document) => ({ ...document, id: crypto.randomUUID() })))
        }),
      )
      expect(outcomes.flat().filter(({ kind }) => kind === 'queued')).toHaveLength(10)
      const claiming = { max: 3, now: 1_780_000_000_000, leaseUntil: 1_780_000_060_000 }
      const claims = await Promise.all(
        [one, two, one, two].map((store, index) => store.documents.claim({ ...claiming, worker: `${index}` })),
      )
      const ids = claims.flat().map(({ document }) => document.id)
      expect(new Set(ids).size).toBe(ids.length)

      const [first, second] = [aDocument(), aDocument()]
      await complete(one.documents, first, chunks(3))
      await complete(two.documents, second, chunks(4))
      const vectors = [{ spaceKey: space.key, vector: aVector(1) }]
      const query = { viewer: everything, filter: {}, keywords: 'chunk', vectors, limit: 100 }
      const counts = async (store: Store): Promise<readonly number[]> => {
        const { keyword, vector } = await store.documents.find(query)
        return [keyword.length, vector.length]
      }
      expect([await counts(one), await counts(two)]).toEqual([
        [7, 7],
        [7, 7],
      ])
      await one.documents.delete(second.id, everything)
      expect(await counts(two)).toEqual([3, 3])
      await Promise.all([one.close(), two.close()])
    })
  }, 60_000)
})
