/**
 * Who calls without a key. Every program that reaches the port may, so a browser is the one that has to be told
 * apart: it reaches ports for pages from anywhere.
 */
import { isLoopbackHost } from '#config/settings/formats.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import { requireOwnOrigin } from '#http/request-origin.ts'

type Settings = Pick<LiveSettings, 'get'>

/**
 * E-mail address of the account that requests without a key have; null = they have none. Answers 403 to a request that
 * a page of another origin makes a browser send, and 415 to a body that is neither JSON nor a form.
 */
export function anonymousUser(settings: Settings, request: Request): string | null {
  const email = settings.get('generation.anonymous_user')
  if (email === null) return null
  requireOwnHost(settings, request)
  requireOwnOrigin(request, settings.get('server.public_url'))
  requireDeclaredBody(request)
  return email
}

/**
 * A page can give its own name the address of this machine. The browser then takes it and the server for one origin,
 * but sends the page's name.
 */
function requireOwnHost(settings: Settings, { headers }: Request): void {
  const host = headers.get('host')
  if (host === null || !isLoopbackHost(nameOf(settings.get('server.host')))) return
  const name = nameOf(host)
  const publicUrl = settings.get('server.public_url')
  if (isLoopbackHost(name) || (publicUrl !== null && name === new URL(publicUrl).hostname)) return
  if (settings.get('server.allowed_hosts').some((allowed) => nameOf(allowed) === name)) return
  throw new ApiError('origin_denied', {
    message:
      'The Host header does not name this server. Use its loopback address, or ask an administrator to add the name to server.allowed_hosts.',
  })
}

/** What pages can send without asking first is mostly plain text. */
function requireDeclaredBody({ method, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  if (/^(application\/(json|[^\s/]+\+json|x-www-form-urlencoded)|multipart\/form-data)$/i.test(type.trim())) return
  throw new ApiError('unsupported_media_type', {
    message: 'A request without a key must declare its body: send "Content-Type: application/json" or a form.',
  })
}

/** The name or address in a Host header as URLs have it, without the port; empty for what is none. */
function nameOf(host: string): string {
  const url = `http://${host.includes('::') && !host.startsWith('[') ? `[${host}]` : host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}
