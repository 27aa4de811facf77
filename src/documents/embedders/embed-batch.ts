/** The texts of one call to an embedder, of one document or several, until each has its vectors or its failure. */
import type { EmbedJob, TextRange } from './embed-job.ts'

export interface EmbedBatchOptions {
  /** It holds fewer texts than a call may have. */
  readonly isPartial: boolean
  /** When it was put together. Milliseconds. */
  readonly startedAt: number
}

export class EmbedBatch {
  readonly ranges: readonly TextRange[]
  readonly jobs: ReadonlySet<EmbedJob>
  readonly isPartial: boolean
  readonly startedAt: number
  /** How often it has been sent. */
  tries = 0
  /** How often the answer could not be used. */
  invalidAnswers = 0
  readonly #ended = new AbortController()

  constructor(ranges: readonly TextRange[], { isPartial, startedAt }: EmbedBatchOptions) {
    this.ranges = ranges
    this.jobs = new Set(ranges.map(({ job }) => job))
    this.isPartial = isPartial
    this.startedAt = startedAt
    for (const job of this.jobs) job.whenSettled(this.#abortIfUnwanted)
    this.#abortIfUnwanted()
  }

  /** Aborted when no document wants anything of it any more. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Some document still waits for it. */
  get wanted(): boolean {
    return !this.#ended.signal.aborted
  }

  /** All texts, for another try. */
  nextTry(): readonly string[] {
    this.tries += 1
    return this.ranges.flatMap(({ job, start, end }) => job.texts.slice(start, end))
  }

  /** Hands the vectors out, one for each text. */
  put(vectors: readonly Float32Array[]): void {
    let from = 0
    for (const { job, start, end } of this.ranges) {
      job.put(start, vectors.slice(from, from + end - start))
      from += end - start
    }
  }

  fail(reason: unknown): void {
    for (const job of this.jobs) job.fail(reason)
  }

  /** A batch for each document that still waits. */
  perJob(): readonly EmbedBatch[] {
    return [...this.jobs]
      .filter((job) => !job.settled)
      .map(
        (job) =>
          new EmbedBatch(
            this.ranges.filter((each) => each.job === job),
            this,
          ),
      )
  }

  readonly #abortIfUnwanted = (): void => {
    if ([...this.jobs].every((job) => job.settled)) this.#ended.abort()
  }
}
