/** POST /api/v1/search with `max_per_document` and sections: what one document may have of the hits, and what belongs to a hit. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { documentsOfFile, type SearchOnWire } from '#test/support/app/documents-app.ts'

const app = documentsOfFile()
const loud = 120
const quiet = 6

beforeAll(async () => {
  // Every sentence of one document fits better than anything in the others.
  const sections = Array.from({ length: loud }, (_, at) => `# Part ${at}\n\nLeave leave leave, part ${at}.`).join(
    '\n\n',
  )
  const others = Array.from({ length: quiet }, (_, at) => ({
    name: `quiet-${at}.md`,
    bytes: `# Rules\n\nOf leave there is more in chapter ${at}, between many other words about travel and costs.`,
  }))
  const cut = { chunker: 'sentence', chunk_units: 1, chunk_overlap: 0 }
  await app().accepted([{ name: 'loud.md', bytes: sections }], { wait_for_completion: true, ...cut })
  await app().accepted(others, { wait_for_completion: true })
})

async function search(fields: object): Promise<SearchOnWire> {
  const response = await app().search({ query: 'leave', mode: 'keyword', ...fields })
  expect(response.status).toBe(200)
  return (await response.json()) as SearchOnWire
}

describe.each([1, 2, 5])('at most %i hits of one document', (most) => {
  test.each([1, 4, 10, 200])('leave the places to others, of %i hits', async (topK) => {
    const { data } = await search({ top_k: topK, max_per_document: most })
    const counts = Map.groupBy(data, ({ name }) => name)
    expect(Math.max(...counts.values().map((hits) => hits.length))).toBeLessThanOrEqual(most)
    expect(data).toHaveLength(Math.min(topK, most + quiet))
    expect(data[0]!.name).toBe('loud.md')
  })
})

test('without it the best come, of whatever document', async () => {
  const { data } = await search({ top_k: 10 })
  expect(new Set(data.map(({ name }) => name))).toEqual(new Set(['loud.md']))
})

describe('the section of a hit', () => {
  const lines = (from: string) => Array.from({ length: 4 }, (_, at) => `The ${from} rule ${at} is about walruses.`)
  const text = [
    '# Sea',
    ...lines('sea'),
    '# Land',
    'Only this names marmots.',
    ...lines('land'),
    '# Air',
    ...lines('air'),
  ]

  beforeAll(async () => {
    const cut = { chunker: 'sentence', chunk_units: 1, chunk_overlap: 0 }
    await app().accepted([{ name: 'rules.md', bytes: text.join('\n\n') }], { wait_for_completion: true, ...cut })
  })

  test('is what stands under its heading, and nothing of its neighbours', async () => {
    const found = async (window: unknown) => (await search({ query: 'marmots', top_k: 1, window })).data[0]!
    const [hit, wide] = [await found('section'), await found(10)]
    const around = [...hit.before, ...hit.after] as unknown as readonly { readonly heading_path: readonly string[] }[]
    expect(around.length).toBeGreaterThan(0)
    expect(new Set(around.map(({ heading_path: path }) => path.join()))).toEqual(new Set([hit.heading_path.join()]))
    expect(wide.before.length + wide.after.length).toBeGreaterThan(around.length)
  })
})
