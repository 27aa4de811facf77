/**
 * A request for a model: its bytes as sent, and the few fields that the gateway acts on. Everything
 * else is the upstream's to judge, so nothing else is looked at.
 */
import type { Effort } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import { readJson, type BodyLimits } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import { findFields, type FieldSpan } from '#lib/json-span.ts'
import { readEffort } from './reasoning.ts'

export interface ModelRequest {
  readonly bytes: Buffer<ArrayBuffer>
  readonly model: string
  readonly streamed: boolean
  /** The client itself asked for the usage chunk of a stream. */
  readonly wantsUsage: boolean
  /** How hard the model is to think; null when the client does not say. */
  readonly effort: Effort | null
  /** Where the fields stand that the gateway may change. */
  readonly spans: readonly FieldSpan[]
}

export type Fields = Readonly<Record<string, unknown>>

const actedOn = new Set(['model', 'stream', 'stream_options', 'reasoning_effort'])

/** Reads the body and lets the endpoint check it. Answers 400, 408, 413 or 415 by throwing. */
export async function readModelRequest(
  exchange: Exchange,
  limits: BodyLimits,
  check: (fields: Fields) => void,
): Promise<ModelRequest> {
  const { bytes, value } = await readJson(exchange, limits)
  if (!isObject(value)) throw invalidBody(null, 'The request body must be a JSON object.')
  const { model, stream, stream_options: streamOptions } = value
  if (model === undefined || model === null || model === '') throw new ApiError('missing_model', { param: 'model' })
  if (typeof model !== 'string') throw invalidBody('model', '"model" must be a string.')
  check(value)
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidBody('stream', '"stream" must be true or false.')
  }
  if (streamOptions !== undefined && streamOptions !== null && !isObject(streamOptions)) {
    throw invalidBody('stream_options', '"stream_options" must be an object.')
  }
  const spans = findFields(bytes, actedOn)
  refuseRepeated(spans)
  return {
    bytes,
    model,
    streamed: stream === true,
    wantsUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    effort: readEffort(value['reasoning_effort']),
    spans,
  }
}

/**
 * Parsers differ in which of two equal keys they take. A field that decides about access or framing
 * must mean the same here and upstream, so it may be written once only.
 */
function refuseRepeated(spans: readonly FieldSpan[]): void {
  for (const name of actedOn) {
    if (spans.filter((span) => span.name === name).length > 1)
      throw invalidBody(name, `"${name}" is written more than once.`)
  }
}

/** Whether a parsed JSON value is an object with named fields. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The refusal of a field; `param` is its dotted path. */
export function invalidBody(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
