/**
 * One request that makes any number of calls to one model: the other half of
 * src/generation/model-session.ts, made of the same parts as a single call (serve-model-call.ts). One
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
import { reserveBudget } from './admission/reserve-budget.ts'
import { groupError, modelOfGroup } from './admission/resolve-group.ts'
import { resolveModel } from './admission/resolve-model.ts'
import type { CallWatch } from './call/call-watch.ts'
import type { Gateway } from './gateway.ts'
import { callUpstream, type UpstreamRequest } from './upstreams/call-upstream.ts'
import { failOver } from './upstreams/fail-over.ts'
import type { Attempt } from './upstreams/upstream-health.ts'
import { promptsSize, type RequestSize } from './request/request-size.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'

/** A successful head whose body is still to be read. */
export interface SessionAnswer {
  readonly upstream: Upstream
  readonly reply: Reply
  readonly watch: CallWatch
  readonly idleSeconds: number
  readonly eventBytesMax: number
  /** Hands over what the call holds, once, when nothing can fail any more. */
  takeOver(): DisposableStack
}

/** What the prompts of a request can use at most. */
interface PromptsSize {
  readonly texts: readonly string[]
  readonly hasImage: boolean
  readonly newTokens: number
}

export interface SessionCall<T> {
  readonly model: Model
  readonly request: (upstream: Upstream) => { readonly endpoint: Endpoint; readonly body: Pieces }
  readonly open: (answer: SessionAnswer) => Promise<T>
  /** The answer is one document; a stream of events when left out. */
  readonly whole?: boolean
}

export class Session implements Disposable {
  readonly record: RequestRecord
  readonly #gateway: Gateway
  readonly #context: RequestContext
  readonly #caller: Caller
  /** Given back when it ends. */
  readonly resources = new DisposableStack()
  readonly #watches = new Set<CallWatch>()
  readonly #ending = new AbortController()
  #newTokens: number | null = null
  /** Mean over the prompts. */
  #promptBytes = 0
  #ended: ApiError | null = null

  constructor(gateway: Gateway, context: RequestContext, caller: Caller, endpoint: string) {
    this.#gateway = gateway
    this.#context = context
    this.#caller = caller
    // Disposed in reverse order: the slot is free before the record says that the request has ended.
    this.record = this.resources.use(gateway.recorder.begin(context, caller, endpoint))
  }

  /** Why all calls were ended, or null. */
  get ended(): ApiError | null {
    return this.#ended
  }

  /** The model of a consumer group after its rules. Answers 403, 404 or 503 by throwing. */
  resolve(group: string): Model {
    const name = modelOfGroup(this.#gateway.settings, group)
    this.record.modelAsked = name
    const catalog = this.#gateway.catalog()
    try {
      const model = applyRules(catalog, resolveModel(catalog, name, this.#caller), this.#caller, 'realtime')
      this.record.model = model
      return model
    } catch (thrown) {
      throw groupError(thrown, group)
    }
  }

  /** Takes the in-flight slot and what it can cost; the model as budgets allow it. Answers 400, 402, 429 or 503 by throwing. */
  async admit(
    model: Model,
    { texts, hasImage, newTokens }: PromptsSize,
    size: RequestSize = promptsSize(texts, hasImage, newTokens),
  ): Promise<Model> {
    this.#newTokens = newTokens
    if (this.#gateway.contentLog.isOn) this.#logContent(model, () => promptsJson(texts, hasImage))
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    this.#promptBytes = bytes / Math.max(1, texts.length)
    const [context, caller] = [this.#context, this.#caller]
    this.resources.use(await admit(this.#gateway, { context, caller, model, record: this.record }))
    const allowed = await reserveBudget(this.#gateway, { caller, model, size, record: this.record })
    const rated = { context, caller, model, record: this.record, bytes, outputTokensMax: newTokens * texts.length }
    this.resources.use(this.#gateway.rates.take(rated))
    const { signal } = context
    // Once for all calls, and at once: each call's own watch looks at the client only now and then.
    signal.addEventListener('abort', this.#clientGone)
    this.resources.defer(() => signal.removeEventListener('abort', this.#clientGone))
    if (signal.aborted) this.#clientGone()
    return allowed
  }

  /** One call, with failover until `open` has resolved. Throws the ApiError to answer. */
  call<T>(call: SessionCall<T>): Promise<T> {
    const target = {
      context: this.#context,
      caller: this.#caller,
      purpose: 'realtime',
      record: this.record,
      // An end of the session ends what waits in a queue, too.
      signal: this.#ending.signal,
      // The record is of all calls together.
      size: { bytes: this.#promptBytes, outputTokensMax: this.#newTokens, settles: false },
      model: call.model,
    } as const
    return failOver(this.#gateway, target, (upstream, attempt) => this.#attempt(call, upstream, attempt))
  }

  /** Ends all calls, under way and still to come; only the first reason counts. */
  end(reason: ApiError): void {
    this.#ended ??= reason
    this.#ending.abort()
    for (const watch of this.#watches) watch.end(reason)
  }

  [Symbol.dispose](): void {
    this.resources.dispose()
  }

  #logContent(model: Model, bytes: () => Uint8Array): void {
    const [context, caller] = [this.#context, this.#caller]
    const { endpoint } = this.record
    this.record.content = this.#gateway.contentLog.begin({ context, caller, model, endpoint, bytes })
  }

  async #attempt<T>(
    { model, request, open, whole = false }: SessionCall<T>,
    upstream: Upstream,
    attempt: Attempt,
  ): Promise<T> {
    if (this.#ended !== null) throw this.#ended
    const { settings, shutdown } = this.#gateway
    // Calls that still wait for their turn then need not wait for the watch to notice.
    if (shutdown.aborted) throw new ApiError('shutting_down')
    const { endpoint, body } = request(upstream)
    const target = { context: this.#context, record: this.record, model, upstream, attempt, watches: this.#watches }
    const sent: UpstreamRequest = { endpoint, content: this.#contentOf(body, upstream), streamed: !whole }
    return callUpstream(this.#gateway, target, sent, (answer) =>
      open({
        ...answer,
        upstream,
        eventBytesMax: settings.get('gateway.max_event_bytes'),
        takeOver: () => answer.takeOver(new DisposableStack()),
      }),
    )
  }

  #contentOf(body: Pieces, { provider }: Upstream): UpstreamRequest['content'] {
    const inPieces = this.#gateway.providers.get(provider)?.sendsPieces === true
    return inPieces ? { kind: 'pieces', ...body } : { kind: 'json', body: Buffer.concat(body.parts) }
  }

  readonly #clientGone = (): void => this.end(new ApiError('client_closed'))
}

/** The prompts as their log has them; a picture is named only. */
function promptsJson(texts: readonly string[], hasImage: boolean): Uint8Array {
  return Buffer.from(JSON.stringify({ text: texts, ...(hasImage && { image: '[image]' }) }))
}
