/**
 * One call of one upstream, from its time-outs to the answer's head: what every handler of the gateway
 * does that reaches a provider. The answer's body is read by the handler's own `open`.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Timeouts } from '#catalog/records.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { CallContent } from '#providers/provider.ts'
import { CallWatch } from '../call/call-watch.ts'
import type { FormBody } from '../request/form-body.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { forward, type ForwardDeps, type ForwardRequest } from './forward.ts'
import { uploadOf, type UploadTiming } from './upload.ts'
import type { Attempt } from './upstream-health.ts'

/** What a call of an upstream needs of the gateway. */
export interface CallDeps extends ForwardDeps {
  readonly ticker: Ticker
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}

export interface CallTarget {
  readonly context: RequestContext
  readonly record: RequestRecord
  /** Its time-outs come before those of the upstream. */
  readonly model: Model
  readonly upstream: Upstream
  /** Disposed at the end of the answer; none where health is not counted. */
  readonly attempt?: Attempt | undefined
  /** Holds the watch while the call is under way, so that the handler can end it. */
  readonly watches?: Set<CallWatch>
}

export interface UpstreamRequest extends Omit<ForwardRequest, 'content'> {
  /** A form is sent from its beginning. */
  readonly content:
    | Exclude<CallContent, { readonly kind: 'upload' }>
    | { readonly kind: 'form'; readonly form: FormBody }
}

/** A successful head, whose body is still to be read. */
export interface UpstreamAnswer {
  readonly reply: Reply
  readonly watch: CallWatch
  readonly idleSeconds: number
  /** Moves the attempt and the watch into a stack that outlives `open`. Called once, when nothing can fail any more. */
  takeOver(owner: DisposableStack): DisposableStack
}

/**
 * What `open` makes of the upstream's 2xx answer. Throws the ApiError to answer: 4xx of the upstream,
 * 502, 503, 504, or what `open` throws. Whatever `open` has not taken over is disposed by then; after a
 * failure the attempt is left to the caller, which has to report it first.
 */
export async function callUpstream<T>(
  deps: CallDeps,
  target: CallTarget,
  request: UpstreamRequest,
  open: (answer: UpstreamAnswer) => Promise<T>,
): Promise<T> {
  const { context, record, model, upstream, attempt, watches } = target
  const { ticker, shutdown } = deps
  const { connectSeconds, firstTokenSeconds, idleSeconds, totalSeconds } = timeoutsOf(deps, model, upstream)
  using own = new DisposableStack()
  const watch = own.use(new CallWatch(context, { ticker, shutdown, totalSeconds }))
  if (watches !== undefined) {
    watches.add(watch)
    own.defer(() => watches.delete(watch))
  }
  watch.expect('first-token', firstTokenSeconds)
  const timing: UploadTiming = { watch, firstTokenSeconds, answered: false }
  const content = contentFor(request, upstream, timing)
  const reply = await forward(deps, { ...request, content }, { context, upstream, watch, record, connectSeconds })
  timing.answered = true
  const takeOver = (owner: DisposableStack): DisposableStack => {
    if (attempt !== undefined) owner.use(attempt)
    owner.use(own.move())
    return owner
  }
  // Awaited here: what is `own` must not be disposed before the answer has taken it over.
  const opened = await open({ reply, watch, idleSeconds, takeOver })
  if (!own.disposed) attempt?.[Symbol.dispose]()
  return opened
}

function contentFor({ content }: UpstreamRequest, upstream: Upstream, timing: UploadTiming): CallContent {
  return content.kind === 'form' ? { kind: 'upload', ...uploadOf(content.form, upstream, timing) } : content
}

/** The time-outs of a call: the model's own, else its component's, its provider's, the settings'. */
export function timeoutsOf(
  { settings }: Pick<CallDeps, 'settings'>,
  model: Model,
  upstream: Upstream,
): Required<Timeouts> {
  const own = (name: keyof Timeouts): number | undefined =>
    model.record.timeouts[name] ?? upstream.model.timeouts[name] ?? upstream.provider.timeouts[name]
  return {
    connectSeconds: own('connectSeconds') ?? settings.get('gateway.connect_seconds'),
    firstTokenSeconds: own('firstTokenSeconds') ?? settings.get('gateway.first_token_seconds'),
    idleSeconds: own('idleSeconds') ?? settings.get('gateway.idle_seconds'),
    totalSeconds: own('totalSeconds') ?? settings.get('gateway.total_seconds'),
  }
}
