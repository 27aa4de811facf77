import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rerankAnswer } from './rerank-answer.ts'

const results = [{ index: 1, relevance_score: 0.5 }]

test('what an answer has beyond index and score is left out', () => {
  const full = { results: [{ index: 1, relevance_score: 0.5, document: { text: 'a' } }], model: 'm', object: 'list' }
  expect(rerankAnswer(full, 'id')).toEqual({ id: 'id', results, meta: { api_version: { version: '2' } } })
})

test('the own id and the own counts of a provider stay, tokens elsewhere are put where clients look', () => {
  expect(rerankAnswer({ id: 'own', results, meta: { billed_units: { search_units: 1 } } }, 'id')).toEqual({
    id: 'own',
    results,
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  })
  expect(rerankAnswer({ results, usage: { total_tokens: 31 } }, 'id')!.meta['tokens']).toEqual({ input_tokens: 31 })
  const both = { results, usage: { total_tokens: 31 }, meta: { tokens: { input_tokens: 30 } } }
  expect(rerankAnswer(both, 'id')!.meta['tokens']).toEqual({ input_tokens: 30 })
})

test('whatever a provider sends, it is an answer of the one shape or none', () => {
  const item = fc.oneof(fc.record({ index: fc.nat(), relevance_score: fc.double() }), fc.jsonValue())
  fc.assert(
    fc.property(fc.oneof(fc.record({ results: fc.array(item) }), fc.jsonValue()), (value) => {
      const answer = rerankAnswer(value, 'id')
      for (const each of answer?.results ?? []) {
        expect([typeof each.index, typeof each.relevance_score]).toEqual(['number', 'number'])
        expect(Object.keys(each)).toEqual(['index', 'relevance_score'])
      }
      const sent = (value as { readonly results?: readonly unknown[] } | null)?.results
      if (answer !== null) expect(answer.results.length).toBe(sent!.length)
    }),
  )
})
