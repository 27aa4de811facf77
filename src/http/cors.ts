/**
 * Cross-origin requests of browsers: which web sites may read the answers of which addresses. Off while no origin is
 * listed. No answer allows credentials, so a page of another site never acts with the cookie of the console.
 * Protocol: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import type { Access } from './route.ts'
import type { RequestContext } from './request-context.ts'

/** Areas for programs. The console and administration stay with their own origin. */
const shared: ReadonlySet<Access> = new Set<Access>(['inference', 'realtime', 'generation', 'documents'])
const preflightSeconds = 600
const headerNamesMax = 4096

/**
 * Puts the headers on whatever the request is answered with. The answer itself for the preflight of a listed origin, which
 * has no key; null for every other request.
 * @param origins as in the setting: `*` is any
 */
export function crossOrigin(context: RequestContext, access: Access, origins: readonly string[]): Response | null {
  if (origins.length === 0 || !shared.has(access)) return null
  const { method, headers } = context.request
  context.addHeader('vary', 'origin')
  const origin = headers.get('origin')
  if (origin === null) return null
  const isAny = origins.includes('*')
  if (!isAny && !origins.includes(origin)) return null
  context.addHeader('access-control-allow-origin', isAny ? '*' : origin)
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) {
    context.addHeader('access-control-expose-headers', '*')
    return null
  }
  context.addHeader('vary', 'origin, access-control-request-headers')
  return new Response(null, { status: 204, headers: preflightHeaders(headers) })
}

/** `*` would not allow `authorization`, so the names come back as they were asked for. */
function preflightHeaders(headers: Headers): Record<string, string> {
  const names = headers.get('access-control-request-headers') ?? ''
  const isList = names.length <= headerNamesMax && /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/.test(names)
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    ...(isList && { 'access-control-allow-headers': names }),
    'access-control-max-age': String(preflightSeconds),
  }
}
