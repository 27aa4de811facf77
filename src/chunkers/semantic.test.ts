import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChunker } from '#test/support/contract/chunker-contract.ts'
import { plainReading } from '#test/support/documents/generated-reading.ts'
import { countTokensOf } from './count-tokens.ts'
import { joinPassages, semanticChunker, semanticGroups } from './semantic.ts'

describeChunker({
  chunker: semanticChunker,
  options: fc.record({ units: fc.integer({ min: 1, max: 300 }), overlap: fc.constant(0) }),
})

const options = { units: 256, overlap: 0, percentile: 90 }

/** Passages of 20 tokens, one for each letter; letters are subjects. */
function grouped(subjects: string, changes: Partial<typeof options> = {}): readonly string[] {
  const passages = Array.from(subjects).map(() => ({ tokens: 20 }))
  const vectors = Array.from(subjects).map((subject, index) => {
    const direction = new Float32Array(8)
    direction[subject.charCodeAt(0) - 97] = 1
    direction[7] = 0.05 * (index % 3)
    return direction
  })
  const groups = semanticGroups(passages, vectors, { ...options, ...changes })
  return groups.map(({ from, to }) => subjects.slice(from, to))
}

describe('semantic groups', () => {
  test('end where the subject changes', () => {
    expect(grouped('aaaaaabbbbbbbbcccccc')).toEqual(['aaaaaa', 'bbbbbbbb', 'cccccc'])
  })

  test('are cut at their size where the subject does not change', () => {
    const groups = grouped('a'.repeat(40), { units: 100 })
    expect(groups.join('')).toBe('a'.repeat(40))
    for (const group of groups) expect(group.length).toBeLessThanOrEqual(5)
    expect(groups.length).toBeLessThanOrEqual(10)
  })

  test('with an overlap begin with the passages that end the one before', () => {
    expect(grouped('aaaaaabbbbbbbbcccccc', { overlap: 45 })).toEqual(['aaaaaa', 'aabbbbbbbb', 'bbcccccc'])
  })

  test('hold every passage once, in order, and keep to the size, whatever the vectors are', () => {
    const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
    const passage = fc.record({ tokens: fc.integer({ min: 1, max: 60 }), vector })
    fc.assert(
      fc.property(fc.array(passage, { maxLength: 40 }), fc.integer({ min: 0, max: 100 }), (passages, percentile) => {
        const vectors = passages.map((each) => each.vector)
        const groups = semanticGroups(passages, vectors, { units: 100, overlap: 0, percentile })
        expect(groups.flatMap(({ from, to }) => passages.slice(from, to))).toEqual(passages)
        const sizes = groups.map(({ from, to }) =>
          passages.slice(from, to).reduce((sum, { tokens }) => sum + tokens, 0),
        )
        expect(sizes.filter((size) => size > 100)).toEqual([])
      }),
    )
  })

  test('need a vector for each passage', () => {
    expect(() => semanticGroups([{ tokens: 1 }], [], options)).toThrow('There are 1 passages and 0 vectors.')
  })
})

describe('joined passages', () => {
  test('are one chunk with the text of all and the place of the first', async () => {
    const text = 'The first sentence stands here for all to see. '.repeat(20)
    const reading = plainReading(text, { pages: [{ start: 0, number: 7, label: null }] })
    const chunks = semanticChunker.chunk(reading, { units: 100, overlap: 0 }, await countTokensOf('cl100k_base'))
    const passages = chunks.map((chunk) => ({ ...chunk, text: text.slice(chunk.start, chunk.end) }))
    const joined = joinPassages(passages)
    expect(passages.length).toBeGreaterThan(3)
    expect(joined).toMatchObject({ start: 0, end: text.length, text, page: 7 })
  })
})
