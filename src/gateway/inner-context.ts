/** The context of a request that the server makes itself: there is no socket for headers of the answer or an idle timer. */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'

const noQuery = new URLSearchParams()
/** What requests without headers of their own share: their bodies are beside it, and the address is never called. */
const bare = new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' } })

export class InnerContext implements RequestContext {
  readonly request: Request
  readonly body: Buffer<ArrayBuffer>
  readonly requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
  readonly path: string
  readonly params = {}
  readonly query = noQuery
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly clock: Clock
  readonly remoteAddress = ''
  readonly trusted = false

  /** @param request its body, and the headers that may travel on to a provider */
  constructor(
    endpoint: string,
    request: { readonly body: string | Uint8Array<ArrayBuffer>; readonly headers?: Record<string, string> },
    signal: AbortSignal,
    clock: Clock,
  ) {
    this.path = `/ai/v1/${endpoint}`
    this.signal = signal
    this.clock = clock
    this.startedAt = clock.elapsed()
    const { body, headers } = request
    this.body =
      typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    this.request =
      headers === undefined
        ? bare
        : new Request(bare.url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
  }

  respond(body: Bun.BodyInit | null, init: { readonly status: number; readonly headers: Record<string, string> }) {
    return new Response(body, init)
  }

  addHeader(): void {}

  upgrade(): never {
    throw new ApiError('upgrade_required')
  }

  liftIdleTimeout(): void {}

  restoreIdleTimeout(): void {}
}
