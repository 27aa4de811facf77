/**
 * A chat request: its bytes as sent, and the few fields that the gateway acts on. Everything else
 * is the upstream's to judge, so nothing else is looked at.
 */
import { ApiError } from '#errors/api-error.ts'
import { readJson, type BodyLimits } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import { findFields, firstFieldOffset, replaceSpans, type FieldSpan, type Replacement } from '#lib/json-span.ts'

export interface ChatRequest {
  readonly bytes: Buffer<ArrayBuffer>
  readonly model: string
  readonly streamed: boolean
  /** The client itself asked for the usage chunk of a stream. */
  readonly wantsUsage: boolean
  readonly streamOptions: Readonly<Record<string, unknown>> | null
  readonly spans: readonly FieldSpan[]
}

const actedOn = new Set(['model', 'stream', 'stream_options'])

/** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
export async function readChatRequest(exchange: Exchange, limits: BodyLimits): Promise<ChatRequest> {
  const { bytes, value } = await readJson(exchange, limits)
  if (!isObject(value)) throw invalid(null, 'The request body must be a JSON object.')
  const { model, messages, stream, stream_options: streamOptions } = value
  if (model === undefined || model === null || model === '') throw new ApiError('missing_model', { param: 'model' })
  if (typeof model !== 'string') throw invalid('model', '"model" must be a string.')
  checkMessages(messages)
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalid('stream', '"stream" must be true or false.')
  }
  if (streamOptions !== undefined && streamOptions !== null && !isObject(streamOptions)) {
    throw invalid('stream_options', '"stream_options" must be an object.')
  }
  const options = isObject(streamOptions) ? streamOptions : null
  const spans = findFields(bytes, actedOn)
  refuseRepeated(spans)
  return {
    bytes,
    model,
    streamed: stream === true,
    wantsUsage: options?.['include_usage'] === true,
    streamOptions: options,
    spans,
  }
}

/** The body for the upstream: its own model name, and usage asked for when it streams; else byte for byte. */
export function upstreamBody(request: ChatRequest, upstreamModel: string, askUsage: boolean): Buffer<ArrayBuffer> {
  const replacements: Replacement[] = []
  if (askUsage && request.streamed && !request.wantsUsage) {
    const text = JSON.stringify({ ...request.streamOptions, include_usage: true })
    const span = request.spans.find((field) => field.name === 'stream_options')
    const at = firstFieldOffset(request.bytes)
    if (span === undefined) replacements.push({ start: at, end: at, text: `"stream_options":${text},` })
    else replacements.push({ start: span.valueStart, end: span.valueEnd, text })
  }
  const model = request.spans.find((field) => field.name === 'model')
  if (model !== undefined && upstreamModel !== request.model) {
    replacements.push({ start: model.valueStart, end: model.valueEnd, text: JSON.stringify(upstreamModel) })
  }
  if (replacements.length === 0) return request.bytes
  return replaceSpans(
    request.bytes,
    replacements.sort((a, b) => a.start - b.start),
  )
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', '"messages" must be an array with at least one message.')
  }
  for (const [index, message] of messages.entries()) {
    if (!isObject(message))
      throw invalid(`messages.${index}`, `"messages.${index}" must be an object with "role" and "content".`)
    if (typeof message['role'] !== 'string')
      throw invalid(`messages.${index}.role`, `"messages.${index}.role" must be a string.`)
  }
}

/**
 * Parsers differ in which of two equal keys they take. A field that decides about access or framing
 * must mean the same here and upstream, so it may be written once only.
 */
function refuseRepeated(spans: readonly FieldSpan[]): void {
  for (const name of actedOn) {
    if (spans.filter((span) => span.name === name).length > 1)
      throw invalid(name, `"${name}" is written more than once.`)
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
