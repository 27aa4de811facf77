/** A part of a batch in the hands of this process: its lines that are not done, and results that are not written. */
import { AnySignal } from '#lib/any-signal.ts'
import type { ClaimedJob } from '#store/batches/batch-jobs.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { LineResult } from '#store/batches/batch-results.ts'
import type { JobLease } from '#store/batches/locked-batch.ts'
import type { BatchLine } from '../lines/batch-line.ts'
import type { ModelLane } from './model-lane.ts'

/** A line that has no result yet. */
export interface HeldLine {
  readonly part: HeldPart
  readonly line: number
  readonly request: BatchLine
  readonly lane: ModelLane<HeldLine>
  /** What its calls cost so far; null without a price. */
  cost: number | null
  /** Times that the provider failed at it. */
  failures: number
  /** What the model had answered when this line was tried last; null before. */
  answersBefore: number | null
  isRunning: boolean
}

export class HeldPart {
  readonly batch: Batch
  readonly lease: JobLease
  /** Lines without a result. */
  readonly lines = new Set<HeldLine>()
  /** Bytes of the lines in memory. */
  readonly bytes: number
  unwritten: LineResult[] = []
  /** Set while results are being written. */
  writing: Promise<void> | null = null
  readonly #controller = new AbortController()
  readonly #signal: AnySignal

  /** @param stop ends its calls, too */
  constructor({ batch, lease, bytes }: ClaimedJob, stop: AbortSignal) {
    this.batch = batch
    this.lease = lease
    this.bytes = bytes
    this.#signal = new AnySignal([this.#controller.signal, stop])
  }

  get userId(): string {
    return this.batch.userId
  }

  get isAsync(): boolean {
    return this.batch.dialect === 'async'
  }

  /** There are results that are not written, or the part is to end. */
  get hasToWrite(): boolean {
    return this.unwritten.length > 0 || this.lines.size === 0
  }

  /** Ends the calls of its lines. */
  get signal(): AbortSignal {
    return this.#signal.signal
  }

  /** The line is done; its result is to be written. */
  settle(line: HeldLine, { error, usage, text }: Pick<LineResult, 'error' | 'usage' | 'text'>): void {
    this.lines.delete(line)
    this.unwritten.push({ line: line.line, error, cost: line.cost, usage, text })
  }

  /** The results that are to be written now. */
  takeUnwritten(): LineResult[] {
    const taken = this.unwritten
    this.unwritten = []
    return taken
  }

  /** They could not be written. */
  putBack(results: readonly LineResult[]): void {
    this.unwritten = [...results, ...this.unwritten]
  }

  /** It is this process's no longer. */
  drop(): void {
    this.#controller.abort()
    for (const line of this.lines) line.lane.remove(line)
    this.lines.clear()
    this.#signal[Symbol.dispose]()
  }
}
