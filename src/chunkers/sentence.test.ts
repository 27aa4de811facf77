import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChunker } from '#test/support/contract/chunker-contract.ts'
import { plainReading } from '#test/support/documents/generated-reading.ts'
import { sentenceChunker } from './sentence.ts'

describeChunker({
  chunker: sentenceChunker,
  options: fc
    .integer({ min: 1, max: 6 })
    .chain((units) => fc.record({ units: fc.constant(units), overlap: fc.integer({ min: 0, max: units - 1 }) })),
})

const sentences = Array.from({ length: 20 }, (_, index) => `This is the sentence with the number ${index + 1}00. `)
const text = sentences.join('')

function numbersOf(overlap: number): readonly (readonly string[])[] {
  const chunks = sentenceChunker.chunk(plainReading(text), { units: 5, overlap }, () => 1)
  return chunks.map(({ start, end }) => text.slice(start, end).match(/\d+(?=00\.)/g) ?? [])
}

describe('a chunk of sentences', () => {
  test('holds as many as asked for', () => {
    expect(numbersOf(0).map((numbers) => numbers.length)).toEqual([5, 5, 5, 5])
  })

  test('begins with exactly the overlap of the one before', () => {
    const chunks = numbersOf(2)
    expect(chunks.length).toBeGreaterThan(4)
    for (const [index, numbers] of chunks.entries()) {
      expect(numbers.length).toBeLessThanOrEqual(5)
      if (index > 0) expect(numbers.slice(0, 2)).toEqual([...(chunks[index - 1] ?? [])].slice(-2))
    }
  })

  test('counts a run without an end as one sentence for each 1,000 characters', () => {
    const chunks = sentenceChunker.chunk(plainReading('word '.repeat(2000).trim()), { units: 1, overlap: 0 }, () => 1)
    for (const { start, end } of chunks) expect(end - start).toBeLessThanOrEqual(1000)
    expect(chunks.length).toBeLessThan(13)
  })
})
