/**
 * The worker of one process: claims documents, processes several at once, keeps their leases, takes
 * back those of workers that died, and gives its own back when it stops.
 *
 * What a run does is in process-document.ts; this file decides only who works on what and how it ends.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { fullJitterMs, type BackoffOptions } from '#lib/backoff.ts'
import type { Clock } from '#lib/clock.ts'
import { Loop, pause } from '#lib/loop.ts'
import { resourceFaultOf } from '#lib/resource-fault.ts'
import type { Logger } from '#observe/log.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Claim, Completion, DocumentStore, Lease } from '#store/documents/document-store.ts'
import { LeaseLost } from '#store/errors.ts'
import { BlobsUnavailable } from '../blobs/blob-store.ts'
import { failureOf } from './failure.ts'
import { Run } from './run.ts'

export interface DocumentWorkerOptions {
  readonly store: DocumentStore
  readonly settings: LiveSettings
  readonly clock: Clock
  readonly logger: Logger
  /** The time that all processes agree on, which decides about leases: no clock of two machines shows the same. */
  readonly now: () => Promise<number>
  /** No other process adds or takes documents, so an idle worker need not poll. */
  readonly isOnlyProcess: boolean
  /** Where this process can read bytes; null: whatever there is. */
  readonly places: () => Promise<readonly string[] | null>
  /** Whether this process removes what documents have left behind. */
  readonly leads: () => Promise<boolean>
  /** Reads, cuts, embeds and stages; resolves with what makes the document complete. */
  readonly process: (run: Run) => Promise<Completion>
  /** Called when a document has ended here, whichever way, or was given back. */
  readonly ended: (run: Run, code: string) => Promise<void>
}

const pollMs = 1000
const reapEveryMs = 2000
/** Grows so far that a document that ends its server leaves others the time to be completed. */
const crashBackoff = { baseMs: 500, maxMs: 60_000 }
const failureBackoff = { baseMs: 5000, maxMs: 300_000 }

/** The reason of a run that ends because the process stops. */
class Stopping extends Error {}

export class DocumentWorker implements AsyncDisposable {
  readonly #options: DocumentWorkerOptions
  readonly #name = crypto.randomUUID()
  readonly #runs = new Map<string, { readonly run: Run; readonly ending: Promise<void> }>()
  readonly #loops: readonly Loop[]
  readonly #leaseMs: number
  readonly #concurrency: number
  readonly #firstReap: Promise<void>
  #claiming: Promise<void> | null = null
  #claimAgain = false
  #stopping = false
  readonly #stop = new AbortController()
  /** Runs whose end could not be written yet. */
  #unwritten = 0
  /** Nothing is unfinished; only `wake` can change that. */
  #asleep = false
  #wakes = 0

  /** Starts at once. */
  constructor(options: DocumentWorkerOptions) {
    this.#options = options
    const { settings, logger } = options
    this.#leaseMs = settings.get('documents.lease_seconds') * 1000
    this.#concurrency = settings.get('documents.concurrency')
    const loop = (what: string, intervalMs: number, work: () => Promise<void>): Loop =>
      new Loop({ intervalMs, work, onError: (error) => logger.error(`${what} failed`, { error }) })
    this.#loops = [
      loop('looking for documents', pollMs, () => this.#look()),
      loop('renewing the leases of documents', this.#leaseMs / 3, () => this.#renew()),
      loop('taking back lost documents', reapEveryMs, () => this.reap()),
    ]
    // Also when no process lives long enough for the loops: what the one before has left behind.
    this.#firstReap = this.reap()
      .then(() => this.#look())
      .catch((error: unknown) => logger.error('taking back lost documents failed', { error }))
  }

  /** There may be new work. */
  wake(): void {
    this.#asleep = false
    this.#wakes += 1
    if (this.#claiming !== null) this.#claimAgain = true
    else void this.#claim().catch(() => undefined)
  }

  /** Takes back the documents of workers that gave no sign of life. */
  async reap(): Promise<void> {
    // Leases that ran out because they could not be renewed are ended by their runs.
    if ((await this.#isIdle()) || this.#unwritten > 0) return
    const { store, settings, now, leads } = this.#options
    const backoffMs = (crash: number): number => waitOf(crash, crashBackoff)
    const crashesMax = settings.get('documents.max_crashes')
    if ((await store.reap({ now: await now(), crashesMax, backoffMs })) > 0) this.wake()
    // What retries, deletions and lost workers have left behind, a little at a time.
    if (!(await leads())) return
    for (let slices = 0; slices < 20 && (await store.purgeSome()) > 0; slices += 1);
  }

  /** Ends all runs, waits for them, and gives their documents back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    this.#stop.abort()
    for (const loop of this.#loops) await loop[Symbol.asyncDispose]()
    await this.#firstReap
    await this.#claiming?.catch(() => undefined)
    for (const { run } of this.#runs.values()) run.end(new Stopping('the server stops'))
    await Promise.all([...this.#runs.values()].map(({ ending }) => ending))
  }

  async #look(): Promise<void> {
    if (!(await this.#isIdle())) await this.#claim()
  }

  /** There is no work, and no other process adds any; `wake` ends this. */
  async #isIdle(): Promise<boolean> {
    const { isOnlyProcess, store } = this.#options
    if (this.#asleep || !isOnlyProcess || this.#runs.size > 0) return this.#asleep
    const wakes = this.#wakes
    const hasWork = await store.hasWork()
    // Work may have come during the query; then its answer is out of date.
    this.#asleep = !hasWork && wakes === this.#wakes
    return this.#asleep
  }

  #claim(): Promise<void> {
    this.#claiming ??= this.#claimAll().finally(() => (this.#claiming = null))
    return this.#claiming
  }

  async #claimAll(): Promise<void> {
    const { store } = this.#options
    do {
      this.#claimAgain = false
      const max = this.#concurrency - this.#runs.size
      if (max <= 0 || this.#stopping) return
      const [now, places] = await Promise.all([this.#options.now(), this.#options.places()])
      const lease = { worker: this.#name, leaseUntil: now + this.#leaseMs, now }
      const claims = await store.claim({ ...lease, max, ...(places !== null && { places }) })
      for (const claim of claims) this.#start(claim, now)
    } while (this.#claimAgain)
  }

  #start(claim: Claim, claimedAt: number): void {
    const { clock } = this.#options
    const from = clock.elapsed()
    const run = new Run(claim, { now: () => claimedAt + Math.round(clock.elapsed() - from) })
    const ending = this.#finish(run).finally(() => {
      this.#runs.delete(keyOf(run))
      this.wake()
    })
    this.#runs.set(keyOf(run), { run, ending })
  }

  /** Never rejects. */
  async #finish(run: Run): Promise<void> {
    const { store, now, logger, process, ended } = this.#options
    let code = 'completed'
    try {
      const completion = await process(run)
      await store.complete(run.lease, completion, await now())
    } catch (thrown) {
      code = await this.#endOnceWritable(run, thrown)
    }
    await ended(run, code).catch((error: unknown) =>
      logger.error('cleaning up after a document failed', { error, document: run.document.id }),
    )
  }

  /** Like `#end`, but waits while the disk is full, so that the document is not lost. Never rejects. */
  async #endOnceWritable(run: Run, thrown: unknown): Promise<string> {
    for (;;) {
      try {
        return await this.#end(run, thrown)
      } catch (error) {
        this.#options.logger.error('the end of a document could not be written', { error, document: run.document.id })
        // Otherwise the lease runs out, and the document is taken back as that of a dead worker.
        if (this.#stopping || resourceFaultOf(error) === null) return 'unknown'
      }
      this.#unwritten += 1
      await pause(pollMs, this.#stop.signal)
      this.#unwritten -= 1
    }
  }

  /** Writes how a run that did not complete has ended; returns its code. */
  async #end(run: Run, thrown: unknown): Promise<string> {
    const { store, settings, logger } = this.#options
    if (thrown instanceof LeaseLost || run.signal.reason instanceof LeaseLost) return 'lease_lost'
    if (run.signal.reason instanceof Stopping) {
      await store.release([run.lease], await this.#options.now())
      return 'given_back'
    }
    const { error, again, retryAfterMs, countsAttempt } = failureOf(thrown, run.state)
    const { id } = run.document
    // That a server ended is not the document's failure: max_crashes counts these.
    const attempts = run.document.attempts - run.document.crashes
    const retry = again && (!countsAttempt || attempts < settings.get('documents.max_attempts'))
    const waitMs = Math.max(Math.ceil(retryAfterMs ?? 0), waitOf(attempts, failureBackoff))
    if (error.code === 'internal_error') logger.error('processing a document failed', { error: thrown, document: id })
    // The record has the sentence for the user; what lies behind it may be a bug of a reader.
    else if (thrown instanceof ReadFailure && thrown.cause !== undefined)
      logger.warn('a reader failed in an unforeseen way', { error: thrown.cause, document: id })
    else if (!countsAttempt)
      logger.error('a document waits for a resource of the machine', { error: thrown, document: id })
    else if (thrown instanceof BlobsUnavailable)
      logger.warn('the stored bytes of a document could not be fetched', { error: thrown.cause, document: id })
    // How far it came, which the last heartbeat may not have known.
    await this.#renewOf([run])
    const now = await this.#options.now()
    const failure = { error, retryAt: retry ? now + waitMs : null, warnings: [], countsAttempt }
    await store.fail(run.lease, failure, now)
    return retry ? 'retried' : error.code
  }

  /** Runs that are no longer ours end at once: what they would write is refused anyway. */
  async #renew(): Promise<void> {
    const runs = [...this.#runs.values()].map(({ run }) => run)
    if (runs.length === 0) return
    for (const lost of await this.#renewOf(runs))
      this.#runs.get(`${lost.id}/${lost.fence}`)?.run.end(new LeaseLost('the document was taken over or ended'))
  }

  async #renewOf(runs: readonly Run[]): Promise<readonly Lease[]> {
    const { store } = this.#options
    const now = await this.#options.now()
    const leases = runs.map((run) => ({ ...run.lease, heartbeat: run.heartbeat }))
    return store.renew(leases, { leaseUntil: now + this.#leaseMs, now })
  }
}

/** Whole milliseconds, which is how times are stored. */
function waitOf(attempt: number, backoff: BackoffOptions): number {
  return Math.ceil(fullJitterMs(attempt, backoff, Math.random))
}

function keyOf({ lease }: Run): string {
  return `${lease.id}/${lease.fence}`
}
