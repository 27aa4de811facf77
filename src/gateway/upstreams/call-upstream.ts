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
import { Forwarding, type ForwardDeps, type ForwardRequest } from './forward.ts'
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

class OpenAnswer implements UpstreamAnswer {
  readonly reply: Reply
  readonly watch: CallWatch
  readonly idleSeconds: number
  isTakenOver = false
  readonly #attempt: Attempt | undefined

  constructor(reply: Reply, watch: CallWatch, idleSeconds: number, attempt: Attempt | undefined) {
    this.reply = reply
    this.watch = watch
    this.idleSeconds = idleSeconds
    this.#attempt = attempt
  }

  takeOver(owner: DisposableStack): DisposableStack {
    this.isTakenOver = true
    if (this.#attempt !== undefined) owner.use(this.#attempt)
    owner.use(this.watch)
    return owner
  }
}

/**
 * What `open` makes of the upstream's 2xx answer. Throws the ApiError to answer: 4xx of the upstream,
 * 502, 503, 504, or what `open` throws. Whatever `open` has not taken over is disposed by then; after a
 * failure the attempt is left to the caller, which has to report it first.
 */
export async function callUpstream<T, Target extends CallTarget>(
  deps: CallDeps,
  target: Target,
  request: UpstreamRequest,
  open: (answer: UpstreamAnswer, target: Target) => T | Promise<T>,
): Promise<T> {
  const { context, model, upstream, attempt, watches } = target
  const { connectSeconds, firstTokenSeconds, idleSeconds, totalSeconds } = timeoutsOf(deps, model, upstream)
  const watch = new CallWatch(context, deps, totalSeconds, watches)
  let answer: OpenAnswer | null = null
  try {
    watch.expect('first-token', firstTokenSeconds)
    const timing: UploadTiming | null =
      request.content.kind === 'form' ? { watch, firstTokenSeconds, answered: false } : null
    const content = contentFor(request, upstream, timing)
    const forwarding = new Forwarding(deps, request, { target, watch, content, connectSeconds })
    let reply: Reply
    try {
      const accepted = forwarding.accepted(await forwarding.send())
      reply = accepted instanceof Promise ? await accepted : accepted
    } catch (thrown) {
      reply = await forwarding.recover(thrown)
    }
    if (timing !== null) timing.answered = true
    answer = new OpenAnswer(reply, watch, idleSeconds, attempt)
    const opening = open(answer, target)
    // Awaited here: the watch must not end before the answer has taken it over.
    const opened = opening instanceof Promise ? await opening : opening
    if (!answer.isTakenOver) attempt?.[Symbol.dispose]()
    return opened
  } finally {
    if (answer?.isTakenOver !== true) watch[Symbol.dispose]()
  }
}

function contentFor({ content }: UpstreamRequest, upstream: Upstream, timing: UploadTiming | null): CallContent {
  if (content.kind !== 'form') return content
  if (timing === null) throw new Error('an upload has time-outs of its own')
  return { kind: 'upload', ...uploadOf(content.form, upstream, timing) }
}

/** The time-outs of a call: the model's own, else its component's, its provider's, the settings'. */
export function timeoutsOf(
  { settings }: Pick<CallDeps, 'settings'>,
  model: Model,
  upstream: Upstream,
): Required<Timeouts> {
  const own = model.record.timeouts
  const component = upstream.model.timeouts
  const provider = upstream.provider.timeouts
  return {
    connectSeconds:
      own.connectSeconds ??
      component.connectSeconds ??
      provider.connectSeconds ??
      settings.get('gateway.connect_seconds'),
    firstTokenSeconds:
      own.firstTokenSeconds ??
      component.firstTokenSeconds ??
      provider.firstTokenSeconds ??
      settings.get('gateway.first_token_seconds'),
    idleSeconds:
      own.idleSeconds ?? component.idleSeconds ?? provider.idleSeconds ?? settings.get('gateway.idle_seconds'),
    totalSeconds:
      own.totalSeconds ?? component.totalSeconds ?? provider.totalSeconds ?? settings.get('gateway.total_seconds'),
  }
}
