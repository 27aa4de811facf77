/** POST /mcp: messages that are none of the protocol, and callers who may not. Every refusal is an error of JSON-RPC. */
import { expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import type { StockKey } from '#test/support/app/gateway-catalog.ts'

const app = documentsOfFile()

async function post(body: string, key: StockKey | null = app().keys.main, more: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${app().url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== null && { authorization: `Bearer ${key.secret}` }),
      ...more,
    },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function errorOf(text: string): { readonly code: number; readonly message: string } {
  const json = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .find((line) => line.startsWith('data: '))!
        .slice(6)
  const parsed = JSON.parse(json) as { jsonrpc: string; error: { code: number; message: string } }
  expect(parsed.jsonrpc).toBe('2.0')
  return parsed.error
}

const message = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', ...fields })

test.each([
  ['nothing', '', 400, -32_700],
  ['no JSON', '{"jsonrpc":', 400, -32_700],
  ['a number', '7', 400, -32_600],
  ['an empty list', '[]', 400, -32_600],
  ['an object', '{}', 400, -32_600],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600],
  ['a method that does not exist', message({ id: 1, method: 'tools/destroy' }), 200, -32_601],
  ['a tool that does not exist', message({ id: 1, method: 'tools/call', params: { name: 'x' } }), 200, -32_602],
  ['1,000 levels', `${'['.repeat(1000)}${']'.repeat(1000)}`, 400, -32_700],
])('%s is refused', async (_, body, status, code) => {
  const answer = await post(body)
  expect([answer.status, errorOf(answer.text).code]).toEqual([status, code])
})

test('a body above the limit is 413, another content type 415', async () => {
  expect((await post(message({ id: 1, method: 'x', params: { text: 'x'.repeat(300_000) } }))).status).toBe(413)
  const answer = await post(message({ id: 1, method: 'ping' }), app().keys.main, { 'content-type': 'text/plain' })
  expect(answer.status).toBe(415)
})

test('without a key, or with one that has no documents, nothing is answered', async () => {
  const ping = message({ id: 1, method: 'ping' })
  const without = await post(ping, null)
  expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect(errorOf(without.text)).toMatchObject({ code: -32_600, data: { code: 'missing_api_key' } })
  const inference = await app().keyFor(app().keys.main, ['inference'])
  const denied = await post(ping, inference)
  expect([denied.status, errorOf(denied.text)]).toMatchObject([403, { data: { code: 'scope_denied' } }])
})

test('there are no sessions: GET and DELETE are 405', async () => {
  for (const method of ['GET', 'DELETE']) {
    const headers = { authorization: `Bearer ${app().keys.main.secret}`, accept: 'text/event-stream' }
    expect((await fetch(`${app().url}/mcp`, { method, headers })).status).toBe(405)
  }
})
