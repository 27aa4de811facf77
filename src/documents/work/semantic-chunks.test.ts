import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChunkRecord } from '../reading/chunk-record.ts'
import { semanticChunks } from './semantic-chunks.ts'

const options = { units: 100, overlap: 0, percentile: 90 }

/** Passages of ten characters each, one after the other. */
function passages(count: number): readonly ChunkRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    start: at * 10,
    end: at * 10 + 10,
    page: 1,
    pageLabel: null,
    headingPath: [],
    tableHeader: null,
    tokens: 10,
    text: String(at).padEnd(10),
  }))
}

async function* lotsOf(
  records: readonly ChunkRecord[],
  sizes: readonly number[],
): AsyncGenerator<readonly ChunkRecord[]> {
  let from = 0
  for (const size of sizes) {
    if (from >= records.length) return
    yield records.slice(from, from + size)
    from += size
  }
  if (from < records.length) yield records.slice(from)
}

/** About which of these a passage is. */
const about =
  (topics: readonly number[]) =>
  async (some: readonly ChunkRecord[]): Promise<readonly Float32Array[]> =>
    some.map(({ start }) => {
      const angle = (topics[start / 10] ?? 0) * 0.7
      return new Float32Array([Math.cos(angle), Math.sin(angle)])
    })

async function chunksOf(
  count: number,
  sizes: readonly number[],
  topics: readonly number[],
): Promise<readonly ChunkRecord[]> {
  return (await Array.fromAsync(semanticChunks(lotsOf(passages(count), sizes), about(topics), options))).flat()
}

test('neighbours about the same are one chunk, and no chunk is larger than its units', async () => {
  const topics = Array.from({ length: 20 }, (_, at) => (at < 8 ? 0 : 1))
  const chunks = await chunksOf(20, [20], topics)
  expect([chunks[0]?.start, chunks[0]?.end]).toEqual([0, 80])
  for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(100)
})

test('however the passages come in lots, the chunks cover all of them, in order and once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 10 }),
      async (topics, sizes) => {
        const chunks = await chunksOf(topics.length, sizes, topics)
        let at = 0
        for (const { start, end, text } of chunks) {
          expect(start).toBe(at)
          expect(text).toHaveLength(end - start)
          at = end
        }
        expect(at).toBe(topics.length * 10)
      },
    ),
  )
})

test('nothing comes of nothing, and one passage is one chunk', async () => {
  expect(await chunksOf(0, [], [])).toEqual([])
  expect(await chunksOf(1, [1], [0])).toHaveLength(1)
})
