/** Relays an answer that is one document. It is read completely first, so that a broken one never looks complete. */
import { ApiError } from '#errors/api-error.ts'
import { takeAll, type Reply } from '#lib/http1/reply.ts'
import { fieldNamed, findFields, isWholeObject, lastFieldNamed, replaceSpans, type FieldSpan } from '#lib/json-span.ts'
import { UpstreamFailure } from '#providers/provider.ts'
import { jsonType, textType } from '../call/answer-type.ts'
import { headersForClient } from '../call/headers.ts'
import type { Relay } from './relay.ts'
import { readUsage, type TokenUsage } from '../usage/token-usage.ts'

/** Counts tokens from the fields `usage` and `meta` of an answer. */
type CountTokens = (usage: unknown, meta: unknown) => TokenUsage | null

const readFields = new Set(['usage', 'meta', 'model'])

/** Adds to an answer, or acts on it, before it goes out. */
type EditAnswer = (body: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>>

/**
 * The answer for the client. Answers 502 or 504 by throwing when the upstream's body breaks or cannot be read. Without a
 * promise when all of it has come with its head.
 */
export function relayWhole(
  reply: Reply,
  relay: Relay,
  countTokens: CountTokens = readUsage,
  edit: EditAnswer | null = null,
): Response | Promise<Response> {
  const body = readWhole(reply, relay)
  const reading = { countTokens, edit }
  return body instanceof Promise ? relayLater(body, reply, relay, reading) : relayRead(body, reply, relay, reading)
}

async function relayLater(body: Promise<Buffer<ArrayBuffer>>, reply: Reply, relay: Relay, reading: Reading) {
  return relayRead(await body, reply, relay, reading)
}

interface Reading {
  readonly countTokens: CountTokens
  readonly edit: EditAnswer | null
}

function relayRead(
  read: Buffer<ArrayBuffer>,
  reply: Reply,
  relay: Relay,
  { countTokens, edit }: Reading,
): Response | Promise<Response> {
  const { body, fields, usage } = countedOf(read, countTokens)
  relay.record.usage = usage
  const { rewriteModel } = relay
  const rewritten = rewriteModel === null ? body : withModel(body, fields, rewriteModel)
  const edited = edit === null ? rewritten : edit(rewritten)
  return edited instanceof Promise ? respondLater(edited, reply, relay) : respond(edited, reply, relay)
}

async function respondLater(body: Promise<Buffer<ArrayBuffer>>, reply: Reply, relay: Relay): Promise<Response> {
  return respond(await body, reply, relay)
}

function withModel(body: Buffer<ArrayBuffer>, fields: readonly FieldSpan[], name: string): Buffer<ArrayBuffer> {
  const model = fieldNamed(fields, 'model')
  return model === undefined
    ? body
    : replaceSpans(body, [{ start: model.valueStart, end: model.valueEnd, text: JSON.stringify(name) }])
}

/** The same for endpoints where the client may ask for text instead: the content type tells. */
export async function relayDocument(reply: Reply, relay: Relay): Promise<Response> {
  const isText = reply.headers['content-type']?.toLowerCase().startsWith('text/') === true
  if (!isText) return relayWhole(reply, relay)
  return respond(await readWhole(reply, relay), reply, relay, textType(reply.headers['content-type']))
}

/** What reading an answer takes. */
export type AnswerReading = Pick<Relay, 'watch' | 'record' | 'responseBytesMax' | 'idleSeconds'>

/** An answer that is JSON, its fields of the gateway's concern, and the tokens that it counts. */
interface Counted {
  readonly body: Buffer<ArrayBuffer>
  readonly fields: readonly FieldSpan[]
  readonly usage: TokenUsage | null
}

/** The same of an answer that is still to be read. Answers 502 or 504 by throwing. */
export async function readCounted(reply: Reply, reading: AnswerReading, countTokens: CountTokens): Promise<Counted> {
  return countedOf(await readWhole(reply, reading), countTokens)
}

function countedOf(body: Buffer<ArrayBuffer>, countTokens: CountTokens): Counted {
  const fields = isObjectOrJson(body) ? findFields(body, readFields) : []
  return { body, fields, usage: countTokens(valueOf(body, fields, 'usage'), valueOf(body, fields, 'meta')) }
}

function respond(
  body: Buffer<ArrayBuffer>,
  { status, headers }: Reply,
  { context, record, responseHeaders }: Relay,
  type = jsonType(headers['content-type']),
): Response {
  record.responseBytes = body.length
  record.content?.answer(body)
  const kept = headersForClient(headers, responseHeaders)
  kept['content-type'] = type
  return context.respond(body, { status, headers: kept })
}

/** The last value of a field; undefined when there is none. */
function valueOf(body: Buffer, fields: readonly FieldSpan[], name: string): unknown {
  const field = lastFieldNamed(fields, name)
  return field === undefined ? undefined : parseJson(body.toString('utf8', field.valueStart, field.valueEnd))
}

function readWhole({ body }: Reply, reading: AnswerReading): Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>> {
  const { watch, responseBytesMax, idleSeconds } = reading
  watch.expect('idle', idleSeconds)
  const taken = takeAll(body, responseBytesMax, watch)
  return taken instanceof Promise ? awaited(taken, reading) : checked(taken, reading)
}

async function awaited(taking: Promise<Buffer<ArrayBuffer> | null>, reading: AnswerReading) {
  try {
    return checked(await taking, reading)
  } catch (thrown) {
    if (reading.watch.reason !== null) throw reading.watch.reason
    // The client's own upload, still under way, has failed; or the answer was refused here.
    if (thrown instanceof ApiError) throw thrown
    throw new ApiError('upstream_error', {
      message: 'The model provider broke off in the middle of its answer.',
      cause: thrown,
      repeats: thrown instanceof UpstreamFailure && thrown.repeats,
    })
  }
}

function checked(whole: Buffer<ArrayBuffer> | null, { record }: AnswerReading): Buffer<ArrayBuffer> {
  if (whole === null)
    throw new ApiError('upstream_invalid_response', {
      message: 'The answer of the model provider is larger than this gateway allows.',
    })
  record.firstToken()
  return whole
}

/** Whether it is an object that was not cut off. Throws for what is not JSON at all. */
function isObjectOrJson(body: Buffer): boolean {
  // Parsing all of an answer to pass it on would cost more than relaying it.
  if (isWholeObject(body)) return true
  parseJson(body.toString('utf8'))
  return false
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
}
