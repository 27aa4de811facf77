/** The context of a request that the server makes itself: there is no socket for headers of the answer or an idle timer. */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'

export class InnerContext implements RequestContext {
  readonly request: Request
  readonly requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
  readonly path: string
  readonly params = {}
  readonly query = new URLSearchParams()
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
    const { body, headers: own = {} } = request
    const headers = { ...own, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    // The address is never called; a request must have one.
    this.request = new Request(`http://localhost${this.path}`, { method: 'POST', headers, body })
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
