/**
 * Answers for the addresses of the web console: its files, and its page for every other address
 * that a browser asks for. Never for an address of the API: the server asks here last.
 */
import { takesEncoding } from '#http/accepted-encoding.ts'
import type { RequestContext } from '#http/request-context.ts'
import { consolePage, type ConsoleFile, type ConsoleFiles } from './console-files.ts'

/** Files with the digest of their content in the name: one name never has a second content. */
const hashedPrefix = '/assets/'

/** Nothing is loaded from, sent to, or framed by another place. Styles set by scripts are allowed: they are not text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ')

const guardHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const

/** The file at the request's address, or the page when a browser navigates to it; null when it is neither. */
export function serveConsole(files: ConsoleFiles, { request, path }: RequestContext): Response | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const file = path === consolePage ? undefined : files.get(path)
  if (file !== undefined) return fileAnswer(file, request, path.startsWith(hashedPrefix))
  return path.startsWith(hashedPrefix) || !wantsPage(request) ? null : serveConsolePage(files, request)
}

/** The page of the console; null when there is none. */
export function serveConsolePage(files: ConsoleFiles, request: Request): Response | null {
  const page = files.get(consolePage)
  return page === undefined ? null : fileAnswer(page, request, false)
}

function wantsPage({ headers }: Request): boolean {
  return /(^|,)\s*text\/html\s*(;|,|$)/i.test(headers.get('accept') ?? '')
}

function fileAnswer(file: ConsoleFile, request: Request, forever: boolean): Response {
  const { encoding, bytes } = encodingFor(file, request.headers.get('accept-encoding') ?? '')
  const etag = `"${file.digest}${encoding === null ? '' : `-${encoding}`}"`
  const headers = {
    ...guardHeaders,
    'content-type': file.mediaType,
    'cache-control': forever ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
    ...(encoding !== null && { 'content-encoding': encoding }),
  }
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return new Response(null, { status: 304, headers })
  return new Response(bytes, { headers })
}

interface Encoded {
  readonly encoding: 'br' | 'gzip' | null
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The smallest that the client takes. */
function encodingFor({ identity, br, gzip }: ConsoleFile, accepted: string): Encoded {
  if (br !== null && takesEncoding(accepted, 'br')) return { encoding: 'br', bytes: br }
  if (gzip !== null && takesEncoding(accepted, 'gzip')) return { encoding: 'gzip', bytes: gzip }
  return { encoding: null, bytes: identity }
}
