/** 431: what a request says before its body is too long. The runtime answers, so there is no body. */
import { expect, test } from 'bun:test'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const gateway = gatewayOfFile()

test.each([
  ['an address', `/healthz?${'a'.repeat(20_000)}`, {}],
  ['a header', '/healthz', { 'x-long': 'a'.repeat(20_000) }],
])('%s of 20,000 characters is refused, one of 8,000 is not', async (_, path, headers: Record<string, string>) => {
  const shorter = (text: string): string => text.slice(0, 8000)
  const cut = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shorter(value)]))
  expect((await fetch(`${gateway().url}${shorter(path)}`, { headers: cut })).status).toBe(200)
  expect((await fetch(`${gateway().url}${path}`, { headers })).status).toBe(431)
  expect((await fetch(`${gateway().url}/healthz`)).status).toBe(200)
})
