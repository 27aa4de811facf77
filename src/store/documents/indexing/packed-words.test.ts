import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eachHaving, packedChunks, packedWord, packWords } from './packed-words.ts'
import { chunkWords, levelMarks, markedTerms, type WordLevels } from './words.ts'

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'ab',
    'abc',
    'b',
    'pump',
    'pumps',
    'é',
    '東京',
    '都',
    '𠮷野',
    'z'.repeat(64),
    '\u1e9e'.repeat(90),
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
)
const chunk = fc.array(fc.tuple(word, fc.nat(3)), { maxLength: 40 }).map((each): WordLevels => new Map(each))

/** The chunks that have a word, by what markedTerms says. */
function having(chunks: readonly WordLevels[], terms: readonly string[], prefix: boolean): readonly string[] {
  return chunks.flatMap((words, place) => {
    const marked = markedTerms(words)
    const level = levelMarks.findLastIndex((mark) => terms.some((term) => marked.includes(`${term}${mark}`)))
    const begins = prefix && marked.some((each) => terms.some((term) => each.startsWith(term)))
    return level >= 0 || begins ? [`${place} ${Math.max(level, 0)}`] : []
  })
}

test('whatever chunks hold, their packed words say of every word which of them have it and at which level', () => {
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 32 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (chunks, terms, prefix) => {
        const packed = packWords(chunks)
        const found: string[] = []
        eachHaving(packed, packedWord({ terms, prefix }), (place, level) => found.push(`${place} ${level}`))
        expect(found).toEqual([...having(chunks, terms, prefix)])
        expect(packedChunks(packed)).toBe(chunks.length)
      },
    ),
  )
})

test('a thousand words of a real text are all found, and none that is not there', () => {
  const words = Array.from({ length: 1000 }, (_each, index) => `word${index * 2}`)
  const packed = packWords([chunkWords(words.join(' '), '', null)])
  const count = (term: string): number => {
    let found = 0
    eachHaving(packed, packedWord({ terms: [term], prefix: false }), () => (found += 1))
    return found
  }
  for (const each of words) expect(count(each)).toBe(1)
  for (let odd = 1; odd < 2000; odd += 2) expect(count(`word${odd}`)).toBe(0)
})

test('more chunks than a value can hold are refused', () => {
  expect(() => packWords(Array.from({ length: 33 }, () => new Map()))).toThrow(RangeError)
})
