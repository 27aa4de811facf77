/** Chooses how an answer is relayed: by what the client asked for, or by what the upstream sends. */
import type { Reply } from '#lib/http1/reply.ts'
import type { RelayAnswer } from './relay.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'

/** Events when the client asked for a stream, else one JSON document: for endpoints whose streams end with [DONE]. */
export const relayAsRequested: RelayAnswer = (reply, relay) =>
  relay.streamed ? relayStream(reply, relay) : relayWhole(reply, relay)

/**
 * Events when the upstream sends events, else `document`: for endpoints where not every upstream can
 * stream, or where the client's wish stands in a form that the gateway does not read.
 * @param lastTypes the `type` of an event after which the answer is complete
 */
export function eventsOr(document: RelayAnswer, lastTypes: ReadonlySet<string>): RelayAnswer {
  return (reply, relay) => (isEventStream(reply) ? relayStream(reply, relay, { lastTypes }) : document(reply, relay))
}

/** Whether the upstream sends events, whatever was asked for. */
export function isEventStream({ headers }: Reply): boolean {
  return headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true
}
