/**
 * What this process has seen of each upstream lately, and which of them are left out for now.
 *
 * Health is passive: it is read off real requests. An upstream that fails several times in a row is
 * ejected for a while that grows with each ejection; then one request is let through as a probe,
 * and its outcome ends the ejection or renews it. Only failures that are the upstream's own count:
 * a caller's bad request or a refused credential says nothing about the others.
 */
import type { Clock } from '#lib/clock.ts'

export interface HealthOptions {
  /** Failures in a row that eject. */
  readonly failuresToEject: number
  /** First ejection; each further one in a row lasts twice as long. */
  readonly ejectionMs: number
  readonly ejectionMaxMs: number
}

/** One try at an upstream. Exactly one of the outcomes is reported; disposing ends its count. */
export interface Try extends Disposable {
  /** The first byte of the answer came after this long. */
  succeeded(firstByteMs: number): void
  /** The upstream failed by its own fault. */
  failed(): void
  /** The upstream asked to be left alone for a while, which is no fault. */
  busy(restMs: number): void
}

/**
 * How an upstream is doing: not asked yet, answering, failing but still asked, left out for its
 * failures, or left alone because it asked for that.
 */
export const standings = ['unknown', 'healthy', 'failing', 'out', 'resting'] as const

/** What is known of an upstream at one moment, for people. */
export interface UpstreamStanding {
  readonly state: (typeof standings)[number]
  readonly failuresInRow: number
  /** Milliseconds until it may be tried again; 0 when it may be now. */
  readonly outForMs: number
  /** Smoothed time to first byte; null while nothing is known. */
  readonly firstByteMs: number | null
  readonly inFlight: number
}

/** Weight of the newest sample when the time to first byte falls; a rise counts at once. */
const decay = 0.2

interface State {
  inFlight: number
  firstByteMs: number
  failuresInRow: number
  ejections: number
  /** `clock.elapsed()` until which the upstream is left out. */
  outUntil: number
  probing: boolean
}

export class UpstreamHealth {
  readonly #states = new Map<string, State>()
  readonly #options: () => HealthOptions
  readonly #clock: Clock

  constructor(options: () => HealthOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  /** Requests of this process that the upstream is serving. */
  inFlight(id: string): number {
    return this.#states.get(id)?.inFlight ?? 0
  }

  /** Smoothed time to first byte in milliseconds; 0 while nothing is known, so that a new upstream gets tried. */
  firstByteMs(id: string): number {
    return this.#states.get(id)?.firstByteMs ?? 0
  }

  /** Whether a request may be sent there now: not ejected, or due for its probe. */
  isUsable(id: string): boolean {
    const state = this.#states.get(id)
    if (state === undefined) return true
    return state.outUntil <= this.#clock.elapsed() && !state.probing
  }

  /** Milliseconds until the upstream may be tried again; 0 when it may be now. */
  outForMs(id: string): number {
    return Math.max(0, (this.#states.get(id)?.outUntil ?? 0) - this.#clock.elapsed())
  }

  /** Whether it is left out for its failures, and nobody is trying it. */
  isEjected(id: string): boolean {
    const state = this.#states.get(id)
    return state !== undefined && state.ejections > 0 && !state.probing && state.outUntil > this.#clock.elapsed()
  }

  /** How it is doing now. Changes nothing. */
  standing(id: string): UpstreamStanding {
    const state = this.#states.get(id)
    const outForMs = this.outForMs(id)
    return {
      state: state === undefined ? 'unknown' : stateName(state, outForMs > 0),
      failuresInRow: state?.failuresInRow ?? 0,
      outForMs,
      firstByteMs: this.firstByteMs(id) || null,
      inFlight: this.inFlight(id),
    }
  }

  /** Word from elsewhere that it is back: the next request tries it, and the ones after that if it does well. */
  endEjection(id: string): void {
    const state = this.#states.get(id)
    if (state !== undefined && state.ejections > 0) state.outUntil = 0
  }

  /** Begins a try; the caller disposes it when the upstream has nothing more to do for the request. */
  begin(id: string): Try {
    const state = this.#state(id)
    state.inFlight += 1
    if (state.ejections > 0) state.probing = true
    return new HealthTry(state, this.#options, this.#clock)
  }

  /** Forgets upstreams that are no longer configured. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, state] of this.#states) if (!ids.has(id) && state.inFlight === 0) this.#states.delete(id)
  }

  #state(id: string): State {
    let state = this.#states.get(id)
    if (state === undefined) {
      state = { inFlight: 0, firstByteMs: 0, failuresInRow: 0, ejections: 0, outUntil: 0, probing: false }
      this.#states.set(id, state)
    }
    return state
  }
}

function stateName(state: State, isOut: boolean): UpstreamStanding['state'] {
  if (isOut || state.probing) return state.ejections > 0 ? 'out' : 'resting'
  if (state.failuresInRow > 0) return 'failing'
  return state.firstByteMs > 0 ? 'healthy' : 'unknown'
}

class HealthTry implements Try {
  readonly #state: State
  readonly #options: () => HealthOptions
  readonly #clock: Clock
  #counted = true

  constructor(state: State, options: () => HealthOptions, clock: Clock) {
    this.#state = state
    this.#options = options
    this.#clock = clock
  }

  succeeded(firstByteMs: number): void {
    const state = this.#state
    state.firstByteMs =
      firstByteMs >= state.firstByteMs ? firstByteMs : state.firstByteMs + decay * (firstByteMs - state.firstByteMs)
    state.failuresInRow = 0
    state.ejections = 0
    state.outUntil = 0
    state.probing = false
  }

  failed(): void {
    const state = this.#state
    const { failuresToEject, ejectionMs, ejectionMaxMs } = this.#options()
    state.failuresInRow += 1
    // A failed probe ejects again at once: the upstream has not come back.
    if (!state.probing && state.failuresInRow < failuresToEject) return
    state.outUntil = this.#clock.elapsed() + Math.min(ejectionMaxMs, ejectionMs * 2 ** state.ejections)
    state.ejections += 1
    state.probing = false
  }

  busy(restMs: number): void {
    this.#state.outUntil = Math.max(this.#state.outUntil, this.#clock.elapsed() + restMs)
    this.#state.probing = false
  }

  [Symbol.dispose](): void {
    if (!this.#counted) return
    this.#counted = false
    this.#state.inFlight -= 1
    // A probe that ended without an outcome (the caller left) must not block the next one.
    this.#state.probing = false
  }
}
