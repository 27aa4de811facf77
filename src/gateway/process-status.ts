/**
 * What a process says about the models that it serves: requests in flight, and the health of their upstreams. Processes
 * tell it each other, and any of them answers for all.
 */
import { healthStates, type UpstreamHealth, type UpstreamStatus } from './upstreams/upstream-health.ts'

/** One process, or several together. */
export interface ProcessStatus {
  /** Requests in flight by model id; those without are left out. */
  readonly inflight: Readonly<Record<string, number>>
  /** Health by model id; upstreams that were not asked are left out. */
  readonly upstreams: Readonly<Record<string, UpstreamStatus>>
}

const unknown: UpstreamStatus = { state: 'unknown', failuresInRow: 0, retryInMs: 0, firstByteMs: null, inFlight: 0 }

/** The status of this process, of what it has been asked for. */
export function statusOf(inUse: ReadonlyMap<string, number>, health: UpstreamHealth): ProcessStatus {
  return { inflight: Object.fromEntries(inUse), upstreams: Object.fromEntries(health.all()) }
}

/** As text, and back; a process of another version may write what this one cannot read, which counts as nothing. */
export function writeStatus(status: ProcessStatus): string {
  const upstreams: Record<string, UpstreamStatus> = {}
  for (const [id, each] of Object.entries(status.upstreams)) upstreams[id] = { ...each, ...rounded(each) }
  return JSON.stringify({ inflight: status.inflight, upstreams })
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
    const { inflight, upstreams } = JSON.parse(text) as Partial<ProcessStatus>
    return { inflight: inflight ?? {}, upstreams: upstreams ?? {} }
  } catch {
    return { inflight: {}, upstreams: {} }
  }
}

/** Requests in flight on a model, over all processes. */
export function inUseOf(statuses: readonly ProcessStatus[], modelId: string): number {
  return statuses.reduce((sum, { inflight }) => sum + (inflight[modelId] ?? 0), 0)
}

/** The health of an upstream over all processes: the worst state that one of them has seen, the sum of its requests. */
export function upstreamOf(statuses: readonly ProcessStatus[], modelId: string): UpstreamStatus {
  return statuses.flatMap(({ upstreams }) => upstreams[modelId] ?? []).reduce(worse, unknown)
}

/** From the best to the worst. */
const severity = ['unknown', 'healthy', 'resting', 'failing', 'out'] as const satisfies (typeof healthStates)[number][]

function worse(one: UpstreamStatus, other: UpstreamStatus): UpstreamStatus {
  const isWorse = severity.indexOf(other.state) > severity.indexOf(one.state)
  return {
    state: isWorse ? other.state : one.state,
    failuresInRow: Math.max(one.failuresInRow, other.failuresInRow),
    retryInMs: Math.max(one.retryInMs, other.retryInMs),
    firstByteMs: Math.max(one.firstByteMs ?? 0, other.firstByteMs ?? 0) || null,
    inFlight: one.inFlight + other.inFlight,
  }
}
