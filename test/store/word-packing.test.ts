/**
 * The words of chunks that a version stored which did not pack them: packed beside searches, by several processes of which
 * some are killed, while documents are renamed and removed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase, type Database } from '#store/database.ts'
import { packedChunks } from '#store/documents/indexing/packed-words.ts'
import { setOf } from '#store/documents/rows/chunk-row.ts'
import { openStore, type Store } from '#store/store.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { everything, viewer } from '#test/support/store/store-documents.ts'
import { withTexts } from '#test/support/store/store-searches.ts'

const script = new URL('../support/store/pack-process.ts', import.meta.url).pathname
/** More than one step packs, in documents of one piece and of many. */
const sizes = [3, 40, 210, 1, 60, 30]
const words = 'pump valve turbine proposal contract budget meeting'.split(' ')
const viewers = [everything, viewer('user 0'), viewer('user 2')]
const questions = ['pumps', 'the valve and a turbine', 'minutes', 'number117 proposal', '"valve the turbine"']

const textOf = (document: number, chunk: number): string =>
  `The ${words[chunk % 7]} of the ${words[(document + chunk) % 5]} was a valve the turbine had, number${chunk}.`

/** What is looked at in a database, with a store on it. */
interface Opened {
  readonly url: string
  readonly database: Database
  readonly store: Store
}

async function answers({ documents }: Store): Promise<readonly string[]> {
  const all: string[] = []
  for (const each of viewers) {
    for (const keywords of questions) {
      const { keyword } = await documents.find({ viewer: each, filter: {}, keywords, vectors: [], limit: 10 })
      all.push(`${keywords}: ${JSON.stringify(keyword.map(({ row, score }) => [row, score.toFixed(9)]))}`)
    }
  }
  return all
}

/** The chunks and names whose words are packed, each as often as it is. */
async function packedWords({ kysely }: Database): Promise<string> {
  const rows = await kysely.selectFrom('chunk_words').selectAll().orderBy('row').execute()
  const held = rows.flatMap(({ row, words: packed }) =>
    Array.from({ length: packedChunks(packed) }, (_each, place) => row + place),
  )
  return `${held.length} of ${new Set(held).size}: ${Bun.hash(held.join())}`
}

const lost: readonly (readonly [what: string, where: string])[] = [
  ['all', '1 = 1'],
  ['those of names', 'row % 1048576 = 1048575'],
  ['some pieces', 'row % 3 = 0'],
]

/** Takes words away, and says that they are to be packed. */
async function forget({ kysely }: Database, where: string): Promise<void> {
  await sql`delete from chunk_words where ${sql.raw(where)}`.execute(kysely)
  await sql`update word_packing set after_row = 0, again = 0, done = 0`.execute(kysely)
}

async function packAll({ documents }: Store): Promise<void> {
  while ((await documents.packWords()) > 0) continue
}

const open = (url: string): Promise<Store> => openStore({ url, sealer: sealer(new Uint8Array(32)) })

async function fill(url: string): Promise<void> {
  await using filling = await opened(url)
  for (const [document, size] of sizes.entries()) {
    const texts = Array.from({ length: size }, (_each, chunk) => textOf(document, chunk))
    const importerId = `user ${document % 3}`
    const owners = [`user:${importerId}`]
    await withTexts(filling.store.documents, texts, { importerId, owners, name: `minutes ${document}.txt` })
  }
  // A new database has nothing to pack.
  await packAll(filling.store)
}

async function opened(url: string): Promise<Opened & AsyncDisposable> {
  const [database, store] = [openDatabase({ url }), await open(url)]
  return {
    url,
    database,
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database.close()
    },
  }
}

function packing(address: () => string, processes: number): void {
  test.each(lost)('searches find the same while %s are packed, and then read what was packed', async (_what, where) => {
    await using on = await opened(address())
    const { database, store } = on
    const [found, packed] = [await answers(store), await packedWords(database)]
    expect(found.filter((each) => each.endsWith('[]')).length).toBeLessThan(found.length / 2)
    await forget(database, where)
    do expect(await answers(store)).toEqual([...found])
    while ((await store.documents.packWords()) > 0)
    expect(await packedWords(database)).toBe(packed)
    const { done } = await database.kysely.selectFrom('word_packing').select('done').executeTakeFirstOrThrow()
    expect(done).toBe(1)
  })

  test('what a killed process has not packed, the others do, and nothing twice', async () => {
    await using on = await opened(address())
    const { url, database } = on
    const packed = await packedWords(database)
    await forget(database, '1 = 1')
    const started = Array.from({ length: processes }, () =>
      Bun.spawn([process.execPath, script, url], { stdout: 'pipe', stderr: 'inherit' }),
    )
    for await (const _line of started[0]!.stdout) started[0]!.kill('SIGKILL')
    await Promise.all(started.map(({ exited }) => exited))
    // The killed one's session may have held the lock until the others had gone.
    const last = Bun.spawn([process.execPath, script, url], { stdout: 'ignore', stderr: 'inherit' })
    expect(await last.exited).toBe(0)
    expect(await packedWords(database)).toBe(packed)
  })

  test('documents that are renamed and removed beside it are as if nothing was packed', async () => {
    await using on = await opened(address())
    const { database, store } = on
    await forget(database, '1 = 1')
    const { documents } = store
    const { items } = await documents.list({ viewer: everything, limit: 10 })
    const [first, second, ...others] = items.map(({ id }) => id)
    const changes = async (): Promise<void> => {
      await documents.rename(first!, everything, { name: 'ledger.txt' }, 5)
      for (const id of others.slice(1)) await documents.delete(id, everything)
    }
    await Promise.all([packAll(store), changes()])
    await packAll(store)
    const left = await database.kysely.selectFrom('documents').select(['id', 'visible_set']).execute()
    expect(left.map(({ id }) => id).toSorted()).toEqual([first!, second!, others[0]!].toSorted())
    const packed = await database.kysely.selectFrom('chunk_words').select('row').execute()
    const sets = new Set(packed.map(({ row }) => setOf(row)))
    expect(sets).toEqual(new Set(left.map(({ visible_set: setRow }) => setRow!)))
    const query = { viewer: everything, filter: {}, keywords: 'ledger', vectors: [], limit: 10 }
    expect((await documents.find(query)).keyword).toHaveLength(1)
  })
}

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-packing-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('SQLite', () => {
  const url = (): string => `sqlite:${join(folder, 'packing.db')}`

  beforeAll(() => fill(url()))

  packing(url, 1)
})

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const suite = serverUrl === undefined ? describe.skip : describe

suite(serverUrl === undefined ? 'PostgreSQL (skipped: SLUICE_TEST_POSTGRES_URL names no server)' : 'PostgreSQL', () => {
  let schema: PostgresSchema

  beforeAll(async () => {
    schema = await makePostgresSchema(serverUrl ?? '')
    await fill(schema.url)
  }, 60_000)

  afterAll(() => schema.drop())

  test('what a process of the version before stores in the meantime is packed once it is gone', async () => {
    await using on = await opened(schema.url)
    const { database, store } = on
    const { kysely } = database
    const packed = await packedWords(database)
    await sql`insert into replicas (id, beat, applied_version, timeout_ms, heartbeat_at, schema_version, process)
      values ('before', ${crypto.randomUUID()}, 0, 1000, now(), 63, 'before')`.execute(kysely)
    await forget(database, '1 = 1')
    await packAll(store)
    expect(await packedWords(database)).toBe(packed)
    await sql`delete from chunk_words`.execute(kysely)
    await sql`delete from replicas where id = 'before'`.execute(kysely)
    await packAll(store)
    expect(await packedWords(database)).toBe(packed)
  })

  packing(() => schema.url, 3)
})
