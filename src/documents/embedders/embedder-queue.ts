/**
 * The calls of one embedder for one purpose. The queue starts a call when it has a full batch and room
 * for one more call; a batch that is not full goes when no other such is under way, so that
 * the next takes the texts that arrive in the meantime. Batches take texts of all waiting documents in turn.
 *
 * A batch that waits for its next try holds no place. While an embedder fails or asks to wait, the
 * whole queue backs off.
 */
import { fullJitterMs } from '#lib/backoff.ts'
import type { Clock } from '#lib/clock.ts'
import { checkVectors, invalidAnswer } from './check-vectors.ts'
import { EmbedBatch } from './embed-batch.ts'
import { embedFailureOf } from './embed-failure.ts'
import { EmbedJob, type EmbedJobOptions, type TextRange } from './embed-job.ts'
import type { EmbedFailure, Embedder, EmbedRequest } from './embedder.ts'

export interface EmbedQueueOptions {
  /** Most calls with one embedder at once. */
  readonly concurrency: () => number
  /** A call is not tried again later than this after its first try. Milliseconds. */
  readonly retryBudgetMs: Readonly<Record<EmbedRequest['purpose'], number>>
  /** Resolves after the time, or when the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly clock: Pick<Clock, 'elapsed'>
}

const backoff = { baseMs: 500, maxMs: 30_000 }
/** A call for several documents that fails this often is made for each of them. */
const joinedTriesMax = 2
/** An answer that is wrong this often will not become right. */
const invalidAnswersMax = 3
/** Batches, for each call that may be under way, that may wait for their next try before new texts have to wait. */
const delayedMax = 4

export class EmbedderQueue {
  readonly #embedder: Embedder
  readonly #purpose: EmbedRequest['purpose']
  readonly #options: EmbedQueueOptions
  /** Jobs with texts that wait; the first gives the next texts. */
  #jobs: EmbedJob[] = []
  /** To be tried again, before new texts. */
  readonly #ready: EmbedBatch[] = []
  #calls = 0
  #partial = 0
  #delayed = 0
  #failuresInRow = 0
  #scheduled = false
  /** Until then no call is started. */
  #backsOffUntil = 0
  #wakesLater = false

  constructor(embedder: Embedder, purpose: EmbedRequest['purpose'], options: EmbedQueueOptions) {
    this.#embedder = embedder
    this.#purpose = purpose
    this.#options = options
  }

  /** See EmbedQueue.embed. */
  async add(order: EmbedJobOptions): Promise<readonly Float32Array[]> {
    order.signal.throwIfAborted()
    if (order.texts.length === 0) return []
    const job = new EmbedJob(order, this.#drop)
    this.#jobs.push(job)
    this.#schedule()
    return job.result
  }

  readonly #drop = (job: EmbedJob): void => {
    this.#jobs = this.#jobs.filter((each) => each !== job)
  }

  /** Only at the next turn, so that documents that come at once share a call. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#start()
    })
  }

  #start(): void {
    const concurrency = this.#options.concurrency()
    while (this.#calls < concurrency && !this.#isBackingOff()) {
      const batch = this.#ready.shift() ?? (this.#delayed < concurrency * delayedMax ? this.#nextBatch() : null)
      if (batch === null) return
      void this.#attempt(batch)
    }
  }

  /** Whether the queue waits after a failure; it then goes on by itself. */
  #isBackingOff(): boolean {
    const ms = this.#backsOffUntil - this.#options.clock.elapsed()
    if (ms <= 0) return false
    if (this.#wakesLater) return true
    this.#wakesLater = true
    void this.#options.wait(ms).then(() => {
      this.#wakesLater = false
      this.#start()
    })
    return true
  }

  #nextBatch(): EmbedBatch | null {
    const { batchMax } = this.#embedder
    const waiting = this.#jobs.reduce((sum, job) => sum + job.waiting, 0)
    if (waiting === 0) return null
    const isPartial = waiting < batchMax
    // A question is a single text, and a request waits for its vector.
    if (isPartial && this.#partial > 0 && this.#purpose === 'passage') return null
    return new EmbedBatch(this.#take(batchMax), { isPartial, startedAt: this.#options.clock.elapsed() })
  }

  /** Texts for one call: an equal share of each document, in turn. */
  #take(batchMax: number): readonly TextRange[] {
    const share = Math.max(1, Math.ceil(batchMax / this.#jobs.length))
    const ranges: TextRange[] = []
    let room = batchMax
    while (room > 0) {
      const job = this.#jobs.shift()
      if (job === undefined) break
      const range = job.take(Math.min(share, room))
      room -= range.end - range.start
      ranges.push(range)
      if (job.waiting > 0) this.#jobs.push(job)
    }
    return ranges
  }

  /** One try, and what follows from its failure. Never rejects. */
  async #attempt(batch: EmbedBatch): Promise<void> {
    this.#calls += 1
    if (batch.isPartial) this.#partial += 1
    try {
      await this.#try(batch)
      this.#failuresInRow = 0
    } catch (thrown) {
      if (batch.wanted) this.#failed(batch, embedFailureOf(thrown, this.#embedder.name))
    } finally {
      this.#calls -= 1
      if (batch.isPartial) this.#partial -= 1
      this.#start()
    }
  }

  async #try(batch: EmbedBatch): Promise<void> {
    if (!batch.wanted) return
    const { signal, ranges } = batch
    const texts = batch.nextTry()
    const answer = await this.#embedder.embed({ texts, purpose: this.#purpose, signal })
    const vectors = checkVectors(answer, { count: texts.length, dimensions: null })
    const dimensions = vectors[0]?.length ?? 0
    const other = ranges.find(({ job }) => job.dimensions !== null && job.dimensions !== dimensions)
    if (other !== undefined) {
      throw invalidAnswer(
        `The embedder gave vectors of ${dimensions} dimensions where ${other.job.dimensions} were expected.`,
      )
    }
    batch.put(vectors)
  }

  #failed(batch: EmbedBatch, failure: EmbedFailure): void {
    const { retryable, retryAfterMs, code } = failure
    const isJoined = batch.jobs.size > 1
    if (!retryable) {
      if (isJoined && code !== 'embedder_unavailable') this.#ready.push(...batch.perJob())
      else batch.fail(failure)
      return
    }
    // A provider that asks to wait says nothing about the texts.
    if (isJoined && retryAfterMs === null && batch.tries >= joinedTriesMax) {
      this.#ready.push(...batch.perJob())
      return
    }
    const { clock, retryBudgetMs } = this.#options
    this.#failuresInRow += 1
    const now = clock.elapsed()
    if (code === 'embedder_invalid_answer') batch.invalidAnswers += 1
    const isOver = batch.invalidAnswers >= invalidAnswersMax
    const waitMs = Math.max(retryAfterMs ?? 0, fullJitterMs(batch.tries, backoff, Math.random))
    const backoffMs =
      retryAfterMs ?? (this.#failuresInRow > 1 ? fullJitterMs(this.#failuresInRow, backoff, Math.random) : 0)
    this.#backsOffUntil = Math.max(this.#backsOffUntil, now + backoffMs)
    if (isOver || now - batch.startedAt + waitMs > retryBudgetMs[this.#purpose]) batch.fail(failure)
    else void this.#retryLater(batch, waitMs)
  }

  async #retryLater(batch: EmbedBatch, waitMs: number): Promise<void> {
    this.#delayed += 1
    await this.#options.wait(waitMs, batch.signal)
    this.#delayed -= 1
    if (batch.wanted) this.#ready.push(batch)
    this.#start()
  }
}
