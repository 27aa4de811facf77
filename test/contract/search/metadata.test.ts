/** Metadata of documents over HTTP: set by imports and changes, stated by files, filtered by in searches and lists, counted. */
import { beforeAll, expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile()
let ids: readonly string[]

beforeAll(async () => {
  const items = [
    { bytes: 'lentil soup on monday', metadata: { course: 'first', price: 4.5, tags: ['vegan', 'hot'] } },
    { bytes: 'lentil salad on friday', metadata: { course: 'first', price: 6, chef: { name: 'Ada' } } },
    { bytes: 'lentil cake on sunday', metadata: { course: 'last', price: 3 } },
    { name: 'kept.md', bytes: '---\ntitle: Lentils\nauthor: Bob\nday: 2024-05-01\n---\n\n# Lentils\n\nlentil notes\n' },
  ]
  ids = await app().accepted(items, { wait_for_completion: true })
})

async function found(filter: object, more: object = {}): Promise<readonly number[]> {
  const hits = await app().hits({ query: 'lentil', filter, ...more })
  return [...new Set(hits.map(({ doc_id: id }) => ids.indexOf(id)))].toSorted((a, b) => a - b)
}

test('a filter decides what is found, in every mode, and what is listed', async () => {
  const cases: readonly (readonly [object, readonly number[]])[] = [
    [{ type: 'eq', key: 'course', value: 'first' }, [0, 1]],
    [{ type: 'range', key: 'price', gte: 3, lt: 6 }, [0, 2]],
    [{ type: 'in', key: 'tags', value: ['hot', 'cold'] }, [0]],
    [{ type: 'eq', key: 'chef.name', value: 'Ada' }, [1]],
    [{ type: 'not', filter: { type: 'exists', key: 'course' } }, [3]],
    [{ type: 'eq', key: 'author', value: 'Bob' }, [3]],
  ]
  for (const [filter, expected] of cases) {
    for (const mode of ['keyword', 'vector', 'hybrid']) expect(await found(filter, { mode })).toEqual(expected)
    const listed = await app().listed(`?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    expect(listed.map((id) => ids.indexOf(id)).toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b))
  }
})

test('hits and records tell it; facets count what may be found', async () => {
  const response = await app().search({
    query: 'lentil',
    facets: ['course', 'tags'],
    filter: { type: 'lt', key: 'price', value: 6 },
  })
  const { data, facets } = (await response.json()) as {
    data: readonly { doc_id: string; metadata: unknown }[]
    facets: unknown
  }
  expect(data.find(({ doc_id: id }) => id === ids[2])?.metadata).toEqual({ course: 'last', price: 3 })
  expect(facets).toEqual({
    course: [
      { value: 'first', documents: 1 },
      { value: 'last', documents: 1 },
    ],
    tags: [
      { value: 'hot', documents: 1 },
      { value: 'vegan', documents: 1 },
    ],
  })
  expect((await app().record(ids[3]!)).metadata).toMatchObject({
    author: 'Bob',
    day: expect.stringContaining('2024-05-01') as string,
  })
})

test('the keys of all that may be found are listed, with the values of those that are asked for', async () => {
  const filter = encodeURIComponent(JSON.stringify({ type: 'lt', key: 'price', value: 6 }))
  const read = async (query: string, key = app().keys.main) =>
    (await (await app().request('GET', `/api/v1/documents/metadata${query}`, { key })).json()) as {
      keys: string[]
      facets: Record<string, { value: unknown; documents: number }[]>
      warnings: string[]
    }
  const { keys, facets } = await read(`?keys=course,nothing&filter=${filter}`)
  expect(keys).toEqual(expect.arrayContaining(['author', 'chef.name', 'course', 'price', 'tags']) as string[])
  expect(keys).toEqual(keys.toSorted())
  expect(facets['course']?.map(({ value, documents }) => [value, documents])).toEqual([
    ['first', 1],
    ['last', 1],
  ])
  expect(facets['nothing']).toBeUndefined()
  expect(await read('?keys=course', app().keys.other)).toEqual({ keys: [], facets: {}, warnings: [] })
  for (const [query, code] of [
    ['?keys=a,b,c,d,e,f,g,h,i,j,k', 'invalid_query_parameter'],
    ['?filter={', 'invalid_filter'],
  ] as const)
    await expectRefusal(await app().request('GET', `/api/v1/documents/metadata${query}`), {
      status: query === '?filter={' ? 422 : 400,
      type: 'invalid_request_error',
      code,
      param: code === 'invalid_filter' ? 'filter' : 'keys',
    })
})

test('PATCH merges, the next search knows, and those who may only read may not', async () => {
  const patch = (metadata: object, key = app().keys.main) =>
    app().request('PATCH', `/api/v1/document/${ids[2]}`, {
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata }),
    })
  const sweet = { type: 'eq', key: 'taste.sweet', value: true }
  expect(await found(sweet)).toEqual([])
  expect((await patch({ taste: { sweet: true }, price: null })).status).toBe(200)
  expect(await found(sweet)).toEqual([2])
  expect((await app().record(ids[2]!)).metadata).toEqual({ course: 'last', taste: { sweet: true } })
  await expectRefusal(await patch({ a: 1 }, app().keys.other), {
    status: 404,
    type: 'not_found_error',
    code: 'not_found',
  })
  const large = await patch({ a: 'x'.repeat(17_000) })
  await expectRefusal(large, {
    status: 422,
    type: 'invalid_request_error',
    code: 'validation_failed',
    param: 'metadata',
  })
})

const deep = (levels: number): object =>
  levels === 0 ? { type: 'exists', key: 'a' } : { type: 'not', filter: deep(levels - 1) }
const faults: readonly (readonly [string, unknown, string])[] = [
  ['no type', { type: 'like', key: 'a' }, 'filter.type'],
  ['no key', { type: 'eq', value: 1 }, 'filter.key'],
  ['an object as a value', { type: 'eq', key: 'a', value: {} }, 'filter.value'],
  ['a value that is no list', { type: 'in', key: 'a', value: 'x' }, 'filter.value'],
  ['a bound that is neither number nor text', { type: 'gt', key: 'a', value: true }, 'filter.value'],
  ['bounds of two types', { type: 'range', key: 'a', gt: 1, lt: 'x' }, 'filter'],
  ['no bound', { type: 'range', key: 'a' }, 'filter'],
  ['a field too many', { type: 'exists', key: 'a', value: 1 }, 'filter.value'],
  ['a wrong part', { type: 'and', filters: [{ type: 'exists', key: 'a' }, 7] }, 'filter.filters[1]'],
  ['no parts', { type: 'or', filters: [] }, 'filter.filters'],
  ['too many levels', deep(150), `filter${'.filter'.repeat(8)}`],
  ['too many conditions', { type: 'or', filters: Array.from({ length: 51 }, () => deep(0)) }, 'filter.filters'],
  ['too many values', { type: 'in', key: 'a', value: Array.from({ length: 1001 }, () => 1) }, 'filter.value'],
]
for (const [which, filter, param] of faults) {
  test(`a filter with ${which} is refused with its place`, async () => {
    const refusal = { status: 422, type: 'invalid_request_error', code: 'invalid_filter', param } as const
    await expectRefusal(await app().search({ query: 'a', filter }), refusal)
  })
}

test('metadata beyond its bounds spoils its own item only', async () => {
  const nested = { a: { a: { a: { a: { a: { a: 1 } } } } } }
  for (const metadata of [[], 'x', nested, { '': 1 }, { ['k'.repeat(129)]: 1 }]) {
    const { accepted, invalid } = await app().answer([
      { bytes: 'fine', category: crypto.randomUUID() },
      { bytes: 'b', metadata },
    ])
    expect([accepted.length, invalid.length]).toEqual([1, 1])
    expect(JSON.stringify(invalid)).toContain('metadata')
  }
})
