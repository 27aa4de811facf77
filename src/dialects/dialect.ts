/**
 * A dialect is another wire format for the same providers. The gateway's own format is OpenAI chat
 * completions; a dialect translates its requests into that, and the answers back. It does no I/O and
 * keeps no state beyond one answer.
 */
import type { ApiError } from '#errors/api-error.ts'

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** One request, translated: the body for the upstream, and the translation of its answer. */
export interface TranslatedRequest {
  /** The chat-completions body for the upstream; `model` is the client's name for it, `stream` set as asked. */
  readonly chatBody: JsonObject
  /** The types of tools that were left out, which the model may do without; none when absent. */
  readonly dropped?: readonly string[]
  /**
   * The dialect's body for a whole chat answer (parsed JSON of the upstream). Throws ApiError
   * `upstream_invalid_response` for an answer of another shape.
   */
  whole(answer: unknown): unknown
  /** A translator for one streamed answer. */
  stream(): StreamTranslator
  /** The answer before anything of it is known; only where clients can ask for it while it is made. */
  pending?(): JsonObject
}

/** Translates one streamed answer. */
export interface StreamTranslator {
  /** The events, as text, for one parsed chat chunk; empty when there are none yet. */
  push(chunk: unknown): string
  /** The events that complete the answer, after [DONE]. */
  end(): string
  /** The events of an answer that broke off with this error; none of them completes it. */
  fail(error: ApiError): string
  /** The whole answer, once its last event was made and it has not failed; only where it can be kept. */
  readonly answer?: JsonObject | null
}

/** The clock and the ids of a translation. */
export interface TranslationContext {
  /** Wall clock, milliseconds since 1970. */
  readonly now: number
  newId(): string
  /** Fields of the answer that the server knows, not the request; none when left out. */
  readonly echo?: JsonObject
}

/** A wire format, translated both ways. */
export interface Dialect {
  readonly name: string
  /** The dotted path of the field with the reasoning effort. */
  readonly effortField: string
  /**
   * Throws ApiError with `param` for a field that is malformed or cannot be translated: no field is
   * dropped silently.
   */
  translate(body: JsonObject, context: TranslationContext): TranslatedRequest
  /** The answer for an error: the dialect's shape, with status and headers. */
  errorResponse(error: ApiError): Response
}
