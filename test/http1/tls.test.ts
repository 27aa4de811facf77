import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { until } from '#test/support/until.ts'
import { aRequest, failureOf, startClient, textOf } from './client-under-test.ts'

interface Certificate {
  readonly cert: string
  readonly key: string
}

const openssl = Bun.which('openssl')
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

/** Without names it is an authority that signs itself, else a server signed by that authority. */
async function makeCertificate(directory: string, name: string, names: string | null): Promise<Certificate> {
  const path = (ending: string): string => join(directory, `${name}.${ending}`)
  const fresh = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    path('key'),
  ]
  if (names === null) {
    await run('req', '-x509', ...fresh, '-out', path('pem'), '-days', '2')
  } else {
    await writeFile(path('ext'), `subjectAltName=${names}`)
    await run('req', ...fresh, '-out', path('csr'))
    const signer = [
      '-CA',
      join(directory, 'authority.pem'),
      '-CAkey',
      join(directory, 'authority.key'),
      '-CAcreateserial',
    ]
    await run('x509', '-req', '-in', path('csr'), ...signer, '-days', '2', '-extfile', path('ext'), '-out', path('pem'))
  }
  return { cert: await readFile(path('pem'), 'utf8'), key: await readFile(path('key'), 'utf8') }
}

async function run(...words: readonly string[]): Promise<void> {
  const process = Bun.spawn([openssl ?? 'openssl', ...words], { stdout: 'ignore', stderr: 'pipe' })
  if ((await process.exited) !== 0) throw new Error(await new Response(process.stderr).text())
}

interface CountingServer extends AsyncDisposable {
  readonly port: number
  connections(): number
  open(): number
  /** Bytes, of the plain text when the server speaks TLS. */
  received(): number
}

/** Answers every request with its own body; connections are used one after the other. */
function echoServer(certificate: Certificate): Promise<CountingServer> {
  let parts: Buffer[] = []
  let missing = -1
  return counting(createServer(certificate), 'secureConnection', (socket, bytes) => {
    parts.push(bytes)
    if (missing === -1) {
      const request = Buffer.concat(parts)
      const bodyStart = request.indexOf('\r\n\r\n') + 4
      // The head is small and comes whole.
      missing = Number(/content-length: (\d+)/.exec(request.toString('latin1', 0, bodyStart))?.[1])
      parts = [request.subarray(bodyStart)]
      missing -= request.length - bodyStart
    } else missing -= bytes.length
    if (missing > 0) return
    const body = Buffer.concat(parts)
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body)
    parts = []
    missing = -1
  })
}

/** Speaks no TLS: says this text to whatever comes, or nothing. */
function silentServer(text: string | null): Promise<CountingServer> {
  return counting(createTcpServer(), 'connection', (socket) => {
    if (text !== null) socket.end(text)
  })
}

async function counting(
  server: Server,
  event: 'connection' | 'secureConnection',
  onBytes: (socket: Socket, bytes: Buffer) => void,
): Promise<CountingServer> {
  const open = new Set<Socket>()
  let connections = 0
  let received = 0
  server.on(event, (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
      onBytes(socket, bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    open: () => open.size,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
