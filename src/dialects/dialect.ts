/**
 * What a dialect is: another wire format in which clients ask the same providers. The gateway's own
 * dialect is OpenAI chat completions; a dialect turns its requests into that and the answers back.
 * It is pure translation: no I/O, no state beyond one answer.
 */
import type { ApiError } from '#errors/api-error.ts'

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** One request of a foreign dialect, understood: what to ask upstream, and how to word the answer. */
export interface TranslatedRequest {
  /** The chat-completions body for the upstream; `model` is the client's name for it, `stream` set as asked. */
  readonly chatBody: JsonObject
  /**
   * The dialect's body for a whole chat answer (parsed JSON of the upstream). Throws ApiError
   * `upstream_invalid_response` when it has not the documented shape.
   */
  whole(answer: unknown): unknown
  /** A translator for one streamed answer. */
  stream(): StreamTranslator
}

export interface StreamTranslator {
  /** SSE text for the client for one parsed chat chunk; empty when nothing is to be said yet. */
  push(chunk: unknown): string
  /** SSE text that completes the answer ([DONE] came). */
  end(): string
  /** SSE text for an answer that broke off with this error; nothing that looks like completion. */
  fail(error: ApiError): string
}

/** What a translation needs from outside. */
export interface TranslationContext {
  /** Wall clock, milliseconds since 1970. */
  readonly now: number
  newId(): string
}

export interface Dialect {
  readonly name: string
  /** Where a request says how hard the model is to think, as a dotted path. */
  readonly effortField: string
  /**
   * Throws ApiError `invalid_body` with `param` for what is malformed or cannot be translated:
   * nothing is silently dropped.
   */
  translate(body: JsonObject, context: TranslationContext): TranslatedRequest
  /** An error answer in the dialect's own shape with the right status and headers. */
  errorResponse(error: ApiError): Response
}
