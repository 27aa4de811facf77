import { describe, expect, test } from 'bun:test'
import { reasoningForm } from '#config/declared/routing-forms.ts'
import { presetReasoning } from './reasoning-presets.ts'

const at = (kind: string, baseUrl: string) => [kind, baseUrl] as const
const openai = at('openai', 'https://api.openai.com/v1')
const own = at('openai', 'http://127.0.0.1:8000/v1')
const gemini = at('openai', 'https://generativelanguage.googleapis.com/v1beta/openai')
const xai = at('openai', 'https://api.x.ai/v1')
const claude = at('openai', 'https://api.anthropic.com/v1')
const deepseek = at('openai', 'https://api.deepseek.com/v1')
const groq = at('openai', 'https://api.groq.com/openai/v1')

const known = [
  [...openai, 'o3', 'low medium high'],
  [...openai, 'o4-mini-2025-04-16', 'low medium high'],
  [...openai, 'gpt-5-nano', 'minimal low medium high'],
  [...openai, 'gpt-5-pro', 'high'],
  [...openai, 'gpt-5.1-2025-11-13', 'none low medium high'],
  [...openai, 'gpt-5.2', 'none low medium high xhigh'],
  [...openai, 'gpt-4o-mini', ''],
  [...claude, 'claude-sonnet-4-5-20250929', 'none low medium high'],
  [...at('anthropic', ''), 'claude-3-7-sonnet-latest', 'none low medium high'],
  [...gemini, 'models/gemini-2.5-flash', 'none low medium high'],
  [...gemini, 'gemini-2.5-pro', 'low medium high'],
  [...at('google', ''), 'gemini-3-flash-preview', 'minimal low medium high'],
  [...xai, 'grok-3-mini', 'low high'],
  [...deepseek, 'deepseek-v4-pro', 'none low high max'],
  [...at('mistral', ''), 'magistral-medium-latest', 'none high'],
  [...groq, 'openai/gpt-oss-120b', 'low medium high'],
  [...own, 'gpt-oss:20b', 'low medium high'],
  [...own, 'Qwen/Qwen3-30B-A3B-FP8', 'none high'],
  [...at('openai', 'http://vllm:8000/v1'), 'Qwen/Qwen3-0.6B', 'none high'],
] as const

describe('what is known', () => {
  test.each(known)('of %s %s %s is %p', (kind, baseUrl, model, efforts) => {
    expect(presetReasoning({ kind, baseUrl }, model)?.efforts.join(' ')).toBe(efforts)
  })

  test.each(known)('of %s %s %s could be configured, too', (kind, baseUrl, model) => {
    const reasoning = presetReasoning({ kind, baseUrl }, model)
    expect(reasoningForm.parse(structuredClone(reasoning)) as unknown).toEqual(reasoning)
  })
})

test('a budget leaves room below what Claude answers with, and a switch is a switch', () => {
  const [thinking] = presetReasoning(
    { kind: 'openai', baseUrl: 'https://api.anthropic.com/v1' },
    'claude-opus-4-1',
  )!.writes
  expect(thinking).toMatchObject({
    pointer: '/thinking',
    values: { none: { type: 'disabled' }, low: { type: 'enabled', budget_tokens: 1024 } },
  })
  expect(presetReasoning({ kind: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' }, 'Qwen/Qwen3-32B')?.writes).toEqual([
    { pointer: '/chat_template_kwargs/enable_thinking', values: { none: false, high: true } },
  ])
})

test.each([
  [...openai, 'o1-mini'],
  [...openai, 'gpt-5-chat-latest'],
  [...openai, 'gpt-5.1-codex-max'],
  [...openai, 'gpt-6'],
  [...at('openai', 'https://name.openai.azure.com/openai/v1'), 'gpt-5'],
  [...at('openai', 'https://api.openai.com.example.org/v1'), 'gpt-5'],
  [...at('demo', ''), 'gpt-5'],
  [...own, 'gpt-5'],
  [...claude, 'claude-3-5-haiku-latest'],
  [...claude, 'claude-opus-5'],
  [...gemini, 'gemini-2.5-flash-image'],
  [...xai, 'grok-4'],
  [...at('openai', 'https://api.together.xyz/v1'), 'Qwen/Qwen3-32B'],
  [...own, 'Qwen/Qwen3-30B-A3B-Instruct-2507'],
  [...own, 'Qwen/Qwen3-30B-A3B-Thinking-2507'],
  [...own, 'my-gpt-oss'],
  [...at('openai', 'no url'), 'o3'],
])('what nobody has said of %s %s %s is unknown', (kind, baseUrl, model) => {
  expect(presetReasoning({ kind, baseUrl }, model)).toBeNull()
})
