/**
 * What an attempt takes of an upstream before it is called: slots of the caps of its model and provider, for which it may
 * have to wait, and its cost of the provider's rates. An upstream without either costs nothing here.
 */
import type { Purpose } from '#catalog/records.ts'
import type { ConcurrencyCap, Upstream } from '#catalog/upstream.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import { priorities, type Caller, type Priority } from '#identity/records.ts'
import type { CapQueue, WaitEnd } from '#limits/cap-queue.ts'
import type { Slot } from '#limits/inflight.ts'
import type { AppliedLimit } from '#store/usage/usage-record.ts'
import type { RateLimits } from '../admission/rate-limits.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'

export interface OccupyDeps {
  readonly settings: LiveSettings
  readonly caps: Pick<CapQueue, 'hasRoom' | 'take' | 'wait' | 'retryMs'>
  readonly rates: Pick<RateLimits, 'limitsProviders' | 'takeOfProvider'>
}

/** The request whose attempt it is. */
export interface Occupant {
  readonly context: RequestContext
  readonly caller: Caller
  readonly purpose: Purpose
  /** Waits ahead of batches. */
  readonly isAsync?: boolean
  readonly record: RequestRecord
  /** Ends the wait; the client's signal when left out. */
  readonly signal?: AbortSignal
  /** What rates of tokens are reserved by. */
  readonly size: RatedSize
}

export interface RatedSize {
  /** Length of the prompt as it was sent. */
  readonly bytes: number
  /** Most tokens of the answer; null when the client does not say. */
  readonly outputTokensMax: number | null
  /** The record has the usage of one attempt, and not of several. */
  readonly settles: boolean
}

/** Whether `occupyUpstream` has anything to take. */
export function needsOccupying({ rates }: OccupyDeps, { caps }: Upstream): boolean {
  return caps.length > 0 || rates.limitsProviders
}

/** Whether an attempt would not wait for a slot. */
export function hasRoom({ caps }: Pick<OccupyDeps, 'caps'>, upstream: Upstream): boolean {
  return upstream.caps.every((cap) => caps.hasRoom(cap))
}

/**
 * Takes all, perhaps after a wait; disposing gives it back. Answers 429 by throwing, and 499 or 503 when the client
 * leaves or the process stops in the meantime; then nothing is taken.
 */
export async function occupyUpstream(deps: OccupyDeps, upstream: Upstream, occupant: Occupant): Promise<Disposable> {
  using held = new DisposableStack()
  const { caller, record, size } = occupant
  const { clock } = occupant.context
  const startedAt = clock.elapsed()
  for (const cap of upstream.caps) {
    const slot = deps.caps.take(cap)
    if (slot !== null) held.use(slot)
    else {
      record.limited(appliedCap(cap, true))
      try {
        held.use(await waitForSlot(deps, cap, occupant))
      } finally {
        record.queueMs = Math.max(record.queueMs ?? 0, Math.round(clock.elapsed() - startedAt))
      }
    }
    record.limited(appliedCap(cap, false))
  }
  const cost = deps.rates.takeOfProvider({ caller, upstream, record, ...size })
  if (cost !== null) held.use(cost)
  return held.move()
}

/** Whether the attempt was refused before anything was sent, so that another upstream may have room. */
export function isRefusedHere({ code }: ApiError): boolean {
  return code === 'queue_full' || code === 'rate_limit_exceeded'
}

/** The class of a request: its key's. The header may lower it, and raise it where the settings allow that. */
export function priorityOf(
  settings: LiveSettings,
  { context, caller, purpose }: Pick<Occupant, 'context' | 'caller' | 'purpose'>,
): Priority {
  if (purpose === 'batch') return 'batch'
  const own = caller.key?.priority ?? 'normal'
  const named = context.request.headers.get('x-sluice-priority')
  const asked = priorities.find((priority) => priority === named)
  if (asked === undefined) return own
  const isLower = priorities.indexOf(asked) > priorities.indexOf(own)
  return isLower || settings.get('limits.queue.allow_raising') ? asked : own
}

async function waitForSlot({ caps, settings }: OccupyDeps, cap: ConcurrencyCap, occupant: Occupant): Promise<Slot> {
  const { context, caller, signal = context.signal } = occupant
  const priority = priorityOf(settings, occupant)
  const seconds =
    priority === 'batch'
      ? settings.get('limits.queue.batch_timeout_seconds')
      : settings.get('limits.queue.timeout_seconds')
  const { position, ended } = caps.wait(cap, {
    lane: caller.account.user.id,
    level: levelOf(priority, occupant),
    timeoutMs: seconds * 1000,
    signal,
  })
  context.addHeader('x-sluice-queue-position', String(position))
  const end = await ended
  if (typeof end === 'string') throw waitError(end, cap, caps.retryMs(cap))
  return end
}

/** Classes in which requests wait. */
export const queueLevels = priorities.length + 1

/** Async requests have a class of their own, between live requests and batches. */
function levelOf(priority: Priority, { purpose, isAsync = false }: Occupant): number {
  const level = priorities.indexOf(priority)
  return priority !== 'batch' || (purpose === 'batch' && isAsync) ? level : level + 1
}

/** Who waits has not been refused until the wait ends without a slot. */
function appliedCap({ kind, name, limit }: ConcurrencyCap, refused: boolean): AppliedLimit {
  return { kind: 'queue', name: `${kind} ${name}`, unit: 'requests', limit, left: refused ? 0 : null, refused }
}

const codes = { left: 'client_closed', stopped: 'shutting_down', full: 'queue_full', timeout: 'queue_timeout' } as const

function waitError(end: WaitEnd, { kind, name, limit }: ConcurrencyCap, retryMs: number): ApiError {
  const code: ErrorCode = codes[end]
  if (end === 'left' || end === 'stopped') return new ApiError(code)
  const what = `The ${kind} ${name} has as many requests as it may have at once (${limit})`
  const message =
    end === 'full' ? `${what}, and too many wait for it.` : `${what}, and the request waited too long for it.`
  return new ApiError(code, {
    message: `${message} Try again later.`,
    headers: { 'retry-after': String(Math.ceil(retryMs / 1000)), 'retry-after-ms': String(retryMs) },
  })
}
