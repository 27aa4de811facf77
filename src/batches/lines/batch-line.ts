/** One line of an input file: a request with an id of its client's own. */
import { isUtf8 } from 'node:buffer'
import { JsonTooComplex, parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { findFields } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { endpointPath } from './line-calls.ts'

/** What is wrong with a line, in the words of OpenAI's API. */
export interface LineFault {
  readonly code: string
  readonly message: string
  readonly param: string | null
}

export interface CheckedLine {
  readonly customId: string
  readonly model: string
}

/** A line that was checked before. */
export interface BatchLine {
  /** JSON of the client's id. */
  readonly customId: string
  /** The request, byte for byte. */
  readonly body: Buffer<ArrayBuffer>
  readonly model: string
}

const customIdMax = 512
const lineFields = new Set(['custom_id', 'body'])
const modelField = new Set(['model'])

/** Checks a line of a batch of this endpoint, all but whether its model is there. */
export function checkLine(bytes: Buffer, endpoint: string): CheckedLine | LineFault {
  const line = valueOf(bytes)
  if ('code' in line) return line
  const { custom_id: customId, method, url, body } = line.value
  if (typeof customId !== 'string' || customId === '')
    return fault('missing_required_parameter', 'The line has no "custom_id", which must be a text.', 'custom_id')
  if (customId.length > customIdMax)
    return fault('invalid_custom_id', `"custom_id" may have ${customIdMax} characters at most.`, 'custom_id')
  if (method !== 'POST') return fault('invalid_method', '"method" must be POST.', 'method')
  if (typeof url !== 'string' || endpointPath(url) !== endpoint)
    return fault('url_mismatch', `"url" must be the endpoint of the batch, ${endpoint}.`, 'url')
  if (!isObject(body)) return fault('missing_required_parameter', '"body" must be an object.', 'body')
  const { model, stream, background } = body
  if (typeof model !== 'string' || model === '')
    return fault('missing_required_parameter', 'The body names no model.', 'body.model')
  if (stream === true) return fault('unsupported_value', 'A line of a batch cannot be streamed.', 'body.stream')
  if (background === true)
    return fault('unsupported_value', 'A line of a batch cannot run in the background.', 'body.background')
  return { customId, model }
}

/** The parts of a line that `checkLine` has found right. */
export function readLine(bytes: Buffer<ArrayBuffer>): BatchLine {
  const fields = findFields(bytes, lineFields)
  const span = (name: string): Buffer<ArrayBuffer> => {
    const field = fields.findLast((each) => each.name === name)
    return field === undefined ? bytes.subarray(0, 0) : bytes.subarray(field.valueStart, field.valueEnd)
  }
  const body = span('body')
  const model = findFields(body, modelField).at(-1)
  return {
    customId: span('custom_id').toString(),
    body,
    model: model === undefined ? '' : String(JSON.parse(body.toString('utf8', model.valueStart, model.valueEnd))),
  }
}

function valueOf(bytes: Buffer): { readonly value: Record<string, unknown> } | LineFault {
  if (!isUtf8(bytes)) return fault('invalid_json_line', 'The line is not valid UTF-8.', null)
  try {
    const value = parseBounded(bytes, passedJsonLimits)
    return isObject(value) ? { value } : fault('invalid_json_line', 'The line is not a JSON object.', null)
  } catch (thrown) {
    const why =
      thrown instanceof JsonTooComplex ? `The line cannot be read: ${thrown.message}.` : 'The line is not valid JSON.'
    return fault('invalid_json_line', why, null)
  }
}

function fault(code: string, message: string, param: string | null): LineFault {
  return { code, message, param }
}
