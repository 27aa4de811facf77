/**
 * The worker of one process: claims deliveries that are due, sends them, and writes what came of them. Each endpoint has
 * a lane of its own, so that a slow one delays no other; one that fails is tried by one request at a time.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { fullJitterMs } from '#lib/backoff.ts'
import { Loop } from '#lib/loop.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { ClaimedDelivery, DeliveryLease, WebhookWork } from '#store/webhooks/webhook-work.ts'
import type { Attempt, WebhookSender } from './webhook-sender.ts'

export interface WorkerOptions {
  readonly store: WebhookWork
  readonly sender: WebhookSender
  readonly settings: LiveSettings
  readonly metrics: Metrics
  readonly logger: Logger
  /** The time that all processes agree on. */
  readonly now: () => Promise<number>
  /** Whatever is leased at the start belongs to a process that is gone. */
  readonly isOnlyProcess: boolean
}

const pollMs = 1000
/** Requests to one endpoint at once. */
const laneMax = 8
/** Time to write what came of an attempt, beyond the attempt itself. */
const leaseMarginMs = 15_000
const backoff = { baseMs: 20_000, maxMs: 2 * 3_600_000 }
const firstRetryMs = 1000
const hourMs = 3_600_000
const gone = 410

interface Lane {
  inFlight: number
  isClaiming: boolean
  isFailing: boolean
}

export class WebhookWorker implements AsyncDisposable {
  readonly #options: WorkerOptions
  readonly #name = crypto.randomUUID()
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #loop: Loop
  #looking: Promise<void> | null = null

  /** Starts at once. */
  constructor(options: WorkerOptions) {
    const { store, now, isOnlyProcess } = options
    this.#options = options
    this.#loop = new Loop({ intervalMs: pollMs, work: () => this.#look(), onError: (error) => this.#report(error) })
    const begin = async (): Promise<void> => (isOnlyProcess ? store.releaseAllDeliveries(await now()) : undefined)
    this.#looking = begin()
      .catch((error: unknown) => this.#report(error))
      .finally(() => (this.#looking = null))
  }

  /** There may be new deliveries. */
  wake(): void {
    if (!this.#stop.signal.aborted) void this.#look().catch((error: unknown) => this.#report(error))
  }

  /** Ends all attempts and gives their deliveries back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop[Symbol.asyncDispose]()
    await this.#looking
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null))
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    const { store, now } = this.#options
    const due = await store.due(await now())
    for (const { id, failingSince } of due) {
      const lane = this.#lanes.get(id) ?? { inFlight: 0, isClaiming: false, isFailing: failingSince !== null }
      this.#lanes.set(id, lane)
      this.#track(this.#fill(id, lane))
    }
    const ids = new Set(due.map(({ id }) => id))
    for (const [id, { inFlight, isClaiming }] of this.#lanes)
      if (inFlight === 0 && !isClaiming && !ids.has(id)) this.#lanes.delete(id)
  }

  /** Claims as many deliveries as the lane has room for. Never rejects. */
  async #fill(endpointId: string, lane: Lane): Promise<void> {
    const limit = (lane.isFailing ? 1 : laneMax) - lane.inFlight
    if (limit <= 0 || lane.isClaiming || this.#stop.signal.aborted) return
    lane.isClaiming = true
    try {
      const { store, sender, now } = this.#options
      const at = await now()
      const leaseUntil = at + sender.timeoutMs + leaseMarginMs
      const claimed = await store.claim({ endpointId, worker: this.#name, now: at, leaseUntil, limit })
      for (const delivery of claimed) {
        lane.inFlight += 1
        this.#track(this.#deliver(delivery, lane))
      }
    } catch (error) {
      this.#report(error)
    } finally {
      lane.isClaiming = false
    }
  }

  /** Never rejects. A delivery whose end cannot be written is sent again when its lease is over. */
  async #deliver(delivery: ClaimedDelivery, lane: Lane): Promise<void> {
    let isWritten = false
    try {
      const attempt = await this.#send(delivery)
      if (attempt === null) return
      lane.isFailing = attempt.error !== null
      await this.#write(delivery, attempt)
      isWritten = true
    } catch (error) {
      this.#report(error)
    } finally {
      lane.inFlight -= 1
    }
    if (isWritten) await this.#fill(delivery.endpointId, lane)
  }

  /** Null when the worker stops first. */
  async #send(delivery: ClaimedDelivery): Promise<Attempt | null> {
    const { eventId: id, payload } = delivery
    try {
      return await this.#options.sender.send(delivery, { id, payload }, this.#stop.signal)
    } catch {
      await this.#giveBack(delivery.lease)
      return null
    }
  }

  async #giveBack(lease: DeliveryLease): Promise<void> {
    const { store, now } = this.#options
    await store.release([lease], await now())
  }

  async #write({ lease, endpointId, type, attempts, begunAt }: ClaimedDelivery, attempt: Attempt): Promise<void> {
    const { store, settings, metrics, logger, now } = this.#options
    const at = await now()
    const lastingMs = settings.get('webhooks.retry_hours') * hourMs
    const isGone = attempt.status === gone
    const restMs = Math.min(attempt.restMs ?? 0, backoff.maxMs)
    const nextAt = at + Math.max(firstRetryMs, restMs, fullJitterMs(attempts, backoff, Math.random))
    const isOver = attempt.error === null || isGone || nextAt > begunAt + lastingMs
    const retryAt = isOver ? null : Math.round(nextAt)
    const end = { endpointId, ...attempt, retryAt, isGone, failingBefore: at - lastingMs, now: at }
    const ended = await store.end(lease, end)
    if (ended === 'lost') return
    metrics.webhookAttempt(attempt.error === null ? 'delivered' : isOver ? 'failed' : 'retried')
    if (attempt.error !== null && isOver)
      logger.warn('a webhook could not be delivered', { endpointId, type, ...attempt })
    if (ended === 'switched_off') logger.warn('an endpoint of webhooks was switched off', { endpointId, ...attempt })
  }

  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  #report(error: unknown): void {
    this.#options.logger.error('delivering webhooks failed', { error })
  }
}
