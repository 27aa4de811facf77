import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { textOfChunks } from './text-of-chunks.ts'

/** Chunks of a text in code points; each begins as far before the end of the one before as `overlap` says. */
function chunksOf(text: string, cuts: readonly number[], overlap: number) {
  const points = Array.from(text)
  const ends = [...new Set([...cuts.map((cut) => cut % (points.length + 1)), points.length])].sort((a, b) => a - b)
  return ends.map((end, at) => {
    const start = Math.max(0, (ends[at - 1] ?? 0) - (at === 0 ? 0 : overlap))
    return { start, end, text: points.slice(start, end).join('') }
  })
}

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 })

test('chunks that touch or overlap are the text again, whatever its characters', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(), { maxLength: 20 }), fc.nat({ max: 30 }), (text, cuts, overlap) => {
      expect(textOfChunks(chunksOf(text, cuts, overlap))).toBe(text)
    }),
  )
})

test('what lies within the chunk before adds nothing, and what is missing leaves an empty line', () => {
  const inner = [
    { start: 0, end: 10, text: '0123456789' },
    { start: 2, end: 5, text: '234' },
    { start: 12, end: 14, text: 'cd' },
  ]
  expect(textOfChunks(inner)).toBe('0123456789\n\ncd')
  expect(textOfChunks([])).toBe('')
})
