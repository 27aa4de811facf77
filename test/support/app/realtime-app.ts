/** A gateway with a realtime provider behind the model `voice`, and WebSocket clients of it. */
import { request } from 'node:http'
import { until } from '../until.ts'
import { startRealtimeUpstream, type RealtimeUpstream } from '../upstream/realtime-upstream.ts'
import { startGateway, type GatewayApp, type GatewayOptions } from './gateway-app.ts'

export interface RealtimeApp extends AsyncDisposable {
  readonly gateway: GatewayApp
  readonly upstream: RealtimeUpstream
  /** A client whose WebSocket is open at both ends. */
  connect(options?: ConnectOptions): Promise<RealtimeClient>
  /** The answer to a request for a WebSocket that is refused. */
  refused(options?: ConnectOptions): Promise<Response>
}

export interface ConnectOptions {
  /** The address behind `/ai/v1/realtime`; the model `voice` when left out. */
  readonly search?: string
  readonly path?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

export interface RealtimeClient {
  readonly socket: WebSocket
  readonly received: (string | Buffer)[]
  /** How it ended; null while it is open. */
  closed: { readonly code: number; readonly reason: string } | null
}

/** The gateway as of `startGateway`, with the model `voice`. */
export async function startRealtimeApp(options: GatewayOptions = {}): Promise<RealtimeApp> {
  await using opening = new AsyncDisposableStack()
  const upstream = opening.use(startRealtimeUpstream())
  const gateway = opening.use(await startGateway(options))
  await addVoice(gateway, upstream.url)
  const resources = opening.move()
  const defaultKey = gateway.keys.main.secret
  return {
    gateway,
    upstream,
    connect: (asked = {}) => connect(gateway, { key: defaultKey, ...asked }),
    refused: (asked = {}) => refused(gateway, { key: defaultKey, ...asked }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function addVoice(gateway: GatewayApp, baseUrl: string): Promise<void> {
  const options = { endpoints: ['chat/completions', 'realtime'] }
  const fields = { name: 'talk', kind: 'openai', base_url: baseUrl, credential: 'talk-credential', options }
  const provider = (await (await gateway.operate('POST', '/providers', fields)).json()) as { readonly id: string }
  const model = { name: 'voice', aliases: ['speech'], provider_id: provider.id, upstream_name: 'gpt-realtime' }
  const made = await gateway.operate('POST', '/models', model)
  if (made.status !== 201) throw new Error(await made.text())
}

function addressOf({ path = '/ai/v1/realtime', search = '?model=voice' }: ConnectOptions): string {
  return path + search
}

function headersOf({ key, headers = {} }: ConnectOptions): Record<string, string> {
  return { ...(key !== null && key !== undefined && { authorization: `Bearer ${key}` }), ...headers }
}

async function connect(gateway: GatewayApp, options: ConnectOptions): Promise<RealtimeClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${addressOf(options)}`, {
    headers: headersOf(options),
    ...(options.protocols && { protocols: [...options.protocols] }),
  })
  socket.binaryType = 'nodebuffer'
  const client: RealtimeClient = { socket, received: [], closed: null }
  socket.addEventListener('message', ({ data }) => void client.received.push(data as string | Buffer))
  socket.addEventListener('close', ({ code, reason }) => void (client.closed = { code, reason }))
  await until(() => socket.readyState === WebSocket.OPEN || client.closed !== null)
  if (client.closed !== null) throw new Error('the WebSocket was not opened')
  return client
}

function refused(gateway: GatewayApp, options: ConnectOptions): Promise<Response> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headersOf(options),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: gateway.port, path: addressOf(options), headers, agent: false })
    sent.on('error', reject)
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the request became a WebSocket'))
    })
    sent.on('response', (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () => {
        const own = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve(new Response(Buffer.concat(pieces), { status: answer.statusCode ?? 0, headers: own }))
      })
    })
    sent.end()
  })
}
