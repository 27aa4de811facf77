/**
 * Decides when a call to an upstream has to be ended: the client has gone, the upstream is silent for too
 * long, the whole call takes too long, or the server stops. It is the
 * cancellation of the call, with the ApiError to answer as its reason.
 */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Cancellation, CancellationListener } from '#lib/cancellation.ts'
import type { Ticker, Ticking } from '#lib/ticker.ts'

export interface WatchOptions {
  readonly ticker: Ticker
  /** Aborted when the server has waited long enough for running requests. */
  readonly shutdown: AbortSignal
  readonly totalSeconds: number
  /** Holds the watch until it is disposed. */
  readonly among?: Set<CallWatch> | undefined
}

const silence = {
  'first-token': 'The model provider sent nothing within the time-out for the first token.',
  idle: 'The model provider fell silent in the middle of the answer.',
} as const

const nobody: readonly CancellationListener[] = []

export class CallWatch implements Disposable, Cancellation, Ticking {
  place: number | null = null
  readonly #context: RequestContext
  readonly #options: WatchOptions
  readonly #totalEndsAt: number
  #silenceEndsAt = Infinity
  #waitingFor: keyof typeof silence = 'first-token'
  #reason: ApiError | null = null
  #listeners: readonly CancellationListener[] = nobody
  #signal: AbortController | null = null
  #listensToClient = false

  constructor(context: RequestContext, options: WatchOptions) {
    this.#context = context
    this.#options = options
    this.#totalEndsAt = context.clock.elapsed() + options.totalSeconds * 1000
    options.ticker.add(this)
    options.among?.add(this)
  }

  get aborted(): boolean {
    return this.#reason !== null
  }

  /** Why the call was ended, or null while it was not. */
  get reason(): ApiError | null {
    return this.#reason
  }

  throwIfAborted(): void {
    if (this.#reason !== null) throw this.#reason
  }

  addEventListener(_type: 'abort', listener: CancellationListener): void {
    this.#listeners = [...this.#listeners, listener]
  }

  removeEventListener(_type: 'abort', listener: CancellationListener): void {
    this.#listeners =
      this.#listeners.length === 1 && this.#listeners[0] === listener
        ? nobody
        : this.#listeners.filter((each) => each !== listener)
  }

  /** The same as a signal of the platform, made on demand. */
  get signal(): AbortSignal {
    if (this.#signal === null) {
      this.#signal = new AbortController()
      if (this.#reason !== null) this.#signal.abort(this.#reason)
    }
    return this.#signal.signal
  }

  /** The upstream has this long, from now on, to send something. */
  expect(what: keyof typeof silence, seconds: number): void {
    this.#waitingFor = what
    this.#silenceEndsAt = this.#context.clock.elapsed() + seconds * 1000
  }

  /** Stops the time-out for silence: the upstream has sent something, or the client does not read. */
  rest(): void {
    this.#silenceEndsAt = Infinity
  }

  /** Ends the call for a reason that the caller knows; only the first counts. */
  end(reason: ApiError): void {
    if (this.#reason !== null) return
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = nobody
    for (const listener of listeners) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
    this.#signal?.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#options.ticker.delete(this)
    this.#options.among?.delete(this)
    if (this.#listensToClient) this.#context.signal.removeEventListener('abort', this)
  }

  /** The client has gone. */
  handleEvent(): void {
    this.end(new ApiError('client_closed'))
  }

  /** For the ticker. */
  tick(): void {
    this.#listenToClient()
    const now = this.#context.clock.elapsed()
    if (this.#options.shutdown.aborted) this.end(new ApiError('shutting_down'))
    else if (now > this.#silenceEndsAt)
      this.end(new ApiError('upstream_timeout', { message: silence[this.#waitingFor] }))
    else if (now > this.#totalEndsAt) {
      this.end(
        new ApiError('upstream_timeout', { message: 'The answer took longer than the time-out for a whole request.' }),
      )
    }
  }

  /**
   * The signal of a request costs several microseconds when it is first touched, so it waits for the
   * first tick: a client that has left by then is noticed, and calls that are over by then never pay.
   */
  #listenToClient(): void {
    if (this.#listensToClient) return
    this.#listensToClient = true
    const { signal } = this.#context
    signal.addEventListener('abort', this)
    if (signal.aborted) this.handleEvent()
  }
}
