/** What happened to a request, as stretches of time from arrival to end. */
import type { RequestRecord } from '../../api/schema.d.ts'

type Failure = RequestRecord['attempt_reasons'][number]

export interface Stretch {
  readonly kind: 'own' | 'queue' | 'failed' | 'call' | 'stream'
  readonly name: string
  /** The provider's model. */
  readonly model: string | null
  /** What the provider answered. */
  readonly status: number | null
  readonly code: string | null
  readonly message: string | null
  /** Milliseconds since the arrival; null for calls of which only the outcome is recorded. */
  readonly from: number | null
  readonly to: number | null
}

const plain = { model: null, status: null, code: null, message: null } as const

/** The stretches in their order: what Sluice did, the queue, each call, and the stream. */
export function stretchesOf(request: RequestRecord): readonly Stretch[] {
  const { attempt_reasons: failures, duration_ms: end, queue_ms: queued } = request
  const firstCall = failures.find(({ started_ms: at }) => at !== null)?.started_ms ?? request.called_ms
  const before = Math.min(firstCall ?? (failures.length === 0 && request.attempts === 0 ? end : 0), end)
  const own = Math.max(0, before - (queued ?? 0))
  return [
    ...(before > 0 ? [{ ...plain, kind: 'own' as const, name: 'Sluice', from: 0, to: own }] : []),
    ...(queued === null ? [] : [{ ...plain, kind: 'queue' as const, name: 'Queue', from: own, to: own + queued }]),
    ...failures.map(failedCall),
    ...lastCall(request),
  ]
}

function failedCall(failure: Failure): Stretch {
  const { provider, model, status, reason, message, started_ms: from, duration_ms: took } = failure
  const to = from === null || took === null ? null : from + took
  return { kind: 'failed', name: provider, model, status, code: reason, message, from, to }
}

/** The call that did not fail before its first token, and the stream after it; none when the last call failed. */
function lastCall(request: RequestRecord): readonly Stretch[] {
  if (!hasLastCall(request)) return []
  const { called_ms: from, first_token_ms: firstToken, duration_ms: end, streamed, status } = request
  const isStream = streamed && firstToken !== null
  const call: Stretch = {
    kind: 'call',
    name: request.provider ?? 'provider',
    model: request.upstream_model,
    status: request.upstream_status,
    code: status < 400 ? null : request.code,
    message: null,
    from: from ?? (request.attempt_reasons.length === 0 ? (request.queue_ms ?? 0) : null),
    to: isStream ? firstToken : end,
  }
  const stream: Stretch = { ...plain, kind: 'stream', name: 'Stream', from: firstToken, to: end }
  return isStream ? [call, stream] : [call]
}

/** Records of earlier versions tell it by their number of calls alone. */
function hasLastCall({ status, attempts, called_ms: calledAt, attempt_reasons: failures }: RequestRecord): boolean {
  if (status < 400) return attempts > 0
  if (calledAt === null) return attempts > failures.length
  return !failures.some(({ started_ms: at }) => at === calledAt)
}
