/**
 * Reads request bodies within a limit of bytes and a limit of time, both ours: the server's own
 * refusals have no body, and its idle timer restarts with every byte that dribbles in.
 */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { JsonTooComplex, parseBounded, type JsonLimits } from '#lib/bounded-json.ts'
import type { Grant } from '#lib/byte-budget.ts'
import { Deadline } from '#lib/deadline.ts'
import { countedBytes, takeRoom, type RoomLimits } from './body-room.ts'
import type { RequestContext } from './request-context.ts'

export interface BodyLimits extends RoomLimits {
  readonly bytesMax: number
  /** What JSON may hold; the usual limits when left out. */
  readonly json?: JsonLimits
}

/** The whole body. Answers 413, 408 or 415 by throwing, and never holds more than the limit and one read. */
export function readBody(context: RequestContext, asked: BodyLimits): Promise<Buffer<ArrayBuffer>> {
  return readBodyAs(context, asked, asSent)
}

function asSent(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return bytes
}

/** What is made of the whole body. Rejects as `readBody` does, and with what `make` throws: one wait for both. */
export async function readBodyAs<T>(
  context: RequestContext,
  asked: BodyLimits,
  make: (bytes: Buffer<ArrayBuffer>) => T,
): Promise<T> {
  const { request } = context
  const limits = limitsOf(context, asked)
  if (context.body !== undefined) {
    if (context.body.length > limits.bytesMax) throw tooLarge(limits)
    return make(context.body)
  }
  refuseEncoded(request)
  // Touching request.body makes a stream, which costs more than the rest of the reading: only a body
  // of unannounced length needs it.
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limits.bytesMax) throw tooLarge(limits)
  const isCounted = request.headers.has('transfer-encoding')
  if (!isCounted && Number(declared) >= countedBytes) await takeRoom(context, limits, Number(declared))
  const reading = isCounted ? readCounted(context, limits) : request.arrayBuffer()
  const deadline = bodyDeadline(reading, limits)
  let bytes: ArrayBuffer
  try {
    bytes = await deadline.outcome
  } catch (thrown) {
    // A client that leaves in the middle of its body is not a fault of the server.
    throw context.signal.aborted ? new ApiError('client_closed') : thrown
  } finally {
    // Not by `using`, which makes two lists for each body.
    deadline[Symbol.dispose]()
  }
  return make(Buffer.from(bytes))
}

/** The limits of a reader within that of the route. */
export function limitsOf({ bodyBytesMax = Infinity }: RequestContext, asked: BodyLimits): BodyLimits {
  return bodyBytesMax < asked.bytesMax ? { ...asked, bytesMax: bodyBytesMax } : asked
}

/** The body as parsed JSON and as the bytes it came in. Answers 400 for what is not JSON in UTF-8. */
export function readJson(
  context: RequestContext,
  limits: BodyLimits,
): Promise<{ bytes: Buffer<ArrayBuffer>; value: unknown }> {
  return readBodyAs(context, limits, (bytes) => ({ bytes, value: jsonOf(bytes, limits.json) }))
}

/** A whole body as JSON. Answers 400 and 413 by throwing. */
export function jsonOf(bytes: Buffer<ArrayBuffer>, limits?: JsonLimits): unknown {
  if (bytes.length === 0)
    throw new ApiError('invalid_json', { message: 'The request body is empty. Send a JSON object.' })
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', { message: 'The request body is not valid UTF-8.' })
  try {
    return parseBounded(bytes, limits)
  } catch (thrown) {
    throw unparsed(thrown)
  }
}

/** What to answer for a body that parseBounded refuses. The parser's own message quotes the body, which may hold a prompt. */
export function unparsed(thrown: unknown): ApiError {
  if (!(thrown instanceof JsonTooComplex)) return new ApiError('invalid_json')
  const message = `The request body cannot be read: ${thrown.message}.`
  return new ApiError(thrown.isTooDeep ? 'invalid_json' : 'request_too_large', { message })
}

/** Answers 415 for a body that would have to be unpacked. */
export function refuseEncoded({ headers }: Request): void {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', { message: 'Send the request body without content encoding.' })
}

/** A client may send single bytes, and each part costs as much as hundreds: so many small ones become one. */
const smallBytes = 512
const smallMax = 256

async function readCounted(context: RequestContext, limits: BodyLimits): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let small: Uint8Array[] = []
  let total = 0
  let grant: Grant | null = null
  for await (const part of (context.request.body as ReadableStream<Uint8Array> | null) ?? []) {
    const isLarge = total < countedBytes && total + part.byteLength >= countedBytes
    total += part.byteLength
    if (total > limits.bytesMax) throw tooLarge(limits)
    // Nobody knows how much is still to come.
    if (isLarge) grant = await takeRoom(context, limits, limits.bytesMax)
    small.push(part)
    if (part.byteLength >= smallBytes || small.length >= smallMax) {
      parts.push(...(small.length === smallMax ? [Buffer.concat(small)] : small))
      small = []
    }
  }
  grant?.shrinkTo(total)
  return Bun.concatArrayBuffers([...parts, ...small])
}

/** What is read, or 408 when it takes longer than the limit. */
export function bodyDeadline<T>(reading: Promise<T>, { readSeconds }: Pick<BodyLimits, 'readSeconds'>): Deadline<T> {
  return new Deadline(reading, readSeconds * 1000, bodyTimeout)
}

function bodyTimeout(): ApiError {
  return new ApiError('body_timeout', { headers: { connection: 'close' } })
}

/**
 * The refusal of a body. The rest of it is thrown away as it arrives. Closing the connection instead would reset it,
 * and most clients, which read only when they have sent all, would never see the answer.
 */
export function tooLarge(limits: Pick<BodyLimits, 'bytesMax'>): ApiError {
  return new ApiError('request_too_large', {
    message: `The request body is larger than the limit of ${limits.bytesMax} bytes.`,
  })
}
