/** The search by words: what every engine must do, in the same order. */
import { expect } from 'bun:test'
import { chunkWords, levelGains } from '#store/documents/indexing/words.ts'
import { viewer } from './store-documents.ts'
import { find, fixedNumbers, textsOf, withTexts } from './store-searches.ts'
import type { StoreTest } from './store-test.ts'

/** Which words find which chunks, and in which order. */
export function wordContract(storeTest: StoreTest): void {
  storeTest('words are found in any case, with and without accents, also in headings', async ({ documents }) => {
    await withTexts(documents, [
      'Der Überschuß der Gesellschaft',
      'A résumé of the naïve approach',
      { text: 'Nothing to see.', headingPath: ['Appendix', 'Ceñtrifuge'] },
      { text: 'Rows only.', tableHeader: '| Turnover | Year |' },
    ])
    expect(await textsOf(documents, 'UBERSCHUSS uberschuß')).toEqual(['Der Überschuß der Gesellschaft'])
    expect(await textsOf(documents, 'resume naive')).toEqual(['A résumé of the naïve approach'])
    expect(await textsOf(documents, 'centrifuge')).toEqual(['Nothing to see.'])
    expect(await textsOf(documents, 'turnover?')).toEqual(['Rows only.'])
    expect(await textsOf(documents, 'turn')).toEqual([])
    expect(await textsOf(documents, 'turn*')).toEqual(['Rows only.'])
    expect(await textsOf(documents, '... !?')).toEqual([])
  })

  storeTest('a chunk with more of the words comes first', async ({ documents }) => {
    await withTexts(documents, ['the pump', 'the pump and the valve', 'the valve and the pump of the boiler', 'a'])
    expect((await textsOf(documents, 'boiler valve pump'))[0]).toBe('the valve and the pump of the boiler')
    expect((await textsOf(documents, 'pump valve')).length).toBe(3)
  })

  storeTest(
    'scripts without spaces are found by any piece of two characters or more, and by one',
    async ({ documents }) => {
      const texts = ['東京都の人口は増加している。', '大阪府の経済', 'ภาษาไทยง่ายมาก', '서울에서 만나요 ABC123']
      await withTexts(documents, texts)
      expect(await textsOf(documents, '人口')).toEqual([texts[0]!])
      expect(await textsOf(documents, '経済')).toEqual([texts[1]!])
      expect(await textsOf(documents, '都')).toEqual([texts[0]!])
      expect(await textsOf(documents, '済')).toEqual([texts[1]!])
      expect(await textsOf(documents, 'ไทย')).toEqual([texts[2]!])
      expect(await textsOf(documents, '서울')).toEqual([texts[3]!])
      expect(await textsOf(documents, 'abc123')).toEqual([texts[3]!])
    },
  )

  storeTest('what a user types is never query syntax', async ({ documents }) => {
    await withTexts(documents, ['alpha beta', 'gamma NOT delta'])
    const typed = [
      '"alpha',
      "alpha' | !beta & (",
      'NEAR(alpha beta',
      'text:alpha',
      '-alpha* ^',
      'alpha AND',
      '\0alpha\0',
      'alpha) or (1=1',
      '{alpha}: "',
      ':* alpha \\',
      '\ud800 alpha',
    ]
    for (const keywords of typed) expect(await textsOf(documents, keywords)).toContain('alpha beta')
    expect(await textsOf(documents, 'NOT')).toEqual(['gamma NOT delta'])
    expect(await textsOf(documents, 'word '.repeat(5000))).toEqual([])
  })

  storeTest('words are found in other forms, in the language of the document', async ({ documents }) => {
    const english = 'The proposals were not accepted, and they will be discussed again at the next of our meetings.'
    const german = 'Die Verträge wurden nicht unterzeichnet, weil das für uns und für sie zu teuer war.'
    await withTexts(documents, [english])
    await withTexts(documents, [german])
    expect(await textsOf(documents, 'proposal')).toEqual([english])
    expect(await textsOf(documents, 'accepting a meeting')).toEqual([english])
    expect(await textsOf(documents, 'Vertrag')).toEqual([german])
    expect(await textsOf(documents, 'what was the contract')).toEqual([])
  })

  storeTest('a document is found by its name and its title, by its first chunk', async ({ documents }) => {
    await withTexts(documents, ['first', 'second'], { name: 'handbook-2024.pdf' })
    await withTexts(documents, ['other'], { name: 'b.pdf' })
    expect(await textsOf(documents, 'handbook')).toEqual(['first'])
    expect(await textsOf(documents, 'handbook second')).toEqual(['second'])
    expect((await textsOf(documents, 'annual report')).toSorted()).toEqual(['first', 'other'])
  })

  storeTest('what a search may not look at moves none of its scores', async ({ documents }) => {
    await withTexts(documents, ['pump one', 'valve two', 'boiler three'], { importerId: 'bob', owners: ['user:bob'] })
    const scores = async () => (await find(documents, { viewer: viewer('bob'), keywords: 'pump valve' })).keyword
    const before = await scores()
    expect(before).toHaveLength(2)
    await withTexts(
      documents,
      Array.from({ length: 40 }, (_each, index) => `pump ${index}`),
      { importerId: 'eve', owners: ['user:eve'] },
    )
    expect(await scores()).toEqual(before)
  })

  storeTest('the ranking is that of the terms counted by hand, on every engine', async ({ documents }) => {
    const random = fixedNumbers(7)
    const words = Array.from({ length: 40 }, (_each, index) => `w${index}x`)
    const aText = (length: number): string =>
      Array.from({ length }, () => words[Math.floor(40 * random() ** 2)]).join(' ')
    const texts = Array.from({ length: 120 }, (_each, index) => `${aText(5 + (index % 60))} t${index}`)
    for (let start = 0; start < texts.length; start += 30) await withTexts(documents, texts.slice(start, start + 30))
    for (let round = 0; round < 12; round += 1) {
      const question = aText(3)
      expect([question, await textsOf(documents, question)]).toEqual([question, rankedByHand(texts, question)])
    }
  })

  storeTest('words that every chunk has are found too, up to the limit', async ({ documents }) => {
    await withTexts(
      documents,
      Array.from({ length: 30 }, (_each, index) => `the common text ${index}`),
    )
    expect(await textsOf(documents, 'the common', { limit: 12 })).toHaveLength(12)
    expect((await textsOf(documents, 'the common 17', { limit: 12 }))[0]).toBe('the common text 17')
  })
}

/** The ten best: for each word the level of its weight, times how rare it is (Lucene's BM25). */
function rankedByHand(texts: readonly string[], question: string): readonly string[] {
  const all = texts.map((text) => chunkWords(text, '', null))
  const scores = all.map(() => 0)
  for (const word of new Set(question.split(' '))) {
    const having = all.filter((words) => words.has(word)).length
    const idf = Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
    for (const [index, words] of all.entries()) {
      const gains = levelGains.slice(0, (words.get(word) ?? -1) + 1)
      scores[index]! += idf * gains.reduce((sum: number, gain) => sum + gain, 0)
    }
  }
  const order = [...texts.keys()].filter((index) => scores[index]! > 0)
  return order
    .sort((a, b) => Math.sign(Math.round((scores[b]! - scores[a]!) * 1e9)) || a - b)
    .slice(0, 10)
    .map((index) => texts[index]!)
}
