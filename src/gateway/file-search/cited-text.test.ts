import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CitedText } from './cited-text.ts'

const passages = [1, 2].map((at) => ({
  fileId: `file-${at}`,
  filename: `${at}.txt`,
  attributes: null,
  score: 1,
  text: '',
}))

function read(pieces: readonly string[]) {
  const cited = new CitedText(passages)
  const parts = [...pieces.map((piece) => cited.push(piece)), cited.end()]
  expect(parts.map(({ text }) => text).join('')).toBe(cited.text)
  return [cited.text, parts.flatMap(({ citations }) => citations.map(({ file_id: id, index }) => `${id} ${index}`))]
}

test.each([
  ['Plain.', 'Plain.', []],
  ['A【1】 b【2】.', 'A b.', ['file-1 1', 'file-2 3']],
  ['A【1†1.txt】【2:0†source】', 'A', ['file-1 1', 'file-2 1']],
  ['【3】 is of no passage, 【x】 no mark, 【', '【3】 is of no passage, 【x】 no mark, 【', []],
  [`【${'1'.repeat(60)}】`, `【${'1'.repeat(60)}】`, []],
])('marks become citations at their places: %s', (text, shown, citations) => {
  expect(read([text])).toEqual([shown, citations])
})

test('any pieces of a text give the same', () => {
  const parts = fc.array(fc.constantFrom('【1】', '【2†b】', '【', '】', '1', 'word ', '【9】', '🌊'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(parts, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (words, cuts) => {
      const text = words.join('')
      const ends = [...new Set(cuts.filter((cut) => cut < text.length))].toSorted((a, b) => a - b)
      const pieces = [...ends, text.length].map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end))
      expect(read(pieces)).toEqual(read([text]))
    }),
  )
})
