import { expect, test } from 'bun:test'
import { readInputUsage, readUsage } from './token-usage.ts'

test('counts are read in the words of chat completions and of responses', () => {
  const read = { promptTokens: 3, completionTokens: 5 }
  expect(readUsage({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 })).toEqual(read)
  expect(readUsage({ input_tokens: 3, output_tokens: 5 })).toEqual(read)
})

test('what Anthropic counts beside the input, into a cache and out of one, is input', () => {
  const usage = { input_tokens: 3, cache_creation_input_tokens: 200, cache_read_input_tokens: 4000, output_tokens: 5 }
  const kinds = { cachedTokens: 4000, cacheWriteTokens: 200, reasoningTokens: null }
  expect(readUsage(usage)).toEqual({ promptTokens: 4203, completionTokens: 5, kinds })
  expect(readUsage({ ...usage, cache_creation_input_tokens: null })).toEqual({
    promptTokens: 4003,
    completionTokens: 5,
    kinds: { ...kinds, cacheWriteTokens: null },
  })
  expect(readUsage({ cache_read_input_tokens: 9 })).toBeNull()
})

test('kinds of tokens with prices of their own are read from chat completions and responses', () => {
  const kinds = { cachedTokens: 1024, cacheWriteTokens: null, reasoningTokens: 64 }
  const [input, output] = [{ cached_tokens: 1024 }, { reasoning_tokens: 64 }]
  expect(
    readUsage({
      prompt_tokens: 2000,
      completion_tokens: 70,
      prompt_tokens_details: input,
      completion_tokens_details: output,
    }),
  ).toEqual({ promptTokens: 2000, completionTokens: 70, kinds })
  expect(
    readUsage({ input_tokens: 2000, output_tokens: 70, input_tokens_details: input, output_tokens_details: output }),
  ).toEqual({ promptTokens: 2000, completionTokens: 70, kinds })
  for (const odd of [null, 7, [], { cached_tokens: -1 }, { cached_tokens: '9' }]) {
    expect(readUsage({ prompt_tokens: 3, prompt_tokens_details: odd })).toEqual({
      promptTokens: 3,
      completionTokens: null,
    })
  }
})

test('an explicit zero is a count, a missing one is unknown', () => {
  expect(readUsage({ prompt_tokens: 0 })).toEqual({ promptTokens: 0, completionTokens: null })
})

test('anything but a count is unknown', () => {
  for (const odd of [-1, 1.5, '7', null, Infinity, 2 ** 60, Number.MAX_SAFE_INTEGER, 1_000_000_001, {}]) {
    expect(readUsage({ prompt_tokens: odd, completion_tokens: 5 })).toEqual({ promptTokens: null, completionTokens: 5 })
  }
})

test('a value without any count is not a usage', () => {
  for (const value of [null, undefined, 7, 'usage', [], {}, { total_tokens: 8 }, { prompt_tokens: '3' }]) {
    expect(readUsage(value)).toBeNull()
  }
})

test('where nothing is made the total is what went in, also in the words of rerankers', () => {
  const read = { promptTokens: 8, completionTokens: null }
  expect(readInputUsage({ total_tokens: 8 }, undefined)).toEqual(read)
  expect(readInputUsage({ prompt_tokens: 8, total_tokens: 9 }, { tokens: { input_tokens: 1 } })).toEqual(read)
  expect(readInputUsage(undefined, { tokens: { input_tokens: 8 }, billed_units: { input_tokens: 1 } })).toEqual(read)
  expect(readInputUsage(null, { billed_units: { input_tokens: 8 } })).toEqual(read)
  for (const meta of [undefined, null, 7, {}, { tokens: null }, { billed_units: { search_units: 1 } }])
    expect(readInputUsage({}, meta)).toBeNull()
})
