/**
 * One request that makes any number of calls to one model: the other half of
 * src/generation/model-session.ts, made of the same parts as a single call (model-call.ts). One
 * record and one in-flight slot for all of them; failover, time-outs and health for each.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Endpoint, Pieces } from '#providers/provider.ts'
import { admit } from './admission/admit.ts'
import { applyRules } from './admission/apply-rules.ts'
import { CallWatch } from './call/call-watch.ts'
import { failOver } from './upstreams/fail-over.ts'
import { forward, timeouts } from './upstreams/forward.ts'
import type { Gateway } from './gateway.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'
import { resolveModel } from './admission/resolve-model.ts'
import type { Try } from './upstreams/upstream-health.ts'

/** A successful head whose body is still to be read. */
export interface SessionAnswer {
  readonly upstream: Upstream
  readonly reply: Reply
  readonly watch: CallWatch
  readonly idleSeconds: number
  readonly eventBytesMax: number
  /** Hands over what the call holds, once, when the caller can no longer fail. */
  takeOver(): DisposableStack
}

export interface SessionOrder<T> {
  readonly model: Model
  readonly request: (upstream: Upstream) => { readonly endpoint: Endpoint; readonly body: Pieces }
  readonly open: (answer: SessionAnswer) => Promise<T>
}

export class Session implements Disposable {
  readonly record: RequestRecord
  readonly #gateway: Gateway
  readonly #context: RequestContext
  readonly #caller: Caller
  readonly #held = new DisposableStack()
  readonly #watches = new Set<CallWatch>()
  #ended: ApiError | null = null

  constructor(gateway: Gateway, context: RequestContext, caller: Caller, endpoint: string) {
    this.#gateway = gateway
    this.#context = context
    this.#caller = caller
    // Disposed in reverse order: the slot is free before the record says that the request has ended.
    this.record = this.#held.use(gateway.recorder.begin(context, caller, endpoint))
  }

  /** Why all calls were ended, or null. */
  get ended(): ApiError | null {
    return this.#ended
  }

  /** The model of this name after its rules. Answers 403, 404 or 503 by throwing. */
  resolve(name: string): Model {
    this.record.modelAsked = name
    const catalog = this.#gateway.catalog()
    const model = applyRules(catalog, resolveModel(catalog, name, this.#caller), this.#caller, 'realtime')
    this.record.model = model
    return model
  }

  /** Takes the in-flight slot. Answers 429 by throwing. */
  async admit(model: Model): Promise<void> {
    this.#held.use(await admit(this.#gateway, this.#caller, model))
    const { signal } = this.#context
    // Once for all calls, and at once: each call's own watch looks at the client only now and then.
    signal.addEventListener('abort', this.#clientGone)
    this.#held.defer(() => signal.removeEventListener('abort', this.#clientGone))
    if (signal.aborted) this.#clientGone()
  }

  /** One call, with failover until `open` has resolved. Throws the ApiError to answer. */
  call<T>(order: SessionOrder<T>): Promise<T> {
    const call = { context: this.#context, model: order.model, record: this.record, repeatable: () => true }
    return failOver(this.#gateway, call, (upstream, attempt) => this.#ask(order, upstream, attempt))
  }

  /** Ends all calls, under way and still to come; only the first reason counts. */
  end(reason: ApiError): void {
    this.#ended ??= reason
    for (const watch of this.#watches) watch.end(reason)
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  async #ask<T>(order: SessionOrder<T>, upstream: Upstream, attempt: Try): Promise<T> {
    if (this.#ended !== null) throw this.#ended
    const { settings, ticker, shutdown, providers } = this.#gateway
    // Calls that still wait for their turn then need not wait for the watch to notice.
    if (shutdown.aborted) throw new ApiError('shutting_down')
    const { connectSeconds, firstTokenSeconds, idleSeconds, totalSeconds } = timeouts(
      this.#gateway,
      order.model,
      upstream,
    )
    using own = new DisposableStack()
    const watch = own.use(new CallWatch(this.#context, { ticker, shutdown, totalSeconds }))
    this.#watches.add(watch)
    own.defer(() => this.#watches.delete(watch))
    watch.expect('first-token', firstTokenSeconds)
    const { endpoint, body } = order.request(upstream)
    const inPieces = providers.get(upstream.provider)?.sendsPieces === true
    const reply = await forward(
      this.#gateway,
      {
        endpoint,
        body: inPieces ? Buffer.alloc(0) : Buffer.concat(body.parts),
        ...(inPieces && { pieces: body }),
        streamed: true,
      },
      { context: this.#context, upstream, watch, record: this.record, connectSeconds },
    )
    const takeOver = (): DisposableStack => {
      const all = new DisposableStack()
      all.use(attempt)
      all.use(own.move())
      return all
    }
    const eventBytesMax = settings.get('gateway.max_event_bytes')
    // Awaited here: what is `own` must not be disposed before the answer has taken it over.
    return await order.open({ upstream, reply, watch, idleSeconds, eventBytesMax, takeOver })
  }

  readonly #clientGone = (): void => this.end(new ApiError('client_closed'))
}
