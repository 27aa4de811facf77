import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens, countTokensFor, splitTokens, tailStartsFor, textOfTokens } from './tokens.ts'
import { windowChars } from './windows.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 })

async function countOf(text: string): Promise<number> {
  const [count = 0] = await countTokens([text])
  return count
}

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
        expect(pieces.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(await countOf(text))
      }),
    )
  })

  test('a lone surrogate becomes the replacement character', async () => {
    expect((await splitTokens('a\ud800b')).map(({ text }) => text).join('')).toBe('a\uFFFDb')
  })
})

describe('counting', () => {
  test('a known sentence has its known count', async () => {
    expect(await countOf('Hello, world!')).toBe(4)
  })

  test('prose longer than one window counts as it would in one go', async () => {
    const prose = 'It was the best of times, it was the worst of times; 1789 und große Größe. '.repeat(400)
    expect(await countOf(prose)).toBe(encode(prose).length)
  })

  test('a long unbroken run of wide characters is counted without splitting one', async () => {
    const run = `x${'🧵'.repeat(9000)}`
    const pieces = await splitTokens(run)
    expect(pieces.map(({ text }) => text).join('')).toBe(run)
  })

  test('marks that steer a model count as plain text', async () => {
    expect(await countOf('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('no text has no tokens', async () => {
    expect(await countOf('')).toBe(0)
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

describe('a run without a boundary', () => {
  const wide = (count: number): string =>
    Array.from({ length: count }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join('')

  test('counts as the encoder counts it, whatever it is made of', async () => {
    const runs = [wide(1500), 'a'.repeat(1500), ' '.repeat(1500), 'aB'.repeat(700), '=-'.repeat(700), '1'.repeat(1500)]
    expect(await countTokens(runs)).toEqual(runs.map((run) => encode(run).length))
  })

  test('that is longer than a window counts almost as it would in one go', async () => {
    const run = 'ab'.repeat(windowChars)
    const exact = encode('ab'.repeat(500)).length * (windowChars / 500)
    expect(Math.abs((await countOf(run)) - exact)).toBeLessThan(exact / 20)
  })
})

describe('the last tokens of a text', () => {
  test('begin where so many pieces end it', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 20 }), async (text, tokensMax) => {
        const [start = 0] = (await tailStartsFor('lane', [text], tokensMax)) ?? []
        const pieces = await splitTokens(text)
        let kept = ''
        for (let at = pieces.length - 1, left = tokensMax; at >= 0; at -= 1) {
          left -= pieces[at]?.tokens ?? 0
          if (left < 0) break
          kept = (pieces[at]?.text ?? '') + kept
        }
        expect(text.toWellFormed().slice(start)).toBe(kept)
      }),
      { numRuns: 40 },
    )
  })
})

describe('lanes', () => {
  test('take turns: a short text is counted before a long one that came first', async () => {
    const order: string[] = []
    const note = (name: string) => (): void => void order.push(name)
    const long = countTokensFor('one', ['a b '.repeat(200_000)])?.then(note('long'))
    const behind = countTokensFor('one', ['a'])?.then(note('behind it'))
    const short = countTokensFor('other', ['a'])?.then(note('other lane'))
    await Promise.all([long, behind, short])
    expect(order).toEqual(['other lane', 'long', 'behind it'])
  })

  test('take a text of any size when nothing waits, and no more than their share after it', async () => {
    const large = ' '.repeat(33 * 1024 * 1024)
    const first = countTokensFor('full', [large])
    expect(first).not.toBeNull()
    expect(countTokensFor('full', ['a'])).toBeNull()
    expect(await countTokensFor('another', ['a'])).toEqual([1])
    await first
    expect(await countTokensFor('full', ['a'])).toEqual([1])
  })
})
