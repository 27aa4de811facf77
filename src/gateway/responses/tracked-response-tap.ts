/**
 * Tracks a response that is streamed (response-tracker.ts). The events pass as the inner tap lets them;
 * only the first one that has the response's id is read here.
 */
import { Buffer } from 'node:buffer'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { isObject } from '#lib/json-value.ts'
import { readResponseInfo } from './response-tracker.ts'
import type { ResponseTracker } from '../relay/relay.ts'
import type { Tap } from '../relay/relay-stream.ts'
import type { StreamTap } from '../relay/stream-tap.ts'
import type { TokenUsage } from '../usage/token-usage.ts'

const responseKey = Buffer.from('"response"')

/** The events of a response, as its provider sends them or under other names. */
type TrackedEvents = Tap & Pick<StreamTap, 'failure'>

export class TrackedResponseTap implements Tap {
  /** The events have to wait for this; null for nothing. Never rejects. */
  pendingWrite: Promise<void> | null = null
  readonly #events: TrackedEvents
  readonly #tracker: ResponseTracker
  readonly #mayBeEmpty: boolean
  #observed = false
  #claimed = false
  #kept = false
  #counted = false

  /** @param mayBeEmpty a stream without events is complete: it was resumed after its last event */
  constructor(events: TrackedEvents, tracker: ResponseTracker, mayBeEmpty = false) {
    this.#events = events
    this.#tracker = tracker
    this.#mayBeEmpty = mayBeEmpty
  }

  get usage(): TokenUsage | null {
    return this.#counted ? this.#events.usage : null
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

  get upstreamError(): Tap['upstreamError'] {
    return this.#events.upstreamError
  }

  get failure(): StreamTap['failure'] {
    return this.#events.failure
  }

  get oversized(): boolean {
    return this.#events.oversized
  }

  push(bytes: Uint8Array): Uint8Array | null {
    return this.#track(this.#events.push(bytes))
  }

  end(): Uint8Array | null {
    const rest = this.#track(this.#events.end())
    return rest === null && this.#mayBeEmpty && !this.started && this.upstreamError === null ? new Uint8Array() : rest
  }

  #track(events: Uint8Array | null): Uint8Array | null {
    if (events === null) return null
    if (!this.#observed) this.#look(Buffer.from(events.buffer, events.byteOffset, events.byteLength))
    if (this.complete && this.#tracker.keeps && !this.#kept) this.#keepLast(Buffer.from(events))
    if (this.complete && !this.#claimed && this.#events.usage !== null) {
      this.#claimed = true
      this.#waitFor(this.#tracker.claimUsage().then((counts) => void (this.#counted = counts)))
    }
    return events
  }

  /** The last event holds the whole answer: a conversation that the gateway keeps goes on with it. */
  #keepLast(events: Buffer): void {
    for (let from = 0; from < events.length && !this.#kept;) {
      const end = nextEventEnd(events, from) || events.length
      const response = responseOf(events.subarray(from, end))
      from = end
      if (response === null || !readResponseInfo(response).ended) continue
      this.#kept = true
      this.#waitFor(this.#tracker.keep(response))
    }
  }

  #look(events: Buffer): void {
    for (let from = 0; from < events.length && !this.#observed && events.indexOf(responseKey, from) >= 0;) {
      const end = nextEventEnd(events, from) || events.length
      const response = responseOf(events.subarray(from, end))
      from = end
      if (response === null) continue
      const info = readResponseInfo(response)
      this.#observed = info.id !== null
      if (this.#observed) this.#waitFor(this.#tracker.observe(info))
    }
  }

  #waitFor(work: Promise<void>): void {
    const pending: Promise<void> = Promise.all([this.pendingWrite, work]).then(() => {
      if (this.pendingWrite === pending) this.pendingWrite = null
    })
    this.pendingWrite = pending
  }
}

/** The response in an event; null when the event has none, or cannot be read. */
function responseOf(event: Buffer): Readonly<Record<string, unknown>> | null {
  const span = singleDataSpan(event)
  if (span === null) return null
  try {
    const data: unknown = JSON.parse(event.toString('utf8', span.start, span.end))
    return isObject(data) && isObject(data['response']) ? data['response'] : null
  } catch {
    return null
  }
}
