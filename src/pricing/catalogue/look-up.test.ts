import { describe, expect, test } from 'bun:test'
import { lookUp } from './look-up.ts'

const at = (baseUrl: string, upstreamName: string, kind = 'openai') => ({ kind, baseUrl, upstreamName })

describe('the price catalogue', () => {
  test('knows vendors by their address or kind, with prices in nano-units', async () => {
    const [openai, dated, bedrock] = await lookUp([
      at('https://api.openai.com/v1', 'gpt-4o'),
      at('https://api.openai.com/v1', 'gpt-4o-2024-08-06'),
      at('', 'anthropic.claude-sonnet-4-20250514-v1:0', 'bedrock'),
    ])
    const price = {
      validFrom: 0,
      rates: { input: 2_500_000_000, cached_input: 1_250_000_000, output: 10_000_000_000 },
      tiers: [],
    }
    expect(openai).toEqual({ name: 'openai/gpt-4o', prices: [price], contextLength: 128_000 })
    expect(dated?.prices).toEqual(openai?.prices)
    expect(bedrock?.prices[0]?.rates).toMatchObject({ input: 3_000_000_000, output: 15_000_000_000 })
  })

  test('does not guess: a server at home, an unknown vendor and an unknown model have no price', async () => {
    const found = await lookUp([
      at('http://127.0.0.1:8000/v1', 'gpt-4o'),
      at('https://llm.example.org/v1', 'claude-sonnet-4-5'),
      at('https://api.openai.com/v1', 'not-a-model-of-theirs'),
      at('', 'demo-chat', 'demo'),
    ])
    expect(found).toEqual([null, null, null, null])
  })

  test('has tiers by the length of the input, and prices per second', async () => {
    const [gemini, whisper] = await lookUp([
      at('https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-2.5-pro'),
      at('https://api.openai.com/v1', 'whisper-1'),
    ])
    expect(gemini?.prices[0]).toEqual({
      validFrom: 0,
      rates: { input: 1_250_000_000, cached_input: 125_000_000, output: 10_000_000_000 },
      tiers: [{ above: 200_000, rates: { input: 2_500_000_000, cached_input: 250_000_000, output: 15_000_000_000 } }],
    })
    expect(whisper?.prices[0]?.rates).toEqual({ second: 100_000 })
  })
})
