/** A database server that starts together with Sluice, or is being replaced, can be reached a little later. */
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import { pause } from '#lib/loop.ts'
import { isUnreachable } from '#store/errors.ts'

export interface WaitOptions {
  /** Time after which the last failure is final. */
  readonly waitMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Ends the wait early. */
  readonly signal: AbortSignal
}

const firstPauseMs = 250
const pauseMsMax = 5000

/** What `open` resolves with, tried again while the server cannot be reached. Rejects at once for any other reason. */
export async function waitForDatabase<T>(open: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { waitMs, clock, logger, signal } = options
  const until = clock.elapsed() + waitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await open()
    } catch (error) {
      const leftMs = until - clock.elapsed()
      if (!isUnreachable(error) || leftMs <= 0 || signal.aborted) throw error
      logger.warn('the database cannot be reached yet', { error, seconds_left: Math.ceil(leftMs / 1000) })
      // At a time of its own, so that several processes do not come together.
      await pause(Math.min(leftMs, pauseMs * (0.5 + Math.random() / 2)), signal)
    }
  }
}
