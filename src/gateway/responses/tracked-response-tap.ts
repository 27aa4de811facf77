/**
 * Watches the events of an answer that its provider may keep (kept-answer.ts). The events themselves
 * pass as the tap below lets them; only the first that tells the answer's id is read here.
 */
import { Buffer } from 'node:buffer'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { isObject } from '../request/fields.ts'
import { seenAnswer, type Keeper } from './response-tracker.ts'
import type { Tap } from '../relay/relay-stream.ts'
import type { StreamTap } from '../relay/stream-tap.ts'
import type { TokenUsage } from '../usage/token-usage.ts'

const responseKey = Buffer.from('"response"')

export class KeptAnswerTap implements Tap {
  /** What has to be done before the events go to the client; null for nothing. Rejects never. */
  noted: Promise<void> | null = null
  readonly #events: StreamTap
  readonly #keeper: Keeper
  readonly #mayBeEmpty: boolean
  #seen = false
  #asked = false
  #counted = false

  /** @param mayBeEmpty no events at all are a whole answer: a stream that is resumed after its last one */
  constructor(events: StreamTap, keeper: Keeper, mayBeEmpty = false) {
    this.#events = events
    this.#keeper = keeper
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
    return this.#watched(this.#events.push(bytes))
  }

  end(): Uint8Array | null {
    const rest = this.#watched(this.#events.end())
    return rest === null && this.#mayBeEmpty && !this.started && this.upstreamError === null ? new Uint8Array() : rest
  }

  #watched(events: Uint8Array | null): Uint8Array | null {
    if (events === null) return null
    if (!this.#seen) this.#look(Buffer.from(events.buffer, events.byteOffset, events.byteLength))
    if (this.complete && !this.#asked && this.#events.usage !== null) {
      this.#asked = true
      this.#note(this.#keeper.countsUsage().then((counts) => void (this.#counted = counts)))
    }
    return events
  }

  #look(events: Buffer): void {
    for (let from = 0; from < events.length && !this.#seen && events.indexOf(responseKey, from) >= 0;) {
      const end = nextEventEnd(events, from) || events.length
      const response = responseOf(events.subarray(from, end))
      from = end
      if (response === null) continue
      const answer = seenAnswer(response)
      this.#seen = answer.id !== null
      if (this.#seen) this.#note(this.#keeper.seen(answer))
    }
  }

  #note(work: Promise<void>): void {
    const noted: Promise<void> = Promise.all([this.noted, work]).then(() => {
      if (this.noted === noted) this.noted = null
    })
    this.noted = noted
  }
}

/** The answer that an event tells of; null when it tells of none, or cannot be read. */
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
