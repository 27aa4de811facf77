/**
 * Runs the lines of the parts that this process holds: on each model as many at once as it bears, the accounts in turn.
 * Results are written in groups; a line is done when its result is in the database.
 */
import { fullJitterMs } from '#lib/backoff.ts'
import type { ClaimedJob } from '#store/batches/batch-jobs.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import type { LineResult } from '#store/batches/batch-results.ts'
import type { JobLease } from '#store/batches/locked-batch.ts'
import { toApiError } from '#errors/api-error.ts'
import { resolveModel } from '#gateway/admission/resolve-model.ts'
import type { Batches } from '../batches.ts'
import { callLine, type LineEnd } from './call-line.ts'
import { FirstTokenGuard } from './first-token-guard.ts'
import { HeldPart, type HeldLine } from './held-part.ts'
import type { InputFiles } from './input-files.ts'
import { ModelLane } from './model-lane.ts'
import { openPart } from './open-part.ts'

/** Results are written this often, so that some share a transaction. */
const writeEveryMs = 50
/** Results that wait to be written, of all parts together. */
const unwrittenMax = 1_048_576
const partsMax = 64
/** No account keeps the others out, whatever the speed of its models. */
const partsOfUserMax = 16
const heldBytesMax = 33_554_432
/** More lines than this of one model do not keep the process from looking for lines of other models. */
const windowsAhead = 3
const waitingMax = 512
const failuresMax = 5
/** For a line at which the provider failed while it answered no other. */
const failuresAloneMax = 20
const retry = { baseMs: 500, maxMs: 30_000 }
/** A part whose lines all wait for a model for longer is given back. */
const pauseMin = 2000

export class LineRunner {
  readonly #batches: Batches
  readonly #inputs: InputFiles
  readonly #onRoom: () => void
  readonly #parts = new Set<HeldPart>()
  readonly #lanes = new Map<string, ModelLane<HeldLine>>()
  /** As many as there are models. */
  readonly #guards = new Map<string, FirstTokenGuard>()
  readonly #stop = new AbortController()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #running = new Set<Promise<void>>()
  #isWriteDue = false
  /** Since all results were written last. */
  #unwrittenBytes = 0

  /** @param onRoom called when another part could be taken */
  constructor(batches: Batches, inputs: InputFiles, onRoom: () => void) {
    this.#batches = batches
    this.#inputs = inputs
    this.#onRoom = onRoom
  }

  get leases(): readonly JobLease[] {
    return [...this.#parts].map(({ lease }) => lease)
  }

  /** Whether there is room for another part. */
  get wantsMore(): boolean {
    let [waiting, bytes] = [0, 0]
    for (const lane of this.#lanes.values()) waiting += Math.min(lane.waiting, lane.window.limit * windowsAhead)
    for (const part of this.#parts) bytes += part.bytes
    return waiting < waitingMax && this.#parts.size < partsMax && bytes < heldBytesMax && !this.#stop.signal.aborted
  }

  /** Whether there is room for an async request: those do not wait behind the lines of batches. */
  get wantsAsync(): boolean {
    return this.#parts.size < 2 * partsMax && !this.#stop.signal.aborted
  }

  /** Accounts that have as many parts here as they may. */
  get fullUsers(): readonly string[] {
    const byUser = Map.groupBy(this.#parts, ({ userId }) => userId)
    return [...byUser].flatMap(([userId, parts]) => (parts.length >= partsOfUserMax ? [userId] : []))
  }

  /** Takes the lines of a part that have no result. Rejects with BlobMissing where the file cannot be read. */
  async add(job: ClaimedJob): Promise<void> {
    const lines = await openPart(this.#batches, this.#inputs, job)
    const part = new HeldPart(job, this.#stop.signal)
    for (const { line, request } of lines) {
      const lane = this.#laneOf(part, request.model)
      const held = { part, line, request, lane, cost: null, failures: 0, answersBefore: null, isRunning: false }
      part.lines.add(held)
      lane.add(held)
    }
    this.#parts.add(part)
    if (part.lines.size === 0) await this.#write([part])
    this.#dispatch()
  }

  /** A request has ended; live streams tell whether lines slow them down. */
  observe({ modelId, streamed, firstTokenMs, durationMs }: UsageRecord): void {
    if (modelId === null || !streamed || firstTokenMs === null) return
    const guard = this.#guards.getOrInsertComputed(modelId, () => new FirstTokenGuard())
    const lane = this.#lanes.get(modelId)
    // It came while the model still had what was sent before lines became fewer.
    if (lane !== undefined && this.#elapsed() - durationMs < lane.window.settlesAt) return
    if (guard.observe(firstTokenMs, (lane?.running ?? 0) > 0))
      lane?.window.congested(this.#elapsed(), this.#liveOn(lane))
  }

  /** These leases are lost: what their lines would answer is written by others. */
  lose(lost: readonly JobLease[]): void {
    for (const part of this.#parts) if (lost.includes(part.lease)) this.#drop(part)
  }

  /** Gives back parts that can do nothing for a while, and forgets models without lines. */
  async tidy(): Promise<void> {
    const now = this.#elapsed()
    for (const part of this.#parts) {
      const resumesAt = Math.min(...[...part.lines].map(({ isRunning, lane }) => (isRunning ? now : lane.pausedUntil)))
      if (part.lines.size > 0 && resumesAt - now > pauseMin) await this.#giveBack(part, resumesAt - now)
    }
    for (const [id, lane] of this.#lanes)
      if (lane.waiting === 0 && lane.running === 0 && lane.pausedUntil < now && this.#parts.size === 0)
        this.#lanes.delete(id)
    this.#heedQueues()
  }

  /** Lines give way where requests wait at the server of their model, as its own metrics say. */
  #heedQueues(): void {
    const { catalog, health } = this.#batches.gateway
    const models = catalog().models.filter(({ record }) => this.#lanes.has(record.id))
    health.watched = new Set(models.flatMap(({ upstreams }) => upstreams.map(({ id }) => id)))
    for (const { record, upstreams } of models) {
      const lane = this.#lanes.get(record.id)
      if (lane === undefined) continue
      lane.upstreams = upstreams.map(({ id }) => id)
      const waiting = upstreams.reduce((sum, { id }) => sum + (health.waiting(id) ?? 0), 0)
      if (waiting > 0) lane.window.queued(waiting, { lines: lane.running, live: this.#liveOn(lane) })
    }
  }

  /** Requests on the model that are not lines: when more come, fewer lines are sent at once. */
  #liveOn({ upstreams, running }: ModelLane<HeldLine>): number {
    const { health } = this.#batches.gateway
    const all = upstreams.reduce((sum, id) => sum + health.inFlight(id), 0)
    return Math.max(0, all - running)
  }

  /** Ends all calls, writes what was answered, and gives the parts back. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#write([...this.#parts])
    for (const part of this.#parts) await this.#giveBack(part, 0).catch((error: unknown) => this.#report(error))
  }

  #laneOf({ batch }: HeldPart, model: string): ModelLane<HeldLine> {
    const caller = this.#batches.callerOf(batch)
    let id = model
    try {
      if (caller !== null) id = resolveModel(this.#batches.gateway.catalog(), model, caller).record.id
    } catch (thrown) {
      // Its call says the same, and that becomes the result of the line.
      if (toApiError(thrown).code === 'internal_error') throw thrown
    }
    return this.#lanes.getOrInsertComputed(id, () => new ModelLane<HeldLine>())
  }

  #dispatch(): void {
    if (this.#stop.signal.aborted) return
    const now = this.#elapsed()
    const max = this.#max()
    for (const lane of this.#lanes.values()) {
      const live = this.#liveOn(lane)
      for (let line = lane.next(now, max, live); line !== null; line = lane.next(now, max, live)) {
        const run = this.#run(line).finally(() => this.#running.delete(run))
        this.#running.add(run)
      }
      if (lane.waiting > 0 && lane.pausedUntil > now) this.#await(lane, lane.pausedUntil - now)
    }
    if (this.wantsMore) this.#onRoom()
  }

  #await(lane: ModelLane<HeldLine>, ms: number): void {
    if (lane.isAwaited) return
    lane.isAwaited = true
    this.#later(ms, () => (lane.isAwaited = false))
  }

  /** Never rejects. */
  async #run(line: HeldLine): Promise<void> {
    const { part, lane } = line
    const startedAt = this.#elapsed()
    const answersBefore = line.answersBefore ?? lane.answers
    lane.running += 1
    line.isRunning = true
    const called = { line: line.line, request: line.request, lease: part.lease }
    const end = await callLine(this.#batches, part.batch, called, part.signal)
    line.isRunning = false
    if (end.kind === 'done' && end.error === null)
      lane.answered(this.#elapsed() - startedAt, this.#max(), this.#liveOn(lane))
    lane.running -= 1
    line.answersBefore = lane.answers
    if (part.lines.has(line)) this.#settle(line, end, lane.answers > answersBefore)
    this.#dispatch()
  }

  /** @param isPresent the model has answered other lines since this one was tried before, or while it was under way */
  #settle(line: HeldLine, end: LineEnd, isPresent: boolean): void {
    const { part, lane } = line
    if (end.kind === 'stopped') return
    if (end.cost !== null) line.cost = (line.cost ?? 0) + end.cost
    if (end.kind === 'done') return this.#finish(line, end)
    const now = this.#elapsed()
    if (end.kind === 'congested') {
      lane.congested(now, end.retryAfterMs, this.#liveOn(lane))
      return lane.add(line)
    }
    const isOwn = isPresent || end.kind === 'broken'
    if (isOwn) line.failures += 1
    if (line.failures >= (isPresent ? failuresMax : failuresAloneMax)) return this.#finish(line, end)
    if (isPresent) lane.window.congested(now, this.#liveOn(lane))
    else lane.down(now, end.retryAfterMs)
    const waitMs = isOwn ? fullJitterMs(line.failures, retry, Math.random) : 0
    this.#later(waitMs, () => {
      if (part.lines.has(line)) lane.add(line)
    })
  }

  #finish(line: HeldLine, result: Pick<LineResult, 'error' | 'usage' | 'text'>): void {
    const { part } = line
    part.settle(line, result)
    // A client may wait for an async request; a batch has more lines that come at the same moment.
    if (part.isAsync) return void this.#write([part])
    this.#unwrittenBytes += result.text.length
    if (this.#unwrittenBytes > unwrittenMax) this.#writeAll()
    else this.#writeSoon()
  }

  #writeSoon(): void {
    if (this.#isWriteDue) return
    this.#isWriteDue = true
    this.#later(writeEveryMs, () => {
      this.#isWriteDue = false
      this.#writeAll()
    })
  }

  #writeAll(): void {
    this.#unwrittenBytes = 0
    void this.#write([...this.#parts])
  }

  /**
   * Writes what was answered, all parts of a batch in one transaction; a part without lines ends with it. Never rejects:
   * what fails is tried again.
   */
  async #write(parts: readonly HeldPart[]): Promise<void> {
    const own = parts.filter((part) => this.#parts.has(part) && part.writing === null && part.hasToWrite)
    for (const some of Map.groupBy(own, ({ batch }) => batch.id).values()) {
      const writing = this.#writeOfBatch(some)
      for (const part of some) part.writing = writing
    }
    await Promise.all(parts.flatMap(({ writing }) => writing ?? []))
  }

  async #writeOfBatch(parts: readonly HeldPart[]): Promise<void> {
    const { store, now } = this.#batches
    const writes = parts.map((part) => ({
      part,
      lease: part.lease,
      isLast: part.lines.size === 0,
      results: part.takeUnwritten(),
    }))
    const hasLast = writes.some(({ isLast }) => isLast)
    try {
      const lost = await store.writeJobs(writes, hasLast ? await now() : 0)
      for (const { part, lease, isLast } of writes) if (isLast || lost.includes(lease)) this.#drop(part)
      if (hasLast) this.#batches.wake()
      // Lines that were answered in the meantime.
      if (parts.some((part) => this.#parts.has(part) && part.hasToWrite)) this.#writeSoon()
    } catch (thrown) {
      for (const { part, results } of writes) part.putBack(results)
      this.#report(thrown)
      if (!this.#stop.signal.aborted) this.#later(retry.baseMs, () => void this.#write(parts))
    } finally {
      for (const part of parts) part.writing = null
    }
  }

  async #giveBack(part: HeldPart, afterMs: number): Promise<void> {
    await part.writing
    await this.#write([part])
    if (!this.#parts.has(part)) return
    this.#drop(part)
    await this.#batches.store.release(part.lease, (await this.#batches.now()) + Math.round(afterMs))
  }

  #drop(part: HeldPart): void {
    this.#parts.delete(part)
    part.drop()
  }

  /** After a while; looks then for lines that may be sent. */
  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
      this.#dispatch()
    }, ms)
    this.#timers.add(timer)
  }

  #max(): number {
    return this.#batches.gateway.settings.get('batches.concurrency')
  }

  #elapsed(): number {
    return this.#batches.gateway.clock.elapsed()
  }

  #report(error: unknown): void {
    this.#batches.logger.error('results of a batch could not be written', { error })
  }
}
