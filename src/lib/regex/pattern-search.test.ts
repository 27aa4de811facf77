import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectLinear } from '#test/support/growth.ts'
import { isPattern, PatternSearch } from './pattern-search.ts'

const found = (pattern: string, text: string): readonly string[] =>
  new PatternSearch(pattern).find(text).map(({ start, end }) => text.slice(start, end))

test.each([
  ['EMP-[0-9]{6}', 'by EMP-123456 and EMP-654321.', ['EMP-123456', 'EMP-654321']],
  ['a+', 'baaab', ['aaa']],
  ['ab|abcd', 'xabcdx', ['abcd']],
  ['[äöü😀]{2}', 'x😀äx', ['😀ä']],
  ['a.c', 'a\nc abc', ['abc']],
  ['(DE|FR)[0-9]{2}( [0-9]{4}){2}', 'iban FR76 3000 6000!', ['FR76 3000 6000']],
  // What overlaps is one stretch: a text that is part of any match is in it.
  ['aba', 'ababa', ['ababa']],
  ['ab', 'abab', ['ab', 'ab']],
])('%s is found in %j', (pattern, text, expected) => {
  expect(found(pattern, text)).toEqual(expected)
})

test('every match that the engine of the runtime finds is inside a stretch', () => {
  const patterns = ['a+b', '[ab]{2,4}c', '(ab|ba)+', 'a.b', 'c?ab?']
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n') }),
      (pattern, text) => {
        const stretches = new PatternSearch(pattern).find(text)
        for (const match of text.matchAll(new RegExp(pattern, 'gu'))) {
          const [start, end] = [match.index, match.index + match[0].length]
          expect(stretches.some((each) => each.start <= start && end <= each.end)).toBe(true)
        }
        // And what is cut out begins where the engine, too, can begin a match.
        for (const { start } of stretches) {
          const sticky = new RegExp(pattern, 'uy')
          sticky.lastIndex = start
          expect(sticky.test(text)).toBe(true)
        }
      },
    ),
  )
})

test.each(['a*', '(a|)', '', '(?=a)b', 'a(', 'x{500}', String.raw`(a)\1`])('%j is refused', (pattern) => {
  expect(isPattern(pattern)).toBe(false)
})

describe('the time is linear in the text', () => {
  test.each(['a+a+b', '(a|aa)+b', '[a-z]+@[a-z]+', '.*x.*y'])('for %s', async (pattern) => {
    const search = new PatternSearch(pattern)
    await expectLinear({ from: 4000, make: (size) => 'a'.repeat(size), run: (text) => search.find(text) })
  })
})
