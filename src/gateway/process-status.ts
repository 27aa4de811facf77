/**
 * What a process says about the models that it serves: requests in flight and in queues, and the health of their upstreams.
 * Processes tell it each other, and any of them answers for all.
 */
import type { CapQueue } from '#limits/cap-queue.ts'
import type { InflightLimiter } from '#limits/inflight.ts'
import type { LiveRequests } from './usage/live-requests.ts'
import { healthStates, type UpstreamHealth, type UpstreamStatus } from './upstreams/upstream-health.ts'

/** One process, or several together. */
export interface ProcessStatus {
  /** Requests in flight by model id; those without are left out. */
  readonly inflight: Readonly<Record<string, number>>
  /** Requests in the queue of a cap, by id of its model or provider; those without are left out. */
  readonly waiting: Readonly<Record<string, number>>
  /** Health by the id of the upstream; those that were not asked are left out. */
  readonly upstreams: Readonly<Record<string, UpstreamStatus>>
  /** People who watch requests as they end. */
  readonly viewers: number
}

const unknown: UpstreamStatus = { state: 'unknown', failuresInRow: 0, retryInMs: 0, firstByteMs: null, inFlight: 0 }

export interface StatusSources {
  readonly inflight: InflightLimiter
  readonly caps: Pick<CapQueue, 'waiting'>
  readonly health: UpstreamHealth
  readonly live: Pick<LiveRequests, 'viewers'>
}

/** The status of this process, of what it has been asked for. */
export function statusOf({ inflight, caps, health, live }: StatusSources): ProcessStatus {
  return {
    inflight: Object.fromEntries(inflight.inUseByModel()),
    waiting: Object.fromEntries([...caps.waiting()].map(([{ id }, count]) => [id, count])),
    upstreams: Object.fromEntries(health.all()),
    viewers: live.viewers,
  }
}

/** As text, and back; a process of another version may write what this one cannot read, which counts as nothing. */
export function writeStatus(status: ProcessStatus): string {
  const upstreams: Record<string, UpstreamStatus> = {}
  for (const [id, each] of Object.entries(status.upstreams)) upstreams[id] = { ...each, ...rounded(each) }
  return JSON.stringify({ ...status, upstreams })
}

/** Whole seconds and milliseconds, so that a status that has hardly changed need not be written again. */
function rounded({ retryInMs, firstByteMs }: UpstreamStatus): Pick<UpstreamStatus, 'retryInMs' | 'firstByteMs'> {
  return {
    retryInMs: Math.ceil(retryInMs / 1000) * 1000,
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs),
  }
}

/** What `writeStatus` wrote. */
export function readStatus(text: string): ProcessStatus {
  try {
    return { ...nothing, ...(JSON.parse(text) as Partial<ProcessStatus>) }
  } catch {
    return nothing
  }
}

const nothing: ProcessStatus = { inflight: {}, waiting: {}, upstreams: {}, viewers: 0 }

/** Requests in the queue of a model's or provider's cap, over all processes. */
export function waitingOf(statuses: readonly ProcessStatus[], id: string): number {
  return statuses.reduce((sum, { waiting }) => sum + (waiting[id] ?? 0), 0)
}

/** Requests in flight on a model, over all processes. */
export function inUseOf(statuses: readonly ProcessStatus[], modelId: string): number {
  return statuses.reduce((sum, { inflight }) => sum + (inflight[modelId] ?? 0), 0)
}

/** The health of an upstream over all processes: the worst state that one of them has seen, the sum of its requests. */
export function upstreamOf(statuses: readonly ProcessStatus[], upstreamId: string): UpstreamStatus {
  return statuses.flatMap(({ upstreams }) => upstreams[upstreamId] ?? []).reduce(worst, unknown)
}

/** The health of a model with several servers: that of the best, with the requests of all. */
export function bestOf(servers: readonly UpstreamStatus[]): UpstreamStatus {
  const known = servers.filter(({ state }) => state !== 'unknown')
  const inFlight = servers.reduce((sum, server) => sum + server.inFlight, 0)
  const [best = unknown] = known.toSorted((a, b) => severity.indexOf(a.state) - severity.indexOf(b.state))
  return { ...best, inFlight }
}

/** The health of a server with several models: that of the worst, with the requests of all. */
export function worstOf(upstreams: readonly UpstreamStatus[]): UpstreamStatus {
  return upstreams.reduce(worst, unknown)
}

/** From the best to the worst. */
const severity = ['unknown', 'healthy', 'resting', 'failing', 'out'] as const satisfies (typeof healthStates)[number][]

function worst(one: UpstreamStatus, other: UpstreamStatus): UpstreamStatus {
  const isWorse = severity.indexOf(other.state) > severity.indexOf(one.state)
  return {
    state: isWorse ? other.state : one.state,
    failuresInRow: Math.max(one.failuresInRow, other.failuresInRow),
    retryInMs: Math.max(one.retryInMs, other.retryInMs),
    firstByteMs: Math.max(one.firstByteMs ?? 0, other.firstByteMs ?? 0) || null,
    inFlight: one.inFlight + other.inFlight,
  }
}
