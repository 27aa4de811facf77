import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { modelPage } from './models.ts'

const models = Array.from({ length: 25 }, (_, index) => ({
  id: `m${String(index).padStart(2, '0')}`,
  createdAt: index * 1000,
}))

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
  readonly first_id: string | null
  readonly last_id: string | null
}

function page(query: string, listed = models): Page {
  return modelPage(listed, new URLSearchParams(query)) as Page
}

const ids = (from: number, to: number) => models.slice(from, to).map(({ id }) => id)

test('a model is told in the dialect of the caller', () => {
  const listed = [
    { id: 'a', createdAt: 1_700_000_000_000 },
    { id: 'b', createdAt: 0, displayName: 'Bee' },
  ]
  expect(modelPage(listed, new URLSearchParams())).toEqual({
    data: [
      { type: 'model', id: 'a', display_name: 'a', created_at: '2023-11-14T22:13:20.000Z' },
      { type: 'model', id: 'b', display_name: 'Bee', created_at: '1970-01-01T00:00:00.000Z' },
    ],
    has_more: false,
    first_id: 'a',
    last_id: 'b',
  })
})

test('a list of nothing has no first and no last', () => {
  expect(page('', [])).toEqual({ data: [], has_more: false, first_id: null, last_id: null })
})

describe('a page', () => {
  test.each([
    ['', 0, 20, true],
    ['limit=1000', 0, 25, false],
    ['limit=25', 0, 25, false],
    ['limit=24', 0, 24, true],
    ['after_id=m19', 20, 25, false],
    ['after_id=m19&limit=2', 20, 22, true],
    ['after_id=m24', 25, 25, false],
    ['before_id=m05', 0, 5, false],
    ['before_id=m05&limit=2', 3, 5, true],
    ['before_id=m00', 0, 0, false],
  ])('%s', (query, from, to, more) => {
    const { data, has_more: hasMore, first_id: first, last_id: last } = page(query)
    expect(data.map(({ id }) => id)).toEqual(ids(from, to))
    expect(hasMore).toBe(more)
    expect([first, last]).toEqual([ids(from, to)[0] ?? null, ids(from, to).at(-1) ?? null])
  })

  test('after page shows every model once', () => {
    const seen: string[] = []
    let query = 'limit=7'
    for (;;) {
      const { data, has_more: more, last_id: last } = page(query)
      seen.push(...data.map(({ id }) => id))
      if (!more) break
      query = `limit=7&after_id=${last}`
    }
    expect(seen).toEqual(ids(0, 25))
  })
})

test.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=many', 'limit'],
  ['after_id=unknown', 'after_id'],
  ['before_id=unknown', 'before_id'],
  ['after_id=m00&before_id=m02', 'before_id'],
])('%s is refused', (query, param) => {
  let thrown: unknown
  try {
    page(query)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ApiError)
  expect((thrown as ApiError).status).toBe(400)
  expect((thrown as ApiError).detail.param).toBe(param)
})
