import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectLinear } from '#test/support/growth.ts'
import { mergedTokens } from './byte-pairs.ts'

/** A vocabulary over few letters, in which many pairs compete; every letter is a token. */
function rankIn(vocabulary: readonly string[], text: string): (from: number, to: number) => number | undefined {
  const ranks = new Map(vocabulary.map((token, rank) => [token, rank]))
  return (from, to) => ranks.get(text.slice(from, to))
}

/** As it is defined: the pair of the lowest rank, of several the leftmost, as long as there is one. */
function mergedPlainly(text: string, rankOf: (token: string) => number | undefined): readonly (number | undefined)[] {
  const parts = Array.from(text)
  for (;;) {
    const pairs = parts.slice(1).map((part, at) => rankOf((parts[at] ?? '') + part) ?? Infinity)
    const least = Math.min(...pairs)
    if (least === Infinity) return parts.map(rankOf)
    const at = pairs.indexOf(least)
    parts.splice(at, 2, (parts[at] ?? '') + (parts[at + 1] ?? ''))
  }
}

describe('merging', () => {
  test('gives the tokens that the definition gives', () => {
    const token = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 6 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 })
    fc.assert(
      fc.property(fc.uniqueArray(token, { maxLength: 30 }), text, (tokens, each) => {
        const vocabulary = ['c', ...tokens, 'a', 'b']
        const expected = mergedPlainly(each, (part) => rankIn(vocabulary, part)(0, part.length))
        expect(mergedTokens(each.length, rankIn(vocabulary, each))).toEqual(expected as number[])
      }),
      { numRuns: 300 },
    )
  })

  const families: Readonly<Record<string, (size: number) => string>> = {
    'one letter': (size) => 'a'.repeat(size),
    'two letters': (size) => 'ab'.repeat(size / 2),
    'letters without a pair': (size) => 'abc'.repeat(size / 3),
    'letters in no order': (size) => Array.from({ length: size }, (_, at) => 'abc'[(at * at * 7) % 3]).join(''),
  }
  const vocabulary = ['a', 'b', 'c', 'aa', 'ab', 'aaaa', 'abab', 'ba', 'aab']
  for (const [what, make] of Object.entries(families)) {
    test(`of a long run of ${what} takes time as long as it is`, () =>
      expectLinear({ from: 2000, make, run: (text) => mergedTokens(text.length, rankIn(vocabulary, text)) }))
  }
})
