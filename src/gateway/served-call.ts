/**
 * A call of a model that has been admitted: how it is sent to an upstream, and how the answer is relayed. One object
 * goes through failover, the call and the relay, so that a request makes no closure for any of them.
 */
import type { Upstream } from '#catalog/upstream.ts'
import type { ModelCall, PreparedCall } from './endpoints/model-call.ts'
import type { Gateway } from './gateway.ts'
import { CallRelay } from './relay/call-relay.ts'
import type { ModelRequest } from './request/model-request.ts'
import { withoutStorage } from './request/response-input.ts'
import { isGatewayKept } from './responses/keeper.ts'
import type { ResponseObject } from './responses/kept-responses.ts'
import { OwnNames } from './responses/own-names.ts'
import { NewResponseTracker } from './responses/response-tracker.ts'
import { callUpstream, type CallTarget, type UpstreamAnswer, type UpstreamRequest } from './upstreams/call-upstream.ts'
import { failOver, type FailOverContext } from './upstreams/fail-over.ts'
import { upstreamBody } from './upstreams/upstream-body.ts'
import type { Attempt } from './upstreams/upstream-health.ts'

export interface ServedCall extends FailOverContext {
  readonly gateway: Gateway
  /** The resources of the request, without those of its call. */
  readonly resources: DisposableStack
  readonly prepared: PreparedCall
}

interface ServedTarget extends CallTarget {
  readonly served: ServedCall
}

/** The answer of the first upstream that gives one. Where a batch of the provider's own has answered, none is chosen. */
export function askUpstreams(call: ServedCall): Promise<Response> {
  const [only] = call.model.upstreams
  return call.record.isBatch && only !== undefined ? ask(only, undefined, call) : failOver(call.gateway, call, ask)
}

function ask(upstream: Upstream, attempt: Attempt | undefined, served: ServedCall): Promise<Response> {
  const { gateway, context, record, model, prepared } = served
  const target = { context, record, model, upstream, attempt, served }
  return callUpstream(gateway, target, upstreamRequest(prepared, upstream), relayAnswer)
}

function relayAnswer(answer: UpstreamAnswer, { served, upstream }: ServedTarget): Response | Promise<Response> {
  return served.prepared.call.relay(answer.reply, new ServedRelay(served, upstream, answer))
}

function upstreamRequest({ call, request }: PreparedCall, upstream: Upstream): UpstreamRequest {
  const { endpoint, accept, batchable, answered } = call
  const { form, streamed } = request
  const content =
    form === null ? { kind: 'json' as const, body: bodyFor(request, upstream, call) } : { kind: 'form' as const, form }
  return { endpoint, content, streamed, accept, batchable, answered }
}

function bodyFor(request: ModelRequest, upstream: Upstream, { asksUsage }: ModelCall): Buffer<ArrayBuffer> {
  const body = upstreamBody(request, upstream, asksUsage)
  return request.state !== null && isGatewayKept(request, upstream) && !request.translated ? withoutStorage(body) : body
}

class ServedRelay extends CallRelay {
  readonly #served: ServedCall
  readonly #upstream: Upstream

  constructor(served: ServedCall, upstream: Upstream, answer: UpstreamAnswer) {
    super(served.gateway, served, answer)
    this.#served = served
    this.#upstream = upstream
  }

  get streamed(): boolean {
    return this.#served.prepared.request.streamed
  }

  get base64Vectors(): boolean {
    return this.#served.prepared.request.base64Vectors
  }

  get stripUsage(): boolean {
    const { call, request } = this.#served.prepared
    return call.asksUsage && !request.wantsUsage
  }

  protected get modelName(): string {
    return this.#served.prepared.request.model
  }

  tracker(): NewResponseTracker {
    return responseTracker(this.#served, this.#upstream)
  }
}

function responseTracker({ gateway, caller, model, prepared }: ServedCall, upstream: Upstream): NewResponseTracker {
  const owner = { userId: caller.account.user.id, modelId: model.record.id }
  const place = { ...owner, providerId: upstream.provider.id, createdAt: gateway.clock.now() }
  const { request } = prepared
  const { state, translated } = request
  const kept = state?.kept ?? null
  const isOwn = kept !== null && isGatewayKept(request, upstream)
  // A response in the background is kept by what makes it (background-responses.ts).
  const stored = isOwn && kept.stored && !kept.background
  const keeps = kept !== null && (stored || kept.conversationId !== null)
  const keep = keeps ? (answer: ResponseObject) => gateway.keptResponses.keep(answer, owner, { ...kept, stored }) : null
  const names = isOwn && !translated ? new OwnNames(kept) : null
  return new NewResponseTracker(gateway.responses, place, { stored: state?.stored !== false, keep, names })
}
