/** The places for vectors: in memory, in the database, and on another server that fails and is killed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'
import { startQdrantServer, type QdrantServer } from '#test/support/documents/qdrant-server.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { held, moveAll, nearest, placeContract } from '#test/support/store/store-contract-places.ts'
import {
  aChunk,
  aDocument,
  aVector,
  chunks,
  complete,
  completeAll,
  everything,
  space,
  viewer,
} from '#test/support/store/store-documents.ts'
import { find, fixedNumbers } from '#test/support/store/store-searches.ts'
import type { StoreTest } from '#test/support/store/store-test.ts'

const postgresUrl = process.env['SLUICE_TEST_PGVECTOR_URL'] ?? process.env['SLUICE_TEST_POSTGRES_URL']
const reasonToSkip = await pgvectorIsMissing()

async function pgvectorIsMissing(): Promise<string | null> {
  if (postgresUrl === undefined) return 'neither SLUICE_TEST_PGVECTOR_URL nor SLUICE_TEST_POSTGRES_URL names a server'
  const client = new Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ version: string }>(
      "select default_version as version from pg_available_extensions where name = 'vector'",
    )
    const version = rows[0]?.version
    if (version === undefined || Number(version.split('.')[1]) < 8) return 'the server has no pgvector 0.8'
    await client.query('create extension if not exists vector')
    return null
  } finally {
    await client.end()
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

const seal = sealer(new Uint8Array(32))
let folder = ''
let qdrant: QdrantServer

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-places-'))
  qdrant = startQdrantServer()
})

afterAll(async () => {
  await qdrant[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A place of its own on the server for each store. */
function addressOf(server: QdrantServer) {
  return { url: server.url, apiKey: server.apiKey, collections: `test-${crypto.randomUUID()}` }
}

const onQdrant: StoreTest = (guarantee, body) => {
  test(guarantee, async () => {
    qdrant.lose()
    const url = `sqlite:${join(folder, `${crypto.randomUUID()}.db`)}`
    const store = await openStore({ url, sealer: seal, qdrant: addressOf(qdrant) })
    try {
      await body(store)
    } finally {
      qdrant.fault = null
      await store.close()
    }
  })
}

let postgres: Awaited<ReturnType<typeof makePostgresSchema>> | null = null

const onPgvector: StoreTest = (guarantee, body) => {
  test.skipIf(reasonToSkip !== null)(
    guarantee,
    async () => {
      const schema = await makePostgresSchema(postgresUrl ?? '')
      postgres = schema
      const store = await openStore({ url: schema.url, sealer: seal, poolMax: 4 })
      try {
        await body(store)
      } finally {
        await store.close()
        await schema.drop()
      }
    },
    60_000,
  )
}

async function rowsOfPgvector(): Promise<number> {
  const tables = await postgres?.run("select to_regclass('vectors_of_space_1') as name")
  if (tables?.[0]?.['name'] === null) return 0
  const rows = await postgres?.run('select count(*)::int as count from vectors_of_space_1')
  return Number(rows?.[0]?.['count'])
}

describe('vectors in Qdrant', () => {
  placeContract(onQdrant, 'qdrant', async () => qdrant.points())
})

describe(`vectors in pgvector${reasonToSkip === null ? '' : ` (skipped: ${reasonToSkip})`}`, () => {
  placeContract(onPgvector, 'pgvector', rowsOfPgvector)

  onPgvector('through its index, too, the nearest are found, and all that is allowed', async ({ documents }) => {
    const random = fixedNumbers(11)
    const vectors = Array.from({ length: 1400 }, () => Float32Array.from({ length: 8 }, () => random() - 0.5))
    const part = (from: number, to: number) => vectors.slice(from, to).map((vector, at) => aChunk(at, { vector }))
    await completeAll(documents, [
      { document: aDocument(), its: part(0, 700) },
      { document: aDocument(), its: part(700, 1250) },
      { document: aDocument({ importerId: 'bob', owners: ['user:bob'] }), its: part(1250, 1400) },
    ])
    await moveAll(documents, 'pgvector')
    let alike = 0
    for (let round = 0; round < 5; round += 1) {
      const asked = Float32Array.from({ length: 8 }, () => random() - 0.5)
      const exact = vectors.map((vector) => cosine(vector, asked)).sort((a, b) => b - a)
      const found = await nearest(documents, asked, { limit: 50 })
      alike += found.filter((each) => Number(each.split(' ')[1]) >= exact[49]! - 1e-5).length
    }
    expect(alike).toBeGreaterThanOrEqual(245)
    expect(await nearest(documents, aVector(2), { as: viewer('bob'), limit: 200 })).toHaveLength(150)
  })

  onPgvector('vectors without a direction, and of more dimensions than its index takes, are found', async (store) => {
    const { documents } = store
    const wide = { key: 'wide', dimensions: 4001 }
    await complete(
      documents,
      aDocument(),
      chunks(2, (at) => ({ vector: at === 0 ? new Float32Array(8) : aVector(1) })),
    )
    await complete(
      documents,
      aDocument(),
      chunks(2, (at) => ({ vector: aVector(at, 4001) })),
      wide,
    )
    await moveAll(documents, 'pgvector')
    expect(await held(documents)).toEqual([2, 2, 0])
    expect(await nearest(documents, aVector(1))).toHaveLength(2)
    const { vector } = await find(documents, { vectors: [{ spaceKey: 'wide', vector: aVector(1, 4001) }] })
    expect(vector).toHaveLength(2)
  })
})

describe('Qdrant that fails', () => {
  onQdrant('while it is away nothing deleted is found, words are, and what is missing is said', async (store) => {
    const { documents } = store
    const [first, second, third] = [aDocument(), aDocument(), aDocument()]
    await complete(documents, first, chunks(3))
    await complete(documents, second, chunks(3))
    await moveAll(documents, 'qdrant')
    qdrant.fault = 'away'
    await documents.delete(first.id, everything)
    await complete(documents, third, chunks(3))
    const asked = { keywords: 'chunk', vectors: [{ spaceKey: space.key, vector: aVector(1) }] }
    const { vector, keyword, silent } = await find(documents, asked)
    expect([vector.length, keyword.length]).toEqual([3, 6])
    expect(silent).toEqual([expect.stringContaining('503')])
    qdrant.fault = null
    expect(await nearest(documents, aVector(1))).toHaveLength(6)
    await moveAll(documents, 'qdrant')
    expect(await nearest(documents, aVector(1))).toHaveLength(6)
    expect(qdrant.points()).toBe(6)
  })

  onQdrant('an answer that is cut off makes no difference: the step is done once more', async (store) => {
    const { documents } = store
    const document = aDocument()
    await complete(documents, document, chunks(4))
    await complete(documents, aDocument(), chunks(4))
    await moveAll(documents, 'memory')
    qdrant.fault = 'cut off'
    expect(await documents.moveVectors('qdrant').catch((thrown: unknown) => String(thrown))).toContain('Qdrant')
    expect(await nearest(documents, aVector(1))).toHaveLength(8)
    await documents.delete(document.id, everything)
    qdrant.fault = null
    await moveAll(documents, 'qdrant')
    expect(await nearest(documents, aVector(1))).toHaveLength(4)
    expect(qdrant.points()).toBe(4)
  })

  onQdrant('a server that is not set up for the place of some vectors says so, and takes them back', async (store) => {
    const { documents } = store
    await complete(documents, aDocument(), chunks(3))
    expect(await documents.moveVectors('pgvector')).toMatchObject({
      sets: 0,
      refusal: expect.stringContaining('pgvector'),
    })
    expect(await nearest(documents, aVector(1))).toHaveLength(3)
  })
})

test('whichever side is killed or loses everything, what is visible is found and nothing else', async () => {
  await using server = startQdrantServer()
  const options = { url: `sqlite:${join(folder, 'killed.db')}`, sealer: seal, qdrant: addressOf(server) }
  const store = await openStore(options)
  const ids = Array.from({ length: 70 }, () => crypto.randomUUID())
  await completeAll(
    store.documents,
    ids.map((id) => ({ document: aDocument({ id }), its: chunks(2) })),
  )
  await store.close()
  const script = join(import.meta.dir, '../support/store/move-process.ts')
  const killed = Bun.spawn([process.execPath, script, options.url, JSON.stringify(options.qdrant)], { stdout: 'pipe' })
  await killed.stdout.getReader().read()
  killed.kill('SIGKILL')
  await killed.exited
  const again: Store = await openStore(options)
  try {
    const { documents } = again
    expect(server.points()).toBeGreaterThan(0)
    expect(await nearest(documents, aVector(1), { limit: 400 })).toHaveLength(140)
    for (const id of ids.slice(0, 20)) await documents.delete(id, everything)
    expect(await nearest(documents, aVector(1), { limit: 400 })).toHaveLength(100)
    await moveAll(documents, 'qdrant')
    expect([server.points(), ...(await held(documents))]).toEqual([100, 0, 0, 100])
  } finally {
    await again.close()
  }
  server.lose()
  const later = await openStore(options)
  try {
    await moveAll(later.documents, 'qdrant')
    expect(await nearest(later.documents, aVector(1), { limit: 400 })).toHaveLength(100)
    expect(server.points()).toBe(100)
  } finally {
    await later.close()
  }
})
