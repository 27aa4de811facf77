/**
 * This process's place among those on the database: it follows the log, applies what it finds, and
 * beats. One loop does all three, in this order, so a heartbeat says that everything before it was
 * applied; a process that hangs while it applies falls silent like one that has crashed.
 *
 * Whatever goes wrong has one remedy: a new connection, everything read again, registered again. The
 * old lease runs on until then, and expires when that takes too long.
 */
import type { Clock } from '#lib/clock.ts'
import { ownProcess } from '#lib/own-process.ts'
import type { Logger } from '#observe/log.ts'
import { StoreTooNew } from '#store/migrating/schema-state.ts'
import type { Notice, ReplicaSession, ReplicaStore } from '#store/replicas.ts'
import type { Standing } from './change-feed.ts'
import { readEntries } from './change-log.ts'
import { Lease } from './lease.ts'
import type { LiveState } from './live-state.ts'
import type { OwnStatus } from './peers.ts'
import { Wake } from './wake.ts'

export interface MembershipOptions {
  readonly replicas: ReplicaStore
  readonly state: LiveState
  readonly clock: Clock
  readonly logger: Logger
  /** Silence after which the others may count this process as gone, after its grace. */
  readonly timeoutMs: number
  /** How long it goes on with AI requests after that. */
  readonly graceMs: number
  /** Time between two heartbeats, and between two looks into the log when no notification comes. */
  readonly intervalMs: number
  /** Another process has applied something. */
  readonly onApplied: () => void
}

/** A table may be locked while a process starts, for example by a statement of an administrator. */
const startPatienceMs = 15_000

export class Membership {
  readonly #options: MembershipOptions
  /** Names this process among those on the database. */
  readonly id = crypto.randomUUID()
  readonly #lease: Lease
  readonly #wake = new Wake()
  #session: ReplicaSession | null = null
  /** Version up to which memory is known to be up to date. */
  #applied = 0
  /** The same as the others last heard it. */
  #told = -1
  #status: OwnStatus | null = null
  /** What was last written of it; null when the row may hold something else. */
  #statusTold: string | null = null
  #stopping = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: MembershipOptions) {
    this.#options = options
    this.#lease = new Lease(options.clock, options.timeoutMs, options.graceMs)
  }

  /** `current`: memory is up to date with every change whose publication has been answered. */
  get standing(): Standing {
    if (this.#lease.held) return 'current'
    return this.#lease.leftMs > 0 ? 'grace' : 'stale'
  }

  /** Another number after each time that this process was stale; null while it is. */
  get tenure(): number | null {
    return this.#lease.tenure
  }

  /** Time that is left until this process is stale if nothing more is heard. */
  get leftMs(): number {
    return this.#lease.leftMs
  }

  /** Time since the last heartbeat that was answered. */
  get ageMs(): number {
    return this.#lease.ageMs
  }

  /** What goes with each heartbeat from now on. */
  tell(status: OwnStatus): void {
    this.#status = status
  }

  /** Reads everything and joins the others; goes on by itself from then on. */
  async start(): Promise<void> {
    const { clock, logger, intervalMs } = this.#options
    const until = clock.elapsed() + startPatienceMs
    for (;;) {
      try {
        const session = await this.#enter()
        while (!(await this.#follow(session))) await this.#join(session)
        break
      } catch (error) {
        this.#drop()
        if (clock.elapsed() > until) throw error
        logger.warn('the database cannot be read into memory yet', { error })
        await this.#wake.wait(intervalMs)
      }
    }
    this.#running = this.#run()
  }

  /** Ends the loop. @param leave false leaves it to the others to notice that this process is gone */
  async stop(leave: boolean): Promise<void> {
    this.#stopping = true
    this.#wake.ring()
    await this.#running
    if (this.#session === null) return
    if (leave) await this.#session.unregister(this.id).catch(() => undefined)
    await this.#session.close()
  }

  async #run(): Promise<void> {
    const { logger, intervalMs } = this.#options
    let failing = false
    let isTooOld = false
    while (!this.#stopping) {
      try {
        const session = this.#session ?? (await this.#enter())
        const upToDate = await this.#follow(session)
        if (upToDate) await this.#wake.wait(intervalMs)
        else await this.#join(session)
        if (failing) logger.info('this process follows the changes of the others again')
        failing = false
      } catch (error) {
        if (!failing) logger.warn('this process cannot follow the changes of the others', { error })
        failing = true
        // It was silent for so long that an upgrade did not wait for it: only another version helps.
        if (!isTooOld && error instanceof StoreTooNew) logger.error('this process answers no more requests', { error })
        isTooOld ||= error instanceof StoreTooNew
        this.#drop()
        // At a time of its own, so that all processes do not come back to the database together.
        await this.#wake.wait(intervalMs * Math.random())
      }
    }
  }

  /** Not waited for: the other side may never answer. */
  #drop(): void {
    void this.#session?.close()
    this.#session = null
  }

  async #enter(): Promise<ReplicaSession> {
    const { replicas, timeoutMs, onApplied } = this.#options
    const session = await replicas.connect({
      answerTimeoutMs: timeoutMs,
      onNotice: (notice: Notice) => (notice === 'applied' ? onApplied() : this.#wake.ring()),
      // The next statement fails then, at once and not only at the next heartbeat.
      onEnd: () => this.#wake.ring(),
    })
    this.#session = session
    await this.#join(session)
    return session
  }

  /**
   * Reads everything and lets the others wait for this process. The version is read before the store,
   * so the store shows at least what it stands for. Changes that were published before the others
   * could see the registration are in the log, and `follow` applies them before the lease is renewed.
   */
  async #join(session: ReplicaSession): Promise<void> {
    const { state } = this.#options
    const version = await session.version()
    await state.load()
    await session.register({
      id: this.id,
      appliedVersion: version,
      timeoutMs: this.#lease.silenceMs,
      process: ownProcess,
    })
    this.#applied = version
    this.#told = -1
    this.#statusTold = null
  }

  /** Applies what is new and beats. False when that cannot be done: removed by another, or too far behind. */
  async #follow(session: ReplicaSession): Promise<boolean> {
    const entries = await session.entriesAfter(this.#applied)
    const [oldest] = entries
    if (oldest !== undefined) {
      if (oldest.version !== this.#applied + 1) return false
      await this.#options.state.apply(readEntries(entries.map(({ entry }) => entry)))
      this.#applied += entries.length
    }
    const sentAt = this.#lease.mark()
    const status = this.#status?.() ?? ''
    const beat = { id: this.id, appliedVersion: this.#applied, ...(status !== this.#statusTold && { status }) }
    const alive = await session.beat(beat, this.#applied !== this.#told)
    if (!alive) return false
    this.#told = this.#applied
    this.#statusTold = status
    this.#lease.renew(sentAt)
    return true
  }
}
