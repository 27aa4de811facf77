/** POST /api/v1/search: passages of the documents that the caller sees, the best first. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { searchAnswer } from '#documents/search/search-wire.ts'
import { documentsOfFile, type SearchOnWire } from '#test/support/app/documents-app.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = documentsOfFile()

const handbook = `# Handbook

## Leave

Everybody has thirty days of paid leave. Unused days expire in March.

## Travel

Hotel bills are paid up to 140 euros a night.

## Pets

Dogs may come to the office on Fridays.
`
let handbookId: string
let menuId: string
beforeAll(async () => {
  const wait = { wait_for_completion: true, chunk_units: 24 }
  const [first, second] = await app().accepted(
    [
      { name: 'handbook.md', bytes: handbook, category: 'handbooks' },
      {
        name: 'menu.txt',
        bytes: 'On Monday there is lentil soup. On Friday there is fish.',
        category: 'menus',
        owners: 'everyone',
      },
    ],
    wait,
  )
  handbookId = first!
  menuId = second!
})

async function search(body: object): Promise<SearchOnWire> {
  const response = await app().search(body)
  expect(response.status).toBe(200)
  const answer = (await response.json()) as SearchOnWire
  expect(searchAnswer.parse(answer)).toEqual(answer as never)
  return answer
}

describe('a hit', () => {
  test('says what was found, where it stands, and why', async () => {
    const { object, data, warnings } = await search({ query: 'paid leave days', doc_id: handbookId, mode: 'hybrid' })
    expect([object, warnings]).toEqual(['list', []])
    const [hit] = data
    expect(hit).toMatchObject({
      doc_id: handbookId,
      name: 'handbook.md',
      category: 'handbooks',
      heading_path: ['Handbook', 'Leave'],
      score: expect.any(Number) as number,
      scores: { vector: { rank: 1 }, keyword: { rank: 1 } },
      before: [],
      after: [],
    })
    expect(hit!.text).toContain('thirty days of paid leave')
    const chunks = await app().chunks(handbookId)
    const { start, end, text } = chunks.find((chunk) => chunk.text === hit!.text)!
    expect([hit!.start, hit!.end, hit!.text]).toEqual([start, end, text])
  })

  test('has its neighbours on demand, in the order of the text, and none beyond the ends', async () => {
    const chunks = await app().chunks(handbookId)
    const query = { query: 'hotel bills euros night', doc_id: handbookId, mode: 'keyword', top_k: 1 }
    const at = chunks.findIndex(({ text }) => text.includes('Hotel'))
    for (const window of [0, 1, 10]) {
      const [hit] = (await search({ ...query, window })).data
      const ordinals = (from: number, to: number) => chunks.slice(Math.max(0, from), to).map(({ ordinal }) => ordinal)
      expect(hit!.before.map(({ ordinal }) => ordinal)).toEqual(ordinals(at - window, at))
      expect(hit!.after.map(({ ordinal }) => ordinal)).toEqual(ordinals(at + 1, at + 1 + window))
    }
  })

  test('comes with at most top_k others, the best first', async () => {
    const all = (await search({ query: 'days', top_k: 200, mode: 'hybrid' })).data
    expect(all.length).toBeGreaterThan(2)
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a))
    const two = (await search({ query: 'days', top_k: 2, mode: 'hybrid' })).data
    expect(two.map(({ text }) => text)).toEqual(all.slice(0, 2).map(({ text }) => text))
  })
})

describe('by mode', () => {
  test('keyword finds words only, vector says how near each is, hybrid has both', async () => {
    const parts = async (asked: string) => {
      const { data, mode } = await search({ query: 'lentil', mode: asked })
      expect(mode).toBe(asked)
      return { first: data[0]!.doc_id, count: data.length, scores: data[0]!.scores }
    }
    expect(await parts('keyword')).toMatchObject({ first: menuId, count: 1, scores: { vector: null } })
    expect(await parts('vector')).toMatchObject({ first: menuId, scores: { keyword: null } })
    const hybrid = await parts('hybrid')
    expect(hybrid).toMatchObject({ first: menuId, scores: { vector: { rank: 1 }, keyword: { rank: 1 } } })
    expect(hybrid.count).toBeGreaterThan(1)
  })

  test('auto, which is the default, is by words where no model has embedded the documents, and says so', async () => {
    for (const asked of [{}, { mode: 'auto' }, { category: 'none' }]) {
      const { mode, data } = await search({ query: 'lentil', ...asked })
      expect([mode, ...data.map(({ scores }) => scores.vector)]).toEqual(['keyword', ...data.map(() => null)])
    }
  })

  test('a word that nobody wrote finds nothing by keyword', async () => {
    expect((await search({ query: 'xylophone', mode: 'keyword' })).data).toEqual([])
  })

  test('a query of punctuation alone, or in the syntax of a search engine, is taken as words', async () => {
    for (const query of ['?!', '"', '*', 'AND', 'lentil OR NOT (', "'; drop table documents; --", 'a:b', '\0'])
      for (const mode of ['hybrid', 'keyword', 'vector']) await search({ query, mode })
    expect((await search({ query: 'lentil AND (soup', mode: 'keyword' })).data[0]?.doc_id).toBe(menuId)
  })
})

describe('filters', () => {
  const found = async (fields: object) =>
    new Set((await search({ query: 'Friday', top_k: 200, ...fields })).data.map(({ doc_id: id }) => id))

  test('by category, owner and document, and by all of them together', async () => {
    const both = new Set([handbookId, menuId])
    expect(await found({})).toEqual(both)
    expect(await found({ category: 'menus' })).toEqual(new Set([menuId]))
    expect(await found({ category: ['menus', 'handbooks', 'none'] })).toEqual(both)
    expect(await found({ category: 'none' })).toEqual(new Set())
    expect(await found({ owners: 'everyone' })).toEqual(new Set([menuId]))
    expect(await found({ owners: ['everyone', app().keys.main.userId] })).toEqual(both)
    expect(await found({ doc_id: [handbookId.toUpperCase()] })).toEqual(new Set([handbookId]))
    expect(await found({ doc_id: crypto.randomUUID() })).toEqual(new Set())
    expect(await found({ category: 'menus', owners: app().keys.main.userId })).toEqual(new Set())
    expect(await found({ category: null, owners: null, doc_id: null })).toEqual(both)
  })

  test('apply within the search: a document that fits badly is found when it is the only one asked for', async () => {
    await app().accepted(
      Array.from({ length: 30 }, (_, at) => ({ bytes: `Friday number ${at} of many Fridays.`, category: 'crowd' })),
      { wait_for_completion: true },
    )
    expect(await found({ category: 'handbooks', top_k: 1 })).toEqual(new Set([handbookId]))
  })
})

describe('several embedders', () => {
  test('each document is searched with its own, and one whose embedder fails by words, with a warning', async () => {
    app().upstream.script(embeds)
    const options = { embedder: 'plain' }
    const { doc_id: id } = await app().imported({ bytes: 'The zebra is striped.', category: 'models' }, options)
    const query = { query: 'striped zebra', category: ['models', 'menus'] }
    const well = await search(query)
    expect([well.data[0]?.doc_id, well.data[0]?.scores.vector?.rank, well.warnings]).toEqual([id, 1, []])
    app().upstream.script(json(errorObject('bad key'), 401))
    const ill = await search(query)
    expect([ill.data[0]?.doc_id, ill.data[0]?.scores.vector]).toEqual([id, null])
    expect(ill.warnings).toEqual([expect.stringContaining('searched by words only')])
    expect(ill.warnings[0]).not.toContain('bad key')
  })

  test('a question is realtime work: a rule against batch work leaves vectors, one against realtime work does not', async () => {
    app().upstream.script(embeds)
    const { doc_id: id } = await app().imported({ bytes: 'The tapir swims.', category: 'rules' }, { embedder: 'plain' })
    const rule = async (rules: object) =>
      expect((await app().operate('PATCH', `/models/${app().models.plain.id}`, { rules })).status).toBe(200)
    const [query, deny] = [{ query: 'swimming tapir', category: 'rules' }, { action: 'deny' }]
    await rule({ batch: deny })
    const well = await search(query)
    expect([well.data[0]?.doc_id, well.data[0]?.scores.vector?.rank, well.warnings]).toEqual([id, 1, []])
    await rule({ realtime: deny })
    const ill = await search(query)
    expect([ill.data[0]?.scores.vector, ill.warnings.length]).toEqual([null, 1])
    await rule({})
  })

  test('auto is by meaning and words as soon as a model has embedded one of the documents', async () => {
    app().upstream.script(embeds)
    await app().imported({ bytes: 'Lentils are legumes.', category: 'embedded' }, { embedder: 'plain' })
    const modes = async (category: string | string[]) => (await search({ query: 'lentil', category })).mode
    expect([await modes('embedded'), await modes(['embedded', 'menus']), await modes('menus')]).toEqual([
      'hybrid',
      'hybrid',
      'keyword',
    ])
  })

  test('a model that the caller may not use embeds the caller’s question about documents that the caller sees', async () => {
    app().upstream.script(embeds)
    const item = { bytes: 'The okapi is shy.', owners: 'everyone', category: 'lent' }
    const { doc_id: id } = await app().imported(item, { embedder: 'private' }, { key: app().keys.other })
    const [hit] = (await search({ query: 'okapi', category: 'lent' })).data
    expect([hit?.doc_id, hit?.scores.vector?.rank]).toEqual([id, 1])
  })
})
