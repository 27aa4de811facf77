/** The words of a search in a text. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { excerpt, searchWords } from '../../ui/src/components/highlight.ts'

test('the words of a search are each there once, in lower case, without the common ones', () => {
  expect(searchWords('Is the Große of the box 100?')).toEqual(['große', 'box', '100'])
})

describe('an excerpt', () => {
  const text = `${'filler words here '.repeat(40)}the needle is here${' and more filler'.repeat(40)}`

  test('shows the first of the words, wherever it is in the text', () => {
    expect(excerpt(text, ['needle'])).toContain('needle')
  })

  test('begins at the beginning when no word is in the text', () => {
    expect(excerpt(text, ['absent'])).toStartWith('filler words')
    expect(excerpt(text, [])).toStartWith('filler words')
  })

  test('is never much longer than was asked for, and short texts stay whole', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (any, words) => {
        const shown = excerpt(any, words, 40)
        return any.length <= 40 ? shown === any : shown.length <= 44
      }),
    )
  })
})
