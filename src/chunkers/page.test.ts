import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChunker } from '#test/support/contract/chunker-contract.ts'
import { plainReading } from '#test/support/documents/generated-reading.ts'
import { countTokensOf } from './count-tokens.ts'
import { pageChunker } from './page.ts'

describeChunker({
  chunker: pageChunker,
  options: fc
    .integer({ min: 1, max: 4 })
    .chain((units) => fc.record({ units: fc.constant(units), overlap: fc.integer({ min: 0, max: units - 1 }) })),
})

const countTokens = await countTokensOf('cl100k_base')

function pagesOf(texts: readonly string[], options: { units: number; overlap: number }): readonly string[] {
  let text = ''
  const pages = texts.map((page, index) => {
    const start = text.length
    text += page
    return { start, number: index + 1, label: null }
  })
  const chunks = pageChunker.chunk(plainReading(text, { pages }), options, countTokens)
  return chunks.map(({ start, end, page }) => `${page}: ${text.slice(start, end)}`)
}

describe('a chunk of pages', () => {
  test('is one page', () => {
    expect(pagesOf(['One.\n\n', 'Two.\n\n', 'Three.'], { units: 1, overlap: 0 })).toEqual([
      '1: One.\n\n',
      '2: Two.\n\n',
      '3: Three.',
    ])
  })

  test('begins with the last pages of the one before', () => {
    expect(pagesOf(['1 ', '2 ', '3 ', '4 ', '5'], { units: 3, overlap: 1 })).toEqual(['1: 1 2 3 ', '3: 3 4 5'])
  })

  test('takes an empty page with the one before it', () => {
    expect(pagesOf(['One.\n\n', '\n\n', 'Three.'], { units: 1, overlap: 0 })).toEqual(['1: One.\n\n\n\n', '3: Three.'])
  })

  test('is cut where it is longer than embedding models read', () => {
    const long = 'A sentence of a page without an end. '.repeat(1000)
    const chunks = pagesOf(['One.\n\n', `${long}\n\n`, 'Three.'], { units: 1, overlap: 0 })
    expect(chunks.map((chunk) => chunk.slice(0, 3))).toEqual(['1: ', '2: ', '2: ', '2: ', '3: '])
    for (const chunk of chunks) expect(countTokens(chunk.slice(3))).toBeLessThanOrEqual(4096)
  })

  test('has the length of a printed page where the format has none', () => {
    const text = 'A sentence of a text that has no pages. '.repeat(500)
    const chunks = pageChunker.chunk(plainReading(text), { units: 1, overlap: 0 }, countTokens)
    expect(chunks.every(({ page, tokens }) => page === null && tokens <= 800)).toBe(true)
    expect(chunks.length).toBe(Math.ceil(countTokens(text) / 800))
  })
})
