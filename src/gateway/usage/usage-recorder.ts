/**
 * One usage row for every request, written behind. A request never waits for it: finished records go to a
 * bounded queue, and within milliseconds to the journal. A loop of the app flushes the queue in batches, and the stop
 * flushes it once more. Records that do not fit are dropped and counted. No record contains a prompt or an answer.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'
import type { Caller } from '#identity/records.ts'
import type { Metrics } from '#observe/metrics.ts'
import { RequestTrace } from '#observe/traces/request-trace.ts'
import { traceContext } from '#observe/traces/trace-context.ts'
import type { Attributes, Span } from '#observe/traces/span.ts'
import { usageLine, type AppliedLimit, type AttemptReason, type UsageRecord } from '#store/usage/usage-record.ts'
import type { UsageBatch } from '#store/usage/usage.ts'
import type { Charges, RequestBudget } from './request-budget.ts'
import { requestCost, unitsText, type CostFacts, type RequestCost } from './request-cost.ts'
import type { TokenKinds, TokenUsage } from './token-usage.ts'
import type { UsageJournal } from './usage-journal.ts'
import { rowsOf, UsageQueue, type Piece } from './usage-queue.ts'

export interface RecorderOptions {
  readonly metrics: Metrics
  readonly write: (batch: UsageBatch) => Promise<void>
  readonly queueMax: number
  /** Null: records that are not in the database yet are in memory alone. */
  readonly journal: UsageJournal | null
  /** Keeps requests with a budget from before they are sent; left out: those whose end nobody sees have no record. */
  readonly ahead?: UsageJournal | undefined
  /** Takes the spans of requests; null when no traces are made. */
  readonly traces?: TraceOptions | null
  /** Takes each request that has ended. */
  readonly log?: (row: UsageRecord) => void
}

export interface TraceOptions {
  /** Share of the traces that begin here and are recorded. */
  readonly ratio: () => number
  readonly add: (spans: readonly Span[]) => void
}

/** A batch holds the thread that writes it, or a connection, for some 100 ms. */
const batchRows = 4000
/** Batches that are written at the same time. */
const writers = 2
/** Rows are made of this many records at once. */
const settleAt = 256
/** Longest time of a finished record in memory alone. */
const journalMs = 5

const none: readonly AttemptReason[] = []
const noLimits: readonly AppliedLimit[] = []
/** The first failures of a request are enough. */
const attemptReasonsMax = 100
const limitsMax = 50
/** Errors whose message is the provider's own, which may quote the prompt. */
const quotingCodes: ReadonlySet<string> = new Set(['upstream_rejected', 'upstream_stream_error'])

/** What a record says of a request whose end nobody has seen. */
const unseenEnd = { status: 500, code: 'interrupted' } as const

/** Takes what the client gets, of a request whose content is logged. */
export interface ContentSink {
  /** The next bytes of the answer. */
  answer(bytes: Uint8Array): void
  /** The request has ended. Called once. */
  end(status: number, code: string | null): void
}

/** The cost, null without a price, the tokens, and what ended a request that failed. */
export type Settled = (cost: number | null, usage: TokenUsage | null, failure: ApiError | null) => void

/** The facts of one request so far; disposing it makes it final, once. It keeps no reference to the connection. */
export class RequestRecord implements Disposable, CostFacts {
  modelAsked: string | null = null
  model: Model | null = null
  streamed = false
  /** The upstream that serves, or was tried last. */
  upstream: Upstream | null = null
  upstreamStatus: number | null = null
  /** The gateway ended the last call before its answer began. */
  wasLeft = false
  attempts = 0
  /** Whole milliseconds in a queue before the first call of a provider; null where nothing queued. */
  queueMs: number | null = null
  attemptReasons: readonly AttemptReason[] = none
  limits: readonly AppliedLimit[] = noLimits
  /** Null when no traces are made. */
  trace: RequestTrace | null = null
  usage: TokenUsage | null = null
  /** Images that were asked for. */
  images = 0
  /** A batch of the provider's own has answered, at half the price. */
  isBatch = false
  /** The budgets that the request counts in; null for none. */
  budget: RequestBudget | null = null
  /** Its number among the records that were written ahead; 0 for none. */
  ahead = 0
  /** Null when its content is not logged. */
  content: ContentSink | null = null
  /** Hears what the request cost when it has ended, and what ended it. */
  onSettled: Settled | undefined
  requestBytes = 0
  responseBytes = 0
  #status = 200
  #code: string | null = null
  #failure: ApiError | null = null
  #firstTokenAt: number | null = null
  #calledAt: number | null = null
  #endedAt: number | null = null
  #charges: Charges | null = null
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

  /** When the request arrived. */
  get at(): number {
    return this.#at
  }

  /** Whole milliseconds; 0 until it has ended. */
  get durationMs(): number {
    return this.#since(this.#endedAt) ?? 0
  }

  /** Path below the area's prefix. */
  get endpoint(): string {
    return this.#endpoint
  }

  /** The request ended with this error, before or after its first byte. */
  fail(error: ApiError): void {
    if (this.#endedAt !== null) return
    this.#status = error.status
    this.#code = error.wireCode ?? error.code
    this.#failure = error
  }

  /** Other requests are recorded in its place: it makes no row. */
  withdraw(): void {
    this.#endedAt = this.#clock.elapsed()
  }

  /** A provider is called from now on, in `clock.elapsed()`. */
  called(): number {
    return (this.#calledAt = this.#clock.elapsed())
  }

  /** The call of this upstream failed, or was not made. A request with many calls keeps the first reasons. */
  failed(upstream: Upstream, error: ApiError, wasSent: boolean): void {
    if (this.attemptReasons.length >= attemptReasonsMax) return
    const calledAt = wasSent ? this.#calledAt : null
    const reason: AttemptReason = {
      provider: upstream.provider.name,
      reason: error.code,
      model: upstream.model.name,
      status: error.detail.upstreamStatus ?? null,
      message: quotingCodes.has(error.code) ? error.row.message : error.message,
      startedMs: this.#since(calledAt),
      durationMs: calledAt === null ? null : Math.round(this.#clock.elapsed() - calledAt),
    }
    this.attemptReasons = [...this.attemptReasons, reason]
  }

  /** The request counts in these limits, or was refused by one of them. Of a limit that several calls of providers meet the last counts. */
  limited(...limits: readonly AppliedLimit[]): void {
    const isNamed = ({ kind, name }: AppliedLimit): boolean =>
      limits.some((each) => each.kind === kind && each.name === name)
    const others = this.limits.filter((each) => !isNamed(each))
    if (others.length < limitsMax) this.limits = [...others, ...limits]
  }

  /** The first byte of the answer is on its way to the client. */
  firstToken(): void {
    this.#firstTokenAt ??= this.#clock.elapsed()
  }

  [Symbol.dispose](): void {
    if (this.#endedAt !== null) return
    this.#endedAt = this.#clock.elapsed()
    if (this.budget !== null) this.#charges = this.budget.settle(this, requestCost(this))
    this.content?.end(this.#status, this.#code)
    this.onSettled?.((this.#charges ?? requestCost(this)).cost, this.usage, this.#failure)
    this.#finish(this)
  }

  /** What this request is recorded as when the process is killed before it has ended. */
  unseenRow(budget: RequestBudget): UsageRecord {
    const { upstream, ...charges } = budget.unseen(this.#at)
    const served = { provider: providerOf(this.model, upstream), upstreamModel: upstream?.model.name ?? null }
    return { ...this.row(), ...served, ...charges, ...unseenEnd }
  }

  /** The record as a row, with what is known so far. */
  row(): UsageRecord {
    const { model, upstream, usage } = this
    const { promptTokens, completionTokens, kinds = noKinds } = usage ?? noTokens
    const { cost, priceId, counters, slices } = this.#charges ?? uncounted(requestCost(this))
    return {
      at: this.#at,
      requestId: this.#requestId,
      keyId: this.#caller.key?.id ?? null,
      userId: this.#caller.account.user.id,
      endpoint: this.#endpoint,
      modelAsked: this.modelAsked,
      modelId: model?.record.id ?? null,
      modelServed: model?.record.name ?? null,
      provider: providerOf(model, upstream),
      upstreamModel: upstream?.model.name ?? null,
      upstreamStatus: this.upstreamStatus,
      status: this.#status,
      code: this.#code,
      streamed: this.streamed,
      promptTokens,
      completionTokens,
      cachedTokens: kinds.cachedTokens,
      cacheWriteTokens: kinds.cacheWriteTokens,
      reasoningTokens: kinds.reasoningTokens,
      cost,
      priceId,
      units: unitsText(usage, this.images, this.isBatch),
      counters,
      slices,
      queueMs: this.queueMs,
      calledMs: this.#since(this.#calledAt),
      firstTokenMs: this.#since(this.#firstTokenAt),
      durationMs: this.durationMs,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      attempts: this.attempts,
      attemptReasons: this.attemptReasons.length === 0 ? null : this.attemptReasons,
      limits: this.limits.length === 0 ? null : this.limits,
    }
  }

  /** Whole milliseconds from the start of the request. */
  #since(at: number | null): number | null {
    return at === null ? null : Math.round(at - this.#startedAt)
  }
}

const noTokens: TokenUsage = { promptTokens: null, completionTokens: null }
const noKinds: TokenKinds = { cachedTokens: null, cacheWriteTokens: null, reasoningTokens: null }

function uncounted({ cost, priceId }: RequestCost) {
  return { cost, priceId, counters: null, slices: null }
}

/** A plain model has one provider, which is recorded even when the request was refused before any call. */
function providerOf(model: Model | null, upstream: Upstream | null): string | null {
  return upstream?.provider.name ?? (model?.record.target.kind === 'plain' ? model.ownedBy : null)
}

export class UsageRecorder {
  readonly #options: RecorderOptions
  /** Final records without a row: making many rows at once costs a fraction of making each in its request. */
  #final: RequestRecord[] = []
  readonly #queue: UsageQueue
  #settlesSoon = false
  readonly #watchers = new Set<(row: UsageRecord) => void>()

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#queue = new UsageQueue((text, rows) => options.journal?.add(text, rows) ?? 0)
  }

  /** Calls it with each request that has ended, until the result is disposed. */
  watch(watcher: (row: UsageRecord) => void): Disposable {
    this.#watchers.add(watcher)
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) }
  }

  /** @param about what else a trace says of the request */
  begin(context: RequestContext, caller: Caller, endpoint: string, about?: Attributes): RequestRecord {
    const record = new RequestRecord(context, caller, endpoint, this.#finish)
    const { traces } = this.#options
    if (traces) {
      const trace = traceContext(context.request.headers.get('traceparent'), traces.ratio())
      record.trace = new RequestTrace(trace, context.startedAt, about)
    }
    return record
  }

  /** The request counts in this budget. Resolves when a kill loses neither the request nor what it can cost. */
  async charge(record: RequestRecord, budget: RequestBudget): Promise<void> {
    record.budget = budget
    const { ahead } = this.#options
    if (ahead !== undefined) record.ahead = await ahead.keep(usageLine(record.unseenRow(budget)))
  }

  /** Rows that wait to be written. */
  get depth(): number {
    return this.#final.length + this.#queue.rows
  }

  /** Counts the requests that have ended since the last time, and makes their rows. Called before a scrape and before a write. */
  settle(): void {
    const { metrics, queueMax, journal, traces, log } = this.#options
    const final = this.#final
    this.#final = []
    for (const record of final) {
      const row = record.row()
      metrics.request(row)
      log?.(row)
      for (const watcher of this.#watchers) watcher(row)
      if (traces && record.trace !== null) traces.add(record.trace.spans(row))
      // What a budget counts is never dropped: its number is bounded by the money that this process holds.
      const isCounted = row.counters !== null
      if (this.#queue.rows >= queueMax && !isCounted) metrics.usageDropped(1)
      else this.#queue.add({ line: usageLine(row), isCounted, ahead: record.ahead })
    }
    this.#queue.seal()
    journal?.write()
  }

  /** Writes all rows that are queued now. Rows that the store refuses are put back while they fit. */
  async flush(): Promise<void> {
    this.settle()
    const written = await Promise.allSettled(Array.from({ length: writers }, () => this.#writeQueue()))
    for (const result of written) if (result.status === 'rejected') throw result.reason
  }

  async #writeQueue(): Promise<void> {
    const { journal } = this.#options
    while (this.#queue.rows > 0) {
      const pieces = this.#queue.take(batchRows)
      const [first = 0, rows] = [pieces[0]?.first, rowsOf(pieces)]
      const place = journal === null ? null : { journal: journal.id, first, recovering: false }
      try {
        await this.#options.write({ text: pieces.map(({ text }) => text).join(''), place })
      } catch (error) {
        this.#putBack(pieces)
        throw error
      }
      journal?.settle(first, first + rows - 1)
      for (const { aheads } of pieces) for (const ahead of aheads) this.#options.ahead?.settle(ahead, ahead)
    }
  }

  readonly #finish = (record: RequestRecord): void => {
    this.#final.push(record)
    if (this.#final.length >= settleAt || this.depth > this.#options.queueMax) this.settle()
    else if (this.#options.journal !== null && !this.#settlesSoon) {
      this.#settlesSoon = true
      setTimeout(this.#settleLater, journalMs)
    }
  }

  readonly #settleLater = (): void => {
    this.#settlesSoon = false
    this.settle()
  }

  #putBack(pieces: readonly Piece[]): void {
    const { queueMax, journal, metrics } = this.#options
    this.settle()
    for (const { first, rows } of this.#queue.putBack(pieces, queueMax)) {
      metrics.usageDropped(rows)
      journal?.settle(first, first + rows - 1)
    }
  }
}
