import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChunker } from '#test/support/contract/chunker-contract.ts'
import { plainReading } from '#test/support/documents/generated-reading.ts'
import { characterChunker } from './character.ts'

describeChunker({
  chunker: characterChunker,
  options: fc
    .integer({ min: 1, max: 200 })
    .chain((units) => fc.record({ units: fc.constant(units), overlap: fc.integer({ min: 0, max: units - 1 }) })),
  sizeOf: ({ tableHeader }, text) =>
    Array.from(text).length + (tableHeader === null ? 0 : Array.from(tableHeader).length + 1),
})

describe('a chunk of characters', () => {
  test('counts code points, not UTF-16 units', () => {
    const chunks = characterChunker.chunk(plainReading('😀'.repeat(100)), { units: 50, overlap: 0 }, () => 1)
    expect(chunks.length).toBeLessThan(4)
    expect(Math.max(...chunks.map(({ start, end }) => end - start))).toBeGreaterThan(50)
  })
})
