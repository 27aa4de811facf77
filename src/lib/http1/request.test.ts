import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeRequest, HeadTemplate, type Http1Request } from './request.ts'

const request: Http1Request = {
  method: 'POST',
  path: '/v1/chat?a=b%20c',
  headers: { accept: 'text/event-stream' },
  body: Buffer.from('{}'),
  signal: new AbortController().signal,
  reuseConnection: true,
}

function encoded(changes: Partial<Http1Request>): string {
  const { head, body } = encodeRequest({ ...request, ...changes }, { host: 'host.example:8080' })
  return head + Buffer.from(body ?? []).toString('latin1')
}

describe('a request', () => {
  test('is its line, the host, its fields, the length and the body', () => {
    expect(encoded({})).toBe(
      'POST /v1/chat?a=b%20c HTTP/1.1\r\nhost: host.example:8080\r\naccept: text/event-stream\r\ncontent-length: 2\r\n\r\n{}',
    )
  })

  test('without a body says so where its method leads to expect one', () => {
    expect(encoded({ body: null })).toEndWith('\r\ncontent-length: 0\r\n\r\n')
    expect(encoded({ method: 'GET', body: null })).not.toContain('content-length')
  })

  test('frames itself, whatever the given fields say', () => {
    const text = encoded({
      headers: {
        'content-length': '99',
        'transfer-encoding': 'chunked',
        connection: 'close',
        te: 'trailers',
        upgrade: 'h2c',
      },
    })
    expect(text).toBe('POST /v1/chat?a=b%20c HTTP/1.1\r\nhost: host.example:8080\r\ncontent-length: 2\r\n\r\n{}')
  })

  test('may name another host', () => {
    const text = encoded({ headers: { host: 'virtual.example' } })
    expect(text).toContain('\r\nhost: virtual.example\r\n')
    expect(text).not.toContain('host.example:8080')
  })

  test('sends the characters of a value as Latin-1', () => {
    expect(encoded({ headers: { 'x-name': 'Zürich\t\xff' } })).toContain('\r\nx-name: Zürich\t\xff\r\n')
  })
})

describe('a TypeError and nothing sent for', () => {
  for (const character of ['\r', '\n', '\0', '\r\nx-injected: 1', '\x7f', '€', '😀']) {
    const shown = JSON.stringify(character)
    test(`${shown} in a value`, () => {
      expect(() => encoded({ headers: { 'x-a': `a${character}b` } })).toThrow(TypeError)
      expect(() => encoded({ headers: { host: `a${character}b` } })).toThrow(TypeError)
    })
    test(`${shown} in a name, the path or the method`, () => {
      expect(() => encoded({ headers: { [`x${character}a`]: 'b' } })).toThrow(TypeError)
      expect(() => encoded({ path: `/a${character}b` })).toThrow(TypeError)
      expect(() => encoded({ method: `GET${character}` })).toThrow(TypeError)
    })
  }

  test('a space in the path or a path that is not absolute', () => {
    expect(() => encoded({ path: '/a HTTP/1.1' })).toThrow(TypeError)
    expect(() => encoded({ path: 'http://other.example/' })).toThrow(TypeError)
    expect(() => encoded({ path: '' })).toThrow(TypeError)
  })

  test('a colon, a space or nothing as a name', () => {
    for (const name of ['x:', ' x', 'x ', '']) expect(() => encoded({ headers: { [name]: 'a' } })).toThrow(TypeError)
  })

  test('and its message does not hold the value', () => {
    expect(() => encoded({ headers: { authorization: 'Bearer secret\n' } })).toThrow(/^(?!.*secret).*authorization/)
  })
})

describe('a template', () => {
  const name = fc.constantFrom('accept', 'x-a', 'x-b', 'x-c', 'host', 'connection', 'content-length')
  const headers = fc.dictionary(name, fc.constantFrom('1', '2', 'a b'), { noNullPrototype: true })

  test('gives the same fields as the headers that it has in common with others', () => {
    fc.assert(
      fc.property(headers, fc.array(headers, { maxLength: 3 }), (shared, owns) => {
        const template = new HeadTemplate(request.method, request.path, shared)
        for (const own of owns) {
          // Where a client names the host, it is not asked.
          const { host: _, ...asked } = own
          const whole = encoded({ headers: { ...asked, ...shared } }).split('\r\n')
          expect(encoded({ template, headers: own }).split('\r\n').toSorted()).toEqual(whole.toSorted())
        }
      }),
    )
  })

  test('refuses what a request refuses, each time', () => {
    const template = new HeadTemplate('POST', '/v1', { 'x-a': 'a\r\nx-b: b' })
    expect(() => encoded({ template })).toThrow(TypeError)
    expect(() => encoded({ template })).toThrow(TypeError)
    const path = new HeadTemplate('POST', '/v1 HTTP/1.1', {})
    expect(() => encoded({ template: path })).toThrow(TypeError)
    expect(() => encoded({ template: new HeadTemplate('POST', '/v1', {}), headers: { 'x-a': '\n' } })).toThrow(
      TypeError,
    )
  })
})
