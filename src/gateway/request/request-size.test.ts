/** The bound of a request against what providers can count at worst: a token for each byte, in each text that the model reads. */
import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mostTokens, rankingsSize, sizeOf } from './request-size.ts'

function most(body: Readonly<Record<string, unknown>>, contextLength: number | null) {
  return mostTokens(sizeOf(Buffer.byteLength(JSON.stringify(body)), body), contextLength)
}

const text = fc.string({ unit: 'binary', maxLength: 60 })
const texts = fc.array(text, { minLength: 1, maxLength: 12 })
const bytesOf = (list: readonly string[]): number => list.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
/** Each text is cut to what the model can read. */
const cutTo = (contextLength: number, list: readonly string[]): number =>
  list.reduce((sum, each) => sum + Math.min(contextLength, Buffer.byteLength(each)), 0)

describe('the most that a request can use', () => {
  test('covers every text of several, with and without a context length', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 100 }), (list, contextLength) => {
        for (const body of [{ input: list }, { prompt: list }]) {
          expect(most(body, null).inputTokens).toBeGreaterThanOrEqual(bytesOf(list))
          expect(most(body, contextLength).inputTokens).toBeGreaterThanOrEqual(cutTo(contextLength, list))
        }
        const tokens = list.map((each) => [...Buffer.from(each)])
        expect(most({ input: tokens }, contextLength).inputTokens).toBeGreaterThanOrEqual(cutTo(contextLength, list))
      }),
    )
  })

  test('covers the query of a reranker, which is read again with each document', () => {
    fc.assert(
      fc.property(text, texts, fc.integer({ min: 1, max: 100 }), (query, documents, contextLength) => {
        const pairs = documents.map((document) => query + document)
        expect(most({ query, documents }, null).inputTokens).toBeGreaterThanOrEqual(bytesOf(pairs))
        expect(most({ query, documents }, contextLength).inputTokens).toBeGreaterThanOrEqual(
          cutTo(contextLength, pairs),
        )
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.record({ query: text, documents: texts }), { minLength: 1 }), (rankings) => {
        const size = rankingsSize(rankings)
        const inAll = (length: number | null): number => size.calls * Number(mostTokens(size, length).inputTokens)
        const pairs = rankings.flatMap(({ query, documents }) => documents.map((document) => query + document))
        expect(inAll(null)).toBeGreaterThanOrEqual(bytesOf(pairs))
        expect(inAll(20)).toBeGreaterThanOrEqual(cutTo(20, pairs))
      }),
    )
    expect(most({ query: 'q', documents: [{ image: 'https://example.org' }] }, null).inputTokens).toBeNull()
    expect(most({ query: { image: 'x' }, documents: ['a'] }, null).inputTokens).toBeNull()
  })

  test('covers every answer to every prompt', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 90 }), (prompt, n, max) => {
        const answers = prompt.length * n
        for (const written of [n, String(n)]) {
          expect(most({ prompt, n: written, max_tokens: max }, null).outputTokens).toBe(answers * max)
          expect(most({ prompt, best_of: written }, max).outputTokens).toBe(answers * max)
        }
      }),
    )
    expect(most({ prompt: [1, 2, 3], max_tokens: 5 }, null).outputTokens).toBe(5)
  })

  test.each([
    [{ max_tokens: '20' }, 20],
    [{ max_tokens: 10, max_completion_tokens: '30' }, 30],
    [{ max_tokens: 10, max_completion_tokens: -1 }, null],
    [{ max_tokens: 10, max_output_tokens: null }, 10],
    [{ max_tokens: 1e300 }, null],
    [{ max_tokens: [] }, null],
    [{ max_tokens: true }, null],
    [{ max_tokens: '' }, null],
    [{ max_tokens: 2.5 }, 3],
    [{ max_tokens: 3, n: '1e3' }, 3000],
    [{ max_tokens: 3, n: -5 }, 3],
    [{ max_tokens: 3, n: 'many' }, 3],
  ])('of %j is %p tokens', (body, tokens) => {
    expect(most({ messages: [], ...body }, null).outputTokens).toBe(tokens)
  })

  test.each([
    { web_search_options: {} },
    { search_parameters: { mode: 'auto' } },
    { enable_search: true },
    { data_sources: [] },
    { mcp_servers: [{ type: 'url', url: 'https://example.org' }] },
    { plugins: [{ id: 'web' }] },
    { tools: [{ type: 'web_search' }] },
    { documents: [{ type: 'image_url', image_url: 'https://example.org' }] },
    { previous_response_id: 'resp_1' },
  ])('has no bound of its own with %j', (more) => {
    const body = { messages: [{ role: 'user', content: 'Hello' }], ...more }
    expect(most(body, null).inputTokens).toBeNull()
    expect(most(body, 5000).inputTokens).toBe(5000)
  })

  test('is that of the text where a search is switched off', () => {
    expect(most({ messages: [], enable_search: false, web_search_options: null }, null).inputTokens).not.toBeNull()
  })
})
