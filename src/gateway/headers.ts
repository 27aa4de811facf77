/**
 * Which headers travel through the gateway. Everything does, except what belongs to one connection
 * (RFC 9110 section 7.6.1), what the gateway writes itself, and what would hand one side's
 * credentials or identity to the other.
 */

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

/** The body is measured and encoded anew on either side. */
const framing = ['content-length', 'content-encoding', 'content-type', 'accept-encoding', 'host', 'expect', 'date']

const notUpstream = new Set([
  ...hopByHop,
  ...framing,
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'cookie2',
  // They choose the organisation that pays, which is the provider's configuration to say.
  'openai-organization',
  'openai-project',
  'x-request-id',
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'origin',
  'referer',
])

const notDownstream = new Set([
  ...hopByHop,
  ...framing,
  'set-cookie',
  'set-cookie2',
  'server',
  'via',
  'alt-svc',
  'strict-transport-security',
  // What a browser would do on the word of an upstream, at the address of this server.
  'clear-site-data',
  'refresh',
  'nel',
  'report-to',
  'reporting-endpoints',
  'content-security-policy',
  'openai-organization',
  'openai-project',
  'www-authenticate',
  'location',
])

/** By which providers name a request: OpenAI's kind, and Anthropic. */
const requestIds = new Set(['x-request-id', 'request-id'])

/** The client's headers that go to the upstream, in lower case. */
export function headersForUpstream(headers: Headers): Record<string, string> {
  const dropped = namedByConnection(headers.get('connection'))
  const kept: Record<string, string> = {}
  // toJSON is Bun's one-call copy; walking a Headers object costs several times as much.
  for (const [name, value] of Object.entries(headers.toJSON())) {
    if (notUpstream.has(name) || dropped?.has(name) || name.startsWith('x-forwarded-') || name.startsWith('sec-'))
      continue
    // Only set-cookie can be a list, and no request has one.
    kept[name] = String(value)
  }
  return kept
}

/** The upstream's headers that go to the client; its request id under a name of its own. */
export function headersForClient(headers: Readonly<Record<string, string>>): Record<string, string> {
  const dropped = namedByConnection(headers['connection'] ?? null)
  const kept: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (requestIds.has(name)) kept['x-upstream-request-id'] ??= value
    else if (!notDownstream.has(name) && !dropped?.has(name) && !name.startsWith('access-control-')) kept[name] = value
  }
  return kept
}

/** Headers that the `connection` header declares to be of this connection only; null for none. */
function namedByConnection(connection: string | null): ReadonlySet<string> | null {
  if (connection === null || connection === 'keep-alive' || connection === 'close') return null
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}
