import { describe, expect, test } from 'bun:test'
import type { ProviderRecord } from '#catalog/records.ts'
import { anUpstream } from '#test/support/upstream/an-upstream.ts'
import { aProvider } from '#test/support/store/store-records.ts'
import { requestOf } from '../request/model-request.ts'
import { upstreamBody } from './upstream-body.ts'

interface Case {
  readonly provider?: Partial<ProviderRecord>
  readonly translated?: boolean
  readonly askUsage?: boolean
  readonly upstreamName?: string
}

/** The text that goes out for a text that came in. */
function sent(text: string, { provider = {}, translated = false, askUsage = false, upstreamName = 'm' }: Case): string {
  const request = requestOf(Buffer.from(text), JSON.parse(text) as Record<string, unknown>, { translated })
  return upstreamBody(request, anUpstream(upstreamName, { provider: aProvider(provider) }), askUsage).toString()
}

describe('the limit of tokens in a translated request', () => {
  const body = '{"model":"m","max_tokens":64,"metadata":{"max_tokens":1}}'
  const renamed = '{"model":"m","max_completion_tokens":64,"metadata":{"max_tokens":1}}'

  test.each([
    'https://api.openai.com/v1',
    'https://eu.api.openai.com/v1',
    'https://team.openai.azure.com/openai/v1',
    'https://team.services.ai.azure.com/openai/v1',
  ])('has its new name at %s, which refuses the old one', (baseUrl) => {
    expect(sent(body, { translated: true, provider: { baseUrl } })).toBe(renamed)
  })

  test.each([
    'http://127.0.0.1:11434/v1',
    'https://api.groq.com/openai/v1',
    'https://api.openai.com.example.com/v1',
    'https://xapi.openai.com/v1',
  ])('keeps its old name at %s, which may not know the new one', (baseUrl) => {
    expect(sent(body, { translated: true, provider: { baseUrl } })).toBe(body)
  })

  test("keeps its old name for a vendor's own API", () => {
    expect(
      sent(body, { translated: true, provider: { kind: 'anthropic', baseUrl: 'https://api.openai.com/v1' } }),
    ).toBe(body)
  })

  test('is left as it is in a request that the client wrote itself', () => {
    expect(sent(body, { provider: { baseUrl: 'https://api.openai.com/v1' } })).toBe(body)
  })
})

describe('usage', () => {
  const streamed = '{"model":"m","stream":true}'

  test('is asked for in a stream where the client has not asked, next to every other change', () => {
    const translated = { translated: true, askUsage: true, upstreamName: 'up' } as const
    const provider = { baseUrl: 'https://api.openai.com/v1' }
    expect(JSON.parse(sent('{"max_tokens":1,"stream":true,"model":"m"}', { ...translated, provider }))).toEqual({
      stream_options: { include_usage: true },
      max_completion_tokens: 1,
      stream: true,
      model: 'up',
    })
  })

  test('is not asked for at a provider that refuses the question, nor at an endpoint without it', () => {
    expect(sent(streamed, { askUsage: true, provider: { options: { stream_usage: false } } })).toBe(streamed)
    expect(sent(streamed, { askUsage: false })).toBe(streamed)
  })
})
