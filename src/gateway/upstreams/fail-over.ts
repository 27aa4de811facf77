/**
 * Tries the upstreams of a model one after another until one has begun to answer. Nothing has gone
 * to the client while this runs, so a failed try leaves no trace in the answer.
 *
 * A plain model is asked once: its client decides about trying again. A composite moves on at once
 * to a component that was not tried yet; only when none is left does it wait and begin anew.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { fullJitterMs } from '#lib/backoff.ts'
import type { Gateway } from '../gateway.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { selectUpstream } from './select-upstream.ts'
import type { Try } from './upstream-health.ts'

/** One try: asks this upstream and resolves when it has begun to answer. Owns `attempt` from then on. */
export type Ask<T> = (upstream: Upstream, attempt: Try) => Promise<T>

/** What it needs of the gateway. */
export type FailOverGateway = Pick<Gateway, 'settings' | 'health' | 'shutdown'>

export interface FailOverContext {
  readonly context: RequestContext
  readonly model: Model
  readonly record: RequestRecord
  /** Whether the request can still be sent from its beginning: the bytes of an upload may be gone. */
  readonly repeatable: () => boolean
}

const backoff = { baseMs: 100, maxMs: 2000 }
/** A `Retry-After` up to this is waited for; a longer one is the client's to wait. */
const waitMaxMs = 2000
/** How long a component that is limiting requests is left alone when it does not say. */
const restMs = 1000
const restMaxMs = 30_000
/** A request with many calls may fail many times; the first tell enough. */
const attemptReasonsMax = 100

/** The answer of the first upstream that gives one. Throws the last failure, or 503 when there is nobody to ask. */
export async function failOver<T>(gateway: FailOverGateway, call: FailOverContext, ask: Ask<T>): Promise<T> {
  const { context, model, record } = call
  const startedAt = context.clock.elapsed()
  const tried = new Set<Upstream>()
  for (let attempt = 1; ; attempt += 1) {
    const upstream = selectUpstream(model, tried, gateway.health)
    if (upstream === null) throw new ApiError('upstream_unavailable')
    context.addHeader('x-sluice-provider', upstream.provider.name)
    context.addHeader('x-sluice-attempts', String(attempt))
    try {
      return await tryOne(gateway, call, upstream, ask)
    } catch (thrown) {
      const error = toApiError(thrown)
      if (record.attemptReasons.length < attemptReasonsMax)
        record.attemptReasons.push({ provider: upstream.provider.name, reason: error.code })
      const limits = limitsOf(gateway, model)
      const isOver = attempt >= limits.attemptsMax || context.clock.elapsed() - startedAt > limits.budgetMs
      if (isOver || !isWorthAnother(error, limits.statuses) || !call.repeatable()) throw error
      tried.add(upstream)
      if (tried.size < model.upstreams.length) continue
      tried.clear()
      await wait(waitMs(error, attempt), context.signal, gateway.shutdown)
    }
  }
}

interface Limits {
  readonly attemptsMax: number
  readonly budgetMs: number
  readonly statuses: readonly number[]
}

function limitsOf({ settings }: FailOverGateway, { record, failover }: Model): Limits {
  return {
    attemptsMax: record.target.kind === 'plain' ? 1 : (failover.maxAttempts ?? settings.get('failover.max_attempts')),
    budgetMs: (failover.budgetSeconds ?? settings.get('failover.budget_seconds')) * 1000,
    statuses: failover.statuses ?? settings.get('failover.statuses'),
  }
}

async function tryOne<T>(gateway: FailOverGateway, call: FailOverContext, upstream: Upstream, ask: Ask<T>): Promise<T> {
  const { clock } = call.context
  const startedAt = clock.elapsed()
  const attempt = gateway.health.begin(upstream.model.id)
  try {
    const response = await ask(upstream, attempt)
    attempt.succeeded(clock.elapsed() - startedAt)
    return response
  } catch (thrown) {
    blame(attempt, toApiError(thrown))
    attempt[Symbol.dispose]()
    throw thrown
  }
}

/** Tells the health of the upstream what the failure says about it: its own faults count, nobody else's. */
function blame(attempt: Try, error: ApiError): void {
  const { upstreamStatus: status, repeats } = error.detail
  if (repeats === true) return
  if (status === 429) attempt.busy(Math.min(restMaxMs, retryAfterMs(error) ?? restMs))
  else if (error.row.origin === 'upstream' && (status === undefined || status >= 500)) attempt.failed()
}

/** Whether another upstream could do better. */
function isWorthAnother(error: ApiError, statuses: readonly number[]): boolean {
  const { upstreamStatus: status } = error.detail
  return status === undefined ? error.row.origin === 'upstream' : status === 429 || statuses.includes(status)
}

function waitMs(error: ApiError, attempt: number): number {
  const asked = retryAfterMs(error)
  return asked !== null && asked <= waitMaxMs ? asked : fullJitterMs(attempt, backoff, Math.random)
}

/** The `Retry-After` of the upstream in milliseconds, when it gave seconds. */
function retryAfterMs({ detail }: ApiError): number | null {
  const seconds = Number(detail.headers?.['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}

/** Waits, and throws when the client leaves or the server stops meanwhile. */
async function wait(ms: number, client: AbortSignal, shutdown: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, client.aborted || shutdown.aborted ? 0 : ms)
  const stop = (): void => resolve()
  client.addEventListener('abort', stop)
  shutdown.addEventListener('abort', stop)
  await promise
  clearTimeout(timer)
  client.removeEventListener('abort', stop)
  shutdown.removeEventListener('abort', stop)
  if (client.aborted) throw new ApiError('client_closed')
  if (shutdown.aborted) throw new ApiError('shutting_down')
}
