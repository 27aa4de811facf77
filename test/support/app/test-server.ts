/** The real server loop on a free port, with routes of the test's own and one valid key. */
import type { Route } from '#http/route.ts'
import { HttpServer } from '#http/server.ts'
import { ApiError } from '#errors/api-error.ts'
import { systemClock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'
import { RawClient } from '../network/raw-client.ts'

export const goodKey = 'good'

/** What a route needs besides its address and its handler. */
export const undocumented = { tag: 'test', summary: 'Of a test.' } as const

export interface TestServer extends AsyncDisposable {
  readonly server: HttpServer<string>
  readonly url: string
  readonly port: number
  /** Every record of the log. */
  readonly log: readonly Readonly<Record<string, unknown>>[]
  client(): RawClient
}

export interface TestServerTimes {
  readonly idleSeconds?: number
  readonly keepAliveSeconds?: number
}

/** Opens it. Addresses below /private/ are as if they were guarded routes. */
export function startTestServer(routes: Iterable<Route<string>>, times: TestServerTimes = {}): TestServer {
  const log: Record<string, unknown>[] = []
  const server = new HttpServer<string>({
    routes,
    authorize: (_, { request }) => {
      if (request.headers.get('authorization') !== `Bearer ${goodKey}`) throw new ApiError('invalid_api_key')
      return 'caller'
    },
    accessOfUnknownPath: (path) => (path.startsWith('/private/') ? 'user' : 'public'),
    clock: systemClock,
    logger: createLogger({
      level: 'debug',
      format: 'json',
      clock: systemClock,
      write: (line) => log.push(JSON.parse(line) as Record<string, unknown>),
    }),
    idleSeconds: 10,
    keepAliveSeconds: 75,
    ...times,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  })
  const { port } = server.listen({ host: '127.0.0.1', port: 0 })
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    client: () => new RawClient(port),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
