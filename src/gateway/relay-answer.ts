/** Which way an answer is relayed: by what the client asked for, or by what the upstream sends. */
import type { ApiError } from '#errors/api-error.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { RelayAnswer } from './relay.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'

/** Events when the client asked for a stream, else one JSON document: for endpoints whose streams end with [DONE]. */
export const relayAsAsked: RelayAnswer = (reply, relay) =>
  relay.streamed ? relayStream(reply, relay) : relayWhole(reply, relay)

/**
 * Events when the upstream sends events, else `document`: where not every upstream can stream, or
 * the wish stands in a form that nobody has read.
 * @param lastTypes the `type` of an event after which the answer is complete
 * @param failure the event that ends an answer that broke off; a chat completion's when left out
 */
export function eventsOr(
  document: RelayAnswer,
  lastTypes: ReadonlySet<string>,
  failure?: (error: ApiError) => Uint8Array,
): RelayAnswer {
  return (reply, relay) =>
    isEventStream(reply) ? relayStream(reply, relay, lastTypes, failure) : document(reply, relay)
}

function isEventStream({ headers }: Reply): boolean {
  return headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true
}
