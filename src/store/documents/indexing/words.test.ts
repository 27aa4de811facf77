import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { chunkWords, foldedWords, languageOf, markedTerms, phrasesOf, phraseText, queryWords } from './words.ts'

const plain = (text: string): readonly string[] => foldedWords(text, null)

test('words are lower case, without accents, and cut at everything else', () => {
  expect(plain('The QUICK-brown_fox, v2.5!')).toEqual(['the', 'quick', 'brown', 'fox', 'v2', '5'])
  expect(plain('Crème Brûlée Ångström ИНЖЕНЕР')).toEqual(['creme', 'brulee', 'angstrom', 'инженер'])
  expect(plain('ﬁle №5 ２０２４')).toEqual(['file', 'no5', '2024'])
  expect(plain('हिन्दी')).toEqual(['हिन्दी'])
  expect(plain(' \0 -- ')).toEqual([])
  expect(plain('x'.repeat(1000))).toEqual(['x'.repeat(64)])
})

test('a script without spaces is cut into pairs, and what ends a run stands alone too', () => {
  expect(plain('東京都ABC')).toEqual(['東京', '京都', '都', 'abc'])
  expect(plain('한국어')).toEqual(['한국', '국어', '어'])
  expect(plain('カ゛ガ')).toEqual(plain('カ゛ガ'.normalize('NFC')))
  expect(plain('𠮷野家')).toEqual(['𠮷野', '野家', '家'])
})

test('a query has each word once, a lone character of such a script as a beginning, and no more than 32 words', () => {
  expect(queryWords('Pump pump 都 東京', [])).toEqual([
    { terms: ['pump'], prefix: false },
    { terms: ['都'], prefix: true },
    { terms: ['東京'], prefix: false },
  ])
  expect(queryWords(Array.from({ length: 100 }, (_each, index) => `w${index}`).join(' '), [])).toHaveLength(32)
})

test('every piece of a text is found by the words of the text', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(texts, (text) => {
      const words = plain(text)
      for (const { terms, prefix } of queryWords(text, [])) {
        expect(words.some((each) => terms.some((term) => (prefix ? each.startsWith(term) : each === term)))).toBe(true)
      }
    }),
  )
})

test('no word holds what is syntax in either engine', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const word of [...plain(text), ...queryWords(text, ['de']).flatMap(({ terms }) => terms)]) {
        expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
      }
    }),
  )
})

test('words of a language are found in any of their forms, and its stop words only when nothing else is asked for', () => {
  const forms: readonly (readonly [string, string, string])[] = [
    ['en', 'The proposals that were running late', 'proposal run'],
    ['de', 'Die Verträge der Gesellschaften', 'vertrag gesellschaft'],
    ['ru', 'о предложениях', 'предложение'],
    ['fr', 'les propriétés générales', 'propriete general'],
  ]
  for (const [language, text, question] of forms) {
    const words = foldedWords(text, language)
    for (const { terms } of queryWords(question, ['en', language])) {
      expect([question, terms.some((term) => words.includes(term))]).toEqual([question, true])
    }
  }
  const asked = (text: string): readonly string[] => queryWords(text, ['en']).map(({ terms }) => terms[0] ?? '')
  expect(asked('what is the boiler')).toEqual(['boiler'])
  expect(asked('what is the')).toEqual(['what', 'is', 'the'])
})

test('the language is that of most stop words, and none for what has too few', () => {
  expect(languageOf('The pump must be switched off before it is opened, and the valve has to be closed.')).toBe('en')
  expect(languageOf('Die Pumpe muss abgeschaltet werden, bevor sie geöffnet wird, und das Ventil ist zu.')).toBe('de')
  expect(languageOf('Насос должен быть выключен до того, как он будет открыт, и клапан тоже.')).toBe('ru')
  expect(languageOf('const pump = valve(17); return pump.close(valve)')).toBeNull()
  expect(languageOf('')).toBeNull()
})

test('a term weighs more the more often it is there and the shorter the chunk, in levels that include each other', () => {
  const marks = (text: string, heading = ''): number =>
    markedTerms(chunkWords(text, heading, null)).filter((term) => term.startsWith('pump')).length
  const filler = ' valve'.repeat(180)
  expect(marks(`pump${filler}`)).toBe(1)
  expect(marks(`pump pump${filler}`)).toBeGreaterThan(1)
  expect(marks('pump pump pump pump')).toBe(4)
  expect(marks(filler, 'pump')).toBeGreaterThan(marks(`pump${filler}`) - 1)
  const terms = markedTerms(chunkWords('pump pump', '', null))
  expect(terms).toContain('pump')
  expect(new Set(terms).size).toBe(terms.length)
})

test('a query has phrases in any pair of marks, in the words of a text, and a word alone is none', () => {
  expect(phrasesOf('pump "Turn LEFT, now" “Überschuß der” „dies ist“ «le cas» "one" "" "open')).toEqual([
    ' turn left now ',
    ' uberschuß der ',
    ' dies ist ',
    ' le cas ',
  ])
  expect(phrasesOf('"東京都"')).toEqual([' 東 京 都 '])
  expect(phraseText('A (turn,\nleft) NOW!')).toContain(phraseText('turn left now'))
  expect(phraseText('turns left now')).not.toContain(phraseText('turn left now'))
  expect(phraseText('大東京都市')).toContain(phraseText('東京'))
})
