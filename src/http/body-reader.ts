/**
 * A request body piece by piece, for what passes it on instead of holding it. Nothing is read from
 * the client before it is asked for, so a slow consumer slows the client down.
 */
import { ApiError } from '#errors/api-error.ts'
import type { Grant } from '#lib/byte-budget.ts'
import { limitsOf, refuseEncoded, tooLarge, bodyDeadline, type BodyLimits } from './body.ts'
import { countedBytes, takeRoom } from './body-room.ts'
import type { RequestContext } from './request-context.ts'

/** What is used of the platform's reader, of whose type there are several. */
interface PieceReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<unknown>
}

export class BodyReader {
  /** What the client has announced; null when it sends chunks. */
  readonly length: number | null
  readonly #context: RequestContext
  readonly #limits: BodyLimits
  readonly #reader: PieceReader | null
  #bytesRead = 0
  #hasRoom = false
  #grant: Grant | null = null
  #waitedMs = 0

  /** Answers 413 or 415 by throwing, when the headers already say so. */
  constructor(context: RequestContext, asked: BodyLimits) {
    const { request } = context
    const limits = limitsOf(context, asked)
    refuseEncoded(request)
    const declared = request.headers.get('content-length')
    this.length = declared === null ? null : Number(declared)
    if (this.length !== null && this.length > limits.bytesMax) throw tooLarge(limits)
    this.#context = context
    this.#limits = limits
    this.#reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader() ?? null
  }

  get bytesRead(): number {
    return this.#bytesRead
  }

  /**
   * The next bytes, or null at the end. Answers 413 when there are more than the limit, 408 when the
   * client has kept us waiting for longer than the limit in all, and 499 when it has gone.
   */
  async read(): Promise<Uint8Array | null> {
    if (this.#reader === null) return null
    const { done, value } = await this.#next(this.#reader)
    if (done || value === undefined) return null
    this.#bytesRead += value.byteLength
    if (this.#bytesRead > this.#limits.bytesMax) throw tooLarge(this.#limits)
    return value
  }

  /** The same for what stays in memory until the request has ended: a large body finds room first. Answers 503, too. */
  async readToKeep(): Promise<Uint8Array | null> {
    const piece = await this.read()
    if (!this.#hasRoom && this.#bytesRead >= countedBytes) {
      this.#hasRoom = true
      this.#grant = await takeRoom(this.#context, this.#limits, this.length ?? this.#limits.bytesMax)
    }
    if (piece === null) this.#grant?.shrinkTo(this.#bytesRead)
    return piece
  }

  /** The rest is thrown away as it arrives. May be called at any time and more than once. */
  cancel(): void {
    // A body that has failed cannot be cancelled, and need not be.
    void this.#reader?.cancel().catch(() => {})
  }

  async #next(reader: PieceReader): ReturnType<PieceReader['read']> {
    const { clock, signal } = this.#context
    const reading = reader.read()
    const startedAt = clock.elapsed()
    try {
      if (Bun.peek.status(reading) !== 'pending') return await reading
      using deadline = bodyDeadline(reading, { readSeconds: this.#limits.readSeconds - this.#waitedMs / 1000 })
      return await deadline.outcome
    } catch (thrown) {
      throw signal.aborted ? new ApiError('client_closed') : thrown
    } finally {
      this.#waitedMs += clock.elapsed() - startedAt
    }
  }
}
