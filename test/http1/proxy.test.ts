/** The client behind an HTTP proxy: absolute targets for http, a tunnel for https, the server's own certificate. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Http1ClientOptions } from '#lib/http1/client.ts'
import { Secret } from '#lib/secret.ts'
import { until } from '#test/support/until.ts'
import { aRequest, failureOf, startClient, textOf } from './client-under-test.ts'
import { echoServer, makeCertificate, openssl, type Certificate } from './tls-server.ts'
import { startProxy, type TestProxy } from './test-proxy.ts'

const megabyte = 1024 * 1024
const authorization = new Secret('Basic dXNlcjpwYXNz')

/** A client for which every origin is behind this proxy. */
function behind({ port }: Pick<TestProxy, 'port'>, options: Partial<Http1ClientOptions> = {}) {
  return startClient({ proxyFor: () => ({ hostname: '127.0.0.1', port, authorization }), ...options })
}

describe('plain HTTP', () => {
  test('goes to the proxy with the whole URL and its credential, on connections that are used again', async () => {
    await using proxy = await startProxy()
    await using subject = await behind(proxy)
    for (let round = 0; round < 2; round += 1) {
      const { status } = await subject.request({ path: '/v1/embeddings?a=b' })
      expect(status).toBe(200)
    }
    const { host } = new URL(subject.upstream.url)
    expect(proxy.requests.map(({ line }) => line)).toEqual(
      Array.from({ length: 2 }, () => `POST http://${host}/v1/embeddings?a=b HTTP/1.1`),
    )
    for (const { headers } of proxy.requests) {
      expect(headers['host']).toBe(host)
      expect(headers['proxy-authorization']).toBe(authorization.reveal())
    }
    expect(proxy.connections()).toBe(1)
  })

  test("of which the proxy refuses a request is that proxy's answer", async () => {
    await using proxy = await startProxy({ refuse: 407 })
    await using subject = await behind(proxy)
    expect((await subject.request()).status).toBe(407)
  })
})

describe.skipIf(openssl === null)(`TLS${openssl === null ? ' (openssl is not installed)' : ''}`, () => {
  let directory: string
  let authority: Certificate
  let forLocalhost: Certificate
  let forAddress: Certificate
  let forOther: Certificate
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-proxy-'))
    authority = await makeCertificate(directory, 'authority', null)
    forLocalhost = await makeCertificate(directory, 'localhost', 'DNS:localhost')
    forAddress = await makeCertificate(directory, 'address', 'IP:127.0.0.1')
    forOther = await makeCertificate(directory, 'other', 'DNS:other.example')
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('goes through a tunnel of which the proxy learns the address and nothing else', async () => {
    for (const [certificate, host] of [
      [forLocalhost, 'localhost'],
      [forAddress, '127.0.0.1'],
    ] as const) {
      await using server = await echoServer(certificate)
      await using proxy = await startProxy()
      await using subject = await behind(proxy)
      const origin = subject.client.origin(`https://${host}:${server.port}`, { ca: authority.cert })
      for (let round = 0; round < 3; round += 1) {
        const { status, body } = await subject.client.request(origin, aRequest({ body: Buffer.from('a secret') }))
        expect([status, await textOf(body)]).toEqual([200, 'a secret'])
      }
      expect(proxy.requests.map(({ line }) => line)).toEqual([`CONNECT ${host}:${server.port} HTTP/1.1`])
      expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(authorization.reveal())
      expect(proxy.seen()).not.toContain('a secret')
      expect(server.connections()).toBe(1)
    }
  })

  test('carries 20 MB both ways', async () => {
    await using server = await echoServer(forLocalhost)
    await using proxy = await startProxy()
    await using subject = await behind(proxy)
    const origin = subject.client.origin(`https://localhost:${server.port}`, { ca: authority.cert })
    const sent = Buffer.alloc(20 * megabyte)
    for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at)
    const { body } = await subject.client.request(origin, aRequest({ body: sent }))
    expect(Buffer.from(await textOf(body), 'latin1').equals(sent)).toBe(true)
  })

  test("refuses a certificate of another name, although the tunnel's other end is the proxy's choice", async () => {
    for (const ca of [authority.cert, null]) {
      await using server = await echoServer(ca === null ? forLocalhost : forOther)
      await using proxy = await startProxy()
      await using subject = await behind(proxy)
      const origin = subject.client.origin(`https://localhost:${server.port}`, ca === null ? {} : { ca })
      expect((await failureOf(subject.client.request(origin, aRequest()))).kind).toBe('protocol')
      await until(() => server.open() === 0)
      expect(server.received()).toBe(0)
    }
  })

  test('is refused when the proxy refuses, or answers something else', async () => {
    for (const refusal of [407, 502, 'SSH-2.0-x\r\n', 'HTTP/1.1 200 OK\r\n\r\nand more']) {
      await using proxy = await startProxy({ refuse: refusal })
      await using subject = await behind(proxy)
      const failure = await failureOf(subject.client.request(subject.client.origin('https://localhost:1'), aRequest()))
      expect([failure.kind, failure.answered]).toEqual(['refused', false])
      await until(() => proxy.open() === 0)
    }
  })

  test('can be given up while the proxy is silent, and then the proxy is left', async () => {
    await using proxy = await startProxy({ refuse: '' })
    await using subject = await behind(proxy)
    const origin = subject.client.origin('https://localhost:1')
    const late = failureOf(subject.client.request(origin, aRequest({ connectTimeoutMs: 5000 })))
    await until(() => proxy.requests.length === 1)
    subject.clock.advance(5000)
    expect((await late).kind).toBe('connect-timeout')
    await until(() => proxy.open() === 0)
    const abort = new AbortController()
    const aborted = subject.client
      .request(origin, aRequest({ signal: abort.signal }))
      .catch((thrown: unknown) => thrown)
    await until(() => proxy.requests.length === 2)
    abort.abort(new Error('left'))
    expect(await aborted).toEqual(new Error('left'))
    await until(() => proxy.open() === 0)
  })
})

test('a proxy that is not there is "refused"', async () => {
  await using subject = await behind({ port: 1 })
  for (const url of ['http://localhost:2', 'https://localhost:2'])
    expect((await failureOf(subject.client.request(subject.client.origin(url), aRequest()))).kind).toBe('refused')
})
