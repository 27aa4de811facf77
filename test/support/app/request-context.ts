/** Request contexts for tests of what runs inside a request: the server's own, without a socket. */
import type { RequestContext } from '#http/request-context.ts'
import { HttpServer } from '#http/server.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'

/** The context that a handler gets for this request. */
export async function contextOf(request: Request, clock: Clock = systemClock): Promise<RequestContext> {
  const { promise, resolve } = Promise.withResolvers<RequestContext>()
  const server = new HttpServer<never>({
    routes: (['GET', 'POST'] as const).map((method) => ({
      method,
      path: '/*',
      access: 'public',
      docs: { tag: 'test', summary: 'Hands the context out.' },
      handle: (context) => {
        resolve(context)
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
    keepAliveSeconds: 75,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  })
  await server.handleTrusted(request)
  return promise
}

/** The context of a POST with this body. */
export function contextWithBody(body: Bun.BodyInit, headers: Record<string, string> = {}): Promise<RequestContext> {
  return contextOf(new Request('http://localhost/any', { method: 'POST', body, headers }))
}
