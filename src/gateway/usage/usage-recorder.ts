/**
 * One usage row for every request, written behind. A request never waits for it: finished records go to a
 * bounded queue. A loop of the app flushes the queue in batches, and the stop flushes it once more. Records
 * that do not fit are dropped and counted. No record contains a prompt or an answer.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'
import type { Caller } from '#identity/records.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { AttemptReason, UsageRecord } from '#store/usage/usage-record.ts'
import type { TokenUsage } from './token-usage.ts'

export interface RecorderOptions {
  readonly metrics: Metrics
  readonly write: (rows: readonly UsageRecord[]) => Promise<void>
  readonly queueMax: number
}

const batchRows = 500
/** Rows are made of this many records at once. */
const settleAt = 256

/** The facts of one request so far; disposing it makes it final, once. It keeps no reference to the connection. */
export class RequestRecord implements Disposable {
  modelAsked: string | null = null
  model: Model | null = null
  streamed = false
  /** The upstream that serves, or was tried last. */
  upstream: Upstream | null = null
  upstreamStatus: number | null = null
  attempts = 0
  /** Whole milliseconds in a queue before the first call of a provider; null where nothing queued. */
  queueMs: number | null = null
  readonly attemptReasons: AttemptReason[] = []
  usage: TokenUsage | null = null
  requestBytes = 0
  responseBytes = 0
  #status = 200
  #code: string | null = null
  #firstTokenAt: number | null = null
  #endedAt: number | null = null
  readonly #requestId: string
  readonly #startedAt: number
  readonly #at: number
  readonly #clock: Clock
  readonly #caller: Caller
  readonly #endpoint: string
  readonly #finish: (record: RequestRecord) => void

  constructor(context: RequestContext, caller: Caller, endpoint: string, finish: (record: RequestRecord) => void) {
    this.#requestId = context.requestId
    this.#startedAt = context.startedAt
    this.#clock = context.clock
    this.#at = context.clock.now()
    this.#caller = caller
    this.#endpoint = endpoint
    this.#finish = finish
  }

  /** The request ended with this error, before or after its first byte. */
  fail(error: ApiError): void {
    if (this.#endedAt !== null) return
    this.#status = error.status
    this.#code = error.wireCode ?? error.code
  }

  /** The first byte of the answer is on its way to the client. */
  firstToken(): void {
    this.#firstTokenAt ??= this.#clock.elapsed()
  }

  [Symbol.dispose](): void {
    if (this.#endedAt !== null) return
    this.#endedAt = this.#clock.elapsed()
    this.#finish(this)
  }

  /** The record as a row. Only for one that is final. */
  row(): UsageRecord {
    return {
      at: this.#at,
      requestId: this.#requestId,
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
      cachedTokens: this.usage?.kinds?.cachedTokens ?? null,
      cacheWriteTokens: this.usage?.kinds?.cacheWriteTokens ?? null,
      reasoningTokens: this.usage?.kinds?.reasoningTokens ?? null,
      cost: null,
      priceId: null,
      queueMs: this.queueMs,
      firstTokenMs: this.#since(this.#firstTokenAt),
      durationMs: this.#since(this.#endedAt) ?? 0,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      attempts: this.attempts,
      attemptReasons: this.attemptReasons.length === 0 ? null : this.attemptReasons,
    }
  }

  /** Whole milliseconds from the start of the request. */
  #since(at: number | null): number | null {
    return at === null ? null : Math.round(at - this.#startedAt)
  }
}

/** A plain model has one provider, which is recorded even when the request was refused before any call. */
function servedBy(model: Model | null, upstream: Upstream | null) {
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
  /** Final records without a row: making many rows at once costs a fraction of making each in its request. */
  #final: RequestRecord[] = []
  #queue: UsageRecord[] = []

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  begin(context: RequestContext, caller: Caller, endpoint: string): RequestRecord {
    return new RequestRecord(context, caller, endpoint, this.#finish)
  }

  /** Rows that wait to be written. */
  get depth(): number {
    return this.#final.length + this.#queue.length
  }

  /** Counts the requests that have ended since the last time, and makes their rows. Called before a scrape and before a write. */
  settle(): void {
    const { metrics, queueMax } = this.#options
    const final = this.#final
    this.#final = []
    for (const record of final) {
      const row = record.row()
      metrics.request(row)
      if (this.#queue.length < queueMax) this.#queue.push(row)
      else metrics.usageDropped(1)
    }
  }

  /** Writes all rows that are queued now. Rows that the store refuses are put back while they fit. */
  async flush(): Promise<void> {
    this.settle()
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

  readonly #finish = (record: RequestRecord): void => {
    this.#final.push(record)
    if (this.#final.length >= settleAt || this.depth > this.#options.queueMax) this.settle()
  }

  #putBack(rows: readonly UsageRecord[]): void {
    this.settle()
    const room = Math.max(0, this.#options.queueMax - this.#queue.length)
    this.#queue = [...rows.slice(0, room), ...this.#queue]
    if (room < rows.length) this.#options.metrics.usageDropped(rows.length - room)
  }
}
