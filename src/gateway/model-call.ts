/**
 * One call of a model, from the caller's bytes to the last byte of the answer: what every endpoint
 * of the AI API does. The server has already authenticated the caller (401). An endpoint adds how
 * its body is read, and nothing else.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { toApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Caller } from '#identity/records.ts'
import type { Endpoint } from '#providers/provider.ts'
import { admit } from './admit.ts'
import { applyRules } from './apply-rules.ts'
import { CallWatch } from './call-watch.ts'
import { failOver } from './fail-over.ts'
import { forward, timeouts } from './forward.ts'
import type { Gateway } from './gateway.ts'
import type { ModelRequest } from './model-request.ts'
import { checkEffort } from './reasoning.ts'
import type { RequestRecord } from './record.ts'
import type { Relay } from './relay.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'
import { resolveModel } from './resolve-model.ts'
import { upstreamBody } from './upstream-body.ts'
import type { Try } from './upstream-health.ts'

export interface ModelCall {
  /** Path below the provider's base URL, and the name in records and metrics. */
  readonly endpoint: Endpoint
  /** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
  readonly read: (exchange: Exchange, limits: BodyLimits) => Promise<ModelRequest>
  /** The endpoint knows `stream_options.include_usage`. */
  readonly asksUsage: boolean
}

/** The answer to one call. Throws the ApiError to answer; whatever the request held is given back by then. */
export async function serveModelCall(
  gateway: Gateway,
  exchange: Exchange,
  caller: Caller,
  call: ModelCall,
): Promise<Response> {
  // Disposed in reverse order: the slot is free before the record says that the request has ended.
  using held = new DisposableStack()
  const record = held.use(gateway.recorder.begin(exchange, caller, call.endpoint))
  try {
    return await tell(gateway, call, { exchange, caller, record, held })
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

interface Telling {
  readonly exchange: Exchange
  readonly caller: Caller
  readonly record: RequestRecord
  readonly held: DisposableStack
}

async function tell(gateway: Gateway, call: ModelCall, telling: Telling): Promise<Response> {
  const { exchange, caller, record, held } = telling
  const { settings } = gateway
  const request = await call.read(exchange, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }) // 400, 408, 413, 415
  record.modelAsked = request.model
  record.requestBytes = request.bytes.length
  record.streamed = request.streamed

  const catalog = gateway.catalog()
  const named = resolveModel(catalog, request.model, caller) // 404, 403
  const model = applyRules(catalog, named, caller, 'realtime') // 403, 503
  record.model = model
  checkEffort(request.effort, model) // 400
  held.use(await admit(gateway, caller, model)) // 429
  return failOver(gateway, { exchange, model, record }, (upstream, attempt) =>
    ask(gateway, { ...telling, call, request, model, upstream, attempt }),
  ) // 4xx of the upstream, 502, 503, 504
}

interface Asking extends Telling {
  readonly call: ModelCall
  readonly request: ModelRequest
  readonly model: Model
  readonly upstream: Upstream
  readonly attempt: Try
}

/** One try at one upstream, up to the point from which the answer goes to the client. */
async function ask(gateway: Gateway, asking: Asking): Promise<Response> {
  const { exchange, record, held, call, request, model, upstream, attempt } = asking
  const { settings, ticker, shutdown } = gateway
  const { connectSeconds, firstTokenSeconds, idleSeconds, totalSeconds } = timeouts(gateway, model, upstream)
  using own = new DisposableStack()
  const watch = own.use(new CallWatch(exchange, { ticker, shutdown, totalSeconds }))
  watch.expect('first-token', firstTokenSeconds)
  const body = upstreamBody(request, upstream, call.asksUsage)
  const reply = await forward(
    gateway,
    { endpoint: call.endpoint, body, streamed: request.streamed },
    { exchange, upstream, watch, record, connectSeconds },
  )
  const relay: Relay = {
    exchange,
    watch,
    record,
    rewriteModel: settings.get('gateway.rewrite_model') ? request.model : null,
    stripUsage: !request.wantsUsage,
    idleSeconds,
    keepaliveSeconds: settings.get('gateway.keepalive_seconds'),
    responseBytesMax: settings.get('gateway.max_response_bytes'),
    eventBytesMax: settings.get('gateway.max_event_bytes'),
    ticker,
    takeOver() {
      const all = held.move()
      all.use(attempt)
      all.use(own.move())
      return all
    },
  }
  // Awaited here: what is `own` must not be disposed before the stream has taken it over.
  if (request.streamed) return await relayStream(reply, relay)
  const response = await relayWhole(reply, relay)
  attempt[Symbol.dispose]()
  return response
}
