/**
 * What would happen to the requests of a composite, with some of its components down: the routing of this server on its
 * health of now, in a time of its own. No provider is called, and nothing of the server's own state changes.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import { InnerContext } from './inner-context.ts'
import { RequestRecord } from './usage/usage-recorder.ts'
import { PrefixAffinity } from './upstreams/affinity.ts'
import { failOver, type FailOverDeps } from './upstreams/fail-over.ts'
import { healthOptions, UpstreamHealth, type UpstreamStatus } from './upstreams/upstream-health.ts'

export interface Simulation {
  /** The composite, stored or not. */
  readonly model: Model
  readonly caller: Caller
  readonly settings: LiveSettings
  /** The health of an upstream now. */
  readonly statusOf: (upstreamId: string) => UpstreamStatus
  /** Whether an upstream fails every request. */
  readonly isDown: (upstream: Upstream) => boolean
  readonly requests: number
}

/** What became of the requests at one component. */
export interface SimulatedComponent {
  /** Requests that went there first. */
  chosen: number
  /** Requests that it answered. */
  served: number
  /** Requests among those that another component had failed before. */
  rescued: number
  /** Calls that it failed. */
  failures: number
}

export interface Simulated {
  /** Keyed by the id of the plain model. */
  readonly components: ReadonlyMap<string, SimulatedComponent>
  /** Requests that no component answered. */
  readonly failed: number
  /** Longest time that requests lost in calls that failed and in waits between them, in milliseconds. */
  readonly lostMs: number
}

/** Ten requests a second, each answered in a second after its first byte. */
const betweenMs = 100
const answerMs = 1000
/** Where nothing is known about a component. */
const firstByteMs = 300
/** A component that is down refuses the connection. */
const refusedMs = 5
/** Requests that begin alike, for the strategy `affinity`. */
const conversations = 40
/** Other work comes in after this many. */
const turnAfter = 50

/** A time that its owner puts forward. */
class ManualTime implements Clock {
  at = 0
  now(): number {
    return this.at
  }
  elapsed(): number {
    return this.at
  }
}

interface Running {
  readonly attempt: Disposable
  readonly until: number
}

/** Runs the requests one after the other. The same simulation has the same outcome. */
export async function simulateRouting(simulation: Simulation): Promise<Simulated> {
  const { model, requests, settings } = simulation
  const time = new ManualTime()
  const health = new UpstreamHealth(() => healthOptions(settings), time)
  for (const { id } of model.upstreams) health.assume(id, simulation.statusOf(id))
  const random = seeded()
  const counts = new Map(
    model.upstreams.map((each) => [each.model.id, { chosen: 0, served: 0, rescued: 0, failures: 0 }]),
  )
  let [running, failed, lostMs]: [Running[], number, number] = [[], 0, 0]
  const affinity = new PrefixAffinity()
  for (let number = 0; number < requests; number += 1) {
    time.at = number * betweenMs
    for (const each of running) if (each.until <= time.at) each.attempt[Symbol.dispose]()
    running = running.filter(({ until }) => until > time.at)
    const request = new SimulatedRequest(simulation, { time, number, health, affinity, random })
    const served = await request.run()
    count(counts, request.tried, served !== null)
    if (served === null) failed += 1
    else running.push(served)
    lostMs = Math.max(lostMs, request.lostMs)
    if (number % turnAfter === turnAfter - 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { components: counts, failed, lostMs }
}

/** @param tried the upstreams that were called, in their order; the last one has answered if the request was served */
function count(counts: ReadonlyMap<string, SimulatedComponent>, tried: readonly Upstream[], isServed: boolean): void {
  for (const [at, { model }] of tried.entries()) {
    const component = counts.get(model.id)
    if (component === undefined) continue
    const hasAnswered = isServed && at === tried.length - 1
    if (at === 0) component.chosen += 1
    component[hasAnswered ? 'served' : 'failures'] += 1
    if (hasAnswered && at > 0) component.rescued += 1
  }
}

interface Place {
  readonly time: Clock
  readonly number: number
  readonly health: UpstreamHealth
  readonly affinity: PrefixAffinity
  readonly random: () => number
}

/** One request, with a time of its own from its arrival on. */
class SimulatedRequest {
  /** The upstreams that were called, in their order. */
  readonly tried: Upstream[] = []
  lostMs = 0
  readonly #simulation: Simulation
  readonly #place: Place

  constructor(simulation: Simulation, place: Place) {
    this.#simulation = simulation
    this.#place = place
  }

  /** What goes on at the upstream that answers; null when none does. */
  async run(): Promise<Running | null> {
    const { model, caller, statusOf, isDown } = this.#simulation
    const { time, number } = this.#place
    const arrivedAt = time.elapsed()
    let spentMs = 0
    const clock: Clock = { now: () => arrivedAt + spentMs, elapsed: () => arrivedAt + spentMs }
    const context = new InnerContext('simulation', { body: '' }, never, clock)
    const record = new RequestRecord(context, caller, 'simulation', () => undefined)
    const deps = this.#deps((ms) => {
      spentMs += ms
      this.lostMs += ms
    })
    const prefix = { bytes: new Uint8Array(), key: `${number % conversations}` }
    const call = { context, caller, model, record, prefix, purpose: 'realtime', size } as const
    try {
      return await failOver(deps, call, async (upstream, attempt) => {
        this.tried.push(upstream)
        if (isDown(upstream)) {
          spentMs += refusedMs
          this.lostMs += refusedMs
          throw new ApiError('upstream_error')
        }
        const waitedMs = statusOf(upstream.id).firstByteMs ?? firstByteMs
        spentMs += waitedMs
        return { attempt, until: arrivedAt + spentMs + answerMs }
      })
    } catch {
      return null
    }
  }

  /** Caps and rates of providers are left out: what fills them is the traffic of all models. */
  #deps(wait: (ms: number) => void): FailOverDeps {
    const { settings } = this.#simulation
    const { health, affinity, random } = this.#place
    return {
      settings,
      health,
      affinity,
      random,
      caps: noCaps,
      rates: noRates,
      shutdown: never,
      wait: async (ms) => wait(ms),
    }
  }
}

const never = new AbortController().signal
const size = { bytes: 0, outputTokensMax: null, settles: false } as const
const noCaps: FailOverDeps['caps'] = {
  hasRoom: () => true,
  take: () => null,
  wait: () => {
    throw new Error('a simulated request waits for no cap')
  },
  retryMs: () => 0,
}
const noRates: FailOverDeps['rates'] = { limitsProviders: false, takeOfProvider: () => null }

/** Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function seeded(): () => number {
  let state = 0x5eed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
