/**
 * One attempt at one receiver: a signed request, and what came of it. It follows no redirects, keeps nothing of the
 * answer, ends after a time, and reaches no private address unless the operator allows it.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { AnySignal } from '#lib/any-signal.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { AddressForbidden, Http1Failure } from '#lib/http1/failure.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { isPrivateAddress } from '#lib/private-address.ts'
import { retryAfterMs } from '#lib/retry-after.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { WebhookTarget } from '#store/webhooks/webhooks.ts'
import { signatures } from './sign.ts'

export interface SenderOptions {
  readonly settings: LiveSettings
  readonly clock: Clock
  readonly ticker: Ticker
  readonly proxyFor?: ProxyFor | undefined
}

/** What came of an attempt. */
export interface Attempt {
  /** Null when no answer came. */
  readonly status: number | null
  /** One sentence; null for a success. */
  readonly error: string | null
  readonly durationMs: number
  /** How long the receiver wants to be left alone; null when it did not say. */
  readonly restMs: number | null
}

/** More of an answer is not read; its connection is closed then. */
const answerBytesMax = 64 * 1024

export class WebhookSender implements Disposable {
  readonly #options: SenderOptions
  readonly #client: Http1Client

  constructor(options: SenderOptions) {
    const { settings, clock, ticker, proxyFor } = options
    this.#options = options
    this.#client = new Http1Client({
      clock,
      ticker,
      idleMaxPerOrigin: 8,
      headBytesMax: 16 * 1024,
      ...(proxyFor && { proxyFor }),
      mayReach: (address) => settings.get('webhooks.allow_private') || !isPrivateAddress(address),
    })
  }

  /** Longest time that an attempt takes. */
  get timeoutMs(): number {
    return this.#options.settings.get('webhooks.timeout_seconds') * 1000
  }

  /** Sends the event once. Never rejects, unless `stop` is aborted. */
  async send(
    { url, secrets }: WebhookTarget,
    { id, payload }: { readonly id: string; readonly payload: string },
    stop: AbortSignal,
  ): Promise<Attempt> {
    const { clock } = this.#options
    const began = clock.elapsed()
    const timeout = AbortSignal.timeout(this.timeoutMs)
    using either = new AnySignal([stop, timeout])
    const outcome = (status: number | null, error: string | null, restMs: number | null = null): Attempt => ({
      status,
      error,
      durationMs: Math.round(clock.elapsed() - began),
      restMs,
    })
    try {
      const timestamp = Math.floor(clock.now() / 1000)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Sluice-Webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures({ id, timestamp, payload }, secrets),
      }
      const reply = await this.#post(url, headers, payload, either.signal)
      return outcome(reply.status, faultOf(reply.status), retryAfterMs(reply.headers['retry-after'], clock.now()))
    } catch (thrown) {
      if (stop.aborted) throw thrown
      return outcome(null, timeout.aborted ? this.#tooSlow() : sentenceOf(thrown))
    }
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }

  async #post(
    url: string,
    headers: Readonly<Record<string, string>>,
    payload: string,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { pathname, search } = new URL(url)
    const request = { method: 'POST', path: pathname + search, headers, body: Buffer.from(payload), signal }
    const origin = this.#client.origin(url)
    const reply = await this.#client.request(origin, { ...request, reuseConnection: true }).catch((thrown: unknown) => {
      // The receiver closed a kept connection while the request was on its way: that is not its failure.
      if (!(thrown instanceof Http1Failure && thrown.reused && !thrown.answered)) throw thrown
      return this.#client.request(origin, { ...request, reuseConnection: false })
    })
    // The head is the answer: the rest changes nothing.
    await readAll(reply.body, answerBytesMax).catch(() => null)
    return reply
  }

  #tooSlow(): string {
    return `The receiver did not answer within ${this.timeoutMs / 1000} seconds.`
  }
}

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  return `The receiver answered with status ${status}.${redirect}`
}

function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof Http1Failure)) return 'The request could not be sent.'
  if (thrown.cause instanceof AddressForbidden)
    return 'The address is private. Such receivers are refused unless the setting webhooks.allow_private is true.'
  return {
    refused: 'No connection to the receiver could be made.',
    'connect-timeout': 'No connection to the receiver could be made in time.',
    reset: 'The receiver closed the connection before it had answered.',
    protocol: 'The answer of the receiver is not valid HTTP, or its certificate is not accepted.',
  }[thrown.kind]
}
