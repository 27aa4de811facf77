/**
 * Request targets that the runtime changes before a handler sees them. It takes dot segments out of the path and turns
 * backslashes round, so that a proxy that guards an address would not know it in what it passes on. Only the runtime's
 * own routing sees the target as it was sent: its routes here are there to look at it.
 */

import type { SocketHandler } from './web-socket.ts'

/** A handler of the runtime; undefined for a request that has become a WebSocket. */
type Handle = (request: Request, server: Bun.Server<SocketHandler>) => Promise<Response | undefined>

export interface TargetHandlers {
  /** The target is one of the literal paths, to the letter, and perhaps a query. */
  readonly literal: (request: Request, server: Bun.Server<SocketHandler>, path: string) => ReturnType<Handle>
  /** The path is that of the target. */
  readonly plain: Handle
  /** The path is not what was sent. */
  readonly rewritten: Handle
  /** No route can have such a path; it may have been changed. */
  readonly unroutable: Handle
}

/** No address has more. */
const segmentsMax = 32

/** The runtime's routing for these handlers; `literalPaths` need no look at the target, as they match only themselves. */
export function targetRouting(literalPaths: Iterable<string>, handlers: TargetHandlers) {
  const { literal, plain, rewritten, unroutable } = handlers
  const bySegments: Handle = (request, server) => {
    const segments = Object.values((request as Bun.BunRequest).params as Readonly<Record<string, string>>)
    return segments.some(isChanged) ? rewritten(request, server) : plain(request, server)
  }
  const routes: Record<string, Handle> = {}
  let pattern = ''
  for (let index = 0; index < segmentsMax; index += 1) {
    pattern += `/:segment${index}`
    routes[pattern] = bySegments
  }
  for (const path of literalPaths) routes[path] = (request, server) => literal(request, server, path)
  const fetch: Handle = (request, server) => {
    if (!isAsSent(request)) return unroutable(request, server)
    const segments = request.url.replace(/\?.*/s, '').split('/')
    return segments.map(decoded).some(isChanged) ? rewritten(request, server) : plain(request, server)
  }
  return { routes, fetch }
}

/** Without a host, or with one that is none, the runtime gives the target as it was sent. */
export function isAsSent({ url }: Request): boolean {
  return url.startsWith('/')
}

function isChanged(segment: string): boolean {
  return /^\.\.?(#|$)|\\/.test(segment)
}

function decoded(segment: string): string {
  return segment.replaceAll(/%2e/gi, '.')
}
