import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedWords, queryWords, wordVector } from './words.ts'

test('words are lower case, without accents, and cut at everything else', () => {
  expect(foldedWords('The QUICK-brown_fox, v2.5!')).toEqual(['the', 'quick', 'brown', 'fox', 'v2', '5'])
  expect(foldedWords('Crème Brûlée Ångström ИНЖЕНЕР')).toEqual(['creme', 'brulee', 'angstrom', 'инженер'])
  expect(foldedWords('ﬁle №5 ２０２４')).toEqual(['file', 'no5', '2024'])
  expect(foldedWords('हिन्दी')).toEqual(['हिन्दी'])
  expect(foldedWords(' \0 -- ')).toEqual([])
  expect(foldedWords('x'.repeat(1000))).toEqual(['x'.repeat(64)])
})

test('a script without spaces is cut into pairs, and what ends a run stands alone too', () => {
  expect(foldedWords('東京都ABC')).toEqual(['東京', '京都', '都', 'abc'])
  expect(foldedWords('한국어')).toEqual(['한국', '국어', '어'])
  expect(foldedWords('カ゛ガ')).toEqual(foldedWords('カ゛ガ'.normalize('NFC')))
  expect(foldedWords('𠮷野家')).toEqual(['𠮷野', '野家', '家'])
})

test('a query has each word once, a lone character of such a script as a beginning, and no more than 32 words', () => {
  expect(queryWords('Pump pump 都 東京')).toEqual([
    { word: 'pump', prefix: false },
    { word: '都', prefix: true },
    { word: '東京', prefix: false },
  ])
  expect(queryWords(Array.from({ length: 100 }, (_each, index) => `w${index}`).join(' '))).toHaveLength(32)
})

test('every piece of a text is found by the words of the text', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(texts, (text) => {
      const words = foldedWords(text)
      for (const { word, prefix } of queryWords(text)) {
        expect(words.some((each) => (prefix ? each.startsWith(word) : each === word))).toBe(true)
      }
    }),
  )
})

test('no word holds what is syntax in either engine', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const word of [...foldedWords(text), ...queryWords(text).map((each) => each.word)]) {
        expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
      }
    }),
  )
})

test('a vector of words has their places, headings first, and stays within the limits of PostgreSQL', () => {
  expect(wordVector('a b a', 'Title')).toBe("'title':1B 'a':2,4 'b':3")
  const long = wordVector(`${'same '.repeat(20_000)} last`, '')
  expect(long).toMatch(/^'same':1,2,3.*'last':16383$/)
  expect(long.split(',')).toHaveLength(255)
})
