import { describe, expect, test } from 'bun:test'
import { requireOwnOrigin } from './request-origin.ts'

function passes(
  headers: Readonly<Record<string, string>>,
  { method = 'POST', publicUrl = null as string | null } = {},
): boolean {
  try {
    requireOwnOrigin(
      new Request('http://127.0.0.1/', { method, headers: { host: 'ai.example:3001', ...headers } }),
      publicUrl,
    )
    return true
  } catch {
    return false
  }
}

describe('requireOwnOrigin', () => {
  test('the own host passes with any scheme, because a proxy may end TLS', () => {
    expect(passes({ origin: 'http://ai.example:3001' })).toBe(true)
    expect(passes({ origin: 'https://AI.example:3001' })).toBe(true)
  })

  test('another port, a longer or a shorter name, no name, and what is not an origin are refused', () => {
    const others = [
      'http://ai.example',
      'http://ai.example:3002',
      'http://ai.example:3001.evil.example',
      'http://evil-ai.example:3001',
      'null',
      '',
      'file://',
      'ai.example:3001',
    ]
    for (const origin of others) expect([origin, passes({ origin })]).toEqual([origin, false])
  })

  test('the public address passes only with its own scheme, host and port', () => {
    const publicUrl = 'https://public.example/gateway'
    expect(passes({ origin: 'https://public.example' }, { publicUrl })).toBe(true)
    for (const origin of ['http://public.example', 'https://public.example:8443'])
      expect(passes({ origin }, { publicUrl })).toBe(false)
  })

  test('a browser that says cross-site is believed, whatever the origin', () => {
    expect(passes({ 'sec-fetch-site': 'cross-site' })).toBe(false)
    expect(passes({ 'sec-fetch-site': 'cross-site', origin: 'http://ai.example:3001' })).toBe(false)
    expect(passes({ 'sec-fetch-site': 'same-origin', origin: 'http://ai.example:3001' })).toBe(true)
  })

  test('clients that are not browsers send neither header and pass', () => {
    expect(passes({})).toBe(true)
  })

  test('reading is allowed from anywhere: the answer stays unreadable to other sites', () => {
    for (const method of ['GET', 'HEAD']) expect(passes({ origin: 'https://evil.example' }, { method })).toBe(true)
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect(passes({ origin: 'https://evil.example' }, { method })).toBe(false)
  })
})
