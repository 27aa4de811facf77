/**
 * Decides when a call to an upstream has to end before it ends by itself: the client has gone, the
 * upstream is silent for too long, the whole takes too long, or the server stops. One signal for
 * all of them, whose reason is the ApiError to answer.
 */
import { ApiError } from '#errors/api-error.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Ticker } from '#lib/ticker.ts'

export interface WatchOptions {
  readonly ticker: Ticker
  /** Aborted when the server has waited long enough for running requests. */
  readonly shutdown: AbortSignal
  readonly totalSeconds: number
}

const silence = {
  'first-token': 'The model provider sent nothing within the time-out for the first token.',
  idle: 'The model provider fell silent in the middle of the answer.',
} as const

export class CallWatch implements Disposable {
  readonly #abort = new AbortController()
  readonly #exchange: Exchange
  readonly #options: WatchOptions
  readonly #totalEndsAt: number
  #silenceEndsAt = Infinity
  #waitingFor: keyof typeof silence = 'first-token'

  constructor(exchange: Exchange, options: WatchOptions) {
    this.#exchange = exchange
    this.#options = options
    this.#totalEndsAt = exchange.clock.elapsed() + options.totalSeconds * 1000
    options.ticker.add(this.#check)
    exchange.signal.addEventListener('abort', this.#clientGone)
    if (exchange.signal.aborted) this.#clientGone()
  }

  /** Aborted with an ApiError as its reason. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Why the call was ended, or null while it was not. */
  get reason(): ApiError | null {
    return this.#abort.signal.aborted ? (this.#abort.signal.reason as ApiError) : null
  }

  /** From now on the upstream has this long to say something. */
  expect(what: keyof typeof silence, seconds: number): void {
    this.#waitingFor = what
    this.#silenceEndsAt = this.#exchange.clock.elapsed() + seconds * 1000
  }

  /** Nothing is expected of the upstream: it has spoken, or nobody is reading. */
  rest(): void {
    this.#silenceEndsAt = Infinity
  }

  /** Ends the call for a reason that the caller knows. */
  end(reason: ApiError): void {
    this.#abort.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#options.ticker.delete(this.#check)
    this.#exchange.signal.removeEventListener('abort', this.#clientGone)
  }

  readonly #clientGone = (): void => this.end(new ApiError('client_closed'))

  readonly #check = (): void => {
    const now = this.#exchange.clock.elapsed()
    if (this.#options.shutdown.aborted) this.end(new ApiError('shutting_down'))
    else if (now > this.#silenceEndsAt)
      this.end(new ApiError('upstream_timeout', { message: silence[this.#waitingFor] }))
    else if (now > this.#totalEndsAt) {
      this.end(
        new ApiError('upstream_timeout', { message: 'The answer took longer than the time-out for a whole request.' }),
      )
    }
  }
}
