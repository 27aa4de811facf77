/**
 * Watches the bytes of a streamed chat answer on their way to the client, and changes as few of
 * them as the contract asks: whole events go out exactly as they came, except that the usage which
 * the gateway asked for on its own account is taken out again.
 *
 * Only complete events leave the tap, so an upstream that dies inside an event leaves no half of
 * it behind. Most events are looked at by two searches for bytes and never parsed.
 */
import { Buffer } from 'node:buffer'
import { lastEventEnd, nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { findFields, removeField, replaceSpans, type FieldSpan } from '#lib/json-span.ts'
import { readUsage, type TokenUsage } from './usage.ts'

export interface TapOptions {
  /** True when the client did not ask for usage: its chunk and its null fields are taken out. */
  readonly stripUsage: boolean
  /** Written over the `model` of every chunk; null leaves what the upstream sent. */
  readonly rewriteModel: string | null
  /** An event larger than this is an upstream gone wrong. Bytes. */
  readonly eventBytesMax: number
}

/** What the upstream put into an `error` event inside its stream. */
export interface StreamedError {
  readonly message: string | null
  readonly code: string | null
}

const usageKey = Buffer.from('"usage"')
const errorKey = Buffer.from('"error"')
const doneMark = Buffer.from('[DONE]')
const newlines = Buffer.from('\n\n')
const watchedFields = new Set(['usage', 'error', 'choices', 'model'])
/** How many passed pieces are kept to look for a finish reason when a stream ends without [DONE]. */
const recentPieces = 4

export class StreamTap {
  /** The last usage that the upstream reported. */
  usage: TokenUsage | null = null
  /** `data: [DONE]` has passed; nothing after it leaves the tap. */
  done = false
  /** The upstream's own error event; nothing after it leaves the tap. */
  upstreamError: StreamedError | null = null
  /** An event grew past the limit. */
  oversized = false

  /** At least one event has passed. */
  started = false

  readonly #options: TapOptions
  #held: Buffer[] = []
  #heldBytes = 0
  #recent: Uint8Array[] = []

  constructor(options: TapOptions) {
    this.#options = options
  }

  /** The events that are complete with these bytes, or null when there is nothing to send yet. */
  push(chunk: Uint8Array): Uint8Array | null {
    if (this.done || this.upstreamError !== null) return null
    const bytes = this.#withHeld(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    const end = bytes === null ? 0 : lastEventEnd(bytes)
    if (bytes === null || end === 0) return null
    if (end < bytes.length) this.#hold(bytes.subarray(end))
    return this.#pass(end === bytes.length ? bytes : bytes.subarray(0, end))
  }

  /**
   * Called when the upstream has closed the stream properly. Returns what is still to be sent, which
   * completes the stream, or null when the answer was cut off.
   */
  end(): Uint8Array | null {
    let last: Uint8Array | null = null
    // A last event without its empty line counts if it is whole; see the several servers that omit it.
    if (this.#heldBytes > 0) {
      const event = Buffer.concat([...this.#held, newlines])
      this.#held = []
      if (!isWholeEvent(event)) return null
      last = this.#pass(event)
    }
    if (this.done) return last ?? new Uint8Array()
    if (this.upstreamError !== null || !this.#sawFinishReason()) return null
    return Buffer.concat([last ?? new Uint8Array(), Buffer.from('data: [DONE]\n\n')])
  }

  #withHeld(chunk: Buffer): Buffer | null {
    if (this.#heldBytes === 0) return chunk
    // A long event in many reads is joined once, when a line end has come that may close it.
    this.#hold(chunk)
    if (this.oversized || !(chunk.includes(0x0a) || chunk.includes(0x0d))) return null
    const joined = Buffer.concat(this.#held)
    if (lastEventEnd(joined) === 0) {
      this.#held = [joined]
      return null
    }
    this.#held = []
    this.#heldBytes = 0
    return joined
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    this.oversized = this.#heldBytes > this.#options.eventBytesMax
  }

  #pass(events: Buffer): Uint8Array | null {
    const plain = this.#options.rewriteModel === null && events.indexOf(usageKey) < 0 && events.indexOf(errorKey) < 0
    const passed = plain && events.indexOf(doneMark) < 0 ? events : this.#passEach(events)
    if (passed !== null) {
      this.started = true
      if (this.#recent.length === recentPieces) this.#recent.shift()
      this.#recent.push(passed)
    }
    return passed
  }

  #passEach(events: Buffer): Buffer | null {
    const out: Buffer[] = []
    let from = 0
    while (from < events.length && !this.done && this.upstreamError === null) {
      const end = nextEventEnd(events, from) || events.length
      const event = this.#passOne(events.subarray(from, end))
      if (event !== null) out.push(event)
      from = end
    }
    return out.length === 0 ? null : Buffer.concat(out)
  }

  #passOne(event: Buffer): Buffer | null {
    const span = singleDataSpan(event)
    if (span === null) return event
    const data = event.subarray(span.start, span.end)
    if (data.equals(doneMark)) {
      this.done = true
      return event
    }
    const fields = findFields(data, watchedFields)
    const error = fieldValue(data, fields, 'error')
    if (error !== undefined && error !== null) {
      this.upstreamError = readStreamedError(error)
      return null
    }
    const edited = this.#edit(data, fields)
    if (edited === data) return event
    return edited === null ? null : Buffer.concat([event.subarray(0, span.start), edited, event.subarray(span.end)])
  }

  /** The chunk as the client should see it; null drops it. */
  #edit(data: Buffer, fields: readonly FieldSpan[]): Buffer | null {
    const reported = readUsage(fieldValue(data, fields, 'usage'))
    if (reported !== null) this.usage = reported
    let edited = data
    const { rewriteModel } = this.#options
    const model = fields.find((field) => field.name === 'model')
    if (rewriteModel !== null && model !== undefined) {
      edited = replaceSpans(data, [
        { start: model.valueStart, end: model.valueEnd, text: JSON.stringify(rewriteModel) },
      ])
    }
    if (!this.#options.stripUsage) return edited
    const usage = findFields(edited, watchedFields).find((field) => field.name === 'usage')
    if (usage === undefined) return edited
    // Asking for usage adds one chunk without choices and a null field on all others: both go. Counts on
    // a chunk with choices are what the upstream sends unasked, and stay.
    if (reported === null) return removeField(edited, usage)
    return isEmptyArray(fieldValue(data, fields, 'choices')) ? null : edited
  }

  #sawFinishReason(): boolean {
    return /"finish_reason"\s*:\s*"/.test(this.#recent.map((piece) => Buffer.from(piece).toString('latin1')).join(''))
  }
}

function fieldValue(data: Buffer, fields: readonly FieldSpan[], name: string): unknown {
  const field = fields.find((each) => each.name === name)
  if (field === undefined) return undefined
  try {
    return JSON.parse(data.toString('utf8', field.valueStart, field.valueEnd)) as unknown
  } catch {
    // Not JSON after all: the event passes untouched.
    return undefined
  }
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function isWholeEvent(event: Buffer): boolean {
  const span = singleDataSpan(event)
  if (span === null) return false
  const data = event.toString('utf8', span.start, span.end)
  if (data === '[DONE]') return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}

function readStreamedError(value: unknown): StreamedError {
  if (typeof value === 'string') return { message: value, code: null }
  const { message, code } = value as { message?: unknown; code?: unknown }
  return {
    message: typeof message === 'string' ? message : null,
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
  }
}
