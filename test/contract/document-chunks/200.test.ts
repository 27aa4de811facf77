/** GET /api/v1/document/{doc_id}/chunks: the text of a document in pieces, with where each comes from. */
import { expect, test } from 'bun:test'
import { chunkAnswer, type ChunkOnWire } from '#documents/records/document-record.ts'
import { documentsOfFile, startDocuments } from '#test/support/app/documents-app.ts'

const app = documentsOfFile()

interface ChunkPage {
  readonly data: readonly ChunkOnWire[]
  readonly total: number
  readonly next: number | null
}

async function page(id: string, query = ''): Promise<ChunkPage> {
  const response = await app().request('GET', `/api/v1/document/${id}/chunks${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as ChunkPage
}

const markdown = `# Zoo 🐘

The elephants 🐘🐘 are fed at nine.

## Times

| animal | hour |
| --- | --- |
| lion | ten |
| seal | two |

Closed on Mondays.
`

test('chunks are in order, and their offsets in code points say what each holds', async () => {
  const { doc_id: id, sha256 } = await app().imported(
    { name: 'zoo.md', bytes: markdown },
    { chunker: 'character', chunk_units: 40, chunk_overlap: 10 },
  )
  const { data, total, next } = await page(id)
  expect([total, next]).toEqual([data.length, null])
  for (const chunk of data) expect(chunkAnswer.parse(chunk)).toEqual(chunk)
  expect(data.map(({ ordinal }) => ordinal)).toEqual(data.map((_, at) => at))
  expect(data.map(({ id: each }) => each)).toEqual(data.map((_, at) => `${id}/1/${at}`))
  const whole: string[] = []
  for (const { start, end, text } of data) {
    const points = Array.from(text)
    expect(points).toHaveLength(end - start)
    // Where two chunks overlap they hold the same.
    for (const [at, point] of points.entries()) expect(whole[start + at] ?? point).toBe(point)
    whole.splice(start, points.length, ...points)
  }
  const text = whole.join('')
  for (const part of ['The elephants 🐘🐘 are fed at nine.', '| lion | ten |', 'Closed on Mondays.'])
    expect(text).toContain(part)
  expect(data.at(-1)!.heading_path).toEqual(['Zoo 🐘', 'Times'])
  expect(sha256).toMatch(/^[0-9a-f]{64}$/)
})

test('pages of any size hold every chunk once, and say where to go on', async () => {
  const bytes = Array.from({ length: 60 }, (_, at) => `Sentence number ${at} stands here.`).join(' ')
  const { doc_id: id } = await app().imported({ bytes }, { chunker: 'sentence', chunk_units: 12 })
  const { data: all, total } = await page(id, '?limit=500')
  expect(all).toHaveLength(total)
  for (const limit of [1, 7, total]) {
    const seen: ChunkOnWire[] = []
    let from: number | null = 0
    while (from !== null) {
      const next: ChunkPage = await page(id, `?from=${from}&limit=${limit}`)
      seen.push(...next.data)
      from = next.next
    }
    expect(seen).toEqual([...all])
  }
  expect(await page(id, `?from=${total}`)).toEqual({ data: [], total, next: null })
  expect(await page(id, '?from=1000000')).toEqual({ data: [], total, next: null })
})

test('a document without a completed version has none', async () => {
  await using idleApp = await startDocuments({ set: ['documents.concurrency=0'] })
  const [id] = await idleApp.accepted([{ bytes: 'queued' }])
  expect(await idleApp.chunks(id!)).toEqual([])
})
