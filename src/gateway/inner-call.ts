/**
 * A model call of the server itself: vectors of a document, the description of a picture. The handler of
 * clients' calls serves it (serve-model-call.ts), so access, batch rules, failover, health, time-outs and
 * usage records are the same. Batch work takes no in-flight slot. There is no
 * socket: the caller gets the answer in this process.
 */
import type { Purpose } from '#catalog/records.ts'
import type { Caller } from '#identity/records.ts'
import { OutgoingForm } from '#lib/outgoing-form.ts'
import type { ModelCall } from './endpoints/model-call.ts'
import type { Gateway } from './gateway.ts'
import { InnerContext } from './inner-context.ts'
import { serveModelCall } from './serve-model-call.ts'

export interface InnerCall {
  /** The account that it is counted for; without a key when it does not belong to a request. */
  readonly caller: Caller
  readonly call: ModelCall
  /** `realtime` when a request waits for the answer; `batch` when left out. */
  readonly purpose?: Purpose
  /** The body, as a client would send it: what is JSON, or a form. */
  readonly body: object | OutgoingForm
  /** Ends the call. */
  readonly signal: AbortSignal
}

/** The answer to the call, a 2xx. Throws the ApiError that a client would be answered. */
export async function innerCall(gateway: Gateway, inner: InnerCall): Promise<Response> {
  const { caller, call, purpose = 'batch', body, signal } = inner
  const sent = body instanceof OutgoingForm ? { form: body } : { body: JSON.stringify(body) }
  const context = new InnerContext(call.endpoint, sent, signal, gateway.clock)
  return serveModelCall(gateway, context, caller, { ...call, purpose })
}
