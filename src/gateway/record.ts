/**
 * One usage row for every request, written behind. A request never waits for it: finished records
 * go to a bounded queue, which a loop of the app flushes in batches, and the stop once more. What
 * does not fit is counted. No prompt and no answer is ever in a record.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ApiError } from '#errors/api-error.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Caller } from '#identity/records.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { AttemptReason, UsageRecord } from '#store/usage-record.ts'
import type { TokenUsage } from './usage.ts'

export interface RecorderOptions {
  readonly metrics: Metrics
  readonly write: (rows: readonly UsageRecord[]) => Promise<void>
  readonly queueMax: number
}

const batchRows = 500

/** What is known of one request so far; disposing it makes it a row, once. */
export class RequestRecord implements Disposable {
  modelAsked: string | null = null
  model: Model | null = null
  streamed = false
  /** The one that serves, or was tried last. */
  upstream: Upstream | null = null
  upstreamStatus: number | null = null
  attempts = 0
  readonly attemptReasons: AttemptReason[] = []
  usage: TokenUsage | null = null
  requestBytes = 0
  responseBytes = 0
  #status = 200
  #code: string | null = null
  #firstTokenMs: number | null = null
  #written = false
  readonly #exchange: Exchange
  readonly #caller: Caller
  readonly #endpoint: string
  readonly #finish: (row: UsageRecord) => void

  constructor(exchange: Exchange, caller: Caller, endpoint: string, finish: (row: UsageRecord) => void) {
    this.#exchange = exchange
    this.#caller = caller
    this.#endpoint = endpoint
    this.#finish = finish
  }

  /** The request ended with this error, before or after its first byte. */
  fail(error: ApiError): void {
    this.#status = error.status
    this.#code = error.wireCode ?? error.code
  }

  /** The first byte of the answer is on its way to the client. */
  firstToken(): void {
    this.#firstTokenMs ??= this.#exchange.clock.elapsed() - this.#exchange.startedAt
  }

  [Symbol.dispose](): void {
    if (this.#written) return
    this.#written = true
    const { clock, requestId, startedAt } = this.#exchange
    const durationMs = clock.elapsed() - startedAt
    this.#finish({
      at: clock.now() - Math.round(durationMs),
      requestId,
      keyId: this.#caller.key?.id ?? null,
      userId: this.#caller.account.user.id,
      endpoint: this.#endpoint,
      modelAsked: this.modelAsked,
      ...servedBy(this.model, this.upstream),
      upstreamStatus: this.upstreamStatus,
      status: this.#status,
      code: this.#code,
      streamed: this.streamed,
      promptTokens: this.usage?.promptTokens ?? null,
      completionTokens: this.usage?.completionTokens ?? null,
      firstTokenMs: this.#firstTokenMs === null ? null : Math.round(this.#firstTokenMs),
      durationMs: Math.round(durationMs),
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      attempts: this.attempts,
      attemptReasons: this.attemptReasons.length === 0 ? null : this.attemptReasons,
    })
  }
}

type Served = Pick<UsageRecord, 'modelId' | 'modelServed' | 'provider' | 'upstreamModel'>

/** A request that was refused before any call still belongs to the one provider that a plain model has. */
function servedBy(model: Model | null, upstream: Upstream | null): Served {
  const owner = model?.record.target.kind === 'plain' ? model.ownedBy : null
  return {
    modelId: model?.record.id ?? null,
    modelServed: model?.record.name ?? null,
    provider: upstream?.provider.name ?? owner,
    upstreamModel: upstream?.model.name ?? null,
  }
}

export class UsageRecorder {
  readonly #options: RecorderOptions
  #queue: UsageRecord[] = []

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  begin(exchange: Exchange, caller: Caller, endpoint: string): RequestRecord {
    return new RequestRecord(exchange, caller, endpoint, this.#finish)
  }

  /** Rows that wait to be written. */
  get depth(): number {
    return this.#queue.length
  }

  /** Writes all rows that are queued now. Rows that the store refuses are put back while they fit. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const rows = this.#queue.splice(0, batchRows)
      try {
        await this.#options.write(rows)
      } catch (error) {
        this.#putBack(rows)
        throw error
      }
    }
  }

  readonly #finish = (row: UsageRecord): void => {
    this.#options.metrics.request(row)
    if (this.#queue.length < this.#options.queueMax) this.#queue.push(row)
    else this.#options.metrics.usageDropped(1)
  }

  #putBack(rows: readonly UsageRecord[]): void {
    const room = Math.max(0, this.#options.queueMax - this.#queue.length)
    this.#queue = [...rows.slice(0, room), ...this.#queue]
    if (room < rows.length) this.#options.metrics.usageDropped(rows.length - room)
  }
}
