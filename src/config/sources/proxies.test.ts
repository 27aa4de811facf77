import { describe, expect, test } from 'bun:test'
import type { Environment } from './environment.ts'
import { readProxies } from './proxies.ts'

const both = { HTTPS_PROXY: 'http://secure.example:3128', HTTP_PROXY: 'http://plain.example' }

/** Where a URL is reached by; `direct` without a proxy. */
function way(environment: Environment, url: string): string {
  const proxy = readProxies(environment).proxyFor(new URL(url))
  return proxy === null ? 'direct' : `${proxy.hostname}:${proxy.port}`
}

test('without variables, or with blank ones, everything is reached directly', () => {
  for (const environment of [{}, { HTTPS_PROXY: ' ', HTTP_PROXY: '' }])
    expect(way(environment, 'https://api.example/v1')).toBe('direct')
})

test('each scheme has its own proxy, which may be written without one, and small letters win', () => {
  expect(way(both, 'https://api.example/v1')).toBe('secure.example:3128')
  expect(way(both, 'http://api.example/v1')).toBe('plain.example:80')
  expect(way({ ...both, https_proxy: '[2001:db8::7]:8080' }, 'https://api.example')).toBe('2001:db8::7:8080')
  expect(way({ HTTP_PROXY: both.HTTP_PROXY }, 'https://api.example')).toBe('direct')
})

test('a user and password become the credential, decoded, and are printed nowhere', () => {
  const { proxyFor } = readProxies({ HTTPS_PROXY: 'http://ada:p%40ss@proxy.example:3128' })
  const proxy = proxyFor(new URL('https://api.example'))
  expect(proxy?.authorization?.reveal()).toBe(`Basic ${btoa('ada:p@ss')}`)
  expect(JSON.stringify(proxy)).not.toContain(btoa('ada:p@ss'))
  expect(readProxies(both).proxyFor(new URL('https://api.example'))?.authorization).toBeNull()
})

test('this machine is never reached by a proxy', () => {
  const hosts = ['localhost', 'ollama.localhost', '127.0.0.1', '127.9.9.9', '[::1]']
  for (const host of hosts) expect(way(both, `http://${host}:11434/v1`)).toBe('direct')
})

describe('NO_PROXY', () => {
  const rows: readonly (readonly [list: string, url: string, direct: boolean])[] = [
    ['*', 'https://api.example', true],
    ['example', 'https://api.example', true],
    ['.example', 'https://api.example', true],
    ['*.example', 'https://example', true],
    ['API.example', 'https://api.example', true],
    ['pi.example', 'https://api.example', false],
    ['api.example', 'https://api.example.org', false],
    ['other, api.example', 'https://api.example', true],
    ['other api.example', 'https://api.example', true],
    ['api.example:443', 'https://api.example', true],
    ['api.example:8443', 'https://api.example', false],
    ['10.0.0.7', 'http://10.0.0.7:8000', true],
    ['10.0.0.0/8', 'http://10.99.0.1', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/99', 'http://10.0.0.1', false],
    ['2001:db8::/32', 'http://[2001:db8::1]', true],
    ['[2001:db8::1]', 'http://[2001:db8::1]', true],
    ['', 'https://api.example', false],
  ]
  test.each([...rows])('%p: %s', (list, url, direct) => {
    expect(way({ ...both, NO_PROXY: list }, url) === 'direct').toBe(direct)
  })
})

test('an address that is not an HTTP proxy is a problem that names the variable and hides the password', () => {
  for (const value of ['socks5://ada:secret@proxy.example', 'https://proxy.example', 'http://', 'http://a b']) {
    const { problems } = readProxies({ HTTPS_PROXY: value })
    expect(problems).toMatchObject([{ name: 'HTTPS_PROXY', expected: expect.stringContaining('HTTP proxy') }])
    expect(JSON.stringify(problems)).not.toContain('secret@')
  }
})
