/**
 * Tasks that one process does for all on the database: removing what is old, listing a bucket, counting everything.
 * Each task has a leader, which is the first process that asked, and stays it until it stops, breaks down or falls
 * silent; then the next one that asks is. On SQLite there is one process, and it leads everything.
 *
 * The lock is one of PostgreSQL's on a session, so no clock is compared. A process that is cut off learns a moment
 * later than the database that it has lost its session: for that moment two can work on one task. So a task must do no
 * harm when it is done twice.
 */
import { Loop } from '#lib/loop.ts'
import { within } from '#lib/within.ts'
import type { Logger } from '#observe/log.ts'
import type { LeaderLocks, LeaderSession } from '#store/leader-locks.ts'

export interface LeaderOptions {
  /** Null when this is the only process. */
  readonly locks: LeaderLocks | null
  readonly logger: Logger
  /** Silence after which the database gives this process's tasks to others. */
  readonly silenceMaxMs?: number
}

interface Held {
  readonly session: LeaderSession
  /** Aborted when the session is gone. */
  readonly ended: AbortController
}

const defaultSilenceMaxMs = 15_000
const beatsPerSilence = 4
/** A question that is not answered in this part of the silence leaves time to notice it. */
const answersPerSilence = 3
const goodByeMs = 1000

/** Connects at the first question. Disposing gives all tasks up. */
export class Leader implements AsyncDisposable {
  readonly #options: LeaderOptions
  readonly #silenceMaxMs: number
  readonly #beating: Loop | null
  readonly #stopped = new AbortController()
  #held: Promise<Held> | null = null

  constructor(options: LeaderOptions) {
    this.#options = options
    const { silenceMaxMs = defaultSilenceMaxMs } = options
    this.#silenceMaxMs = silenceMaxMs
    const work = async (): Promise<void> => (await this.#held)?.session.beat()
    const onError = (): void => void this.#drop()
    this.#beating = options.locks && new Loop({ intervalMs: silenceMaxMs / beatsPerSilence, work, onError })
  }

  /**
   * Whether this process leads the task; it does from now on when no other one does. One round trip to the database,
   * and false when that does not answer. Never rejects.
   */
  async leads(task: string): Promise<boolean> {
    return (await this.#signalOf(task)) !== null
  }

  /**
   * Does the work when this process leads the task; resolves with whether it did, and rejects as the work does. The
   * signal is aborted when another process may have become the leader, and at the stop of this one.
   */
  async run(task: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const signal = await this.#signalOf(task)
    if (signal === null) return false
    await work(signal)
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    await this.#beating?.[Symbol.asyncDispose]()
    await within(goodByeMs, this.#drop())
  }

  async #signalOf(task: string): Promise<AbortSignal | null> {
    const { locks, logger } = this.#options
    if (this.#stopped.signal.aborted) return null
    if (locks === null) return this.#stopped.signal
    const held = (this.#held ??= this.#connect(locks))
    try {
      const { session, ended } = await held
      return (await session.take(task)) && !ended.signal.aborted ? ended.signal : null
    } catch (error) {
      logger.debug('the database could not be asked who leads a task', { error, task })
      if (this.#held === held) void this.#drop()
      return null
    }
  }

  async #connect(locks: LeaderLocks): Promise<Held> {
    const ended = new AbortController()
    const session = await locks.connect({
      answerTimeoutMs: Math.ceil(this.#silenceMaxMs / answersPerSilence),
      silenceMaxMs: this.#silenceMaxMs,
      onEnd: () => ended.abort(),
    })
    const held = { session, ended }
    ended.signal.addEventListener('abort', () => this.#forget(held))
    return held
  }

  #forget(gone: Held): void {
    void this.#held?.then(
      (held) => {
        if (held === gone) this.#held = null
      },
      () => undefined,
    )
  }

  /** Not to be waited for without an end: the other side may never answer. Never rejects. */
  async #drop(): Promise<void> {
    const dropped = this.#held
    this.#held = null
    const held = await dropped?.catch(() => null)
    held?.ended.abort()
    await held?.session.close().catch(() => undefined)
  }
}
