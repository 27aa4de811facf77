/**
 * Watches the bytes of a streamed answer on their way to the client, and changes as few of them as the
 * contract asks: whole events go out byte for byte, except that the model's name may be
 * rewritten and the usage that only the gateway asked for is taken out again.
 *
 * Only complete events leave the tap, so an upstream that dies inside an event leaves no half of
 * it behind. Most events are looked at by two searches for bytes and never parsed.
 */
import { Buffer } from 'node:buffer'
import { lastEventEnd, nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { findFields, removeField, replaceSpans, type FieldSpan } from '#lib/json-span.ts'
import { latestKinds, readUsage, type TokenUsage } from '../usage/token-usage.ts'

export interface TapOptions {
  /** True when the client did not ask for usage: its chunk and its null fields are taken out. */
  readonly stripUsage: boolean
  /** Written over the `model` of every chunk; null leaves what the upstream sent. */
  readonly rewriteModel: string | null
  /** An event larger than this is an upstream gone wrong. Bytes. */
  readonly eventBytesMax: number
}

/** The error that the upstream sent in an event of its stream. */
export interface StreamedError {
  readonly message: string | null
  readonly code: string | null
}

const usageKey = Buffer.from('"usage"')
const errorKey = Buffer.from('"error"')
const doneMark = Buffer.from('[DONE]')
const finishKey = Buffer.from('"finish_reason"')
const typeKey = Buffer.from('"type"')
const watchedFields = new Set(['usage', 'error', 'choices', 'model', 'type', 'response', 'message'])
const answerFields = new Set(['usage', 'model'])
const noTypes: ReadonlySet<string> = new Set()
/** Last events of the Responses API that say why there is no answer. */
const failedTypes: ReadonlySet<string> = new Set(['response.failed', 'error'])
const lineFeed = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a
const quote = 0x22

export class StreamTap {
  /** The last usage that the upstream reported. */
  usage: TokenUsage | null = null
  /** `data: [DONE]` has passed; nothing after it leaves the tap. */
  done = false
  /** The upstream's own error event; nothing after it leaves the tap. */
  upstreamError: StreamedError | null = null
  /** An event grew past the limit; it and what follows it never leave the tap. */
  oversized = false
  /** The error in the last event of an answer that failed upstream; the client gets that event. */
  failure: StreamedError | null = null
  /** At least one event has passed. */
  started = false

  readonly #options: TapOptions
  readonly #lastTypes: ReadonlySet<string>
  #complete = false
  /** Pieces of an event that is not complete yet; none of them is empty. */
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** The last event was completed with a line feed that may still come from the upstream. */
  #lineFeedAhead = false
  #finishReason = false

  /** @param lastTypes the `type` of an event that completes the answer; for APIs that do not send [DONE] */
  constructor(options: TapOptions, lastTypes: ReadonlySet<string> = noTypes) {
    this.#options = options
    this.#lastTypes = lastTypes
  }

  /** The events so far are a complete answer, although more may follow. */
  get complete(): boolean {
    return this.done || this.#complete
  }

  /** The events that are complete with these bytes, or null when there is nothing to send yet. */
  push(chunk: Uint8Array): Uint8Array | null {
    if (this.done || this.oversized || this.upstreamError !== null || chunk.byteLength === 0) return null
    let bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (this.#lineFeedAhead) {
      this.#lineFeedAhead = false
      if (bytes[0] === lineFeed) bytes = bytes.subarray(1)
    }
    const end = this.#pendingBytes === 0 ? lastEventEnd(bytes) : this.#endAfterPending(bytes)
    const events = end === 0 ? null : this.#withPending(end === bytes.length ? bytes : bytes.subarray(0, end))
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    return events === null ? null : this.#pass(this.#withWholeLineEnd(events))
  }

  /**
   * Called when the upstream has closed the stream properly. Returns what is still to be sent, which
   * completes the stream, or null when the answer was cut off.
   */
  end(): Uint8Array | null {
    if (this.oversized || this.upstreamError !== null) return null
    if (this.done) return new Uint8Array()
    const rest = this.#withPending(Buffer.alloc(0))
    let last: Uint8Array | null = null
    if (!isOnlyComments(rest)) {
      // A last event without its empty line counts if it is whole: several servers leave the line out.
      const event = Buffer.concat([rest, Buffer.from(rest.at(-1) === lineFeed ? '\n' : '\n\n')])
      if (!isWholeEvent(event)) return null
      last = this.#pass(event)
      if (this.done) return last
    }
    if (this.oversized || this.upstreamError !== null) return null
    if (this.#complete) return last ?? new Uint8Array()
    return this.#finishReason ? Buffer.concat([last ?? new Uint8Array(), Buffer.from('data: [DONE]\n\n')]) : null
  }

  /**
   * Offset after the last event that ends in these bytes, which follow the pending ones. Looks only at
   * the last two of those, so an event in any number of pieces costs no more than its length.
   */
  #endAfterPending(bytes: Buffer): number {
    const end = lastEventEnd(bytes)
    if (end > 0) return end
    const tails = this.#pending.slice(-2).map((piece) => piece.subarray(-2))
    const seam = Buffer.concat([...tails, bytes.subarray(0, 2)])
    return Math.max(0, lastEventEnd(seam) - (seam.length - Math.min(bytes.length, 2)))
  }

  /** The bytes after the pending ones; none are pending then. */
  #withPending(bytes: Buffer): Buffer {
    if (this.#pendingBytes === 0) return bytes
    const joined = Buffer.concat([...this.#pending, bytes])
    this.#pending = []
    this.#pendingBytes = 0
    return joined
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes > this.#options.eventBytesMax) this.oversized = true
  }

  /**
   * An event that ends with CR LF CR is complete, but its last line end is not. The line feed is
   * added at once and taken from the next piece, so that no half of a line end is left to follow an
   * event that was dropped, or one after which nothing is sent.
   */
  #withWholeLineEnd(events: Buffer): Buffer {
    const last = events.length - 1
    if (events[last] !== carriageReturn || events[last - 1] !== lineFeed || events[last - 2] !== carriageReturn)
      return events
    this.#lineFeedAhead = true
    return Buffer.concat([events, Buffer.of(lineFeed)])
  }

  #pass(all: Buffer): Uint8Array | null {
    const events = all.length > this.#options.eventBytesMax ? this.#withinLimit(all) : all
    if (!this.#finishReason) this.#finishReason = hasFinishReason(events)
    const untyped = this.#lastTypes.size === 0 || events.indexOf(typeKey) < 0
    const plain =
      this.#options.rewriteModel === null && events.indexOf(usageKey) < 0 && events.indexOf(errorKey) < 0 && untyped
    const passed = plain && events.indexOf(doneMark) < 0 ? events : this.#passEach(events)
    if (passed === null || passed.length === 0) return null
    this.started = true
    return passed
  }

  /** The events before the first that is too large. */
  #withinLimit(events: Buffer): Buffer {
    let from = 0
    while (from < events.length) {
      const end = nextEventEnd(events, from) || events.length
      if (end - from > this.#options.eventBytesMax) {
        this.oversized = true
        break
      }
      from = end
    }
    return events.subarray(0, from)
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
    if (isDone(data)) {
      this.done = true
      return event
    }
    const top = findFields(data, watchedFields)
    const error = fieldValue(data, top, 'error')
    if (error) {
      this.upstreamError = readStreamedError(error)
      return null
    }
    const isTyped = this.#lastTypes.size > 0
    if (isTyped) this.#passType(data, String(fieldValue(data, top, 'type')))
    const edited = this.#edit(data, isTyped ? withAnswerFields(data, top) : top)
    if (edited === data) return event
    return edited === null ? null : Buffer.concat([event.subarray(0, span.start), edited, event.subarray(span.end)])
  }

  #passType(data: Buffer, type: string): void {
    if (!this.#lastTypes.has(type)) return
    this.#complete = true
    if (failedTypes.has(type)) this.failure = readFailure(data)
  }

  /** The chunk as the client should see it; null drops it. */
  #edit(data: Buffer, fields: readonly FieldSpan[]): Buffer | null {
    const usage = fieldValue(data, fields, 'usage')
    this.usage = latest(this.usage, readUsage(usage))
    let edited = data
    const { rewriteModel, stripUsage } = this.#options
    const model = fields.find((field) => field.name === 'model')
    if (rewriteModel !== null && model !== undefined) {
      edited = replaceSpans(data, [
        { start: model.valueStart, end: model.valueEnd, text: JSON.stringify(rewriteModel) },
      ])
    }
    if (!stripUsage || usage === undefined) return edited
    // Asking for usage adds one chunk without choices and a null field on all others: both go. Counts on
    // a chunk with choices are what the upstream sends unasked, and stay.
    if (usage !== null) return isEmptyArray(fieldValue(data, fields, 'choices')) ? null : edited
    const field = findFields(edited, watchedFields).find((each) => each.name === 'usage')
    return field === undefined ? edited : removeField(edited, field)
  }
}

/**
 * The fields of an event, and after them those of the answer inside it: the Responses API has the
 * model and the usage in `response`, and the Messages API at the start in `message`.
 */
function withAnswerFields(data: Buffer, fields: readonly FieldSpan[]): readonly FieldSpan[] {
  const answer = fields.find(({ name }) => name === 'response' || name === 'message')
  if (answer === undefined) return fields
  const at = answer.valueStart
  const inside = findFields(data.subarray(at, answer.valueEnd), answerFields)
  return [
    ...fields,
    ...inside.map(({ name, keyStart, valueStart, valueEnd }) => ({
      name,
      keyStart: keyStart + at,
      valueStart: valueStart + at,
      valueEnd: valueEnd + at,
    })),
  ]
}

/**
 * The latest of each count: the Messages API sends the input at the start and the output at the end.
 * There the input may come again, without what was cached; the count never decreases.
 */
function latest(before: TokenUsage | null, now: TokenUsage | null): TokenUsage | null {
  if (before === null || now === null) return now ?? before
  return {
    promptTokens:
      now.promptTokens === null ? before.promptTokens : Math.max(now.promptTokens, before.promptTokens ?? 0),
    completionTokens: now.completionTokens ?? before.completionTokens,
    kinds: latestKinds(before.kinds, now.kinds),
  }
}

/** Whether a choice in these events says why it ended; null is what all chunks before the last say. */
function hasFinishReason(events: Buffer): boolean {
  for (let at = events.indexOf(finishKey); at >= 0; at = events.indexOf(finishKey, at + finishKey.length)) {
    const afterKey = skipSpaces(events, at + finishKey.length)
    if (events[afterKey] === colon && events[skipSpaces(events, afterKey + 1)] === quote) return true
  }
  return false
}

function skipSpaces(bytes: Buffer, start: number): number {
  let at = start
  while (bytes[at] === 0x20) at += 1
  return at
}

/** Clients stop at data that begins with the mark, whatever follows it. */
function isDone(data: Buffer): boolean {
  return data.subarray(0, doneMark.length).equals(doneMark)
}

/** The value of a field; undefined when there is none, or when it is not JSON: then it passes untouched. */
function fieldValue(data: Buffer, fields: readonly FieldSpan[], name: string): unknown {
  const field = fields.find((each) => each.name === name)
  if (field === undefined) return undefined
  try {
    return JSON.parse(data.toString('utf8', field.valueStart, field.valueEnd)) as unknown
  } catch {
    return undefined
  }
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Whether a stream loses nothing without these last bytes: they are only comments and empty lines. */
function isOnlyComments(rest: Buffer): boolean {
  return /^(?:(?::.*)?[\r\n])*(?::.*)?$/.test(rest.toString('latin1'))
}

function isWholeEvent(event: Buffer): boolean {
  const span = singleDataSpan(event)
  if (span === null) return false
  const data = event.subarray(span.start, span.end)
  if (isDone(data)) return true
  try {
    JSON.parse(data.toString())
    return true
  } catch {
    return false
  }
}

/** The reason stands in the event itself, or in its answer. */
function readFailure(data: Buffer): StreamedError {
  try {
    const event = JSON.parse(data.toString('utf8')) as { readonly response?: { readonly error?: unknown } }
    return readStreamedError(event.response?.error ?? event)
  } catch {
    return { message: null, code: null }
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
