/**
 * The body for one upstream: its own name of the model, a request for usage when it streams, and the
 * effort as it takes it. Everything else is byte for byte what the client sent.
 */
import type { Upstream } from '#catalog/upstream.ts'
import {
  fieldNamed,
  findFields,
  firstFieldOffset,
  replaceSpans,
  type FieldSpan,
  type Replacement,
} from '#lib/json-span.ts'
import { isOpenAi } from '#providers/openai.ts'
import type { ModelRequest } from '../request/model-request.ts'
import { withEffort } from '../request/reasoning.ts'

const usageOption = new Set(['include_usage'])
const tokenLimit = new Set(['max_tokens'])
const openBrace = 0x7b

/** The bytes to send. @param askUsage the endpoint knows `stream_options` */
export function upstreamBody(request: ModelRequest, upstream: Upstream, askUsage: boolean): Buffer<ArrayBuffer> {
  const replacements: Replacement[] = []
  if (askUsage && request.streamed && !request.wantsUsage && upstream.provider.options['stream_usage'] !== false) {
    const span = fieldNamed(request.spans, 'stream_options')
    replacements.push(...(span === undefined ? [insertOptions(request.bytes)] : editOptions(request.bytes, span)))
  }
  const model = fieldNamed(request.spans, 'model')
  if (model !== undefined) {
    if (!isNamed(request.bytes, model, upstream.upstreamName))
      replacements.push({ start: model.valueStart, end: model.valueEnd, text: JSON.stringify(upstream.upstreamName) })
  } else if (request.form === null) {
    const at = firstFieldOffset(request.bytes)
    replacements.push({ start: at, end: at, text: `"model":${JSON.stringify(upstream.upstreamName)},` })
  }
  if (request.translated) replacements.push(...renameTokenLimit(request.bytes, upstream.provider))
  const body = replacements.length === 0 ? request.bytes : replaceSpans(request.bytes, replacements.sort(byStart))
  const { effort, effortField, translated } = request
  return withEffort(body, effort, upstream.reasoning, translated ? undefined : effortField)
}

function byStart(a: Replacement, b: Replacement): number {
  return a.start - b.start
}

/** Whether the body names the model so; a name of plain letters is compared as it stands. */
function isNamed(bytes: Buffer, { valueStart, valueEnd }: FieldSpan, name: string): boolean {
  if (isWritten(bytes, valueStart + 1, valueEnd - 1, name)) return true
  const written = bytes.toString('utf8', valueStart, valueEnd)
  return written.includes('\\') ? JSON.parse(written) === name : written.slice(1, -1) === name
}

/** Whether these bytes are the name, letter by letter: no text is made. A name with other letters is not found so. */
function isWritten(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at)
    if (code > 0x7e || code === 0x5c || code !== bytes[start + at]) return false
  }
  return true
}

/** Translated requests have max_tokens, which every server knows except OpenAI's newest models. */
function renameTokenLimit(bytes: Buffer, { kind, baseUrl }: Upstream['provider']): readonly Replacement[] {
  if (kind !== 'openai' || !isOpenAi(baseUrl)) return []
  return findFields(bytes, tokenLimit).map(({ keyStart, valueStart }) => ({
    start: keyStart,
    end: valueStart,
    text: '"max_completion_tokens":',
  }))
}

/** Puts `stream_options` into a body that has none. */
function insertOptions(bytes: Buffer): Replacement {
  const at = firstFieldOffset(bytes)
  return { start: at, end: at, text: '"stream_options":{"include_usage":true},' }
}

/** Asks for usage in the client's own `stream_options`; its other fields stay as they are. */
function editOptions(bytes: Buffer, { valueStart, valueEnd }: FieldSpan): readonly Replacement[] {
  const options = bytes.subarray(valueStart, valueEnd)
  if (options[0] !== openBrace) return [{ start: valueStart, end: valueEnd, text: '{"include_usage":true}' }]
  const written = findFields(options, usageOption)
  if (written.length > 0)
    return written.map((field) => ({
      start: valueStart + field.valueStart,
      end: valueStart + field.valueEnd,
      text: 'true',
    }))
  const at = valueStart + 1
  return [{ start: at, end: at, text: hasFields(options) ? '"include_usage":true,' : '"include_usage":true' }]
}

function hasFields(object: Buffer): boolean {
  return object.toString('latin1', 1, object.length - 1).trim() !== ''
}
