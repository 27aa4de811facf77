import { describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import fc from 'fast-check'
import { counterOf, countTokensOf } from './count-tokens.ts'

describe('tokens', () => {
  test('are those of the encoder for all text with breaks', async () => {
    const countTokens = await countTokensOf('cl100k_base')
    const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 })).map((parts) => parts.join(' ').toWellFormed())
    fc.assert(fc.property(text, (each) => expect(countTokens(each)).toBe(encode(each).length)))
  })

  test('of marks that mean something to a model are those of plain text', async () => {
    const countTokens = await countTokensOf('cl100k_base')
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('differ between vocabularies', async () => {
    const [older, newer] = await Promise.all([countTokensOf('cl100k_base'), countTokensOf('o200k_base')])
    const text = 'Ein Satz über Donaudampfschifffahrtsgesellschaften, und добрый день.'
    expect(newer(text)).toBeLessThan(older(text))
  })

  test('of no text are none', async () => {
    expect((await countTokensOf('o200k_base'))('')).toBe(0)
  })

  test.each(['a', ' ', '\n', 'Zm9v', '漢', '👩‍👩‍👧', '!', '\u0301', ' \n'])(
    'of a run of %j reach the encoder in short parts that together are the text',
    (unit) => {
      const parts: string[] = []
      const counting = counterOf((part) => {
        parts.push(part)
        return 1
      })
      const text = unit.repeat(20_000)
      counting(text)
      expect(parts.join('')).toBe(text)
      expect(parts.every((part) => part.length <= 258 && part.isWellFormed())).toBe(true)
    },
  )

  test('of an unknown vocabulary are refused by naming the known ones', async () => {
    const failure: unknown = await countTokensOf('p50k_base').catch((thrown: unknown) => thrown)
    expect(String(failure)).toContain('known are cl100k_base and o200k_base')
  })
})
