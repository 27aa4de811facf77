import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '#test/support/until.ts'
import { aRequest, failureOf, startClient, textOf } from './client-under-test.ts'
import { echoServer, makeCertificate, openssl, silentServer, type Certificate } from './tls-server.ts'

const megabyte = 1024 * 1024

describe.skipIf(openssl === null)(`TLS${openssl === null ? ' (openssl is not installed)' : ''}`, () => {
  let directory: string
  let authority: Certificate
  let forLocalhost: Certificate
  let forAddress: Certificate
  let forOther: Certificate

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-tls-'))
    authority = await makeCertificate(directory, 'authority', null)
    forLocalhost = await makeCertificate(directory, 'localhost', 'DNS:localhost')
    forAddress = await makeCertificate(directory, 'address', 'IP:127.0.0.1')
    forOther = await makeCertificate(directory, 'other', 'DNS:other.example')
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('reaches a server whose certificate the given authority has signed, and uses its connection again', async () => {
    for (const [certificate, host] of [
      [forLocalhost, 'localhost'],
      [forAddress, '127.0.0.1'],
    ] as const) {
      await using server = await echoServer(certificate)
      await using subject = await startClient()
      const origin = subject.client.origin(`https://${host}:${server.port}`, { ca: authority.cert })
      for (let index = 0; index < 2; index++) {
        const { status, body } = await subject.client.request(origin, aRequest({ body: Buffer.from('hello') }))
        expect([status, await textOf(body)]).toEqual([200, 'hello'])
      }
      expect(server.connections()).toBe(1)
    }
  })

  test('connects to the address that is given for a name, and the certificate has to prove the name', async () => {
    await using right = await echoServer(forOther)
    await using wrong = await echoServer(forAddress)
    await using subject = await startClient()
    const originAt = (port: number) =>
      subject.client.origin(`https://other.example:${port}`, { ca: authority.cert, ip: '127.0.0.1' })
    const { status, body } = await subject.client.request(
      originAt(right.port),
      aRequest({ body: Buffer.from('hello') }),
    )
    expect([status, await textOf(body)]).toEqual([200, 'hello'])
    expect((await failureOf(subject.client.request(originAt(wrong.port), aRequest()))).kind).toBe('protocol')
    await until(() => wrong.open() === 0)
    expect(wrong.received()).toBe(0)
  })

  test('carries 20 MB both ways', async () => {
    await using server = await echoServer(forLocalhost)
    await using subject = await startClient()
    const origin = subject.client.origin(`https://localhost:${server.port}`, { ca: authority.cert })
    const sent = Buffer.alloc(20 * megabyte)
    for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at)
    const { body } = await subject.client.request(origin, aRequest({ body: sent }))
    expect(Buffer.from(await textOf(body), 'latin1').equals(sent)).toBe(true)
  })

  test('refuses a certificate that nobody known has signed, and sends nothing', async () => {
    await using server = await echoServer(forLocalhost)
    await using subject = await startClient()
    const failure = await failureOf(
      subject.client.request(subject.client.origin(`https://localhost:${server.port}`), aRequest()),
    )
    expect([failure.kind, failure.answered]).toEqual(['protocol', false])
    expect(failure.message).toContain('certificate')
    await until(() => server.open() === 0)
    expect(server.received()).toBe(0)
  })

  test('refuses a certificate for another name, and sends nothing', async () => {
    await using server = await echoServer(forOther)
    await using subject = await startClient()
    const origin = subject.client.origin(`https://localhost:${server.port}`, { ca: authority.cert })
    expect((await failureOf(subject.client.request(origin, aRequest()))).kind).toBe('protocol')
    await until(() => server.open() === 0)
    expect(server.received()).toBe(0)
  })

  test('fails as "protocol" when the server speaks plain HTTP', async () => {
    await using server = await silentServer('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
    await using subject = await startClient()
    const origin = subject.client.origin(`https://127.0.0.1:${server.port}`)
    expect((await failureOf(subject.client.request(origin, aRequest()))).kind).toBe('protocol')
  })

  test('fails as "connect-timeout" when the handshake does not end in time', async () => {
    await using server = await silentServer(null)
    await using subject = await startClient()
    const origin = subject.client.origin(`https://127.0.0.1:${server.port}`)
    const failed = failureOf(subject.client.request(origin, aRequest({ connectTimeoutMs: 5000 })))
    await until(() => server.received() > 0)
    subject.clock.advance(5000)
    const failure = await failed
    expect([failure.kind, failure.answered, failure.reused]).toEqual(['connect-timeout', false, false])
    await until(() => server.open() === 0)
  })

  test('can be aborted during the handshake', async () => {
    await using server = await silentServer(null)
    await using subject = await startClient()
    const abort = new AbortController()
    const reason = new Error('the client is gone')
    const origin = subject.client.origin(`https://127.0.0.1:${server.port}`)
    const rejected = subject.client
      .request(origin, aRequest({ signal: abort.signal }))
      .catch((thrown: unknown) => thrown)
    await until(() => server.received() > 0)
    abort.abort(reason)
    expect(await rejected).toBe(reason)
    await until(() => server.open() === 0)
  })
})
