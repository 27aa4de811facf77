import { describe, expect, test } from 'bun:test'
import { sentenceStarts } from './sentence-starts.ts'

function sentencesOf(text: string): readonly string[] {
  const starts = [0, ...sentenceStarts(text, 0, text.length), text.length]
  return starts.slice(1).map((end, index) => text.slice(starts[index], end))
}

describe('sentences', () => {
  test.each([
    ['end with a full stop, a question or an exclamation', ['It works. ', 'Does it? ', 'Yes! ', 'Good.']],
    ['go on behind a title and an abbreviation', ['Dr. Smith met Mr. Jones, cf. fig. 3 of it. ', 'Then he left.']],
    ['go on behind initials', ['J. R. R. Tolkien wrote it. ', 'It sold.']],
    ['go on behind an abbreviation with inner stops', ['In the U.S. it is legal, e.g. at home. ', 'Elsewhere not.']],
    ['may begin in lower case', ['it expires in 2027. ', 'a further asset exists. ', 'see note 5.']],
    ['do not end within a number or an address', ['It costs 3.50 at example.com today. ', 'Or 4.']],
    ['end behind the quotation mark that closes them', ['He said “Go home.” ', 'She went.']],
    ['end without a space in Chinese and Japanese', ['これは文です。', '次の文です！', '終わり']],
    ['go on behind dots that only make a pause', ['Well... perhaps not. ', 'Hm... ', 'Yes.']],
    ['go on behind the number of a list item', ['1. Install it. ', 'Then start it.']],
    ['take the white space behind them', ['One.  \n ', 'Two.']],
  ])('%s', (_, sentences) => {
    expect(sentencesOf(sentences.join(''))).toEqual(sentences)
  })

  test('are looked for within the range only', () => {
    const text = 'One. Two. Three. Four.'
    expect(sentenceStarts(text, 5, 16)).toEqual([10])
  })
})
