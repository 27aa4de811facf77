import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens, splitTokens, textOfTokens } from './tokens.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 })

describe('splitting', () => {
  test('pieces join to the text, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const pieces = await splitTokens(text)
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      }),
    )
  })

  test('no piece splits a code point', async () => {
    const pieces = await splitTokens('👩‍👩‍👧 🧵𒀀𝔘 日本語 and more 🏴󠁧󠁢󠁥󠁮󠁧󠁿')
    for (const { text } of pieces) {
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toContain('\uFFFD')
    }
  })

  test('the tokens of the pieces add up to the count of the text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const pieces = await splitTokens(text)
        expect(pieces.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(await countTokens(text))
      }),
    )
  })

  test('a lone surrogate becomes the replacement character', async () => {
    expect((await splitTokens('a\ud800b')).map(({ text }) => text).join('')).toBe('a\uFFFDb')
  })
})

describe('counting', () => {
  test('a known sentence has its known count', async () => {
    expect(await countTokens('Hello, world!')).toBe(4)
  })

  test('prose longer than one window counts as it would in one go', async () => {
    const prose = 'It was the best of times, it was the worst of times; 1789 und große Größe. '.repeat(400)
    expect(await countTokens(prose)).toBe(encode(prose).length)
  })

  test('a long unbroken run of wide characters is counted without splitting one', async () => {
    const run = `x${'🧵'.repeat(9000)}`
    const pieces = await splitTokens(run)
    expect(pieces.map(({ text }) => text).join('')).toBe(run)
  })

  test('marks that steer a model count as plain text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('no text has no tokens', async () => {
    expect(await countTokens('')).toBe(0)
  })
})

describe('token ids', () => {
  test('ids become the text that they stand for', async () => {
    expect(await textOfTokens(encode('token ids — 日本'))).toBe('token ids — 日本')
  })

  test('an id outside the vocabulary has no text', async () => {
    expect(await textOfTokens([1, 9_999_999])).toBeUndefined()
  })
})
