/**
 * Searches by words over the same documents, made at random in several languages: what SQLite and PostgreSQL find, and
 * what is found by lists of words and by reading what little is allowed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealer } from '#lib/seal.ts'
import { openDatabase, type Database } from '#store/database.ts'
import type { RankedChunk, Viewer } from '#store/documents/document-store.ts'
import { changeVersion } from '#store/documents/rows/changes.ts'
import { KeywordSearch, type KeywordLimits } from '#store/documents/search/keyword-search.ts'
import { VisibleSets } from '#store/documents/search/visible-sets.ts'
import { openStore, type Store } from '#store/store.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { everything, viewer } from '#test/support/store/store-documents.ts'
import { fixedNumbers, withTexts } from '#test/support/store/store-searches.ts'

/** Stop words, by which a language is guessed, and words in several forms. */
const languages: readonly (readonly [stops: string, words: string])[] = [
  [
    'the and of to was were that they',
    'pump pumps pumping valve valves proposal proposals proposed turbine running run',
  ],
  [
    'der die das und nicht wurde für mit',
    'Pumpe Pumpen Ventil Ventile Vertrag Verträge Überschuß Turbine Gesellschaft',
  ],
  ['les des et dans pour une avec est', 'pompe pompes propriété propriétés général générales résumé turbine valve'],
  ['и в не на что это как был', 'насос насосы предложение предложениях договор договоры турбина клапан'],
  ['', '東京都の人口 大阪府の経済 人口は増加している 経済の成長 都の予算'],
]
const vocabulary = languages.flatMap(([, words]) => words.split(' '))

const random = fixedNumbers(18)
const anyOf = <T>(from: readonly T[]): T => from[Math.floor(from.length * random() ** 1.5)]!

function aText(): string {
  const [stops, words] = languages[Math.floor(languages.length * random())]!
  const among = [...words.split(' '), ...stops.split(' ').filter((stop) => stop !== '')]
  return Array.from({ length: 6 + Math.floor(30 * random()) }, () => anyOf(among)).join(' ')
}

const owners = ['ann', 'ben', 'cem'] as const
const corpus = Array.from({ length: 50 }, (_each, index) => ({
  // Cem's documents are the last, as those of a user who has just come are.
  importerId: index >= 44 ? 'cem' : anyOf(owners.slice(0, 2)),
  name: `${anyOf(vocabulary)} ${index}.txt`,
  texts: Array.from({ length: 1 + Math.floor(6 * random()) }, () => ({
    text: aText(),
    headingPath: random() < 0.3 ? [anyOf(vocabulary)] : [],
  })),
}))
const phraseOf = (): string => {
  const words = anyOf(anyOf(corpus).texts).text.split(' ')
  const start = Math.floor((words.length - 2) * random())
  return `"${words.slice(start, start + 2 + Math.floor(2 * random())).join(' ')}"`
}
const questions = Array.from({ length: 60 }, (_each, index) => {
  const words = Array.from({ length: 1 + (index % 4) }, () => anyOf(vocabulary))
  if (index % 5 === 3) return [...words.slice(1), `${words[0]!.slice(0, 3)}*`].join(' ')
  if (index % 5 === 4) return [...words.slice(2), phraseOf()].join(' ')
  return words.join(' ')
})
const viewers: readonly Viewer[] = [everything, viewer('ann'), viewer('cem')]

async function fill(store: Store): Promise<void> {
  for (const { importerId, name, texts } of corpus) {
    await withTexts(store.documents, texts, { importerId, owners: [`user:${importerId}`], name })
  }
}

/** What every viewer's questions find, by a search with limits of its own or as the store searches. */
async function answers(store: Store): Promise<readonly (readonly RankedChunk[])[]> {
  const all: (readonly RankedChunk[])[] = []
  for (const each of viewers) {
    for (const keywords of questions) {
      const query = { viewer: each, filter: {}, keywords, vectors: [], limit: 10 }
      all.push((await store.documents.find(query)).keyword)
    }
  }
  return all
}

async function answersWithin(database: Database, limits: KeywordLimits): Promise<readonly (readonly RankedChunk[])[]> {
  const [search, sets] = [new KeywordSearch(limits), new VisibleSets()]
  const version = await changeVersion(database.kysely)
  await sets.catchUp(database, version)
  const all: (readonly RankedChunk[])[] = []
  for (const each of viewers) {
    const allowed = await sets.allowed(database, { viewer: each, filter: {} })
    for (const keywords of questions) all.push(await search.search(database, { keywords, limit: 10, allowed, version }))
  }
  return all
}

/** Rows as they are, scores to nine digits: sums of the same numbers in another order. */
function rounded(all: readonly (readonly RankedChunk[])[]): readonly string[] {
  return all.map((found, at) => {
    const chunks = found.map(({ row, score }) => ({ row, score: Math.round(score * 1e9) }))
    chunks.sort((a, b) => b.score - a.score || a.row - b.row)
    return `${questions[at % questions.length]}: ${JSON.stringify(chunks)}`
  })
}

const boundless: KeywordLimits = { listMax: 100_000, readMax: 100_000 }
const onlyLists: KeywordLimits = { listMax: 100_000, readMax: 0 }
/** As a million chunks are to the usual limits. */
const scarce: KeywordLimits = { listMax: 20, readMax: 12 }

interface Engine {
  readonly url: string
  readonly store: Store
}

async function opened(url: string): Promise<Engine> {
  const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
  await fill(store)
  return { url, store }
}

async function onDatabase<T>({ url }: Engine, body: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url })
  try {
    return await body(database)
  } finally {
    await database.close()
  }
}

function wayContract(engine: () => Engine): void {
  test('lists of words and the words of what is allowed rank alike', async () => {
    await onDatabase(engine(), async (database) => {
      const read = rounded(await answersWithin(database, boundless))
      expect(rounded(await answersWithin(database, onlyLists))).toEqual([...read])
      expect(rounded(await answers(engine().store))).toEqual([...read])
    })
  })

  test('questions of common words alone find what a user has, however new it is and however much others have', async () => {
    await onDatabase(engine(), async (database) => {
      const [all, few] = [await answersWithin(database, boundless), await answersWithin(database, scarce)]
      for (const [at, found] of all.entries()) {
        if (questions[at % questions.length]!.includes('"')) continue
        expect(few[at]!.length).toBeGreaterThanOrEqual(Math.min(10, found.length))
      }
    })
  })

  test('documents that were stored without their words beside them are found by lists', async () => {
    await onDatabase(engine(), async (database) => {
      const before = rounded(await answersWithin(database, boundless))
      const stored = await database.kysely.selectFrom('chunk_words').selectAll().execute()
      await sql`delete from chunk_words where row % 3 = 0`.execute(database.kysely)
      try {
        expect(rounded(await answersWithin(database, boundless))).toEqual([...before])
      } finally {
        await database.kysely
          .insertInto('chunk_words')
          .values(stored)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
    })
  })
}

let folder = ''
let sqlite: Engine

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-search-engines-'))
  sqlite = await opened(`sqlite:${join(folder, 'words.db')}`)
})

afterAll(async () => {
  await sqlite.store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('words on SQLite', () => {
  wayContract(() => sqlite)

  test('a phrase finds the chunks that have it, those with the other words first, and no others', async () => {
    const texts = corpus.flatMap(({ texts: its }) => its.map(({ text }) => text))
    for (const question of questions.filter((each) => each.startsWith('"'))) {
      const { documents } = sqlite.store
      const query = { viewer: everything, filter: {}, keywords: question, vectors: [], limit: 300 }
      const rows = (await documents.find(query)).keyword.map(({ row }) => row)
      const found = (await documents.chunksInContext(rows, everything, 0)).map(({ text }) => text)
      const wanted = question.slice(1, -1)
      const having = texts.filter((text) => ` ${text} `.includes(` ${wanted} `))
      expect(having.length).toBeGreaterThan(0)
      expect([question, having.filter((text) => !found.includes(text))]).toEqual([question, []])
      for (const text of found) expect(text.toLowerCase()).toContain(wanted.toLowerCase())
    }
  })
})

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const suite = serverUrl === undefined ? describe.skip : describe

suite(serverUrl === undefined ? 'PostgreSQL (skipped: SLUICE_TEST_POSTGRES_URL names no server)' : 'PostgreSQL', () => {
  let schema: PostgresSchema
  let postgres: Engine

  beforeAll(async () => {
    schema = await makePostgresSchema(serverUrl ?? '')
    postgres = await opened(schema.url)
  }, 60_000)

  afterAll(async () => {
    await postgres.store.close()
    await schema.drop()
  })

  wayContract(() => postgres)

  test('the same questions get the same ten with the same scores as on SQLite', async () => {
    expect(await answers(postgres.store)).toEqual([...(await answers(sqlite.store))])
    for (const limits of [onlyLists, scarce]) {
      const [here, there] = [
        await onDatabase(postgres, (database) => answersWithin(database, limits)),
        await onDatabase(sqlite, (database) => answersWithin(database, limits)),
      ]
      expect(here).toEqual([...there])
    }
  })
})
