/** server.cors_origins: which pages may read which answers. Off when it is not set. */
import { describe, expect, test } from 'bun:test'
import { messages } from '#test/support/app/gateway-app.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const app = 'https://app.example.com'
const chat = '/ai/v1/chat/completions'
const preflight = (origin: string, names = 'authorization,content-type,x-stainless-os') => ({
  key: null,
  headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': names },
})

function corsHeaders({ headers }: Response): Readonly<Record<string, string>> {
  const isOfOrigins = ([name, value]: readonly [string, string]): boolean =>
    name.startsWith('access-control-') || (name === 'vary' && value !== 'accept-encoding')
  return Object.fromEntries([...headers].filter(isOfOrigins))
}

const allowed = { vary: 'origin', 'access-control-allow-origin': app, 'access-control-expose-headers': '*' }

describe('with an origin listed', () => {
  const gateway = gatewayOfFile({ set: [`server.cors_origins=${app},http://localhost:5173`] })
  const body = JSON.stringify({ model: 'plain', messages })

  test.each([chat, '/api/v1/documents', '/api/v1/search', '/generate_stream', '/ai/v1/models/a/b', '/ai/v1/nothing'])(
    'the preflight of %s is answered without a key',
    async (path) => {
      const response = await gateway().request('OPTIONS', path, preflight(app))
      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(corsHeaders(response)).toEqual({
        vary: 'origin, access-control-request-headers',
        'access-control-allow-origin': app,
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
        'access-control-max-age': '600',
      })
    },
  )

  test('answers and refusals can be read there', async () => {
    for (const stream of [false, true]) {
      const sent = JSON.stringify({ model: 'plain', messages, stream })
      const response = await gateway().request('POST', chat, { headers: { origin: app }, body: sent })
      expect([response.status, corsHeaders(response)]).toEqual([200, allowed])
      await response.arrayBuffer()
    }
    const refusals = [
      await gateway().request('POST', chat, { headers: { origin: app }, key: null, body }),
      await gateway().request('POST', chat, { headers: { origin: app }, body: '{' }),
      await gateway().request('PATCH', chat, { headers: { origin: app } }),
      await gateway().request('GET', '/ai/v1/nothing', { headers: { origin: app } }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([401, 400, 405, 404])
    for (const refusal of refusals) expect(corsHeaders(refusal)).toEqual(allowed)
    const local = await gateway().request('GET', '/ai/v1/models', { headers: { origin: 'http://localhost:5173' } })
    expect(local.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
  })

  test('another origin, or one that only looks like it, gets no leave, and caches are told that it matters', async () => {
    const others = [
      'https://app.example.com.evil',
      'http://app.example.com',
      'https://APP.example.com',
      'null',
      '*',
      '',
    ]
    for (const origin of others) {
      const refused = await gateway().request('OPTIONS', chat, preflight(origin))
      expect([origin, refused.status, corsHeaders(refused)]).toEqual([origin, 401, { vary: 'origin' }])
      const served = await gateway().request('POST', chat, { headers: { origin }, body })
      expect([served.status, corsHeaders(served)]).toEqual([200, { vary: 'origin' }])
    }
    const without = await gateway().request('GET', '/ai/v1/models')
    expect(corsHeaders(without)).toEqual({ vary: 'origin' })
  })

  test('administration, the console and the public addresses stay with their own origin', async () => {
    for (const path of [
      '/admin/api/v1/models',
      '/admin/api/v1/session',
      '/',
      '/metrics',
      '/openapi.json',
      '/healthz',
    ]) {
      const response = await gateway().request('OPTIONS', path, preflight(app))
      expect([path, response.status === 204, corsHeaders(response)]).toEqual([path, false, {}])
      expect(corsHeaders(await gateway().request('GET', path, { headers: { origin: app } }))).toEqual({})
    }
  })

  test('no answer allows credentials, and a request with a cookie of the console is refused for its origin', async () => {
    const headers = { origin: app, cookie: 'sluice_session=abc' }
    const refused = await gateway().request('POST', chat, { key: null, headers, body })
    expect([refused.status, refused.headers.get('access-control-allow-credentials')]).toEqual([403, null])
    const asked = await gateway().request('OPTIONS', chat, preflight(app))
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('names of headers that are none do not come back', async () => {
    const name = 'x'.repeat(5000)
    for (const names of [name, 'a b', 'a,,b', '<script>']) {
      const response = await gateway().request('OPTIONS', chat, preflight(app, names))
      expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([204, null])
    }
  })
})

describe('with every origin', () => {
  const gateway = gatewayOfFile({ set: ['server.cors_origins=*'] })

  test('any page may read', async () => {
    for (const origin of ['https://a.example', 'null', 'chrome-extension://abc']) {
      const response = await gateway().request('OPTIONS', chat, preflight(origin))
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    }
  })
})

describe('without the setting', () => {
  const gateway = gatewayOfFile()

  test('a preflight is a request without a key, and no answer says anything of origins', async () => {
    const refused = await gateway().request('OPTIONS', chat, preflight(app))
    expect([refused.status, corsHeaders(refused)]).toEqual([401, {}])
    const served = await gateway().request('GET', '/ai/v1/models', { headers: { origin: app } })
    expect([served.status, corsHeaders(served)]).toEqual([200, {}])
  })

  test('the list of this moment decides', async () => {
    const origin = 'https://other.example.com'
    const ask = async () => (await gateway().request('OPTIONS', chat, preflight(origin))).status
    expect(await ask()).toBe(401)
    const changed = await gateway().operate('PUT', '/settings/server.cors_origins', { value: [app, origin] })
    expect([changed.status, await changed.text()]).toEqual([200, expect.any(String)])
    expect(await ask()).toBe(204)
  })
})
