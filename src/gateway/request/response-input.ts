/** The `input` of a request of the Responses API, as bytes: a text, or a list of items. */
import { findFields, replaceSpans, type Replacement } from '#lib/json-span.ts'

const inputField = new Set(['input'])
const resolvedFields = new Set(['input', 'previous_response_id', 'conversation'])
const streamField = new Set(['stream'])
const storageFields = new Set(['store', 'background'])
const quote = 0x22
const openBracket = 0x5b

/** Its items as JSON, separated by commas; a text is one message. Empty when there are none. */
export function inputItems(body: Buffer): string {
  const field = findFields(body, inputField).at(-1)
  if (field === undefined) return ''
  const value = body.toString('utf8', field.valueStart, field.valueEnd)
  if (body[field.valueStart] === openBracket) return value.slice(1, -1).trim()
  return body[field.valueStart] === quote
    ? `{"type":"message","role":"user","content":[{"type":"input_text","text":${value}}]}`
    : ''
}

/** The body of a request that is streamed, whether or not the client asked for that. */
export function streamedBody(body: Buffer): Buffer<ArrayBuffer> {
  const fields = findFields(body, streamField)
  const open = body.indexOf('{') + 1
  return replaceSpans(
    body,
    fields.length === 0
      ? [{ start: open, end: open, text: '"stream":true,' }]
      : fields.map(({ valueStart, valueEnd }) => ({ start: valueStart, end: valueEnd, text: 'true' })),
  )
}

/** The body for a provider that is to store nothing, and to answer while it is asked. */
export function withoutStorage(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const fields = findFields(body, storageFields)
  const replacements = fields.map(({ valueStart, valueEnd }) => ({ start: valueStart, end: valueEnd, text: 'false' }))
  if (fields.some(({ name }) => name === 'store')) return replaceSpans(body, replacements)
  const open = body.indexOf('{') + 1
  return replaceSpans(body, [{ start: open, end: open, text: '"store":false,' }, ...replacements])
}

/** The body with these items as its input, and without references to what is kept elsewhere. */
export function withInputItems(body: Buffer, items: string): Buffer<ArrayBuffer> {
  const fields = findFields(body, resolvedFields)
  const replacements: Replacement[] = fields.map(({ name, valueStart, valueEnd }) => ({
    start: valueStart,
    end: valueEnd,
    text: name === 'input' ? `[${items}]` : 'null',
  }))
  if (fields.some(({ name }) => name === 'input')) return replaceSpans(body, replacements)
  const open = body.indexOf('{') + 1
  return replaceSpans(body, [{ start: open, end: open, text: `"input":[${items}],` }, ...replacements])
}
