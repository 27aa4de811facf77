/** A provider's realtime server: a real WebSocket server that does what a test says. */
export interface RealtimePeer {
  /** Path and query of its request. */
  readonly target: string
  readonly headers: Headers
  readonly received: (string | Buffer)[]
  /** How often it was asked for a sign of life. */
  pings: number
  /** How it ended; null while it is open. */
  closed: { readonly code: number; readonly reason: string } | null
  readonly socket: Bun.ServerWebSocket<RealtimePeer>
}

export interface RealtimeUpstream extends AsyncDisposable {
  /** A provider's base URL. */
  readonly url: string
  readonly peers: readonly RealtimePeer[]
  /** The last that connected. */
  readonly peer: RealtimePeer
  /** Open sockets. */
  readonly open: number
  /** Answers the next requests with this status instead of a WebSocket; null for none. */
  refuseWith: number | null
  /** What it says then. */
  refusal: string
  /** Does not answer requests at all. */
  silent: boolean
  /** What it does with a message; sends it back when left alone. */
  onMessage: (peer: RealtimePeer, message: string | Buffer) => void
}

/** Starts it on a free port; disposing breaks every socket. */
export function startRealtimeUpstream(): RealtimeUpstream {
  const peers: RealtimePeer[] = []
  const upstream = {
    refuseWith: null as number | null,
    refusal: 'no',
    silent: false,
    onMessage: ({ socket }: RealtimePeer, message: string | Buffer): void => void socket.send(message),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request, bun): Promise<Response | undefined> {
      if (upstream.silent) await new Promise(() => {})
      if (upstream.refuseWith !== null) return new Response(upstream.refusal, { status: upstream.refuseWith })
      const { pathname, search } = new URL(request.url)
      const data = {
        target: pathname + search,
        headers: request.headers,
        received: [],
        pings: 0,
        closed: null,
      } as unknown
      return bun.upgrade(request, { data: data as RealtimePeer }) ? undefined : new Response('none', { status: 400 })
    },
    websocket: {
      data: {} as RealtimePeer,
      maxPayloadLength: 64 * 1024 * 1024,
      backpressureLimit: 1024 * 1024 * 1024,
      open: (socket) => void peers.push(Object.assign(socket.data, { socket })),
      message({ data }, message) {
        data.received.push(message)
        upstream.onMessage(data, message)
      },
      ping: ({ data }) => void (data.pings += 1),
      close: ({ data }, code, reason) => void (data.closed = { code, reason }),
    },
  })
  return Object.defineProperties(upstream, {
    url: { value: `http://127.0.0.1:${server.port}/v1` },
    peers: { value: peers },
    peer: { get: () => peers.at(-1) },
    open: { get: () => peers.filter(({ closed }) => closed === null).length },
    [Symbol.asyncDispose]: { value: () => server.stop(true) },
  }) as RealtimeUpstream
}
