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
import { RenamedEvents } from './own-names.ts'
import { TrackedResponseTap } from './tracked-response-tap.ts'
import { readResponseInfo } from './response-tracker.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import type { Relay, ResponseNames, ResponseTracker } from '../relay/relay.ts'
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
export function relayResponse(reply: Reply, relay: Relay, mayBeEmpty = false): Response | Promise<Response> {
  const tracker = relay.tracker()
  if (isEventStream(reply)) {
    const { names } = tracker
    const wrapTap = (events: StreamTap): TrackedResponseTap =>
      new TrackedResponseTap(names === null ? events : new RenamedEvents(events, names), tracker, mayBeEmpty)
    return relayStream(reply, relay, { lastTypes, failureEvent, wrapTap })
  }
  return relayWhole(reply, relay, readUsage, async (sent) => {
    const body = tracker.names === null ? sent : renamed(sent, tracker.names)
    const values = valuesOf(body)
    const info = readResponseInfo(values)
    recordFailure(relay, values)
    await tracker.observe(info)
    if (tracker.keeps && info.ended) await keepBody(tracker, body)
    if (!info.ended || !(await tracker.claimUsage())) relay.record.usage = null
    return body
  })
}

/** The answer under the gateway's names. Answers 502 for what is not a response. */
function renamed(body: Buffer<ArrayBuffer>, names: ResponseNames): Buffer<ArrayBuffer> {
  let value: unknown
  try {
    value = parseBounded(body, passedJsonLimits)
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
  return isObject(value) ? Buffer.from(JSON.stringify(names.response(value))) : body
}

/** For an answer or a conversation that the gateway keeps and its provider does not know. */
async function keepBody(tracker: ResponseTracker, body: Buffer): Promise<void> {
  const answer = parseBounded(body, passedJsonLimits)
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
export function failureEvent(error: ApiError): Uint8Array {
  const { error: body } = errorBody(error)
  const { code, message, param } = body
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, error: body })}\n\n`)
}
