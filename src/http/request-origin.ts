/**
 * Tells requests of our own console from those that another web site makes a browser send. Only
 * requests that carry a cookie, or want one, are in question: a key is never sent by itself.
 */
import { ApiError } from '#errors/api-error.ts'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Answers 403 when the request changes something and comes from another origin. Clients that are
 * no browsers send neither header and pass.
 * @param publicUrl the address under which users reach this server; a proxy may hide it from us
 */
export function requireOwnOrigin({ method, headers }: Request, publicUrl: string | null): void {
  if (safeMethods.has(method)) return
  if (headers.get('sec-fetch-site') === 'cross-site') throw new ApiError('origin_denied')
  const origin = headers.get('origin')
  if (origin === null) return
  const host = hostOf(origin)
  if (host === null) throw new ApiError('origin_denied')
  if (host === headers.get('host')?.toLowerCase()) return
  if (publicUrl !== null && origin.toLowerCase() === new URL(publicUrl).origin) return
  throw new ApiError('origin_denied')
}

/** Host and port, the port left out when it is the scheme's own; null for an origin that has none. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host || null : null
}
