/**
 * Relays an answer of the Responses API by a provider that has this API, whole or as events. The
 * provider may store the response: its owner is registered before the client learns its id
 * (response-tracker.ts).
 */
import { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { findFields, isWholeObject } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { TrackedResponseTap } from './tracked-response-tap.ts'
import { readResponseInfo } from './response-tracker.ts'
import { parseBounded } from '#lib/bounded-json.ts'
import type { Relay, ResponseTracker } from '../relay/relay.ts'
import { isEventStream } from '../relay/relay-answer.ts'
import { relayStream } from '../relay/relay-stream.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import type { StreamTap } from '../relay/stream-tap.ts'
import { readUsage } from '../usage/token-usage.ts'

const lastTypes = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])
const readFields = new Set(['id', 'status', 'store', 'background', 'conversation', 'error'])

/**
 * The answer for the client. Throws what goes wrong before its first byte.
 * @param mayBeEmpty the client asks for the rest of a stream, of which nothing may be left
 */
export function relayResponse(reply: Reply, relay: Relay, mayBeEmpty = false): Promise<Response> {
  const tracker = relay.tracker()
  if (isEventStream(reply)) {
    const wrapTap = (events: StreamTap): TrackedResponseTap => new TrackedResponseTap(events, tracker, mayBeEmpty)
    return relayStream(reply, relay, { lastTypes, failureEvent, wrapTap })
  }
  return relayWhole(reply, relay, readUsage, async (body) => {
    const values = valuesOf(body)
    const info = readResponseInfo(values)
    recordFailure(relay, values)
    await tracker.observe(info)
    if (tracker.keeps && info.ended) await keepBody(tracker, body)
    if (!info.ended || !(await tracker.claimUsage())) relay.record.usage = null
    return body
  })
}

/** For a conversation that the gateway keeps: its provider does not know it. */
async function keepBody(tracker: ResponseTracker, body: Buffer): Promise<void> {
  const answer = parseBounded(body)
  if (isObject(answer)) await tracker.keep(answer)
}

/** The values of the fields that are read here, of repeated ones the last; none when they cannot be read. */
function valuesOf(body: Buffer): Readonly<Record<string, unknown>> {
  if (!isWholeObject(body)) return {}
  const text = findFields(body, readFields).map(
    ({ name, valueStart, valueEnd }) => `${JSON.stringify(name)}:${body.toString('utf8', valueStart, valueEnd)}`,
  )
  try {
    return JSON.parse(`{${text.join(',')}}`) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** A response with the status `failed` is complete, but it is not a success. */
function recordFailure({ record }: Relay, { status, error }: Readonly<Record<string, unknown>>): void {
  if (status !== 'failed') return
  const isLimit = isObject(error) && error['code'] === 'rate_limit_exceeded'
  record.fail(new ApiError(isLimit ? 'upstream_rate_limited' : 'upstream_error'))
}

/** The error event of this API. It has no sequence number, because the gateway does not count the events that pass through. */
function failureEvent(error: ApiError): Uint8Array {
  const { error: body } = errorBody(error)
  const { code, message, param } = body
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, error: body })}\n\n`)
}
