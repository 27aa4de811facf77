/**
 * The health of each upstream, as this process has seen it lately, and which of them are left out.
 *
 * Health is passive: real requests show it. An upstream that fails several times in a row is
 * ejected for a while that grows with each ejection; then one request is let through as a probe,
 * and its outcome ends the ejection or renews it. Only the upstream's own faults count:
 * a caller's bad request or a refused credential says nothing about its health.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import type { ServerLoad } from '#providers/server-load.ts'

export interface HealthOptions {
  /** Failures in a row that eject. */
  readonly failuresToEject: number
  /** First ejection; each further one in a row lasts twice as long. */
  readonly ejectionMs: number
  readonly ejectionMaxMs: number
}

/** Those of the settings. */
export function healthOptions(settings: LiveSettings): HealthOptions {
  return {
    failuresToEject: settings.get('health.failures_to_eject'),
    ejectionMs: settings.get('health.ejection_seconds') * 1000,
    ejectionMaxMs: settings.get('health.ejection_max_seconds') * 1000,
  }
}

/** One attempt at an upstream. Its outcome is reported once, if there is one; disposing it ends its count of requests in flight. */
export interface Attempt extends Disposable {
  /** The first byte of the answer came after this long. */
  succeeded(firstByteMs: number): void
  /** The upstream failed through its own fault. */
  failed(): void
  /** The upstream limits requests and wants none for a while, which is not a fault. */
  rateLimited(restMs: number): void
}

/**
 * The states of an upstream, as the admin API names them: not asked yet, answering, failing but still
 * asked, ejected for its failures (`out`), or left alone because it limits requests (`resting`).
 */
export const healthStates = ['unknown', 'healthy', 'failing', 'out', 'resting'] as const

/** The health of an upstream at one moment, for people. */
export interface UpstreamStatus {
  readonly state: (typeof healthStates)[number]
  readonly failuresInRow: number
  /** Milliseconds until it may be tried again; 0 when it may be now. */
  readonly retryInMs: number
  /** Smoothed time to first byte; null while nothing is known. */
  readonly firstByteMs: number | null
  readonly inFlight: number
}

/** Weight of the newest sample when the time to first byte falls; a rise counts at once. */
const decay = 0.2

interface State {
  readonly id: string
  inFlight: number
  /** Bytes of prompts that it computes. */
  pending: number
  firstByteMs: number
  failuresInRow: number
  ejections: number
  /** `clock.elapsed()` from which the upstream may be tried again. */
  retryAt: number
  probing: boolean
  /** What its server has said; null for one that says nothing. */
  told: Told | null
}

interface Told {
  readonly load: ServerLoad
  /** Requests of this process at that moment. */
  readonly inFlight: number
  /** `clock.elapsed()` from which it counts no more. */
  readonly until: number
}

export class UpstreamHealth {
  readonly #states = new Map<string, State>()
  readonly #clock: Clock
  readonly #rules: AttemptRules
  #suspects: ReadonlySet<string> = new Set()
  /** Upstreams whose servers are to be asked how busy they are, wherever they are. */
  watched: ReadonlySet<string> = new Set()

  constructor(options: () => HealthOptions, clock: Clock) {
    this.#clock = clock
    this.#rules = { options, clock, isSuspect: (id) => this.#suspects.has(id) }
  }

  /** Requests of this process that the upstream is serving. */
  inFlight(id: string): number {
    return this.#states.get(id)?.inFlight ?? 0
  }

  /** Bytes of prompts that it still has to compute, as far as requests say how many. */
  pending(id: string): number {
    return this.#states.get(id)?.pending ?? 0
  }

  /**
   * Requests that the upstream has to do: those of this process, or what its server has said lately, with what this process
   * has begun and ended since.
   */
  load(id: string): number {
    const state = this.#states.get(id)
    if (state === undefined) return 0
    const { told, inFlight } = state
    if (told === null || told.until < this.#clock.elapsed()) return inFlight
    return Math.max(inFlight, told.load.running + told.load.waiting + inFlight - told.inFlight)
  }

  /** Requests that wait at the upstream, as its server has said lately; null when it says nothing. */
  waiting(id: string): number | null {
    const told = this.#states.get(id)?.told ?? null
    return told === null || told.until < this.#clock.elapsed() ? null : told.load.waiting
  }

  /** The upstream's server says how busy it is, which counts for so long. */
  told(id: string, load: ServerLoad, forMs: number): void {
    const state = this.#state(id)
    state.told = { load, inFlight: state.inFlight, until: this.#clock.elapsed() + forMs }
  }

  /** Smoothed time to first byte in milliseconds; 0 while nothing is known, so that a new upstream gets tried. */
  firstByteMs(id: string): number {
    return this.#states.get(id)?.firstByteMs ?? 0
  }

  /** Whether a request may be sent there now: not ejected, or due for its probe. */
  isAvailable(id: string): boolean {
    const state = this.#states.get(id)
    if (state === undefined) return true
    return state.retryAt <= this.#clock.elapsed() && !state.probing
  }

  /** Milliseconds until the upstream may be tried again; 0 when it may be now. */
  retryInMs(id: string): number {
    return Math.max(0, (this.#states.get(id)?.retryAt ?? 0) - this.#clock.elapsed())
  }

  /** Whether it is left out for its failures, and no request is probing it. */
  isEjected(id: string): boolean {
    const state = this.#states.get(id)
    return state !== undefined && state.ejections > 0 && !state.probing && state.retryAt > this.#clock.elapsed()
  }

  /** Its health now. Changes nothing. */
  status(id: string): UpstreamStatus {
    const state = this.#states.get(id)
    const retryInMs = this.retryInMs(id)
    return {
      state: state === undefined ? 'unknown' : stateName(state, retryInMs > 0),
      failuresInRow: state?.failuresInRow ?? 0,
      retryInMs,
      firstByteMs: this.firstByteMs(id) || null,
      inFlight: this.inFlight(id),
    }
  }

  /** The health of every upstream that was asked, by id. */
  all(): readonly (readonly [string, UpstreamStatus])[] {
    return [...this.#states.keys()].map((id) => [id, this.status(id)] as const)
  }

  /** Begins with a health that was read elsewhere. */
  assume(id: string, { state, failuresInRow, retryInMs, firstByteMs }: UpstreamStatus): void {
    const assumed = this.#state(id)
    assumed.firstByteMs = firstByteMs ?? 0
    assumed.failuresInRow = failuresInRow
    assumed.ejections = state === 'out' ? 1 : 0
    assumed.retryAt = retryInMs > 0 ? this.#clock.elapsed() + retryInMs : 0
  }

  /** Others have ejected these upstreams: until that has changed, one failure here ejects them, too. */
  suspect(ids: ReadonlySet<string>): void {
    this.#suspects = ids
  }

  /** The upstream is known to be back: the next request probes it, and its success ends the ejection. */
  endEjection(id: string): void {
    const state = this.#states.get(id)
    if (state !== undefined && state.ejections > 0) state.retryAt = 0
  }

  /**
   * Begins an attempt; the caller disposes it when the upstream has nothing more to do for the request.
   * @param held disposed with it
   * @param pending bytes that the upstream computes before it answers
   */
  begin(id: string, held: Disposable | null = null, pending = 0): Attempt {
    const state = this.#state(id)
    state.inFlight += 1
    state.pending += pending
    return new TrackedAttempt(state, this.#rules, held, pending)
  }

  /** Forgets upstreams that are no longer configured. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, state] of this.#states) if (!ids.has(id) && state.inFlight === 0) this.#states.delete(id)
  }

  #state(id: string): State {
    let state = this.#states.get(id)
    if (state === undefined) {
      state = {
        id,
        inFlight: 0,
        pending: 0,
        firstByteMs: 0,
        failuresInRow: 0,
        ejections: 0,
        retryAt: 0,
        probing: false,
        told: null,
      }
      this.#states.set(id, state)
    }
    return state
  }
}

function stateName(state: State, isLeftOut: boolean): UpstreamStatus['state'] {
  if (isLeftOut || state.probing) return state.ejections > 0 ? 'out' : 'resting'
  if (state.failuresInRow > 0) return 'failing'
  return state.firstByteMs > 0 ? 'healthy' : 'unknown'
}

/** What is the same for all attempts. */
interface AttemptRules {
  readonly options: () => HealthOptions
  readonly clock: Clock
  readonly isSuspect: (id: string) => boolean
}

class TrackedAttempt implements Attempt {
  readonly #state: State
  readonly #rules: AttemptRules
  /** The ejections at its beginning. */
  readonly #ejections: number
  /** It is the one request that finds out whether the upstream is back. */
  readonly #isProbe: boolean
  readonly #held: Disposable | null
  #pending: number
  #counted = true

  constructor(state: State, rules: AttemptRules, held: Disposable | null, pending: number) {
    this.#state = state
    this.#rules = rules
    this.#held = held
    this.#pending = pending
    this.#ejections = state.ejections
    this.#isProbe = state.ejections > 0
    if (this.#isProbe) state.probing = true
  }

  succeeded(firstByteMs: number): void {
    const state = this.#state
    state.firstByteMs =
      firstByteMs >= state.firstByteMs ? firstByteMs : state.firstByteMs + decay * (firstByteMs - state.firstByteMs)
    state.failuresInRow = 0
    state.ejections = 0
    state.retryAt = 0
    state.probing = false
    this.#computed()
  }

  failed(): void {
    const state = this.#state
    // The attempt began before the upstream was ejected: its failure is part of the same outage.
    if (state.ejections > this.#ejections) return
    const { options, clock, isSuspect } = this.#rules
    const { failuresToEject, ejectionMs, ejectionMaxMs } = options()
    state.failuresInRow += 1
    // A failed probe ejects again at once: the upstream has not come back.
    if (!state.probing && !isSuspect(state.id) && state.failuresInRow < failuresToEject) return
    state.retryAt = clock.elapsed() + Math.min(ejectionMaxMs, ejectionMs * 2 ** state.ejections)
    state.ejections += 1
    state.probing = false
  }

  rateLimited(restMs: number): void {
    this.#state.retryAt = Math.max(this.#state.retryAt, this.#rules.clock.elapsed() + restMs)
    if (this.#isProbe) this.#state.probing = false
  }

  [Symbol.dispose](): void {
    if (!this.#counted) return
    this.#counted = false
    this.#state.inFlight -= 1
    this.#computed()
    this.#held?.[Symbol.dispose]()
    // A probe that ended without an outcome (the caller left) must not block the next one.
    if (this.#isProbe) this.#state.probing = false
  }

  #computed(): void {
    this.#state.pending -= this.#pending
    this.#pending = 0
  }
}
