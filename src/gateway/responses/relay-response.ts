/**
 * Relays an answer of the Responses API by a provider that has it, whole or as events. The provider
 * may keep the answer, which is noted before the client learns its id (kept-answer.ts).
 */
import { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { findFields, isWholeObject } from '#lib/json-span.ts'
import { isObject } from '../request/fields.ts'
import { KeptAnswerTap } from './tracked-response-tap.ts'
import { seenAnswer } from './response-tracker.ts'
import type { Relay } from '../relay/relay.ts'
import { isEventStream } from '../relay/relay-answer.ts'
import { relayStream } from '../relay/relay-stream.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import type { StreamTap } from '../relay/stream-tap.ts'
import { readUsage } from '../usage/token-usage.ts'

const lastTypes = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])
const readFields = new Set(['id', 'status', 'store', 'background', 'conversation', 'error'])

/**
 * The answer for the client. Throws what goes wrong before its first byte.
 * @param mayBeEmpty the events are the rest of an answer, of which nothing may be left
 */
export function relayResponse(reply: Reply, relay: Relay, mayBeEmpty = false): Promise<Response> {
  const keeper = relay.keeper()
  if (isEventStream(reply)) {
    const watching = (events: StreamTap): KeptAnswerTap => new KeptAnswerTap(events, keeper, mayBeEmpty)
    return relayStream(reply, relay, { lastTypes, failure, watching })
  }
  return relayWhole(reply, relay, readUsage, async (body) => {
    const values = valuesOf(body)
    const answer = seenAnswer(values)
    recordFailure(relay, values)
    await keeper.seen(answer)
    if (!answer.ended || !(await keeper.countsUsage())) relay.record.usage = null
    return body
  })
}

/** Of the fields that are read here, the last of each name; none that cannot be read. */
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

/** An answer that says of itself that it failed is whole, and no success. */
function recordFailure({ record }: Relay, { status, error }: Readonly<Record<string, unknown>>): void {
  if (status !== 'failed') return
  const isLimit = isObject(error) && error['code'] === 'rate_limit_exceeded'
  record.fail(new ApiError(isLimit ? 'upstream_rate_limited' : 'upstream_error'))
}

/** As the API words it. It has no sequence number, because nobody counts the events that pass through. */
function failure(error: ApiError): Uint8Array {
  const { error: body } = errorBody(error)
  const { code, message, param } = body
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, error: body })}\n\n`)
}
