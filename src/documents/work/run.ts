/** A document under way in this process: its lease, how far it is, and what ends it early. */
import type { Clock } from '#lib/clock.ts'
import type {
  Heartbeat,
  Claim,
  DocumentProgress,
  DocumentRecord,
  DocumentState,
  Lease,
} from '#store/documents/document-store.ts'

const nothing: DocumentProgress = {
  pages: { done: 0, total: 0 },
  chunks: { done: 0, total: 0 },
  embedded: { done: 0, total: 0 },
}

export class Run {
  #document: DocumentRecord
  readonly lease: Lease
  readonly #clock: Pick<Clock, 'now'>
  readonly #abort = new AbortController()
  #state: DocumentState = 'queued'
  #progress = nothing
  #stateAt: Heartbeat['stateAt']

  constructor({ document, fence }: Claim, clock: Pick<Clock, 'now'>) {
    this.#document = document
    this.lease = { id: document.id, fence }
    this.#clock = clock
    this.#stateAt = document.stateAt
  }

  get document(): DocumentRecord {
    return this.#document
  }

  /** The bytes of a document that was imported by its address are there. */
  received(content: Pick<DocumentRecord, 'sha256' | 'bytes' | 'place' | 'reader'>): void {
    this.#document = { ...this.#document, ...content }
  }

  /** Aborted when the lease is lost or the process stops. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Epoch milliseconds, by the clock of the states. */
  now(): number {
    return this.#clock.now()
  }

  get state(): DocumentState {
    return this.#state
  }

  get progress(): DocumentProgress {
    return this.#progress
  }

  /** What the next heartbeat writes. */
  get heartbeat(): Heartbeat {
    return { state: this.#state, progress: this.#progress, stateAt: this.#stateAt }
  }

  enter(state: DocumentState): void {
    this.#state = state
    this.#stateAt = { ...this.#stateAt, [state]: this.#clock.now() }
  }

  report(progress: Partial<DocumentProgress>): void {
    this.#progress = { ...this.#progress, ...progress }
  }

  /** Only the first reason counts. */
  end(reason: Error): void {
    this.#abort.abort(reason)
  }
}
