/**
 * Which headers travel through the gateway: those on two lists, and what the settings
 * `gateway.request_headers` and `gateway.response_headers` add. Everything else stays on its side. A new
 * header of a proxy, a vendor or a browser therefore does nothing until it is known to be harmless.
 */

/** A name, or the beginning of names when it ends with `*`. All in lower case. */
type HeaderPattern = string

const requestPatterns: readonly HeaderPattern[] = [
  'accept',
  'accept-language',
  'user-agent',
  'prefer',
  'idempotency-key',
  // W3C Trace Context: https://www.w3.org/TR/trace-context/
  'traceparent',
  'tracestate',
  // OpenAI. Not openai-organization and openai-project: they choose who pays.
  'openai-beta',
  'openai-safety-identifier',
  'x-client-request-id',
  'x-stainless-*',
  // Anthropic: https://platform.claude.com/docs/en/api/overview
  'anthropic-version',
  'anthropic-beta',
  // OpenRouter's attribution: https://openrouter.ai/docs/app-attribution
  'http-referer',
  'x-title',
  // Sessions of model servers, for their prefix caches.
  'x-session-id',
]

const responsePatterns: readonly HeaderPattern[] = [
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'ratelimit-*',
  'x-ratelimit-*',
  'content-language',
  'server-timing',
  'openai-version',
  'openai-model',
  'openai-processing-ms',
  'anthropic-ratelimit-*',
  'x-request-cost',
  // Written by providers that the gateway translates for, and by a gateway behind this one.
  'x-sluice-ignored-fields',
  // Text Generation Inference and vLLM: times and counts of one answer.
  'x-compute-*',
  'x-inference-*',
  'x-prompt-tokens',
  'x-generated-tokens',
  'x-total-tokens',
  'x-total-time',
  'x-queue-time',
  'x-validation-time',
  'x-time-per-token',
]

/** Headers in which providers name a request: OpenAI's kind, and Anthropic. */
const requestIds = new Set(['x-request-id', 'request-id'])

/**
 * Never through, whatever a setting says: headers of one connection (RFC 9110 section 7.6.1), of the
 * body's framing, which the gateway writes itself, and those that carry credentials.
 */
const never = new Set([
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
  'content-length',
  'content-encoding',
  'content-type',
  'accept-encoding',
  'host',
  'expect',
  'date',
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'set-cookie',
  'www-authenticate',
  'location',
])

/** A list of headers. The answer for each name is found once and remembered. */
class AllowList {
  readonly #names: ReadonlySet<string>
  readonly #beginnings: readonly string[]
  readonly #known = new Map<string, boolean>()

  constructor(patterns: readonly HeaderPattern[]) {
    const all = patterns.map((pattern) => pattern.toLowerCase())
    this.#names = new Set(all.filter((pattern) => !pattern.endsWith('*')))
    this.#beginnings = all.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  }

  has(name: string): boolean {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const allowed = this.#judge(name)
    // Names come from callers and providers: they may not fill the memory.
    if (this.#known.size < 1000) this.#known.set(name, allowed)
    return allowed
  }

  #judge(name: string): boolean {
    if (never.has(name)) return false
    return this.#names.has(name) || this.#beginnings.some((beginning) => name.startsWith(beginning))
  }
}

/** One list for each value of a setting; a changed setting is a new array. */
function listsOver(base: readonly HeaderPattern[]): (more: readonly HeaderPattern[]) => AllowList {
  const lists = new WeakMap<readonly HeaderPattern[], AllowList>()
  return (more) => {
    let list = lists.get(more)
    if (list === undefined) lists.set(more, (list = new AllowList([...base, ...more])))
    return list
  }
}

const requestList = listsOver(requestPatterns)
const responseList = listsOver(responsePatterns)
const nothingMore: readonly HeaderPattern[] = []

/**
 * The client's headers that go to the upstream, in lower case.
 * @param more patterns that a setting adds; always the same array while the setting is unchanged
 */
export function headersForUpstream(headers: Headers, more = nothingMore): Record<string, string> {
  const list = requestList(more)
  const dropped = namedByConnection(headers.get('connection'))
  const kept: Record<string, string> = {}
  // toJSON is Bun's one-call copy; walking a Headers object costs several times as much.
  const all = headers.toJSON()
  // Only set-cookie can be a list, and no request has one.
  for (const name in all) if (list.has(name) && dropped?.has(name) !== true) kept[name] = String(all[name])
  return kept
}

/** The upstream's headers that go to the client; its request id under a name of its own. `more` as above. */
export function headersForClient(
  headers: Readonly<Record<string, string>>,
  more = nothingMore,
): Record<string, string> {
  const list = responseList(more)
  const dropped = namedByConnection(headers['connection'] ?? null)
  const kept: Record<string, string> = {}
  for (const name in headers) {
    if (requestIds.has(name)) kept['x-upstream-request-id'] ??= headers[name] ?? ''
    else if (list.has(name) && dropped?.has(name) !== true) kept[name] = headers[name] ?? ''
  }
  return kept
}

/** Headers that the `connection` header declares to be of this connection only; null for none. */
function namedByConnection(connection: string | null): ReadonlySet<string> | null {
  if (connection === null || connection === 'keep-alive' || connection === 'close') return null
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}
