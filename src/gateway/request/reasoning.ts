/**
 * How hard a model is to think: one word for the client, and what each upstream takes in its place.
 *
 * The client's `reasoning_effort` is checked against what the model is known to support before any
 * upstream is called. For an upstream that takes something else the field is taken out of the body
 * and the configured values are written in its place: an effort word, a token budget, a switch of
 * the chat template, or anything else that a JSON pointer leads to.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Effort, ReasoningConfig } from '#catalog/records.ts'
import { efforts } from '#config/declared/routing-forms.ts'
import { ApiError } from '#errors/api-error.ts'
import { findFields, firstFieldOffset, removeField, replaceSpans } from '#lib/json-span.ts'
import type { JsonValue } from '#lib/json-value.ts'

const chatField = 'reasoning_effort'

/**
 * The effort that a request names, null for none. Answers 400 for an unknown word.
 * @param field the dotted path of the effort in the client's API
 */
export function readEffort(value: unknown, field = chatField): Effort | null {
  if (value === undefined || value === null) return null
  for (const effort of efforts) if (effort === value) return effort
  throw new ApiError('invalid_value', {
    param: field,
    message: `"${field}" takes one of ${efforts.join(', ')}.`,
  })
}

/** Answers 400 when the model, or one component of a composite, is known not to support the effort. */
export function checkEffort(
  effort: Effort | null,
  { record, supportedEfforts }: Model,
  field: string = chatField,
): void {
  if (effort === null || supportedEfforts === null || supportedEfforts.includes(effort)) return
  const supported = supportedEfforts.length === 0 ? 'no reasoning effort' : supportedEfforts.join(', ')
  throw new ApiError('unsupported_value', {
    param: field,
    message: `The model ${record.name} does not support the effort "${effort}". It supports ${supported}.`,
  })
}

/**
 * The body with the effort as the upstream takes it; the same bytes when it takes the client's word.
 * @param field where the body has the effort; a value for `/reasoning_effort` is written there
 */
export function withEffort(
  body: Buffer<ArrayBuffer>,
  effort: Effort | null,
  config: ReasoningConfig | null,
  field = chatField,
): Buffer<ArrayBuffer> {
  return effort === null || config === null ? body : rewritten(body, effort, config, field)
}

function rewritten(
  body: Buffer<ArrayBuffer>,
  effort: Effort,
  config: ReasoningConfig,
  field: string,
): Buffer<ArrayBuffer> {
  const own = field.split('.')
  const writes = config.writes.flatMap(({ pointer, values }) => {
    const value = values[effort]
    return value === undefined ? [] : [{ path: pointer === `/${chatField}` ? own : pointerPath(pointer), value }]
  })
  const [only] = writes
  if (writes.length === 1 && only?.path === own && only.value === effort) return body
  let written = removeAt(body, own)
  for (const { path, value } of writes) written = writeAt(written, path, value)
  return written
}

/** Takes one value out of a JSON object given as bytes; objects on the way stay. */
function removeAt(json: Buffer<ArrayBuffer>, [name = '', ...rest]: readonly string[]): Buffer<ArrayBuffer> {
  const [sent] = findFields(json, new Set([name]))
  if (sent === undefined) return json
  if (rest.length === 0) return Buffer.from(removeField(json, sent))
  const { valueStart, valueEnd } = sent
  const text = removeAt(Buffer.from(json.subarray(valueStart, valueEnd)), rest).toString('utf8')
  return replaceSpans(json, [{ start: valueStart, end: valueEnd, text }])
}

/** Sets one value in a JSON object given as bytes; objects on the way are made, everything else stays as it is. */
function writeAt(json: Buffer<ArrayBuffer>, path: readonly string[], value: JsonValue): Buffer<ArrayBuffer> {
  const [name, ...rest] = path
  if (name === undefined) return json
  const [field] = findFields(json, new Set([name]))
  if (field === undefined) {
    const at = firstFieldOffset(json)
    const nested = rest.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)
    const isEmpty = /^\s*\{\s*\}\s*$/.test(json.toString('latin1', 0, 64))
    return replaceSpans(json, [
      { start: at, end: at, text: `${JSON.stringify(name)}:${JSON.stringify(nested)}${isEmpty ? '' : ','}` },
    ])
  }
  const { valueStart, valueEnd } = field
  const isNested = rest.length > 0 && json[valueStart] === 0x7b
  const text = isNested
    ? writeAt(Buffer.from(json.subarray(valueStart, valueEnd)), rest, value).toString('utf8')
    : JSON.stringify(rest.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value))
  return replaceSpans(json, [{ start: valueStart, end: valueEnd, text }])
}

/** The names of a JSON pointer (RFC 6901). */
function pointerPath(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}
