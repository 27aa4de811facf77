import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '#lib/secret.ts'
import { startProxy } from '#test/http1/test-proxy.ts'
import { makeCertificate, openssl, type Certificate } from '#test/http1/tls-server.ts'
import { until } from '#test/support/until.ts'
import { startRealtimeUpstream } from '#test/support/upstream/realtime-upstream.ts'
import { SocketRefused, UpstreamFailure, type SocketListener } from './provider.ts'
import { openWebSocket, type SocketTarget } from './web-socket.ts'

const target = (url: string, more: Partial<SocketTarget> = {}): SocketTarget => ({
  url,
  headers: { authorization: 'Bearer a' },
  proxy: null,
  signal: new AbortController().signal,
  ...more,
})

interface Heard extends SocketListener {
  readonly messages: (string | Uint8Array)[]
  ended: readonly [code: number, reason: string] | null
}

function listener(): Heard {
  const heard: Heard = {
    messages: [],
    ended: null,
    message: (data) => void heard.messages.push(data),
    pong: () => {},
    closed: (code, reason) => void (heard.ended = [code, reason]),
  }
  return heard
}

const failureOf = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => null,
    (thrown: unknown) => thrown,
  )

test('a WebSocket through a proxy is a tunnel, and the proxy gets its credential', async () => {
  await using proxy = await startProxy()
  await using upstream = startRealtimeUpstream()
  const authorization = new Secret('Basic dXNlcjpwYXNz')
  const heard = listener()
  const url = upstream.url.replace('http:', 'ws:')
  const through = { hostname: '127.0.0.1', port: proxy.port, authorization }
  const socket = await openWebSocket(target(url, { proxy: through }), heard)
  socket.send('hello')
  await until(() => heard.messages.length === 1)
  expect(heard.messages).toEqual(['hello'])
  expect(proxy.requests[0]?.line).toBe(`CONNECT ${new URL(upstream.url).host} HTTP/1.1`)
  expect(proxy.requests[0]?.headers['proxy-authorization'] ?? proxy.requests[0]?.headers['Proxy-Authorization']).toBe(
    authorization.reveal(),
  )
  expect(upstream.peer.headers.get('proxy-authorization')).toBeNull()
  socket.close(1000, '')
  await until(() => upstream.open === 0)
})

test('a refusal has its status; no server, or one that speaks something else, is a failure', async () => {
  await using upstream = startRealtimeUpstream()
  upstream.refuseWith = 418
  const refused = await failureOf(openWebSocket(target(upstream.url.replace('http:', 'ws:')), listener()))
  expect(refused).toBeInstanceOf(SocketRefused)
  expect((refused as SocketRefused).status).toBe(418)
  const nobody = await failureOf(openWebSocket(target('ws://127.0.0.1:1/'), listener()))
  expect(nobody).toBeInstanceOf(UpstreamFailure)
  expect((nobody as UpstreamFailure).kind).toBe('refused')
  const other = createServer((socket) => void socket.end('SSH-2.0-x\r\n\r\n')).listen(0, '127.0.0.1')
  await until(() => other.listening)
  const { port } = other.address() as { readonly port: number }
  const nonsense = await failureOf(openWebSocket(target(`ws://127.0.0.1:${port}/`), listener()))
  expect(nonsense).toBeInstanceOf(UpstreamFailure)
  other.close()
})

test('a signal ends the wait, and the server sees the connection end', async () => {
  let open = 0
  const silent = createServer((socket) => {
    open += 1
    socket.on('data', () => {}).on('error', () => {})
    socket.on('close', () => (open -= 1))
  }).listen(0, '127.0.0.1')
  await until(() => silent.listening)
  const { port } = silent.address() as { readonly port: number }
  for (let round = 0; round < 20; round += 1) {
    const ended = new AbortController()
    const opening = failureOf(openWebSocket(target(`ws://127.0.0.1:${port}/`, { signal: ended.signal }), listener()))
    if (round % 2 === 0) await until(() => open === 1)
    ended.abort(new Error('enough'))
    expect(((await opening) as Error).message).toBe('enough')
    await until(() => open === 0)
  }
  silent.close()
})

describe.skipIf(openssl === null)(`TLS${openssl === null ? ' (openssl is not installed)' : ''}`, () => {
  let directory: string
  let certificate: Certificate
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-wss-'))
    await makeCertificate(directory, 'authority', null)
    certificate = await makeCertificate(directory, 'localhost', 'DNS:localhost')
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('a certificate that nobody known has signed is refused, and no request is sent', async () => {
    let requests = 0
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: certificate,
      fetch(request, bun): Response | undefined {
        requests += 1
        return bun.upgrade(request) ? undefined : new Response('')
      },
      websocket: { message: () => {} },
    })
    const failure = await failureOf(openWebSocket(target(`wss://localhost:${server.port}/`), listener()))
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect([requests, (failure as UpstreamFailure).kind]).toEqual([0, 'protocol'])
  })
})
