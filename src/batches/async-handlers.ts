/**
 * Calls of models that their clients do not wait for (`prefer: respond-async`, RFC 7240): each is a batch of one line,
 * which runs as all batches do, and ahead of them.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { applyRules } from '#gateway/admission/apply-rules.ts'
import { resolveRequested } from '#gateway/admission/resolve-model.ts'
import type { ModelCall } from '#gateway/endpoints/model-call.ts'
import { bodyLimits } from '#gateway/serve-model-call.ts'
import { errorEvent } from '#errors/render.ts'
import { eventStream, eventStreamHeaders } from '#http/event-stream.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { findFields } from '#lib/json-span.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import { insertBatch, newBatch, ownBatch, storeInput } from './batch-handlers.ts'
import { followAsync } from './async-stream.ts'
import { asyncOnWire, asyncPath } from './async-wire.ts'
import type { Batches } from './batches.ts'
import { contentPieces } from './files/file-content.ts'
import { limitOf, listOnWire } from './files/file-handlers.ts'
import { newId } from './files/files.ts'

const dialect = 'async'
const windowMs = 86_400_000
const listUsual = 20
const listMax = 100
const pollSeconds = 1
const quote = 0x22
const lineEnds = [0x0a, 0x0d] as const
const resultFields = new Set(['response', 'error'])
const responseFields = new Set(['status_code', 'body'])

export const asyncQuery = z.object({
  after: z.string().optional().describe('The id of the request before the page'),
  limit: z.string().optional().describe('1 to 100; 20 when left out'),
})

/** Takes a call, to be made as soon as there is room. Answers 202, and 400, 403, 404, 408, 413, 415, 429 and 503 by throwing. */
export async function startAsync(
  batches: Batches,
  context: RequestContext,
  caller: Caller,
  call: ModelCall,
): Promise<Response> {
  using held = new DisposableStack()
  const request = await call.read(context, bodyLimits(batches.gateway, caller, held))
  if (request.state?.background === true)
    throw invalid('background', 'A request is in the background, or has "prefer: respond-async", but not both.')
  const catalog = batches.gateway.catalog()
  applyRules(catalog, resolveRequested(catalog, request, caller), caller, 'batch')
  const createdAt = await batches.now()
  const batch: Batch = {
    ...newBatch(caller, createdAt),
    id: newId('async_'),
    dialect,
    endpoint: `/v1/${call.endpoint}`,
    completionWindow: '24h',
    expiresAt: createdAt + windowMs,
    metadata: null,
    filesExpireMs: null,
    inputFileId: newId('file-'),
    total: 1,
  }
  await storeInput(batches, batch, [lineOf(batch, request.bytes)])
  await insertBatch(batches, batch)
  context.addHeader('location', asyncPath(batch.id))
  context.addHeader('preference-applied', 'respond-async')
  return context.respond(JSON.stringify(asyncOnWire(batch)), {
    status: 202,
    headers: { 'content-type': 'application/json' },
  })
}

/** The request in one line, its body byte for byte. In JSON a line end is as good as a space between the parts, and in no text. */
function lineOf({ id, endpoint }: Batch, body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const line = Buffer.concat([
    Buffer.from(`{"custom_id":"${id}","method":"POST","url":"${endpoint}","body":`),
    body,
    Buffer.from('}'),
  ])
  for (const end of lineEnds) for (let at = line.indexOf(end); at >= 0; at = line.indexOf(end, at)) line[at] = 0x20
  return Buffer.concat([line, Buffer.from('\n')])
}

/** Answers 404 by throwing. */
export async function getAsync(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  return json(asyncOnWire(await ownBatch(batches, context, { caller, dialect })))
}

/** Answers 400 by throwing. */
export async function listAsync({ store }: Batches, { query }: RequestContext, caller: Caller): Promise<Response> {
  const limit = limitOf(query, listUsual, listMax)
  const after = query.get('after')
  const found = await store.list({ userId: caller.account.user.id, dialect, limit: limit + 1, after })
  if (found === null)
    throw new ApiError('invalid_query_parameter', {
      param: 'after',
      message: '"after" names no async request of your account.',
    })
  return json(listOnWire(found.map(asyncOnWire), limit))
}

/** Answers 404 by throwing. One that has ended stays as it is. */
export async function cancelAsync(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect })
  const cancelled = await batches.store.cancel(batch.id, await batches.now())
  batches.wake()
  // As it is now: another request may have just cancelled it.
  return json(asyncOnWire(cancelled ?? (await ownBatch(batches, context, { caller, dialect }))))
}

/**
 * The answer as a live request would have got it, with its status, whether it is an error or not; a stream from its first
 * event on, and what is still to come of it. 202 with the state while there is none. Answers 404, and 409 for a request that
 * has ended without an answer, by throwing.
 */
export async function asyncResponse(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect })
  const answer = await answerOf(batches, batch)
  const whole = answer === null ? null : streamIn(answer)
  if (whole !== null) return context.respond(whole, { status: 200, headers: { ...eventStreamHeaders } })
  if (answer !== null)
    return context.respond(answer.body, { status: answer.status, headers: { 'content-type': 'application/json' } })
  const begun = batch.endedAt === null ? await batches.store.pieces(batch.id, 0) : []
  if (begun.length > 0) {
    const reading = new AbortController()
    const endOf = async (ended: Batch): Promise<Buffer<ArrayBuffer> | null> => {
      const last = await answerOf(batches, ended)
      return last && streamIn(last)
    }
    return eventStream(context, {
      pieces: followAsync(batches, batch, { begun, endOf, signal: reading.signal }),
      keepaliveMs: batches.gateway.settings.get('gateway.keepalive_seconds') * 1000,
      cancel: () => reading.abort(),
      failureEvent: errorEvent,
    })
  }
  if (batch.endedAt !== null)
    throw new ApiError('async_request_ended', {
      message: `This async request has ended without an answer: its status is '${asyncOnWire(batch).status}'.`,
    })
  context.addHeader('retry-after', String(pollSeconds))
  return context.respond(JSON.stringify(asyncOnWire(batch)), {
    status: 202,
    headers: { 'content-type': 'application/json' },
  })
}

interface Answer {
  readonly status: number
  readonly body: Buffer<ArrayBuffer>
}

/** Null while there is none, and for a request that was not made. */
async function answerOf(
  batches: Batches,
  { completed, failed, outputFileId, errorFileId }: Batch,
): Promise<Answer | null> {
  const id = completed > 0 ? outputFileId : failed > 0 ? errorFileId : null
  const file = id === null ? null : await batches.files.files.find(id)
  if (file === null) return null
  const pieces: Uint8Array[] = []
  for await (const piece of contentPieces(batches.files, file)) pieces.push(piece)
  const line = Buffer.concat(pieces)
  const response = findFields(line, resultFields).find(({ name }) => name === 'response')
  if (response === undefined) return null
  const text = line.subarray(response.valueStart, response.valueEnd)
  const fields = findFields(text, responseFields)
  const valueOf = (name: string): Buffer<ArrayBuffer> => {
    const field = fields.find((each) => each.name === name)
    return text.subarray(field?.valueStart ?? 0, field?.valueEnd ?? 0)
  }
  const status = Number(valueOf('status_code').toString())
  return status > 0 ? { status, body: valueOf('body') } : null
}

/** The events of an answer that is a stream: a JSON text; null for one that is an object. */
function streamIn({ body }: Answer): Buffer<ArrayBuffer> | null {
  return body[0] === quote ? Buffer.from(JSON.parse(body.toString()) as string) : null
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
