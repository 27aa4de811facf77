/**
 * Waits until every process has applied a version, and decides which processes are gone.
 *
 * A process is gone when its heartbeat has not moved for its own time-out, measured here, from after
 * the answer that showed the beat to before the question that showed the same beat again. No wall
 * clock is asked. The process itself counts from before it sent that beat, so it has stopped first.
 * On the machine of this one it is gone as soon as it has ended.
 */
import type { Clock } from '#lib/clock.ts'
import { hasEnded } from '#lib/own-process.ts'
import type { Logger } from '#observe/log.ts'
import { StoreUnavailable } from '#store/errors.ts'
import type { Replica, ReplicaStore } from '#store/replicas.ts'
import { writeEntry } from './change-log.ts'

export interface ConfirmationsOptions {
  readonly replicas: ReplicaStore
  readonly clock: Clock
  readonly logger: Logger
  /** The time-out of this process; others may have other ones. */
  readonly timeoutMs: number
}

interface Waiter {
  readonly version: number
  readonly since: number
  readonly settle: PromiseWithResolvers<void>
}

interface Sighting {
  readonly beat: string
  /** `elapsed` of the clock after the answer that showed it first. */
  readonly since: number
}

/**
 * Time-outs of this process for which a wait goes on after the longest one of all: by then the slowest
 * process has either confirmed or been removed.
 */
const patience = 2

export class Confirmations {
  readonly #options: ConfirmationsOptions
  readonly #waiters = new Set<Waiter>()
  #sightings: ReadonlyMap<string, Sighting> = new Map()
  #longestTimeoutMs: number
  #checking: Promise<void> | null = null
  #following: Promise<void> | null = null

  constructor(options: ConfirmationsOptions) {
    this.#options = options
    this.#longestTimeoutMs = options.timeoutMs
  }

  /** Whether a publisher waits for a version. */
  get awaited(): boolean {
    return this.#waiters.size > 0
  }

  /** Resolves when every process has applied this version or is gone; rejects with StoreUnavailable when that cannot be known. */
  reached(version: number): Promise<void> {
    const waiter = { version, since: this.#options.clock.elapsed(), settle: Promise.withResolvers<void>() }
    this.#waiters.add(waiter)
    // A failure is of no interest here: the next check comes soon, and the wait has an end.
    this.check().catch(() => undefined)
    return waiter.settle.promise
  }

  /** Looks at all processes, removes those that are gone, and ends the waits that are over. */
  check(): Promise<void> {
    if (this.#checking === null) {
      this.#checking = this.#check().finally(() => (this.#checking = null))
      return this.#checking
    }
    // The check under way may have read before what the caller knows of; one more serves all callers.
    this.#following ??= this.#checking
      .catch(() => undefined)
      .then(() => {
        this.#following = null
        return this.check()
      })
    return this.#following
  }

  async #check(): Promise<void> {
    try {
      const present = await this.#look()
      const reached = Math.min(...present.map((replica) => replica.appliedVersion))
      for (const waiter of this.#waiters) if (waiter.version <= reached) this.#end(waiter, null)
    } finally {
      const { clock, timeoutMs } = this.#options
      const limitMs = this.#longestTimeoutMs + patience * timeoutMs
      const error = new StoreUnavailable('not every process has confirmed the change')
      for (const waiter of this.#waiters) if (clock.elapsed() - waiter.since > limitMs) this.#end(waiter, error)
    }
  }

  #end(waiter: Waiter, error: StoreUnavailable | null): void {
    this.#waiters.delete(waiter)
    if (error === null) waiter.settle.resolve()
    else waiter.settle.reject(error)
  }

  /** The processes that are not gone. */
  async #look(): Promise<readonly Replica[]> {
    const { replicas, clock, timeoutMs } = this.#options
    const asked = clock.elapsed()
    const found = await replicas.all()
    const answered = clock.elapsed()
    const before = this.#sightings
    this.#longestTimeoutMs = Math.max(timeoutMs, ...found.map((replica) => replica.timeoutMs))
    const sightingOf = ({ id, beat }: Replica): Sighting => {
      const seen = before.get(id)
      return seen?.beat === beat ? seen : { beat, since: answered }
    }
    this.#sightings = new Map(found.map((replica) => [replica.id, sightingOf(replica)]))
    const isGone = (replica: Replica): boolean =>
      asked - sightingOf(replica).since >= replica.timeoutMs || hasEnded(replica.process)
    const stayed = await Promise.all(found.map(async (replica) => !isGone(replica) || !(await this.#remove(replica))))
    return found.filter((_replica, index) => stayed[index])
  }

  /**
   * A process may have crashed between changing the store and adding to the log, which nobody would
   * ever hear of: all others read everything once. The change was not answered, so nothing waits for that.
   */
  async #remove(replica: Replica): Promise<boolean> {
    const removed = await this.#options.replicas.remove(replica, writeEntry([{ kind: 'unknown' }]))
    if (removed) this.#options.logger.warn('a process on this database is gone', { replica: replica.id })
    return removed
  }
}
