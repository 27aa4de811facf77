/**
 * Decides when a call to an upstream has to be ended: the client has gone, the upstream is silent for too
 * long, the whole call takes too long, or the server stops. It is the
 * cancellation of the call, with the ApiError to answer as its reason.
 */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Cancellation, CancellationListener } from '#lib/cancellation.ts'
import type { Ticker, Ticking } from '#lib/ticker.ts'

/** What watches need of the gateway. */
export interface WatchDeps {
  readonly ticker: Ticker
  /** Aborted when the server has waited long enough for running requests. */
  readonly shutdown: AbortSignal
}

const silence = {
  'first-token': 'The model provider sent nothing within the time-out for the first token.',
  idle: 'The model provider fell silent in the middle of the answer.',
} as const

const nobody: readonly CancellationListener[] = []

export class CallWatch implements Disposable, Cancellation, Ticking {
  place: number | null = null
  readonly #context: RequestContext
  readonly #deps: WatchDeps
  readonly #among: Set<CallWatch> | undefined
  readonly #totalEndsAt: number
  #silenceEndsAt = Infinity
  #waitingFor: keyof typeof silence = 'first-token'
  #reason: ApiError | null = null
  #silenceMs = 0
  /** Most calls have one listener, which needs no list. */
  #listener: CancellationListener | null = null
  #others: readonly CancellationListener[] = nobody
  #signal: AbortController | null = null
  #listensToClient = false

  /** @param among holds the watch until it is disposed */
  constructor(context: RequestContext, deps: WatchDeps, totalSeconds: number, among?: Set<CallWatch>) {
    this.#context = context
    this.#deps = deps
    this.#among = among
    this.#totalEndsAt = context.clock.elapsed() + totalSeconds * 1000
    deps.ticker.add(this)
    among?.add(this)
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
    if (this.#listener === null) this.#listener = listener
    else this.#others = [...this.#others, listener]
  }

  removeEventListener(_type: 'abort', listener: CancellationListener): void {
    if (this.#listener === listener) this.#listener = null
    else if (this.#others !== nobody) this.#others = this.#others.filter((each) => each !== listener)
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
    this.#silenceMs = seconds * 1000
    this.part()
  }

  /** The upstream has sent a part of what is expected: it has as long again for the next. */
  part(): void {
    this.#silenceEndsAt = this.#context.clock.elapsed() + this.#silenceMs
  }

  /** Stops the time-out for silence: the upstream has sent something, or the client does not read. */
  rest(): void {
    this.#silenceEndsAt = Infinity
  }

  /** Ends the call for a reason that the caller knows; only the first counts. */
  end(reason: ApiError): void {
    if (this.#reason !== null) return
    this.#reason = reason
    const [first, others] = [this.#listener, this.#others]
    this.#listener = null
    this.#others = nobody
    if (first !== null) notify(first)
    for (const listener of others) notify(listener)
    this.#signal?.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#deps.ticker.delete(this)
    this.#among?.delete(this)
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
    if (this.#deps.shutdown.aborted) this.end(new ApiError('shutting_down'))
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

function notify(listener: CancellationListener): void {
  if (typeof listener === 'function') listener()
  else listener.handleEvent()
}
