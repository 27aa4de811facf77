/**
 * The feed of a PostgreSQL that any number of processes serve. Guarantee: once `publish` has
 * resolved, no process answers a request from before the change. The argument:
 *
 * 1. A change is in the store before it is in the log, and processes apply the log in its order. So
 *    a process that has applied version v has read what every publication up to v has changed, or
 *    refuses requests for what it could not read (memory-part.ts).
 * 2. `publish` resolves when no process is registered whose applied version is below that of its
 *    entry. A process that registers later has read the store later, or applies the entry from the
 *    log before it answers its first request (membership.ts).
 * 3. A registered process that does not confirm is removed, but only after its heartbeat has stood
 *    still for its time-out. By then it has stopped answering by itself: it answers only while it
 *    holds a lease, which begins before its last heartbeat was sent and is shorter than the time-out.
 *    Removing compares the heartbeat, so a process that is removed has not beaten since, and learns
 *    of it at its next beat.
 *    With a grace it stops later, and counts as gone later by as much: the time-out in its row is longer.
 * 4. After that it answers again only when it has read everything again and registered.
 *
 * So a process that is dead, frozen or cut off delays a publication by its time-out, and never
 * answers from an old state. What is assumed is said in docs/decisions/replicas.md.
 */
import type { Clock } from '#lib/clock.ts'
import { Loop } from '#lib/loop.ts'
import type { Logger } from '#observe/log.ts'
import type { ReplicaStore } from '#store/replicas.ts'
import type { Change } from './change.ts'
import type { ChangeFeed, Registration, Standing } from './change-feed.ts'
import { writeEntry } from './change-log.ts'
import { Confirmations } from './confirmations.ts'
import type { LiveState } from './live-state.ts'
import { Membership } from './membership.ts'
import type { OwnStatus, Peer } from './peers.ts'

export interface PostgresFeedOptions {
  readonly replicas: ReplicaStore
  /** Read by the feed: there is nothing to load before. */
  readonly state: LiveState
  readonly clock: Clock
  readonly logger: Logger
  /** Silence after which this process stops, and counts as gone when it has no grace. */
  readonly timeoutMs: number
  /** How long it goes on with AI requests after that; others wait for it so much longer. */
  readonly graceMs: number
}

/** One entry for the log; `underWay` while its publication is writing it. */
interface Unwritten {
  readonly entry: string
  underWay: boolean
}

const intervalMsMax = 1000
/** Several heartbeats fit into a lease, so that a lost one or a slow one does not matter. */
const heartbeatsPerTimeout = 5

export class PostgresFeed implements ChangeFeed {
  readonly #replicas: ReplicaStore
  readonly #state: LiveState
  readonly #graceMs: number
  readonly #membership: Membership
  readonly #confirmations: Confirmations
  readonly #watch: Loop
  /** Publications that are in the store and perhaps not in the log. */
  readonly #unwritten = new Set<Unwritten>()

  /** Reads everything, and resolves when this process is one of those that publications wait for. */
  static async open(options: PostgresFeedOptions): Promise<PostgresFeed> {
    const timeoutMs = Math.round(options.timeoutMs)
    const intervalMs = Math.min(intervalMsMax, timeoutMs / heartbeatsPerTimeout)
    const confirmations = new Confirmations({ ...options, timeoutMs })
    const onApplied = (): void => {
      if (confirmations.awaited) confirmations.check().catch(() => undefined)
    }
    const membership = new Membership({ ...options, timeoutMs, intervalMs, onApplied })
    await membership.start()
    return new PostgresFeed(options, { membership, confirmations, intervalMs })
  }

  private constructor(
    { replicas, state, logger, graceMs }: PostgresFeedOptions,
    parts: { readonly membership: Membership; readonly confirmations: Confirmations; readonly intervalMs: number },
  ) {
    this.#replicas = replicas
    this.#state = state
    this.#graceMs = graceMs
    this.#membership = parts.membership
    this.#confirmations = parts.confirmations
    this.#watch = new Loop({
      intervalMs: parts.intervalMs,
      work: () => this.#lookAround(),
      onError: (error) => {
        // While the connection is gone the membership has said so once.
        if (this.standing === 'current')
          logger.warn('the other processes on this database cannot be watched', { error })
      },
    })
  }

  get standing(): Standing {
    return this.#state.certain ? this.#membership.standing : 'stale'
  }

  get graceLeftMs(): number | null {
    return this.#graceMs > 0 ? this.#membership.leftMs : null
  }

  get registration(): Registration {
    return this.#membership
  }

  get ageMs(): number {
    return this.#membership.ageMs
  }

  /**
   * Resolves when every live process, this one included, has applied the changes. Rejects with
   * StoreUnavailable when that cannot be known; they are then told to the others later.
   */
  async publish(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const publication = { entry: writeEntry(changes), underWay: true }
    this.#unwritten.add(publication)
    await this.#confirmations.reached(await this.#write(publication))
  }

  tell(status: OwnStatus): void {
    this.#membership.tell(status)
  }

  async peers(): Promise<readonly Peer[]> {
    const all = await this.#replicas.statuses()
    return all.flatMap(({ id, ageMs, status }) => {
      return id === this.#membership.id ? [] : { id, status, ageMs: Math.max(0, Math.round(ageMs)) }
    })
  }

  /** Leaves the others, so that nobody waits for this process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]()
    await this.#writeRest().catch(() => undefined)
    // With something untold it goes like one that has crashed: the others then read everything.
    await this.#membership.stop(this.#unwritten.size === 0)
  }

  async #lookAround(): Promise<void> {
    await Promise.all([this.#writeRest(), this.#confirmations.check()])
  }

  /** Publications that failed. One that was written after all is written twice, which does no harm. */
  async #writeRest(): Promise<void> {
    for (const publication of this.#unwritten) if (!publication.underWay) await this.#write(publication)
  }

  async #write(publication: Unwritten): Promise<number> {
    try {
      const version = await this.#replicas.append(publication.entry)
      this.#unwritten.delete(publication)
      return version
    } finally {
      publication.underWay = false
    }
  }
}
