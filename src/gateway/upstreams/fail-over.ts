/**
 * Tries the upstreams of a model one after another until one has begun to answer. Nothing has gone
 * to the client while this runs, so a failed attempt leaves no trace in the answer.
 *
 * A plain model with one server is tried once: its client decides whether to retry. A composite, or a model with several
 * servers, moves on at once to one that was not tried yet; when none is left, it waits and starts over.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import { AnySignal } from '#lib/any-signal.ts'
import { fullJitterMs } from '#lib/backoff.ts'
import { retryAfterMs } from '#lib/retry-after.ts'
import { pause } from '#lib/loop.ts'
import type { Prefix, PrefixAffinity } from './affinity.ts'
import {
  hasRoom,
  isRefusedHere,
  needsOccupying,
  occupyUpstream,
  type Occupant,
  type OccupyDeps,
} from './occupy-upstream.ts'
import { selectUpstream } from './select-upstream.ts'
import type { Attempt, UpstreamHealth } from './upstream-health.ts'

/** Makes one attempt at this upstream and resolves when it has begun to answer. Owns `attempt` from then on. */
export type RunAttempt<T, Call> = (upstream: Upstream, attempt: Attempt, call: Call) => Promise<T>

/** What failover needs of the gateway. */
export interface FailOverDeps extends OccupyDeps {
  readonly health: UpstreamHealth
  readonly affinity: PrefixAffinity
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
  /** Between 0 and 1; Math.random when left out. */
  readonly random?: () => number
  /** Waits before another round of upstreams; real time when left out. */
  readonly wait?: (ms: number) => Promise<void>
}

export interface FailOverContext extends Occupant {
  readonly model: Model
  /** Says whether an upload can still be sent from its beginning: its bytes may be gone. None for what is in memory. */
  readonly form?: { readonly repeatable: boolean } | null
  /** What the strategy `affinity` goes by; none for requests that have no beginning in common. */
  readonly prefix?: Prefix | null
}

const backoff = { baseMs: 100, maxMs: 2000 }
/** A `Retry-After` up to this is waited for; a longer one is the client's to wait. */
const waitMaxMs = 2000
/** How long a component that is limiting requests is left alone when it does not say. */
const restMs = 1000
const restMaxMs = 30_000

/** The answer of the first upstream that gives one. Throws the last failure, or 503 when the model has no upstream. */
export async function failOver<T, Call extends FailOverContext>(
  deps: FailOverDeps,
  call: Call,
  runAttempt: RunAttempt<T, Call>,
): Promise<T> {
  const { context, model, record } = call
  const { clock } = context
  const startedAt = clock.elapsed()
  let tried = nothing
  let number = 1
  for (;;) {
    const upstream = chooseUpstream(deps, call, tried)
    if (upstream === null) throw new ApiError('upstream_unavailable')
    context.addHeader('x-sluice-provider', upstream.provider.name)
    context.addHeader('x-sluice-attempts', String(number))
    let attempt: Attempt | null = null
    try {
      const held = needsOccupying(deps, upstream) ? await occupyUpstream(deps, upstream, call) : null
      const calledAt = record.called()
      attempt = deps.health.begin(upstream.id, held, pendingOf(call))
      const response = await runAttempt(upstream, attempt, call)
      attempt.succeeded(clock.elapsed() - calledAt)
      return response
    } catch (thrown) {
      const error = toApiError(thrown)
      if (attempt !== null) endFailed(attempt, error)
      // Nothing was sent when the upstream refused it here, so this does not count as an attempt.
      const isRefused = isRefusedHere(error)
      record.failed(upstream, error, !isRefused)
      tried = new Set([...tried, upstream])
      const isLast = tried.size === model.upstreams.length
      if (isRefused && !isLast) continue
      const limits = limitsOf(deps, model)
      const spentMs = clock.elapsed() - startedAt - (record.queueMs ?? 0)
      const isOver = isRefused || number >= limits.attemptsMax || spentMs > limits.budgetMs
      if (isOver || !isRetryable(error, limits.statuses) || !isRepeatable(call)) throw error
      number += 1
      if (!isLast) continue
      tried = nothing
      await waitToRetry(deps, waitMs(error, number - 1, deps.random), context.signal)
    }
  }
}

const nothing: ReadonlySet<Upstream> = new Set()

/** Bytes that the upstream that was chosen last has to compute. */
function pendingOf({ prefix }: FailOverContext): number {
  return prefix?.uncached ?? 0
}

/** Prefers upstreams at whose caps the request does not have to wait. */
function chooseUpstream(
  deps: FailOverDeps,
  { model, prefix }: FailOverContext,
  tried: ReadonlySet<Upstream>,
): Upstream | null {
  const { health, caps } = deps
  const { upstreams } = model
  const [first] = upstreams
  if (upstreams.length <= 1) return first ?? null
  if (upstreams.some(isCapped)) {
    const full = upstreams.filter((upstream) => !hasRoom({ caps }, upstream))
    const free = selectUpstream(model, new Set([...tried, ...full]), deps, prefix)
    if (free !== null && health.isAvailable(free.id)) return free
  }
  return selectUpstream(model, tried, deps, prefix)
}

function isCapped({ caps }: Upstream): boolean {
  return caps.length > 0
}

interface Limits {
  readonly attemptsMax: number
  readonly budgetMs: number
  readonly statuses: readonly number[]
}

function limitsOf({ settings }: FailOverDeps, { record, failover, upstreams }: Model): Limits {
  return {
    attemptsMax:
      record.target.kind === 'plain' && upstreams.length === 1
        ? 1
        : (failover.maxAttempts ?? settings.get('failover.max_attempts')),
    budgetMs: (failover.budgetSeconds ?? settings.get('failover.budget_seconds')) * 1000,
    statuses: failover.statuses ?? settings.get('failover.statuses'),
  }
}

/** Ends the attempt, and reports the failure to the health of the upstream: only the upstream's own faults count. */
function endFailed(attempt: Attempt, error: ApiError): void {
  reportFailure(attempt, error)
  attempt[Symbol.dispose]()
}

function reportFailure(attempt: Attempt, error: ApiError): void {
  const { upstreamStatus: status, repeats } = error.detail
  if (repeats === true) return
  if (status === 429) attempt.rateLimited(Math.min(restMaxMs, restOf(error) ?? restMs))
  else if (error.row.origin === 'upstream' && (status === undefined || status >= 500)) attempt.failed()
}

function isRepeatable({ form }: FailOverContext): boolean {
  return form?.repeatable !== false
}

/** Whether another upstream could do better. */
function isRetryable(error: ApiError, statuses: readonly number[]): boolean {
  const { upstreamStatus: status } = error.detail
  return status === undefined ? error.row.origin === 'upstream' : status === 429 || statuses.includes(status)
}

function waitMs(error: ApiError, attempt: number, random = Math.random): number {
  const retryMs = restOf(error)
  return retryMs !== null && retryMs <= waitMaxMs ? retryMs : fullJitterMs(attempt, backoff, random)
}

function restOf({ detail }: ApiError): number | null {
  return retryAfterMs(detail.headers?.['retry-after'], Date.now())
}

/** Waits. Throws when the client leaves or the server stops before the end of the wait. */
async function waitToRetry({ wait, shutdown }: FailOverDeps, ms: number, client: AbortSignal): Promise<void> {
  if (wait !== undefined) return wait(ms)
  using ended = new AnySignal([client, shutdown])
  await pause(ms, ended.signal)
  if (client.aborted) throw new ApiError('client_closed')
  if (shutdown.aborted) throw new ApiError('shutting_down')
}
