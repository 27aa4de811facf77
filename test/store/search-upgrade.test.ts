/** Documents that a version stored which ranked words in another way, and knew no centres of vectors. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase } from '#store/database.ts'
import { migrations } from '#store/migrate.ts'
import { signCoder } from '#store/documents/indexing/sign-code.ts'
import { chunkRow } from '#store/documents/rows/chunk-row.ts'
import { openStore } from '#store/store.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { aDocument, aVector, complete, chunks, everything, space } from '#test/support/store/store-documents.ts'

const ownSealer = sealer(new Uint8Array(32))
const texts = Array.from({ length: 230 }, (_each, index) =>
  index === 117
    ? 'The proposals were not accepted, and they will be discussed again.'
    : `This is the plain chunk of the handbook that has the number ${index}.`,
)
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Rows as the former version wrote them, its index of words aside, which is not read any more. */
async function writeAsBefore(url: string): Promise<void> {
  const database = openDatabase({ url })
  const { kysely } = database
  const json = JSON.stringify({})
  await sql`insert into documents (id, importer_id, name, name_folded, category, sha256, content_key, bytes, reader,
      chunker, embedder, state, progress, attempts, warnings, title, version, fence, visible_set, visible_version,
      state_at, created_at, updated_at)
    values ('old', 'ada', 'minutes.txt', 'minutes.txt', 'reports', 'a', 'a', 1, ${json}, ${json}, ${json}, 'completed',
      ${json}, 1, '[]', 'Board meeting', 1, 1, 1, 1, ${json}, 1, 1)`.execute(kysely)
  await sql`insert into vector_spaces (key, dimensions, embedder) values (${space.key}, ${space.dimensions}, ${json})`.execute(
    kysely,
  )
  await sql`insert into chunk_sets (document_row, fence, space_row, chunks, doomed) values (1, 1, 1, ${texts.length}, 0)`.execute(
    kysely,
  )
  const vectors = texts.map((_text, at) => aVector(at))
  for (const [at, text] of texts.entries()) {
    const row = chunkRow(1, at)
    const bytes = Buffer.from(vectors[at]!.buffer)
    await sql`insert into document_chunks (row, start_at, end_at, heading_path, tokens, text)
      values (${row}, 0, 1, '[]', 1, ${text})`.execute(kysely)
    await sql`insert into chunk_vectors (row, vector) values (${row}, ${bytes})`.execute(kysely)
  }
  const codes = Buffer.from(signCoder(space.dimensions).encodeAll(vectors, null).codes)
  await sql`insert into chunk_codes (set_row, first, codes) values (1, 0, ${codes})`.execute(kysely)
  await sql`update document_change_counter set version = 1`.execute(kysely)
  await database.close()
}

async function upgraded(url: string): Promise<void> {
  const before = await openStore({
    url,
    sealer: ownSealer,
    migrations: migrations.filter(({ version }) => version < 18),
  })
  await before.close()
  await writeAsBefore(url)
  const store = await openStore({ url, sealer: ownSealer })
  try {
    const { documents } = store
    const find = (keywords: string | null) =>
      documents.find({
        viewer: everything,
        filter: {},
        keywords,
        vectors: [{ spaceKey: space.key, vector: aVector(3) }],
        limit: 300,
      })
    expect((await find('proposal')).keyword.map(({ row }) => row)).toEqual([chunkRow(1, 117)])
    expect((await find('board meetings')).keyword.map(({ row }) => row)).toEqual([chunkRow(1, 0)])
    expect((await find('chunk')).keyword).toHaveLength(229)
    const { vector } = await find(null)
    expect(vector).toHaveLength(230)
    expect(vector[0]).toMatchObject({ row: chunkRow(1, 3) })
    await complete(documents, aDocument(), chunks(20))
    expect((await find(null)).vector).toHaveLength(250)
  } finally {
    await store.close()
  }
}

test('on SQLite they are found, by all of their words and vectors', () => upgraded(`sqlite:${join(folder, 'old.db')}`))

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const suite = serverUrl === undefined ? describe.skip : describe

suite(serverUrl === undefined ? 'PostgreSQL (skipped: SLUICE_TEST_POSTGRES_URL names no server)' : 'PostgreSQL', () => {
  test('they are found, by all of their words and vectors', async () => {
    const schema = await makePostgresSchema(serverUrl ?? '')
    try {
      await upgraded(schema.url)
    } finally {
      await schema.drop()
    }
  }, 60_000)
})
