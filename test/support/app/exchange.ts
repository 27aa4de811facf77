/** Exchanges for tests of what runs inside a request: the server's own, without a socket. */
import type { Exchange } from '#http/exchange.ts'
import { HttpServer } from '#http/server.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'

/** The exchange that a story gets for this request. */
export async function exchangeOf(request: Request, clock: Clock = systemClock): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const server = new HttpServer<never>({
    routes: (['GET', 'POST'] as const).map((method) => ({
      method,
      path: '/*',
      access: 'public',
      docs: { tag: 'test', summary: 'Hands the exchange out.' },
      story: (exchange) => {
        resolve(exchange)
        return new Response()
      },
    })),
    authorize: () => {
      throw new Error('every route is public')
    },
    accessOfUnknownPath: () => 'public',
    clock,
    logger: createLogger({ level: 'silent', format: 'json', clock, write: () => {} }),
    idleSeconds: 10,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  })
  await server.handleTrusted(request)
  return promise
}

/** The exchange of a POST with this body. */
export function exchangeWithBody(body: Bun.BodyInit, headers: Record<string, string> = {}): Promise<Exchange> {
  return exchangeOf(new Request('http://localhost/any', { method: 'POST', body, headers }))
}
