/**
 * The server loop: from a request to the answer of its route. What happens to every request, and
 * only that, is here: an id, the access check before anything else, one rendering of errors, and a
 * count of what is under way so that a stop can wait for it.
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import { errorResponse } from '#errors/render.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { IpNetwork } from '#lib/ip-network.ts'
import { clientAddress } from './client-address.ts'
import { crossOrigin } from './cors.ts'
import { nearAddress } from './near-address.ts'
import type { RequestContext } from './request-context.ts'
import { requestIdFrom } from './request-id.ts'
import type { Access, Answer, ErrorRendering, Route } from './route.ts'
import { Router, type Match } from './router.ts'
import { isAsSent, targetRouting, type TargetHandlers } from './target.ts'
import { socketHandlers, upgraded, type SocketHandler, type SocketLimits } from './web-socket.ts'

export interface ServerOptions<Caller> {
  readonly routes: Iterable<Route<Caller>>
  /** Who calls, or a thrown ApiError; runs before the body is read. */
  readonly authorize: (access: Exclude<Access, 'public'>, context: RequestContext) => Caller | Promise<Caller>
  /** Access class of addresses that do not exist, so that a stranger learns nothing from a 404. */
  readonly accessOfUnknownPath: (path: string) => Access
  /** Answers public addresses that no route has; null = 404. */
  readonly answerUnknownPath?: (context: RequestContext) => Response | null
  /** Web sites whose pages may read the answers of the areas for programs; asked for each request. None when left out. */
  readonly corsOrigins?: () => readonly string[]
  /** Prefixes of addresses, of which the 404 of a near one names the right one. */
  readonly basePaths?: readonly string[]
  /** How errors are written at addresses that do not exist; in OpenAI's shape when left out. */
  readonly errorOfUnknownPath?: ErrorRendering
  /** What a client should do that asks for this address, which no route has; null = it is not known. */
  readonly adviceFor?: (path: string) => string | null
  /** Limits of WebSockets; a MiB and two minutes when left out. */
  readonly sockets?: SocketLimits
  readonly clock: Clock
  readonly logger: Logger
  /** Idle timer of a connection until its first request has been answered. */
  readonly idleSeconds: number
  /** Idle timer after an answer, in which the head of the next request must have come. At most 255. */
  readonly keepAliveSeconds: number
  /** Proxies that are believed when they say who their client is; none when left out. */
  readonly trustedProxies?: readonly IpNetwork[]
  /** Above every limit of our own, because the runtime's own refusal has no body. */
  readonly maxBodyBytes: number
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** Other processes listen on the same port, and the system divides the connections among all; false when left out. */
  readonly shared?: boolean
}

export class HttpServer<Caller> {
  readonly #options: ServerOptions<Caller>
  readonly #router: Router<Caller>
  readonly #listeners: Bun.Server<SocketHandler>[] = []
  readonly #sockets = new Set<SocketHandler>()
  #stopping = false
  #draining = false

  constructor(options: ServerOptions<Caller>) {
    this.#options = options
    this.#router = new Router(options.routes)
  }

  /** Opens a TCP port; 0 takes any free one. Throws the runtime's error when it cannot. */
  listen(address: ListenAddress): { readonly port: number } {
    // Left out, the runtime lets a second server have the same port, silently.
    const server = Bun.serve({
      ...this.#serveOptions(false),
      hostname: address.host,
      port: address.port,
      reusePort: address.shared ?? false,
    })
    this.#listeners.push(server)
    return { port: server.port ?? address.port }
  }

  /** Opens the control socket: a client that can open the file is the operator. */
  listenOnSocket(path: string): void {
    // The idle timer is a TCP option: the runtime takes none for a socket file.
    const { idleTimeout: _, ...options } = this.#serveOptions(true)
    this.#listeners.push(Bun.serve({ ...options, unix: path }))
  }

  /** Answers one request without a socket: the command line's way when no server is running. */
  async handleTrusted(request: Request): Promise<Response> {
    return (await this.#handle(request, null, 'plain')) ?? upgraded
  }

  /** Whether a stop was announced or has begun. */
  get stopping(): boolean {
    return this.#stopping
  }

  /** Requests whose answer has not been sent completely, and open WebSockets. */
  get underWay(): number {
    return this.#listeners.reduce((sum, server) => sum + server.pendingRequests, this.#sockets.size)
  }

  /** A stop is coming: requests are served as before, and answers ask clients to close their connections. */
  announceStop(): void {
    this.#stopping = true
  }

  /**
   * From now on every new request gets 503, readiness included, so that a load balancer sees the
   * stop coming. The port stays open until `close`: a refused connection would tell it less.
   */
  drain(): void {
    this.#stopping = true
    this.#draining = true
    for (const socket of this.#sockets) socket.leave()
  }

  /** Closes every connection, finished or not. */
  async close(): Promise<void> {
    this.drain()
    await Promise.all(this.#listeners.map((server) => server.stop(true)))
  }

  #serveOptions(trusted: boolean) {
    const { idleSeconds, maxBodyBytes, logger } = this.#options
    return {
      development: false,
      idleTimeout: idleSeconds,
      maxRequestBodySize: maxBodyBytes,
      websocket: socketHandlers(this.#sockets, this.#options.sockets ?? usualSockets),
      ...targetRouting(this.#router.literalPaths, {
        literal: (request, server, path) => this.#handle(request, trusted ? null : server, 'plain', path),
        plain: (request, server) => this.#handle(request, trusted ? null : server, 'plain'),
        rewritten: (request, server) => this.#handle(request, trusted ? null : server, 'rewritten'),
        unroutable: (request, server) => this.#handle(request, trusted ? null : server, 'unroutable'),
      }),
      // Only a fault of the server loop itself comes here; the page it would show holds source code.
      error: (error: Error) => {
        logger.error('the server loop failed', { error })
        return errorResponse(new ApiError('internal_error'))
      },
    }
  }

  /**
   * @param server null when the caller is trusted
   * @param path where it is known without a look at the URL, which the runtime makes of the target
   */
  async #handle(
    request: Request,
    server: Bun.Server<SocketHandler> | null,
    target: Exclude<keyof TargetHandlers, 'literal'>,
    path?: string,
  ): Promise<Response | undefined> {
    const context = new ServerContext(request, server, this.#options, path)
    try {
      const answer = await this.#answer(context, target)
      return answer === upgraded ? undefined : this.#leaving(context.complete(answer))
    } catch (thrown) {
      return this.#leaving(this.#refuse(context, thrown))
    }
  }

  /** While a stop is coming, a client that keeps its connection would only meet the stop on it. */
  #leaving(response: Response): Response {
    if (this.#stopping) response.headers.set('connection', 'close')
    return response
  }

  #answer(context: ServerContext, target: Exclude<keyof TargetHandlers, 'literal'>): Answer {
    if (target === 'rewritten') throw new ApiError('not_found')
    requireOneHost(context.request) // 400
    if (target === 'unroutable') return this.#noRoute(context, { kind: 'none' })
    const match = this.#router.match(context.request.method, context.path)
    const preflight = crossOrigin(context, this.#accessOf(match, context), this.#options.corsOrigins?.() ?? noOrigins)
    if (preflight !== null) return preflight
    if (match.kind === 'route') {
      const { route } = match
      context.params = match.params
      context.errorResponse = route.errorResponse
      context.bodyBytesMax = route.bodyBytesMax
      if (this.#draining && !route.duringDrain) throw new ApiError('shutting_down')
      if (route.access === 'public') return route.handle(context)
      const authorized = this.#options.authorize(route.access, context)
      return authorized instanceof Promise
        ? serveAuthorized(authorized, route, context)
        : serve(authorized, route, context)
    }
    return this.#noRoute(context, match)
  }

  async #noRoute(context: ServerContext, match: Exclude<Match<Caller>, { kind: 'route' }>): Promise<Response> {
    context.errorResponse = match.kind === 'none' ? this.#options.errorOfUnknownPath : match.route.errorResponse
    const access = this.#accessOf(match, context)
    if (access !== 'public') await this.#options.authorize(access, context)
    if (match.kind === 'none') {
      const answer = access === 'public' && !this.#draining ? this.#options.answerUnknownPath?.(context) : null
      if (answer) return answer
      throw this.#notFound(context)
    }
    const { allowed } = match
    const heads = allowed.includes('GET') ? ['HEAD'] : []
    throw new ApiError('method_not_allowed', {
      message: `This address takes only ${allowed.join(', ')}.`,
      headers: { allow: [...allowed, ...heads].join(', ') },
    })
  }

  #accessOf(match: Match<Caller>, { path }: ServerContext): Access {
    return match.kind === 'none' ? this.#options.accessOfUnknownPath(path) : match.route.access
  }

  #notFound({ path }: ServerContext): ApiError {
    const advice = this.#options.adviceFor?.(path) ?? null
    if (advice !== null) return new ApiError('not_found', { message: advice })
    const exists = (address: string): boolean => this.#router.match('GET', address).kind !== 'none'
    const near = nearAddress(path, this.#options.basePaths ?? [], exists)
    if (near === null) return new ApiError('not_found')
    const shown = near.length > 200 ? `${near.slice(0, 200)}…` : near
    return new ApiError('not_found', {
      message: `Nothing is at this address, but there is ${shown}. Correct the base URL of your client.`,
    })
  }

  #refuse(context: ServerContext, thrown: unknown): Response {
    const error = toApiError(thrown, context.signal)
    if (error.row.origin === 'gateway') {
      this.#options.logger.error('request failed', {
        requestId: context.requestId,
        path: context.path,
        code: error.code,
        error,
      })
    }
    const render = context.errorResponse ?? errorResponse
    return context.complete(render(error, context.requestId, context.request.headers))
  }
}

type GuardedRoute<Caller> = Extract<Route<Caller>, { readonly access: Exclude<Access, 'public'> }>

function serve<Caller>(caller: Caller, route: GuardedRoute<Caller>, context: ServerContext): Answer {
  context.liftIdleTimeout()
  return route.handle(context, caller)
}

async function serveAuthorized<Caller>(
  authorized: Promise<Caller>,
  route: GuardedRoute<Caller>,
  context: ServerContext,
): Promise<Response> {
  return serve(await authorized, route, context)
}

const noOrigins: readonly string[] = []

const usualSockets: SocketLimits = { messageBytesMax: 1024 * 1024, idleSeconds: 120 }

/** Two hosts could mean one address to a proxy and another one here. They come joined, which is the name of no host. */
function requireOneHost(request: Request): void {
  if (request.headers.get('host')?.includes(',')) throw new ApiError('invalid_host')
}

/** Nothing that an answer holds is run, whatever a provider or an importer has put into it. */
const guardHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
} as const

const noProxies: readonly IpNetwork[] = []

type ContextOptions = Pick<ServerOptions<unknown>, 'clock' | 'keepAliveSeconds' | 'trustedProxies'>

class ServerContext implements RequestContext {
  readonly request: Request
  readonly requestId: string
  readonly path: string
  readonly startedAt: number
  readonly clock: Clock
  readonly trusted: boolean
  params: Readonly<Record<string, string>> = {}
  bodyBytesMax: number | undefined
  errorResponse: ErrorRendering | undefined
  readonly #server: Bun.Server<SocketHandler> | null
  /** Null until it is asked for. */
  #search: string | null
  readonly #headers: Record<string, string>
  readonly #keepAliveSeconds: number
  readonly #trustedProxies: readonly IpNetwork[]
  #made: Response | null = null
  #streams = false

  constructor(request: Request, server: Bun.Server<SocketHandler> | null, options: ContextOptions, path?: string) {
    const { clock, keepAliveSeconds, trustedProxies = noProxies } = options
    this.request = request
    this.clock = clock
    this.#keepAliveSeconds = keepAliveSeconds
    this.#trustedProxies = trustedProxies
    this.startedAt = clock.elapsed()
    this.requestId = requestIdFrom(request.headers)
    this.#headers = { 'x-request-id': this.requestId }
    this.trusted = server === null
    this.#server = server
    this.#search = null
    this.path = path ?? this.#readPath()
  }

  get query(): URLSearchParams {
    if (this.#search === null) this.#readPath()
    return new URLSearchParams(this.#search ?? '')
  }

  get signal(): AbortSignal {
    return this.request.signal
  }

  get remoteAddress(): string {
    const peer = this.#server?.requestIP(this.request)?.address ?? ''
    return clientAddress(peer, this.request.headers, this.#trustedProxies)
  }

  /** The path as it was sent; what follows it is the query. */
  #readPath(): string {
    const { url } = this.request
    const pathStart = isAsSent(this.request) ? 0 : url.indexOf('/', url.indexOf('://') + 3)
    const searchStart = url.indexOf('?', pathStart)
    this.#search = searchStart < 0 ? '' : url.slice(searchStart)
    return searchStart < 0 ? url.slice(pathStart) : url.slice(pathStart, searchStart)
  }

  respond(
    body: Bun.BodyInit | null,
    init: { readonly status: number; readonly headers: Record<string, string> },
  ): Response {
    this.#streams = body instanceof ReadableStream
    this.#made = new Response(body, {
      status: init.status,
      headers: { ...guardHeaders, ...init.headers, ...this.#headers },
    })
    return this.#made
  }

  addHeader(name: string, value: string): void {
    this.#headers[name] = value
  }

  upgrade(handler: SocketHandler, headers: Readonly<Record<string, string>>): Response {
    const all = { ...this.#headers, ...headers }
    if (this.#server?.upgrade(this.request, { data: handler, headers: all }) !== true)
      throw new ApiError('upgrade_required')
    return upgraded
  }

  /** The response with the headers that every answer carries. A streamed one restores the timer itself when it ends. */
  complete(response: Response): Response {
    if (!this.#streams) this.restoreIdleTimeout()
    const { headers } = response
    if (response !== this.#made) {
      for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value)
      // Pages have a policy of their own.
      if (!headers.has('content-security-policy'))
        for (const [name, value] of Object.entries(guardHeaders)) headers.set(name, value)
    }
    return response
  }

  liftIdleTimeout(): void {
    this.#server?.timeout(this.request, 0)
  }

  restoreIdleTimeout(): void {
    this.#server?.timeout(this.request, this.#keepAliveSeconds)
  }
}
