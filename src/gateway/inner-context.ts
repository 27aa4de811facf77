/** The context of a request that the server makes itself: there is no socket for headers of the answer or an idle timer. */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'
import type { OutgoingForm } from '#lib/outgoing-form.ts'

const noQuery = new URLSearchParams()
/** What requests without headers of their own share: their bodies are beside it, and the address is never called. */
const bare = new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' } })

interface InnerRequest {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

function formRequest(form: OutgoingForm): Request {
  const headers = { 'content-type': form.contentType, 'content-length': String(form.bytes) }
  return new Request(bare.url, { method: 'POST', headers, body: form.stream() })
}

export class InnerContext implements RequestContext {
  readonly request: Request
  readonly body?: Buffer<ArrayBuffer>
  readonly requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
  readonly path: string
  readonly params = {}
  readonly query = noQuery
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly clock: Clock
  readonly remoteAddress = ''
  readonly trusted = false

  /** @param request its body, and the headers that may travel on to a provider; or a form */
  constructor(
    endpoint: string,
    request: InnerRequest | { readonly form: OutgoingForm },
    signal: AbortSignal,
    clock: Clock,
  ) {
    this.path = `/ai/v1/${endpoint}`
    this.signal = signal
    this.clock = clock
    this.startedAt = clock.elapsed()
    if ('form' in request) {
      this.request = formRequest(request.form)
      return
    }
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
