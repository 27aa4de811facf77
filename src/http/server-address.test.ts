/** The address of a request reaches its handler as it was sent, or the request leads nowhere. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startTestServer, undocumented, type TestServer } from '#test/support/app/test-server.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

const open = (path: string): Route<string> => {
  const handle = ({ path: seenPath, params, query, trusted, remoteAddress }: RequestContext): Response =>
    Response.json({ path: seenPath, params, query: query.toString(), trusted, remoteAddress })
  return { method: 'GET', path, access: 'public', docs: undocumented, handle }
}

let server: TestServer
beforeAll(() => void (server = startTestServer([open('/seen'), open('/seen/*path')])))
afterAll(() => server[Symbol.asyncDispose]())

/** Bytes of one request as they are, and all that comes back until the connection ends or the text is there. */
async function raw(bytes: string, expected: string): Promise<string> {
  using client = server.client()
  client.write(bytes)
  await client.untilText(expected)
  return client.text
}

describe('the address', () => {
  async function seenOf(target: string, host = 'Host: h'): Promise<unknown> {
    const text = await raw(`GET ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`, '}')
    expect(text).toStartWith('HTTP/1.1 200')
    return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as unknown
  }

  test('is told as it was sent: encoded path, decoded parameters, query', async () => {
    expect(await seenOf('/seen/a%2Fb/%C3%A9?x=1&x=%202')).toEqual({
      path: '/seen/a%2Fb/%C3%A9',
      params: { path: 'a/b/é' },
      query: 'x=1&x=+2',
      trusted: false,
      remoteAddress: '127.0.0.1',
    })
  })

  test('has no other path because of its host', async () => {
    for (const host of [
      'Host: x/nothing?',
      'Host: ',
      'Host: a b',
      'Host: u@h',
      'Host: [::1]:80',
      'Host: x/private/thing#',
    ]) {
      expect(await seenOf('/seen?y', host)).toMatchObject({ path: '/seen', query: 'y=' })
    }
    expect(await seenOf('http://elsewhere/seen')).toMatchObject({ path: '/seen' })
  })

  test('is understood without a host in HTTP/1.0', async () => {
    expect(await raw('GET /seen/x://y HTTP/1.0\r\n\r\n', '}')).toContain('"path":"x://y"')
  })

  const changed = [
    '/seen/../private/thing',
    '/private/../seen',
    '/private/%2e%2e/seen',
    '/private/.%2E/seen',
    '/private/%2e./seen',
    '/./seen',
    '/%2E/seen',
    '/seen/.',
    '/seen/%2e%2e?x',
    '/private\\..\\seen',
    '/private/..\\seen',
    '//private/../seen',
    '/private//../../seen',
    `${'/a'.repeat(40)}${'/..'.repeat(40)}/seen`,
    'http://elsewhere/private/%2e%2e/seen',
    '/seen/..#',
  ]
  for (const target of changed) {
    for (const host of ['Host: h\r\n', 'Host: a b\r\n']) {
      test(`${target.slice(0, 40)} leads nowhere with ${host.trim()}, for the path is not what was sent`, async () => {
        const text = await raw(`GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, '}}')
        expect(text).toStartWith('HTTP/1.1 404')
        expect(text).toContain('"code":"not_found"')
      })
    }
  }

  test('may have dots elsewhere', async () => {
    for (const path of ['/seen/a..b', '/seen/...', '/seen/.well-known', '/seen/..%2fa', '/seen/%252e%252e'])
      expect(await seenOf(path)).toMatchObject({ path })
    expect(await seenOf('/seen?../..')).toMatchObject({ path: '/seen' })
  })

  test('is refused with more than one host', async () => {
    for (const hosts of ['Host: h\r\nHost: h', 'Host: h\r\nhost: other', 'Host: h, other', 'Host: h\r\nHost: ']) {
      const text = await raw(`GET /seen HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`, '}}')
      expect([hosts, text.slice(0, 12), text.includes('"code":"invalid_host"')]).toEqual([hosts, 'HTTP/1.1 400', true])
    }
  })
})
