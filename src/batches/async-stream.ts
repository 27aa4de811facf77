/**
 * The stream of an async request for a reader: what has come so far, and what comes, from whichever process makes it. A
 * call that had to be made again begins another stream: a reader of the first one is told so, since it has bytes that are
 * in no answer.
 */
import { errorBody as anthropicErrorBody } from '#dialects/anthropic/error-response.ts'
import { ApiError } from '#errors/api-error.ts'
import { errorEvent } from '#errors/render.ts'
import { pause } from '#lib/loop.ts'
import type { StoredPiece } from '#store/batches/async-pieces.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { Batches } from './batches.ts'

/** The whole stream, once the request has ended with one. */
export type StreamEnd = (batch: Batch) => Promise<Buffer<ArrayBuffer> | null>

const pollMs = 250

/** Pieces of the stream from its beginning; null after a silence. @param begun what has come already */
export async function* followAsync(
  batches: Pick<Batches, 'store'>,
  { id, endpoint }: Batch,
  {
    begun,
    endOf,
    signal,
  }: { readonly begun: readonly StoredPiece[]; readonly endOf: StreamEnd; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array | null, void> {
  const sent = new SentBytes()
  const attempt = begun[0]?.attempt
  let next = 0
  for (let pieces = begun; !signal.aborted; pieces = await batches.store.pieces(id, next)) {
    const before = next
    for (const piece of pieces) {
      // Another try, or a piece is missing: only the end tells what became of it.
      if (piece.attempt !== attempt || piece.position !== next) break
      next += 1
      yield sent.add(Buffer.from(piece.text))
    }
    if (next > before) continue
    const batch = await batches.store.find(id)
    const end = batch === null ? null : await endOf(batch)
    if (end !== null || batch === null || batch.endedAt !== null) {
      yield end !== null && sent.isBeginOf(end) ? end.subarray(sent.bytes) : brokenOff(endpoint)
      return
    }
    await pause(pollMs, signal)
    yield null
  }
}

class SentBytes {
  readonly #hash = new Bun.CryptoHasher('sha256')
  bytes = 0

  add(bytes: Buffer): Buffer {
    this.#hash.update(bytes)
    this.bytes += bytes.length
    return bytes
  }

  /** Whether a text begins with what was sent. Called once. */
  isBeginOf(text: Buffer): boolean {
    const begin = new Bun.CryptoHasher('sha256').update(text.subarray(0, this.bytes))
    return text.length >= this.bytes && begin.digest('hex') === this.#hash.digest('hex')
  }
}

function brokenOff(endpoint: string): Uint8Array {
  const error = new ApiError('upstream_stream_error', {
    message: 'This answer was begun again, or ended without its end. Ask for the response once more.',
  })
  if (endpoint !== '/v1/messages') return errorEvent(error)
  return Buffer.from(`event: error\ndata: ${JSON.stringify(anthropicErrorBody(error))}\n\n`)
}
