/**
 * POST /ai/v1/chat/completions, from the caller's bytes to the last byte of the answer. The server
 * has already authenticated the caller (401).
 */
import { toApiError } from '#errors/api-error.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Caller } from '#identity/records.ts'
import { admit } from './admit.ts'
import { CallWatch } from './call-watch.ts'
import { forward, timeouts } from './forward.ts'
import type { Gateway } from './gateway.ts'
import { readChatRequest, upstreamBody } from './read-chat-request.ts'
import type { RequestRecord } from './record.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'
import { resolveModel } from './resolve-model.ts'

export async function serveChatCompletion(gateway: Gateway, exchange: Exchange, caller: Caller): Promise<Response> {
  // Disposed in reverse order: the slot is free before the record says that the request has ended.
  using held = new DisposableStack()
  const record = held.use(gateway.recorder.begin(exchange, caller, 'chat/completions'))
  try {
    return await tell(gateway, { exchange, caller, record, held })
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

async function tell(gateway: Gateway, { exchange, caller, record, held }: Telling): Promise<Response> {
  const { settings, ticker, shutdown } = gateway
  const request = await readChatRequest(exchange, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }) // 400, 408, 413, 415
  record.modelAsked = request.model
  record.requestBytes = request.bytes.length
  record.streamed = request.streamed

  const model = resolveModel(gateway.catalog(), request.model, caller) // 404, 403
  record.model = model
  held.use(await admit(gateway, caller, model)) // 429

  const { idleSeconds, totalSeconds } = timeouts(gateway, model)
  const watch = held.use(new CallWatch(exchange, { ticker, shutdown, totalSeconds }))
  const body = upstreamBody(request, model.record.upstreamName, true)
  const reply = await forward(
    gateway,
    { endpoint: 'chat/completions', body, streamed: request.streamed },
    { exchange, model, watch, record },
  ) // 4xx of the upstream, 502, 503, 504

  const relay = {
    exchange,
    watch,
    record,
    held,
    rewriteModel: settings.get('gateway.rewrite_model') ? request.model : null,
    stripUsage: !request.wantsUsage,
    idleSeconds,
    keepaliveSeconds: settings.get('gateway.keepalive_seconds'),
    responseBytesMax: settings.get('gateway.max_response_bytes'),
    eventBytesMax: settings.get('gateway.max_event_bytes'),
    ticker,
  }
  if (!request.streamed) return relayWhole(reply, relay) // 502, 504
  return relayStream(reply, { ...relay, held: held.move() }) // as before the first event; after it, in-band
}
