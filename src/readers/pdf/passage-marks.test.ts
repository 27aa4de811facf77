/** Which words of a page belong to a passage. */
import { describe, expect, test } from 'bun:test'
import { sharedWords } from './passage-marks.ts'

const words = (text: string): string[] => text.split(' ').filter((each) => each !== '')
const marked = (page: string, passage: string): string => {
  const isMarked = sharedWords(words(page), words(passage))
  return words(page)
    .filter((_, at) => isMarked[at])
    .join(' ')
}

describe('words of a page that a passage has', () => {
  test('are those of runs of three, wherever they stand', () => {
    expect(marked('x a b c d y', 'a b c d')).toBe('a b c d')
    expect(marked('c d e x y z w v a b c', 'a b c d e')).toBe('c d e a b c')
    expect(marked('a b x c d', 'a b c d')).toBe('')
  })

  test('are taken along when reading has changed a few between them', () => {
    expect(marked('a b c infor mation d e f z', 'a b c information d e f')).toBe('a b c infor mation d e f')
  })

  test('are not those of a phrase elsewhere, once most of the passage was found', () => {
    const passage = 'a b c d e f g h i j k l m'
    expect(marked(`x b c d y y y y ${passage} z`, passage)).toBe(passage)
    expect(marked(`b c d y y y y h i j`, passage)).toBe('b c d h i j')
  })

  test('of a passage of one or two are found alone', () => {
    expect(marked('x total y total', 'total')).toBe('total total')
    expect(marked('x grand total y total', 'grand total')).toBe('grand total')
    expect(marked('a b c', '')).toBe('')
  })
})
