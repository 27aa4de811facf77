/**
 * Whether the disk of the documents can be written and files can be opened. A fault that a request or a document has
 * met is remembered, and is over when a trial write succeeds.
 */
import type { Clock } from '#lib/clock.ts'
import { resourceFaultOf, type ResourceFault } from '#lib/resource-fault.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { Spool } from './blobs/spool.ts'

/** A trial of this size tells a full disk from one that has room for the next files. */
const trialBytes = 1_048_576
const trialEveryMs = 1000

export class StorageHealth {
  readonly #spool: Pick<Spool, 'hold' | 'discard'>
  readonly #metrics: Pick<Metrics, 'resourceFault'>
  readonly #clock: Pick<Clock, 'elapsed'>
  #fault: ResourceFault | null = null
  #trial: Promise<void> | null = null
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(
    spool: Pick<Spool, 'hold' | 'discard'>,
    metrics: Pick<Metrics, 'resourceFault'>,
    clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#spool = spool
    this.#metrics = metrics
    this.#clock = clock
  }

  /** Remembers and counts what the error says that the machine has run out of; null for any other error. */
  note(thrown: unknown): ResourceFault | null {
    const fault = resourceFaultOf(thrown)
    if (fault === null) return null
    this.#fault = fault
    this.#metrics.resourceFault(fault)
    return fault
  }

  /** The fault that still holds, or null. Tries to write only after one, at most once a second. */
  async check(): Promise<ResourceFault | null> {
    if (this.#fault === null) return null
    const now = this.#clock.elapsed()
    if (this.#trial === null && now - this.#triedAt >= trialEveryMs) {
      this.#triedAt = now
      this.#trial = this.#try().finally(() => (this.#trial = null))
    }
    await this.#trial
    return this.#fault
  }

  /** Never rejects. */
  async #try(): Promise<void> {
    try {
      await this.#spool.discard(await this.#spool.hold([new Uint8Array(trialBytes)], trialBytes))
      this.#fault = null
    } catch (thrown) {
      this.#fault = resourceFaultOf(thrown) ?? this.#fault
    }
  }
}
