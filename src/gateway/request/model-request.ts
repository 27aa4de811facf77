/**
 * A request for a model: its bytes as sent, and the few fields that the gateway acts on. No other field
 * is read: the upstream judges them.
 */
import type { Effort } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import { jsonOf, readBodyAs, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { passedJsonLimits } from '#lib/bounded-json.ts'
import { findFields, type FieldSpan } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import type { DocumentsSpec } from './documents-field.ts'
import type { FormBody } from './form-body.ts'
import { invalidBody, type Fields } from './fields.ts'
import { readEffort } from './reasoning.ts'
import { sizeOf, withLength, type RequestSize } from './request-size.ts'
import type { ResponseState } from './response-state.ts'

export interface ModelRequest {
  /** The JSON body; empty for a form. */
  readonly bytes: Buffer<ArrayBuffer>
  /** A multipart body, most of it not read yet; null for JSON. */
  readonly form: FormBody | null
  readonly model: string
  /** The client named none, so this is the default model of the endpoint. */
  readonly modelDefaulted: boolean
  /** It came in another dialect, and the gateway wrote this body. */
  readonly translated: boolean
  readonly streamed: boolean
  /** `service_tier` is `flex`: it gives way to live requests. */
  readonly flex: boolean
  /** The client's name for requests with a common beginning (`prompt_cache_key`); null for none. */
  readonly cacheKey: string | null
  /** The client itself asked for the usage chunk of a stream. */
  readonly wantsUsage: boolean
  /** The client asks for vectors in base64. */
  readonly base64Vectors: boolean
  /** What to look up in the documents before the model is asked; null for nothing. Only chats have it. */
  readonly documents: DocumentsSpec | null
  /** Most tokens that the client wants to be generated; null when it does not say. */
  readonly outputTokensMax: number | null
  /** How hard the model is to think; null when the client does not say. */
  readonly effort: Effort | null
  /** The dotted path of the effort in the client's API. */
  readonly effortField: string
  /** The earlier response or conversation that it builds on; null for APIs without state. */
  readonly state: ResponseState | null
  /** The most that it can use. */
  readonly size: RequestSize
  /** Where the fields stand that the gateway may change. */
  readonly spans: readonly FieldSpan[]
}

const actedOn = new Set(['model', 'stream', 'stream_options', 'reasoning_effort'])

/** What an endpoint adds to the reading of its body. */
export interface EndpointReading {
  /** Throws for what the endpoint cannot take. */
  readonly check?: (fields: Fields) => void
  /** Taken when the client names none; one has to be named when left out. */
  readonly defaultModel?: string | null
  /** Reads the fields that only this endpoint has. */
  readonly finish?: (request: ModelRequest, fields: Fields) => ModelRequest
}

/**
 * Reads the body and lets the endpoint check it. Answers 400, 408, 413 or 415 by throwing.
 * A model in the address has precedence over that in the body.
 */
export function readModelRequest(
  context: RequestContext,
  limits: BodyLimits,
  reading: EndpointReading = {},
): Promise<ModelRequest> {
  const { deployment = null } = context.params
  return readBodyAs(context, limits, (bytes) => modelRequest(bytes, reading, deployment))
}

function modelRequest(
  bytes: Buffer<ArrayBuffer>,
  { check, defaultModel = null, finish }: EndpointReading,
  deployment: string | null,
): ModelRequest {
  const value = jsonOf(bytes, passedJsonLimits)
  if (!isObject(value)) throw invalidBody(null, 'The request body must be a JSON object.')
  const read = requestOf(bytes, value, { check, defaultModel: deployment ?? defaultModel })
  const request = finish === undefined ? read : finish(read, value)
  return deployment === null ? request : { ...request, model: deployment, modelDefaulted: false }
}

export interface RequestRules {
  readonly check?: ((fields: Fields) => void) | undefined
  readonly defaultModel?: string | null
  readonly translated?: boolean
  readonly effortField?: string
}

/** The request in a JSON body. Answers 400 by throwing. */
export function requestOf(
  bytes: Buffer<ArrayBuffer>,
  value: Fields,
  { check, defaultModel = null, translated = false, effortField = 'reasoning_effort' }: RequestRules = {},
): ModelRequest {
  const { stream, stream_options: streamOptions } = value
  const written = value['model'] ?? ''
  if (typeof written !== 'string') throw invalidBody('model', '"model" must be a string.')
  const model = written === '' ? defaultModel : written
  if (model === null) throw new ApiError('missing_model', { param: 'model' })
  check?.(value)
  checkStreaming(stream, streamOptions)
  const spans = findFields(bytes, actedOn)
  refuseRepeated(spans)
  return {
    bytes,
    form: null,
    model,
    modelDefaulted: written === '',
    translated,
    streamed: stream === true,
    flex: value['service_tier'] === 'flex',
    cacheKey: typeof value['prompt_cache_key'] === 'string' ? value['prompt_cache_key'] : null,
    wantsUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    base64Vectors: false,
    documents: null,
    outputTokensMax: outputTokensMax(value),
    effort: readEffort(value['reasoning_effort'], effortField),
    effortField,
    state: null,
    size: sizeOf(bytes.length, value),
    spans,
  }
}

/** The same request with another body, in which the fields that the gateway acts on are the same. */
export function withBytes(request: ModelRequest, bytes: Buffer<ArrayBuffer>): ModelRequest {
  return { ...request, bytes, size: withLength(request.size, bytes.length), spans: findFields(bytes, actedOn) }
}

/** As the endpoints name it; a value that is not a count is the provider's to judge. */
function outputTokensMax(value: Fields): number | null {
  return countOf(value['max_completion_tokens']) ?? countOf(value['max_tokens']) ?? countOf(value['max_output_tokens'])
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function checkStreaming(stream: unknown, streamOptions: unknown): void {
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidBody('stream', '"stream" must be true or false.')
  }
  if (streamOptions !== undefined && streamOptions !== null && !isObject(streamOptions)) {
    throw invalidBody('stream_options', '"stream_options" must be an object.')
  }
}

/**
 * Parsers differ in which of two equal keys they take. A field that decides about access or framing
 * must mean the same here and upstream, so it may be written once only.
 */
function refuseRepeated(spans: readonly FieldSpan[]): void {
  for (let at = 1; at < spans.length; at += 1) {
    const name = spans[at]?.name ?? ''
    for (let before = 0; before < at; before += 1)
      if (spans[before]?.name === name) throw invalidBody(name, `"${name}" is written more than once.`)
  }
}
