/** Servers with TLS and certificates of their own, for tests of the client. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Null when it is not installed. */
export const openssl = Bun.which('openssl')

/** Without names it is an authority that signs itself, else a server signed by that authority. */
export async function makeCertificate(directory: string, name: string, names: string | null): Promise<Certificate> {
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

export interface CountingServer extends AsyncDisposable {
  readonly port: number
  connections(): number
  open(): number
  /** Bytes, of the plain text when the server speaks TLS. */
  received(): number
}

/** Answers every request with its own body; connections are used one after the other. */
export function echoServer(certificate: Certificate): Promise<CountingServer> {
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
export function silentServer(text: string | null): Promise<CountingServer> {
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
