/**
 * The worker of one process: claims jobs of batches, keeps their leases, and gives them back when it stops. A batch is
 * told here in three steps: it is validated, its lines run, and its results become files. What a step does is in a file
 * of its own; a step that is interrupted is done again by the next worker, and writes nothing twice.
 */
import { BlobMissing } from '#documents/blobs/blob-store.ts'
import { Loop } from '#lib/loop.ts'
import { LeaseLost } from '#store/errors.ts'
import type { ClaimedJob } from '#store/batches/batch-jobs.ts'
import type { JobLease } from '#store/batches/locked-batch.ts'
import type { Batches } from '../batches.ts'
import { finishBatch } from './finish-batch.ts'
import { InputFiles } from './input-files.ts'
import { LineRunner } from './line-runner.ts'
import { workOnNative } from './native-part.ts'
import { validateBatch } from './validate-batch.ts'

const pollMs = 1000
const expiredAtOnce = 20
/** Works on whole batches at once; they share the thread with everything else. */
const wholeMax = 2
const retryMs = 5000
/** Steps on batches of providers at once; each may wait for the provider. */
const nativeMax = 4

export class BatchWorker implements AsyncDisposable {
  readonly #batches: Batches
  readonly #name = crypto.randomUUID()
  readonly #leaseMs: number
  readonly #inputs: InputFiles
  readonly #runner: LineRunner
  readonly #loops: readonly Loop[]
  readonly #watch: Disposable
  /** Leases of whole batches, and what ends with them. */
  readonly #whole = new Map<JobLease, Promise<void>>()
  /** Those that wait for a provider. */
  #natives = 0
  #claiming: Promise<void> | null = null
  #claimAgain = false
  readonly #stop = new AbortController()
  /** The last claim found nothing, and nothing has happened since. */
  #hasNone = false

  /** Starts at once. @param isOnlyProcess: whatever is leased belongs to a process that is gone */
  constructor(batches: Batches, isOnlyProcess: boolean) {
    this.#batches = batches
    this.#leaseMs = batches.gateway.settings.get('batches.lease_seconds') * 1000
    this.#inputs = new InputFiles(batches.files.blobs, batches.gateway.clock)
    this.#runner = new LineRunner(batches, this.#inputs, () => this.#claimUnlessNone())
    this.#watch = batches.gateway.recorder.watch((row) => this.#runner.observe(row))
    const loop = (what: string, intervalMs: number, work: () => Promise<void>): Loop =>
      new Loop({ intervalMs, work, onError: (error) => this.#report(what, error) })
    this.#loops = [
      loop('looking for batches', pollMs, () => this.#look()),
      loop('renewing the leases of batches', this.#leaseMs / 3, () => this.#renew()),
    ]
    const begin = isOnlyProcess ? batches.store.releaseAll() : Promise.resolve()
    this.#claiming = begin
      .then(() => this.#claimAll())
      .catch((error: unknown) => this.#report('looking for batches', error))
      .finally(() => (this.#claiming = null))
  }

  /** There may be new work. */
  wake(): void {
    this.#hasNone = false
    this.#claimUnlessNone()
  }

  #claimUnlessNone(): void {
    if (this.#stop.signal.aborted || this.#hasNone) return
    if (this.#claiming !== null) this.#claimAgain = true
    else void this.#claim().catch((error: unknown) => this.#report('looking for batches', error))
  }

  /** Ends all calls, waits for them, and gives back what is not done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#watch[Symbol.dispose]()
    for (const loop of this.#loops) await loop[Symbol.asyncDispose]()
    await this.#claiming?.catch(() => undefined)
    await this.#runner.stop()
    await Promise.all(this.#whole.values())
    await this.#inputs[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const { store, now } = this.#batches
    await store.expire(await now(), expiredAtOnce)
    await this.#runner.tidy()
    await this.#inputs.tidy()
    await this.#claim()
  }

  #claim(): Promise<void> {
    this.#claiming ??= this.#claimAll().finally(() => (this.#claiming = null))
    return this.#claiming
  }

  async #claimAll(): Promise<void> {
    const { store, now, gateway, places } = this.#batches
    const readable = (await places()) ?? undefined
    do {
      this.#claimAgain = false
      while (!this.#stop.signal.aborted && this.#runner.wantsAsync && this.#whole.size - this.#natives < wholeMax) {
        if (gateway.settings.get('batches.concurrency') === 0) return
        const at = await now()
        const { fullUsers: exceptUsers, wantsMore } = this.#runner
        const job = await store.claim({
          worker: this.#name,
          now: at,
          leaseUntil: at + this.#leaseMs,
          exceptUsers,
          onlyAsync: !wantsMore,
          withNative: this.#natives < nativeMax,
          places: readable,
        })
        this.#hasNone = job === null && wantsMore
        if (job === null) break
        await this.#start(job)
      }
    } while (this.#claimAgain && !this.#stop.signal.aborted)
  }

  /** Never rejects. */
  async #start(job: ClaimedJob): Promise<void> {
    if (job.part > 0 && job.native === null) return this.#guard(job, () => this.#runner.add(job))
    const isNative = Number(job.native !== null)
    this.#natives += isNative
    const work = this.#guard(job, () => this.#workOnWhole(job)).finally(() => {
      this.#natives -= isNative
      this.#whole.delete(job.lease)
      this.wake()
    })
    this.#whole.set(job.lease, work)
  }

  #workOnWhole(job: ClaimedJob): Promise<void> {
    if (job.native !== null)
      return workOnNative({ batches: this.#batches, inputs: this.#inputs, job, signal: this.#stop.signal })
    const step = job.batch.status === 'validating' ? validateBatch : finishBatch
    return step(this.#batches, this.#inputs, job)
  }

  /** A job that fails is tried again later: here, or by a process that can read its file. */
  async #guard({ lease, batch }: ClaimedJob, work: () => Promise<void>): Promise<void> {
    const { store, now, logger } = this.#batches
    try {
      await work()
    } catch (error) {
      if (error instanceof LeaseLost) return
      if (error instanceof BlobMissing) logger.warn('the input of a batch cannot be read here', { batch: batch.id })
      else logger.error('working on a batch failed', { error, batch: batch.id })
      await now()
        .then((at) => store.release(lease, at + retryMs))
        .catch((failure: unknown) => this.#report('giving a job back', failure))
    }
  }

  async #renew(): Promise<void> {
    const { store, now } = this.#batches
    const leases = [...this.#runner.leases, ...this.#whole.keys()]
    if (leases.length > 0) this.#runner.lose(await store.renew(leases, (await now()) + this.#leaseMs))
  }

  #report(what: string, error: unknown): void {
    this.#batches.logger.error(`${what} failed`, { error })
  }
}
