/**
 * Relays the answer of a chat over documents like that of any chat, and adds the sources as the field
 * `citations`. A whole answer has the field at its end; a stream has it in the first event that is a
 * chunk, so that a client can show sources while the text comes. Clients ignore a field that they do
 * not know.
 */
import { Buffer } from 'node:buffer'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { findFields, isWholeObject, replaceSpans } from '#lib/json-span.ts'
import type { RelayAnswer } from '../relay/relay.ts'
import { relayStream } from '../relay/relay-stream.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { StreamTap, type TapOptions } from '../relay/stream-tap.ts'
import { readUsage } from '../usage/token-usage.ts'
import type { Retrieved, RetrievedChunk } from './retrieve.ts'

const citationsField = new Set(['citations'])
const closeBrace = 0x7d

/** Relays an answer and adds the sources that its numbers in brackets stand for. */
export function relayWithCitations(
  chunks: readonly RetrievedChunk[],
  told: Omit<Retrieved, 'chunks'> | null,
): RelayAnswer {
  const retrieval = told === null ? '' : `,"retrieval":${JSON.stringify(told)}`
  const citations = JSON.stringify(chunks.map(citationOf)) + retrieval
  return (reply, relay) =>
    relay.streamed
      ? relayStream(reply, relay, { wrapTap: () => new CitationsTap(relay, citations) })
      : relayWhole(reply, relay, readUsage, (body) => addCitations(body, citations))
}

function citationOf(chunk: RetrievedChunk, at: number) {
  const { docId, name, page, headingPath, start, end, text } = chunk
  return { index: at + 1, doc_id: docId, name, page, heading_path: headingPath, start, end, text }
}

/** The object with the field, which replaces one of the provider's. Anything but an object stays as it is. */
function addCitations(json: Buffer, citations: string): Buffer<ArrayBuffer> {
  if (!isWholeObject(json)) return Buffer.from(json)
  const fields = findFields(json, citationsField)
  if (fields.length > 0)
    return replaceSpans(
      json,
      fields.map(({ valueStart, valueEnd }) => ({ start: valueStart, end: valueEnd, text: citations })),
    )
  const end = json.lastIndexOf(closeBrace)
  const isEmpty = /^\s*\{\s*$/.test(json.toString('latin1', 0, Math.min(end, 64)))
  return replaceSpans(json, [{ start: end, end, text: `${isEmpty ? '' : ','}"citations":${citations}` }])
}

/** A tap that adds the field to the first chunk. */
class CitationsTap extends StreamTap {
  readonly #citations: string
  #added = false

  constructor(options: TapOptions, citations: string) {
    super(options)
    this.#citations = citations
  }

  override push(bytes: Uint8Array): Uint8Array | null {
    return this.#addToFirst(super.push(bytes))
  }

  override end(): Uint8Array | null {
    return this.#addToFirst(super.end())
  }

  #addToFirst(passed: Uint8Array | null): Uint8Array | null {
    if (this.#added || passed === null) return passed
    const events = Buffer.from(passed)
    for (let from = 0; from < events.length;) {
      const end = nextEventEnd(events, from) || events.length
      const span = singleDataSpan(events.subarray(from, end))
      const data = span === null ? null : events.subarray(from + span.start, from + span.end)
      if (span !== null && data !== null && isWholeObject(data)) {
        this.#added = true
        const edited = addCitations(data, this.#citations)
        return Buffer.concat([events.subarray(0, from + span.start), edited, events.subarray(from + span.end)])
      }
      from = end
    }
    return passed
  }
}
