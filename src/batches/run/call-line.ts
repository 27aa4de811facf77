/** One line, called as a live request of its account would be, and what its end means for it and for its model. */
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { ModelCall } from '#gateway/endpoints/model-call.ts'
import { InnerContext } from '#gateway/inner-context.ts'
import { serveModelCall } from '#gateway/serve-model-call.ts'
import type { LineResult } from '#store/batches/batch-results.ts'
import type { TokenUsage } from '#gateway/usage/token-usage.ts'
import type { Batch, BatchUsage } from '#store/batches/batch-row.ts'
import type { Batches } from '../batches.ts'
import { lineCall } from '../lines/line-calls.ts'
import { answeredResult, oneLine, refusalBody } from '../lines/line-result.ts'
import type { JobLease } from '#store/batches/locked-batch.ts'
import type { OpenLine } from './open-part.ts'

/**
 * - `done`: there is a result.
 * - `congested`: the model has too much to do; the line waits.
 * - `down`: the model's provider is not there; the line waits.
 * - `broken`: the provider failed at this line, or at all of them.
 * - `stopped`: the process or the batch ends; the line is another worker's.
 */
export type LineEnd =
  | (LineOutcome & { readonly kind: 'done' })
  | (LineOutcome & {
      readonly kind: 'congested' | 'down' | 'broken'
      readonly retryAfterMs: number | null
      /** The code of the error. */
      readonly error: string
    })
  | { readonly kind: 'stopped' }

/** The result; that of a failure, if the line is not tried again. */
type LineOutcome = Pick<LineResult, 'cost' | 'usage' | 'error' | 'text'>

/** Parsing a larger answer once more would hold the thread up; the relay has seen that it is a whole object. */
const parsedBytesMax = 1_048_576
/** A stream becomes one text in the end, which must not hold the thread up. */
const streamBytesMax = 16_777_216
const streamTooLarge = 'The answer is larger than the stream of an async request may be.'
const completeFailures: ReadonlySet<string> = new Set(['upstream_error', 'upstream_rate_limited'])
const noCaller = new ApiError('invalid_api_key', {
  message: 'The account of this batch is gone or disabled, or the key that made it was deleted or has expired.',
})

export interface CalledLine extends OpenLine, Pick<ModelCall, 'answered'> {
  /** In whose name its stream is written, if it has one. */
  readonly lease: JobLease
}

/** Never rejects. */
export async function callLine(
  batches: Batches,
  batch: Batch,
  { line, request, lease, answered }: CalledLine,
  signal: AbortSignal,
): Promise<LineEnd> {
  const { gateway, callerOf } = batches
  const call = lineCall(batch.endpoint)
  const context = new LineContext(call.endpoint, { body: request.body }, signal, gateway.clock)
  const { requestId } = context
  let cost: number | null = null
  let usage: BatchUsage | null = null
  let failure: ApiError | null = null
  try {
    const caller = callerOf(batch)
    if (caller === null) throw noCaller
    const response = await serveModelCall(gateway, context, caller, {
      ...call,
      purpose: 'batch',
      isAsync: batch.dialect === 'async',
      settled: (own, tokens, failed) => {
        cost = own
        failure = failed
        usage = tokens && usageOf(tokens)
      },
      traced: { 'sluice.batch_id': batch.id, 'sluice.batch_line': line },
      ...(answered && { answered }),
    })
    const body = isStream(response)
      ? await streamText(batches, response, lease)
      : oneLine(await context.textOf(response))
    refuseBroken(failure)
    if (body.length <= parsedBytesMax && !isJson(body)) throw new ApiError('upstream_invalid_response')
    return {
      kind: 'done',
      error: null,
      cost,
      usage,
      text: answeredResult(batch, request.customId, { status: 200, requestId, body }),
    }
  } catch (thrown) {
    const error = toApiError(thrown, signal)
    if (signal.aborted || error.code === 'shutting_down') return { kind: 'stopped' }
    const body = refusalBody(batch, error, requestId)
    const text = answeredResult(batch, request.customId, { status: error.status, requestId, body })
    const kind = kindOf(error)
    const outcome = { error: error.wireCode ?? error.code, cost, usage, text }
    return kind === 'refused' ? { kind: 'done', ...outcome } : { kind, retryAfterMs: retryAfterMs(error), ...outcome }
  }
}

/** Nobody reads it. */
const taken = new Response()

/** Keeps the bytes of an answer: a response of the platform would copy them, for nobody but this file. */
class LineContext extends InnerContext {
  #answer: Buffer | null = null

  override respond(
    body: Bun.BodyInit | null,
    init: { readonly status: number; readonly headers: Record<string, string> },
  ) {
    if (!Buffer.isBuffer(body)) return super.respond(body, init)
    this.#answer = body
    return taken
  }

  async textOf(response: Response): Promise<string> {
    return response === taken && this.#answer !== null ? this.#answer.toString() : response.text()
  }
}

function isStream(response: Response): boolean {
  return response !== taken && response.headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** The whole stream as a JSON text. What has come of it can be read while it comes. */
async function streamText({ streams }: Batches, response: Response, lease: JobLease): Promise<string> {
  const body: AsyncIterable<Uint8Array<ArrayBuffer>> | null = response.body
  using out = streams.begin(lease)
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of body ?? nothing) {
    bytes += piece.length
    if (bytes > streamBytesMax) throw new ApiError('upstream_invalid_response', { message: streamTooLarge })
    // NUL is in no event, and in no text of PostgreSQL.
    const read = decoder.decode(piece, { stream: true }).replaceAll('\0', ' ')
    text += read
    out.push(read)
  }
  return JSON.stringify(text)
}

const nothing: readonly Uint8Array<ArrayBuffer>[] = []

/** An answer whose last event says that it failed is complete. One that broke off is made again. */
function refuseBroken(failure: ApiError | null): void {
  if (failure !== null && !completeFailures.has(failure.code)) throw failure
}

function usageOf({ promptTokens, completionTokens, kinds }: TokenUsage): BatchUsage {
  return {
    input: promptTokens ?? 0,
    cached: kinds?.cachedTokens ?? 0,
    output: completionTokens ?? 0,
    reasoning: kinds?.reasoningTokens ?? 0,
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const busyStatuses = new Set([429, 529])
const absentStatuses = new Set([401, 403, 407, 502, 503, 504])

/** What an error says about the model: a refusal of the request itself says nothing. */
function kindOf({ code, row, detail }: ApiError): 'refused' | 'congested' | 'down' | 'broken' {
  const { upstreamStatus: status } = detail
  if (status !== undefined && busyStatuses.has(status)) return 'congested'
  if (row.status === 429) return 'congested'
  if (row.origin === 'client') return 'refused'
  if (row.origin === 'gateway') return 'broken'
  // Without a status there was no answer. An administrator can correct a credential while the batch waits.
  const isAbsent = status === undefined ? code !== 'upstream_invalid_response' : absentStatuses.has(status)
  return isAbsent && code !== 'upstream_timeout' ? 'down' : 'broken'
}

function retryAfterMs({ detail, row }: ApiError): number | null {
  const seconds = Number(detail.headers?.['retry-after'] ?? row.retryAfterSeconds ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}
