/**
 * The ids under which the gateway keeps an answer of a provider that has the Responses API and stores nothing. The
 * provider's own ids are replaced wherever they stand, so that a client can ask for the answer, and name its items, as it
 * can with any kept response (kept-ids.ts).
 */
import { Buffer } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { isObject } from '#lib/json-value.ts'
import type { ResponseNames } from '../relay/relay.ts'
import type { Tap } from '../relay/relay-stream.ts'
import type { StreamTap } from '../relay/stream-tap.ts'
import type { KeptState } from '../request/response-state.ts'
import { keptResponseId, outputItemId } from './kept-ids.ts'

type Fields = Readonly<Record<string, unknown>>

/** The names of one answer, whole or event by event. */
export class OwnNames implements ResponseNames {
  readonly #state: KeptState
  /** New ids of items by their place in the output. */
  readonly #items = new Map<number, string>()
  #sequence = -1

  constructor(state: KeptState) {
    this.#state = state
  }

  response(value: Fields): Fields {
    const { hex, stored, background, previousId, conversationId } = this.#state
    const { output } = value
    return {
      ...value,
      id: keptResponseId(hex),
      store: stored,
      background,
      previous_response_id: previousId,
      ...(conversationId !== null && { conversation: { id: conversationId } }),
      ...(Array.isArray(output) && { output: output.map((item, at) => this.#item(item, at)) }),
    }
  }

  /** Events are counted from 0, whatever number the provider gives them. */
  event(value: Fields): Fields {
    const { type, output_index: at, item, item_id: itemId, response } = value
    const index = typeof at === 'number' ? at : null
    if (value['sequence_number'] !== undefined) this.#sequence += 1
    return {
      type,
      ...value,
      ...(value['sequence_number'] !== undefined && { sequence_number: this.#sequence }),
      ...(isObject(response) && { response: this.response(response) }),
      ...(index !== null && item !== undefined && { item: this.#item(item, index) }),
      ...(index !== null && typeof itemId === 'string' && { item_id: this.#idOf(itemId, index) }),
    }
  }

  #item(item: unknown, at: number): unknown {
    return isObject(item) ? { ...item, id: this.#idOf(item['id'] ?? item['type'], at) } : item
  }

  #idOf(id: unknown, at: number): string {
    const known = this.#items.get(at)
    if (known !== undefined) return known
    const made = outputItemId(this.#state.hex, at, /^[a-z]+(?=_)/.exec(String(id))?.[0])
    this.#items.set(at, made)
    return made
  }
}

type Events = Pick<
  StreamTap,
  'usage' | 'started' | 'done' | 'complete' | 'upstreamError' | 'failure' | 'oversized' | 'push' | 'end'
>

/** A stream whose events have the gateway's names. */
export class RenamedEvents implements Tap {
  readonly #events: Events
  readonly #names: ResponseNames

  constructor(events: Events, names: ResponseNames) {
    this.#events = events
    this.#names = names
  }

  get usage(): Events['usage'] {
    return this.#events.usage
  }

  get started(): boolean {
    return this.#events.started
  }

  get done(): boolean {
    return this.#events.done
  }

  get complete(): boolean {
    return this.#events.complete
  }

  get upstreamError(): Events['upstreamError'] {
    return this.#events.upstreamError
  }

  get failure(): Events['failure'] {
    return this.#events.failure
  }

  get oversized(): boolean {
    return this.#events.oversized
  }

  push(bytes: Uint8Array): Uint8Array | null {
    return this.#renamed(this.#events.push(bytes))
  }

  end(): Uint8Array | null {
    return this.#renamed(this.#events.end())
  }

  #renamed(bytes: Uint8Array | null): Uint8Array | null {
    if (bytes === null) return null
    const events = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const pieces: Uint8Array[] = []
    for (let from = 0; from < events.length;) {
      const end = nextEventEnd(events, from) || events.length
      pieces.push(this.#one(events.subarray(from, end)))
      from = end
    }
    return Buffer.concat(pieces)
  }

  #one(event: Buffer): Uint8Array {
    const span = singleDataSpan(event)
    const value = span === null ? null : parsed(event.subarray(span.start, span.end))
    if (!isObject(value)) return event
    const type = typeof value['type'] === 'string' ? `event: ${value['type']}\n` : ''
    return Buffer.from(`${type}data: ${JSON.stringify(this.#names.event(value))}\n\n`)
  }
}

/** Throws for what would hold up the main thread; null for what is not JSON. */
function parsed(json: Buffer): unknown {
  try {
    return parseBounded(json, passedJsonLimits)
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw new ApiError('upstream_invalid_response', { cause })
  }
}
