/**
 * Streams of async requests that this process makes. What has come of all of them is written a few times a second, in one
 * transaction, so that every process can show it.
 */
import type { Logger } from '#observe/log.ts'
import type { AsyncPieces, NewPiece } from '#store/batches/async-pieces.ts'
import type { JobLease } from '#store/batches/locked-batch.ts'

const writeEveryMs = 250

/** One try of a call. Disposing forgets what is not written. */
export class AsyncStream implements Disposable {
  readonly #lease: JobLease
  readonly #attempt = crypto.randomUUID()
  readonly #onText: () => void
  readonly #onEnd: (stream: AsyncStream) => void
  #position = 0
  #text = ''

  constructor(lease: JobLease, onText: () => void, onEnd: (stream: AsyncStream) => void) {
    this.#lease = lease
    this.#onText = onText
    this.#onEnd = onEnd
  }

  /** Whether something has come that is not written. */
  get isWaiting(): boolean {
    return this.#text !== ''
  }

  push(text: string): void {
    this.#text += text
    this.#onText()
  }

  /** What is to be written now; null for nothing. */
  take(): NewPiece | null {
    if (this.#text === '') return null
    const piece = { lease: this.#lease, attempt: this.#attempt, position: this.#position, text: this.#text }
    this.#position += 1
    this.#text = ''
    return piece
  }

  [Symbol.dispose](): void {
    this.#onEnd(this)
  }
}

export class AsyncStreams implements AsyncDisposable {
  readonly #store: Pick<AsyncPieces, 'addPieces'>
  readonly #logger: Logger
  readonly #streams = new Set<AsyncStream>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #writing: Promise<void> | null = null
  #isClosed = false

  constructor(store: Pick<AsyncPieces, 'addPieces'>, logger: Logger) {
    this.#store = store
    this.#logger = logger
  }

  begin(lease: JobLease): AsyncStream {
    const stream = new AsyncStream(
      lease,
      () => this.#writeSoon(),
      (ended) => this.#streams.delete(ended),
    )
    this.#streams.add(stream)
    return stream
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
  }

  #writeSoon(): void {
    if (this.#timer !== null || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#writing = this.#write().finally(() => {
        this.#timer = null
        this.#writing = null
        // What has come since must not wait for what comes next, which may take long.
        if ([...this.#streams].some(({ isWaiting }) => isWaiting)) this.#writeSoon()
      })
    }, writeEveryMs)
  }

  /** Never rejects. A stream whose piece is lost has a gap, which its readers notice at its end. */
  async #write(): Promise<void> {
    const pieces = [...this.#streams].flatMap((stream) => stream.take() ?? [])
    if (pieces.length === 0) return
    await this.#store
      .addPieces(pieces)
      .catch((error: unknown) => this.#logger.warn('streams of async requests could not be written', { error }))
  }
}
