import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { headersForClient, headersForUpstream } from './headers.ts'

const ofOneConnection = {
  'keep-alive': 'timeout=5',
  'proxy-authenticate': 'Basic',
  'proxy-authorization': 'Basic x',
  'proxy-connection': 'close',
  te: 'trailers',
  trailer: 'x-sum',
  'transfer-encoding': 'chunked',
  upgrade: 'h2c',
  'http2-settings': 'x',
}
const framing = {
  'content-length': '1',
  'content-encoding': 'gzip',
  'content-type': 'application/json',
  'accept-encoding': 'gzip',
  host: 'a',
  expect: '100-continue',
  date: 'now',
}

describe('headers for the upstream', () => {
  test('are those of the client that do not belong to one connection', () => {
    const sent = { accept: 'text/event-stream', 'user-agent': 'sdk/1', 'openai-beta': 'x', 'x-stainless-lang': 'js' }
    expect(headersForUpstream(new Headers({ ...sent, ...ofOneConnection, ...framing }))).toEqual(sent)
  })

  test('never hold a credential or the identity of the client', () => {
    const credentials = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'cookie2']
    const accounts = ['openai-organization', 'openai-project']
    const addresses = [
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-real-ip',
      'x-client-ip',
      'via',
      'true-client-ip',
    ]
    const pages = ['origin', 'referer', 'sec-fetch-site', 'sec-ch-ua', 'cf-connecting-ip', 'x-request-id']
    const headers = new Headers()
    for (const name of [...credentials, ...accounts, ...addresses, ...pages]) headers.set(name, 'value')
    expect(headersForUpstream(headers)).toEqual({})
  })

  test('leave out what the connection header names, in any case and spacing', () => {
    const headers = new Headers({
      connection: 'Keep-Alive ,X-Stainless-One,  x-stainless-TWO',
      'x-stainless-one': '1',
      'x-stainless-two': '2',
      'x-stainless-three': '3',
    })
    expect(headersForUpstream(headers)).toEqual({ 'x-stainless-three': '3' })
  })

  test('hold a repeated header once, with all its values', () => {
    const headers = new Headers([
      ['OpenAI-Beta', 'a'],
      ['openai-beta', 'b'],
    ])
    expect(headersForUpstream(headers)).toEqual({ 'openai-beta': 'a, b' })
  })

  test('are in lower case, whatever the client wrote', () => {
    expect(headersForUpstream(new Headers({ 'Anthropic-VERSION': 'Value' }))).toEqual({ 'anthropic-version': 'Value' })
  })
})

describe('headers for the client', () => {
  test('are those of the upstream that do not belong to one connection', () => {
    const sent = { 'x-ratelimit-remaining-requests': '9', 'openai-processing-ms': '120', 'retry-after': '3' }
    expect(headersForClient({ ...sent, ...ofOneConnection, ...framing })).toEqual(sent)
  })

  test("carry the upstream's request id under a name of its own", () => {
    for (const name of ['x-request-id', 'request-id'])
      expect(headersForClient({ [name]: 'up-1' })).toEqual({ 'x-upstream-request-id': 'up-1' })
  })

  test('set no cookie, name no account, and tell a browser nothing', () => {
    const accounts = {
      'openai-organization': 'org',
      'openai-project': 'p',
      'www-authenticate': 'Bearer',
      location: '/x',
    }
    const browser = [
      'set-cookie',
      'access-control-allow-origin',
      'content-security-policy',
      'strict-transport-security',
    ]
    const more = ['clear-site-data', 'refresh', 'nel', 'report-to', 'reporting-endpoints', 'alt-svc', 'server', 'via']
    const all = Object.fromEntries([...browser, ...more, 'set-cookie2'].map((name) => [name, 'x']))
    expect(headersForClient({ ...accounts, ...all })).toEqual({})
  })

  test('leave out what the connection header names', () => {
    const headers = { connection: 'close, Retry-After', 'retry-after': '1', 'retry-after-ms': '2' }
    expect(headersForClient(headers)).toEqual({ 'retry-after-ms': '2' })
  })
})

describe('a header that is on no list', () => {
  const steering = [
    'x-http-method-override',
    'x-original-url',
    'x-goog-user-project',
    'ocp-apim-subscription-key',
    'x-cluster-client-ip',
    'x-accel-redirect',
    'x-sendfile',
    'link',
    'service-worker-allowed',
    'set-login',
    'cache-control',
  ]

  test('passes in neither direction', () => {
    const name = fc.oneof(fc.constantFrom(...steering), fc.stringMatching(/^y-[a-z]{1,20}$/))
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const headers = Object.fromEntries(names.map((each) => [each, '1']))
        expect(headersForUpstream(new Headers(headers))).toEqual({})
        expect(headersForClient(headers)).toEqual({})
      }),
    )
  })

  test('passes when a setting names it or its beginning, unless it is of one connection or a credential', () => {
    const more = ['X-Tenant', 'x-trace-*', 'authorization', 'te']
    const sent = { 'x-tenant': 'a', 'x-trace-id': 'b', 'x-tracer': 'c', authorization: 'd', te: 'e' }
    const passed = { 'x-tenant': 'a', 'x-trace-id': 'b' }
    expect(headersForUpstream(new Headers(sent), more)).toEqual(passed)
    expect(headersForClient(sent, more)).toEqual(passed)
  })
})

const free = ['x-a', 'x-b', 'x-c']

test('no header of one connection passes in either direction, whatever other headers there are', () => {
  const name = fc.constantFrom(...Object.keys(ofOneConnection), ...free)
  fc.assert(
    fc.property(fc.array(name), fc.subarray(['x-a', 'x-b', 'te']), (names, named) => {
      const headers = { ...Object.fromEntries(names.map((each) => [each, '1'])), connection: named.join(', ') }
      const expected = new Set(names.filter((each) => each.startsWith('x-') && !named.includes(each)))
      expect(new Set(Object.keys(headersForUpstream(new Headers(headers), free)))).toEqual(expected)
      expect(new Set(Object.keys(headersForClient(headers, free)))).toEqual(expected)
    }),
  )
})
