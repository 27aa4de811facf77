/**
 * The requests of a new Message Batch, which come in the body and become a file as other batches have one: each line
 * holds the bytes that the client sent.
 */
import { ApiError } from '#errors/api-error.ts'
import { passedJsonLimits } from '#lib/bounded-json.ts'
import { findFields, findItems, type Span } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { readJson, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'

export interface MessageBatchInput {
  readonly total: number
  /** The input file, line by line. */
  lines(): Generator<Buffer<ArrayBuffer>, void>
}

const requestsField = new Set(['requests'])
const itemFields = new Set(['custom_id', 'params'])
const customIdForm = /^[a-zA-Z0-9_-]{1,64}$/
const lineEnds = /[\r\n]/g

/** Answers 400, 408, 413 and 415 by throwing. */
export async function readMessageBatch(
  context: RequestContext,
  limits: BodyLimits,
  linesMax: number,
): Promise<MessageBatchInput> {
  const { bytes, value } = await readJson(context, { ...limits, json: passedJsonLimits })
  const requests = isObject(value) ? value['requests'] : undefined
  if (!Array.isArray(requests) || requests.length === 0)
    throw invalid('requests', '"requests" must be an array with at least one request.')
  if (requests.length > linesMax) throw invalid('requests', `A batch may have ${linesMax} requests at most.`)
  checkRequests(requests)
  const field = findFields(bytes, requestsField).at(-1)
  const items = field === undefined ? [] : findItems(bytes, field.valueStart)
  return { total: requests.length, lines: () => linesOf(bytes, items) }
}

function checkRequests(requests: readonly unknown[]): void {
  const known = new Set<string>()
  for (const [at, request] of requests.entries()) {
    const { custom_id: customId, params } = isObject(request) ? request : {}
    if (typeof customId !== 'string' || !customIdForm.test(customId))
      throw invalid(`requests.${at}.custom_id`, 'A "custom_id" has 1 to 64 letters, digits, hyphens and underscores.')
    if (known.has(customId)) throw invalid(`requests.${at}.custom_id`, 'Every "custom_id" must be unique in its batch.')
    known.add(customId)
    if (!isObject(params)) throw invalid(`requests.${at}.params`, '"params" must be an object.')
    if (params['stream'] === true)
      throw invalid(`requests.${at}.params.stream`, 'A request of a batch cannot be streamed.')
  }
}

function* linesOf(body: Buffer<ArrayBuffer>, items: readonly Span[]): Generator<Buffer<ArrayBuffer>, void> {
  for (const { start, end } of items) {
    const item = body.subarray(start, end)
    const fields = findFields(item, itemFields)
    const valueOf = (name: string): string => {
      const field = fields.findLast((each) => each.name === name)
      return field === undefined ? 'null' : item.toString('utf8', field.valueStart, field.valueEnd)
    }
    const line = `{"custom_id":${valueOf('custom_id')},"method":"POST","url":"/v1/messages","body":${valueOf('params')}}`
    // Between the parts of JSON a line end is as good as a space; inside of a text there is none.
    yield Buffer.from(`${line.replaceAll(lineEnds, ' ')}\n`)
  }
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
