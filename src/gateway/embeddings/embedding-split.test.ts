import { describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { embeddingPart, batchBody, sharesOf, splitAnswer, type EmbeddingPart } from './embedding-split.ts'

const text = fc.string({ unit: 'binary' })
const tokens = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 5 })
const textInput = fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 }))
const tokenInput = fc.oneof(tokens, fc.array(tokens, { minLength: 1, maxLength: 4 }))

/** The inputs that an `input` stands for. */
function inputsIn(input: unknown): readonly unknown[] {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
}

function partOf(input: unknown, spaces = 0): EmbeddingPart {
  const part = embeddingPart(Buffer.from(JSON.stringify({ model: 'm', input, dimensions: 8 }, null, spaces)))
  if (part === null) throw new Error(`no part: ${JSON.stringify(input)}`)
  return part
}

/** An answer in which the vector of an input is that input itself, so that a mistake shows. */
function answerTo(inputs: readonly unknown[], usage?: object, order = (at: number) => at): Buffer {
  const data = inputs.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const sorted = data.toSorted((a, b) => order(a.index) - order(b.index))
  return Buffer.from(JSON.stringify({ object: 'list', data: sorted, model: 'm', ...(usage && { usage }) }))
}

describe('requests that are joined', () => {
  const forms: readonly (readonly [EmbeddingPart['form'], fc.Arbitrary<unknown>])[] = [
    ['text', textInput],
    ['tokens', tokenInput],
  ]
  for (const [form, input] of forms) {
    test(`in ${form} send all inputs in order, and each gets its own vectors back`, () => {
      fc.assert(
        fc.property(fc.array(input, { minLength: 1, maxLength: 6 }), fc.nat(3), fc.nat(9), (all, spaces, seed) => {
          const parts = all.map((each) => partOf(each, spaces))
          expect(new Set(parts.map((part) => part.form))).toEqual(new Set([form]))
          const body = JSON.parse(batchBody(parts).toString()) as { readonly input: readonly unknown[] }
          expect(body as unknown).toEqual({ model: 'm', input: all.flatMap(inputsIn), dimensions: 8 })
          const shuffled = (at: number) => (at * (2 * seed + 1)) % 101
          const answers = splitAnswer(answerTo(body.input, { prompt_tokens: 99, total_tokens: 99 }, shuffled), parts)!
          let tokensShared = 0
          for (const [at, answer] of answers.entries()) {
            const { data, usage, ...rest } = JSON.parse(answer.toString())
            const own = inputsIn(all[at])
            expect(data).toEqual(own.map((embedding, index) => ({ object: 'embedding', index, embedding })))
            expect(rest).toEqual({ object: 'list', model: 'm' })
            expect(usage.total_tokens).toBe(usage.prompt_tokens)
            tokensShared += usage.prompt_tokens
          }
          expect(tokensShared).toBe(99)
        }),
      )
    })
  }

  test('get their vectors as they were written, number spellings and base64 included', () => {
    const parts = [partOf('a'), partOf(['b', 'c'])]
    const vectors = ['[0.10000000149011612,-1E-9, 1.0 ]', '"q83vASNFZ4k="', '[]']
    const data = vectors.map((vector, index) => `{"embedding":${vector} , "index" : ${index},"object":"embedding"}`)
    const answer = `{"usage":{"total_tokens":3},"data":[ ${data.join(' ,\n')} ],"model":"m\\u0041"}`
    expect(splitAnswer(Buffer.from(answer), parts)!.map(String)).toEqual([
      `{"usage":{"total_tokens":1},"data":[${data[0]}],"model":"m\\u0041"}`,
      `{"usage":{"total_tokens":2},"data":[${data[1]!.replace(' : 1', ' : 0')},${data[2]!.replace(' : 2', ' : 1')}],"model":"m\\u0041"}`,
    ])
  })

  test('share what is counted by length, so that the sum is what the upstream counted', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1 }),
        (total, weights) => {
          const shares = sharesOf({ total_tokens: total, details: { cached: total } }, weights) as readonly {
            readonly total_tokens: number
            readonly details: { readonly cached: number }
          }[]
          expect(shares.reduce((sum, share) => sum + share.total_tokens, 0)).toBe(total)
          const whole = weights.reduce((sum, weight) => sum + weight, 0)
          for (const [at, share] of shares.entries()) {
            expect(Math.abs(share.total_tokens - (total * weights[at]!) / whole)).toBeLessThan(1)
            expect(share.details.cached).toBe(share.total_tokens)
          }
        },
      ),
    )
    expect(sharesOf({ kind: 'tokens', cost: 0.3, none: null }, [1, 2])).toEqual([
      { kind: 'tokens', cost: 0.3 / 3, none: null },
      { kind: 'tokens', cost: 0.6 / 3, none: null },
    ])
  })
})

describe('an answer is not split', () => {
  const parts = [partOf('a'), partOf('b')]
  const item = (index: unknown) => ({ index, embedding: [1] })
  const answers: Readonly<Record<string, unknown>> = {
    'that has a vector too few': { data: [item(0)] },
    'that has a vector too many': { data: [item(0), item(1), item(2)] },
    'that has a number twice': { data: [item(0), item(0)] },
    'that has a number out of range': { data: [item(0), item(2)] },
    'that has a number that is none': { data: [item(0), item('1')] },
    'that numbers some vectors only': { data: [item(0), { embedding: [1] }] },
    'without data': { error: 'no' },
    'whose data is not a list': { data: 'none' },
    'that is a list': [1],
  }
  for (const [what, answer] of Object.entries(answers)) {
    test(what, () => expect(splitAnswer(Buffer.from(JSON.stringify(answer)), parts)).toBeNull())
  }

  test('that is cut off', () => {
    const whole = answerTo(['a', 'b'])
    for (let end = 0; end < whole.indexOf(']'); end += 1) expect(splitAnswer(whole.subarray(0, end), parts)).toBeNull()
  })
})

test('a request with inputs of several kinds, of none, or of a kind of its own is not joined', () => {
  for (const input of [['a', 1], [[1], 'a'], [], [{ text: 'a' }], { text: 'a' }, null, 7, [null]])
    expect(embeddingPart(Buffer.from(JSON.stringify({ input })))).toBeNull()
  expect(embeddingPart(Buffer.from('{"input":"a","input":"b"}'))).toBeNull()
  expect(embeddingPart(Buffer.from('{"model":"m"}'))).toBeNull()
})
