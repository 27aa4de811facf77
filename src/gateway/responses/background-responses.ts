/**
 * Responses that are made while no client waits. Each belongs to the process that makes it, under a lease that is
 * extended with every heartbeat; its events are written with the heartbeat too, so that every process can show them.
 *
 * A process that dies leaves its responses behind. They are not made again, because the provider may have been paid
 * for them already: the first process that finds such a lease over ends the response as failed.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { KeptResponse, KeptResponseStore, Lease } from '#store/kept/kept-responses.ts'
import { BackgroundRun, eventOf, failedResponse, type Outcome } from './background-run.ts'
import { textsOf, type KeptOwner, type KeptResponses, type ResponseObject } from './kept-responses.ts'
import type { KeptState } from '../request/response-state.ts'
import { keptResponseId } from './kept-ids.ts'

export interface BackgroundOptions {
  readonly kept: KeptResponses
  readonly settings: LiveSettings
  /** The time that all processes agree on, which decides about leases. */
  readonly now: () => Promise<number>
  readonly onError: (error: unknown) => void
  /** Silence after which a reader of another process's response looks again. */
  readonly pollMs?: number
}

/** A response to be made. */
export interface NewBackgroundResponse {
  readonly owner: KeptOwner
  readonly state: KeptState
  /** As it is answered now. */
  readonly pending: ResponseObject
  /** Makes it, streamed. */
  readonly answer: (signal: AbortSignal) => Promise<Response>
}

const leaseMs = 30_000
const abandonedAtOnce = 20
const abandonedMessage =
  'The server that was making this response stopped before it was complete. Nothing was made again: send the request again.'

export class BackgroundResponses {
  readonly #options: BackgroundOptions
  readonly #store: KeptResponseStore
  readonly #workerId = crypto.randomUUID()
  readonly #runs = new Map<string, BackgroundRun>()
  /** Whose each run is. */
  readonly #owners = new WeakMap<BackgroundRun, string>()
  /** Ends that the database has not taken yet. */
  readonly #endings = new Map<string, Outcome>()

  constructor(options: BackgroundOptions) {
    this.#options = options
    this.#store = options.kept.responses
  }

  /** Responses that this process is making. */
  get underWay(): number {
    return this.#runs.size
  }

  /** Begins to make a response; resolves when every process can find it. Answers 429 and 503 by throwing. */
  async start({ owner, state, pending, answer }: NewBackgroundResponse): Promise<void> {
    const { settings, now } = this.#options
    this.#refuseTooMany(owner.userId)
    const id = keptResponseId(state.hex)
    const run = new BackgroundRun(id, pending, settings.get('gateway.max_response_bytes'))
    this.#runs.set(id, run)
    this.#owners.set(run, owner.userId)
    const row = { id, ...owner, previousId: state.previousId, status: 'queued' } as const
    const texts = { ...textsOf(pending), input: state.ownItems() }
    try {
      const at = await now()
      await this.#store.insertMany(
        [{ ...row, lease: this.#lease(at), texts, createdAt: at, usedAt: at }],
        settings.get('responses.account_bytes_max'),
      )
    } catch (cause) {
      this.#runs.delete(id)
      throw new ApiError('store_unavailable', { cause })
    }
    void this.#make(run, answer)
  }

  /** Extends the leases, and writes what has come since. Rejects when the database does not answer. */
  async beat(): Promise<void> {
    for (const [id, outcome] of this.#endings) {
      const run = this.#runs.get(id)
      if (run !== undefined) await this.#end(run, outcome)
    }
    const runs = [...this.#runs.values()].filter(({ id }) => !this.#endings.has(id))
    if (runs.length === 0) return
    const progress = runs.map((run) => ({ id: run.id, events: run.unwritten(false) }))
    const own = await this.#store.progress(this.#lease(await this.#options.now()), progress)
    for (const [at, run] of runs.entries()) {
      const events = progress[at]?.events ?? null
      if (!own.has(run.id)) this.#drop(run)
      else if (events !== null) run.wrote(events)
    }
  }

  /** Ends the responses of processes that died. */
  async endAbandoned(): Promise<void> {
    const now = await this.#options.now()
    for (const response of await this.#store.abandoned(now, abandonedAtOnce)) {
      const text = await this.#options.kept.text(response)
      if (text === null) continue
      const object = JSON.parse(text) as ResponseObject
      const failed = failedResponse(object, new ApiError('internal_error', { message: abandonedMessage }))
      const ending = { id: response.id, status: 'failed', texts: textsOf(failed), events: null, at: now } as const
      await this.#store.end({ ...ending, workerId: null, leaseBefore: now })
    }
  }

  /** Stops the making of a response, on whichever process. */
  async cancel({ id }: KeptResponse): Promise<void> {
    const at = await this.#options.now()
    await this.#store.end({ id, status: 'cancelled', texts: {}, events: null, workerId: null, at })
    this.forget(id)
  }

  /** The response was deleted or cancelled: nobody makes it any longer. */
  forget(id: string): void {
    const run = this.#runs.get(id)
    if (run !== undefined) this.#drop(run)
  }

  /** The data of each event behind this sequence number, one by one; null after a while without any. */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<string | null> {
    let next = after + 1
    let ended = false
    while (!signal.aborted) {
      const run = this.#runs.get(id)
      if (run === undefined) {
        const read = await this.#readEvents(id, next)
        ended = read.ended
        yield* read.events
        next += read.events.length
        if (ended) return
        yield await this.#silence(null)
        continue
      }
      const closed = run.closed
      const more = run.more()
      const events = run.eventsFrom(next)
      yield* events
      next += events.length
      if (closed) return
      if (events.length === 0) yield await this.#silence(more)
    }
  }

  /** Waits for news, or for a moment. */
  async #silence(more: Promise<void> | null): Promise<null> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#options.pollMs ?? 500)
    await Promise.race([promise, ...(more === null ? [] : [more])])
    clearTimeout(timer)
    return null
  }

  /** The events that are written from this one on; of a response that ended without an event of its end, one is made. */
  async #readEvents(
    id: string,
    next: number,
  ): Promise<{ readonly events: readonly string[]; readonly ended: boolean }> {
    const [response] = await this.#options.kept.list([id])
    const pieces = await this.#store.events(id, next)
    const all = pieces.flatMap(({ position, lines }) =>
      lines.split('\n').map((data, index) => ({ data, sequence: position + index })),
    )
    const events = all.filter(({ sequence }) => sequence >= next).map(({ data }) => data)
    if (response === undefined) return { events, ended: true }
    if (response.lease !== null) return { events, ended: false }
    const last = all.at(-1)
    const isWhole =
      last !== undefined && /^\{"type":"response\.(completed|incomplete|failed|cancelled)"/.test(last.data)
    const sequence = Math.max(next, (last?.sequence ?? -1) + 1)
    const text = isWhole ? null : await this.#options.kept.text(response)
    if (text === null) return { events, ended: true }
    const object = JSON.parse(text) as ResponseObject
    return { events: [...events, eventOf(`response.${response.status}`, sequence, object)], ended: true }
  }

  /** No account may keep all others out. */
  #refuseTooMany(userId: string): void {
    const most = this.#options.settings.get('responses.background_max')
    const own = [...this.#runs.values()].filter((run) => this.#owners.get(run) === userId).length
    if (own >= Math.ceil(most / 2))
      throw new ApiError('inflight_limit_exceeded', {
        message: 'Your account is making as many responses in the background as it may. Try again when one has ended.',
      })
    if (this.#runs.size >= most)
      throw new ApiError('overloaded', {
        message: 'This server is making as many responses in the background as it may. Try again shortly.',
      })
  }

  async #make(run: BackgroundRun, answer: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const outcome = await run.read(() => answer(run.signal))
    if (run.closed) return
    this.#endings.set(run.id, outcome)
    await this.#end(run, outcome).catch(this.#options.onError)
  }

  /** Writes the end, and only then shows it. */
  async #end(run: BackgroundRun, { status, response }: Outcome): Promise<void> {
    const { id } = run
    const ending = { id, status, texts: textsOf(response), events: run.unwritten(true), at: await this.#options.now() }
    await this.#store.end({ ...ending, workerId: this.#workerId })
    this.#endings.delete(id)
    this.#runs.delete(id)
    run.close()
  }

  #drop(run: BackgroundRun): void {
    this.#runs.delete(run.id)
    this.#endings.delete(run.id)
    run.abort()
  }

  #lease(now: number): Lease {
    return { workerId: this.#workerId, until: now + leaseMs }
  }
}
