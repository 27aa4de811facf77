/**
 * Several embeddings requests that become one call: open while more may be added, then under way. A
 * failure of the call is the failure of all of them. Only the first gets it as a new one, the others as
 * repeated, so that one failure counts once.
 */
import { Buffer } from 'node:buffer'
import type { Cancellation } from '#lib/cancellation.ts'
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import { UpstreamFailure, type UpstreamCall } from '#providers/provider.ts'
import type { UpstreamReply } from '../upstreams/upstream-error.ts'
import { batchBody, splitAnswer, type EmbeddingPart } from './embedding-split.ts'

export interface BatchLimits {
  /** Most inputs of one call. */
  readonly itemsMax: number
  /** Largest answer of one call. */
  readonly answerBytesMax: number
}

type SendCall = (call: UpstreamCall, isBatch: boolean) => Promise<Reply>

const batchBytesMax = 512 * 1024
/** Statuses that may be the fault of one request among several. */
const statusesOfOne: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422])
const refusalBytesMax = 64 * 1024

/** One request of a batch. */
interface Member {
  readonly call: UpstreamCall
  readonly part: EmbeddingPart
  readonly resolve: (reply: UpstreamReply) => void
  readonly reject: (reason: unknown) => void
  readonly leave: () => void
}

export class BatchedCall {
  readonly #send: SendCall
  readonly #limits: BatchLimits
  readonly #onClosed: () => void
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #abort = new AbortController()
  /** The requests that still wait for an answer, in the order in which they came. */
  readonly #members = new Set<Member>()
  #items = 0
  #bytes = 0
  #open = true

  /** @param onClosed nothing can be added from now on */
  constructor(send: SendCall, limits: BatchLimits, { waitMs, onClosed }: { waitMs: number; onClosed: () => void }) {
    this.#send = send
    this.#limits = limits
    this.#onClosed = onClosed
    this.#timer = setTimeout(() => this.close(), waitMs)
  }

  hasRoomFor(part: EmbeddingPart): boolean {
    return this.#items + part.items.length <= this.#limits.itemsMax && this.#bytes + part.bytes <= batchBytesMax
  }

  /** The request's own answer. Rejects with the reason of its own cancellation when that comes first. */
  add(call: UpstreamCall, part: EmbeddingPart): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      call.cancellation.throwIfAborted()
      const leave = (): void => this.#leave(member)
      const member: Member = { call, part, resolve, reject, leave }
      call.cancellation.addEventListener('abort', leave)
      this.#members.add(member)
      this.#items += part.items.length
      this.#bytes += part.bytes
      if (this.#items >= this.#limits.itemsMax) this.close()
    })
  }

  /** Sends the batch. Idempotent. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#onClosed()
    if (this.#members.size > 0) void this.#run([...this.#members])
  }

  /** Drops the part of a request; the others go on. The last one ends the call. */
  #leave(member: Member): void {
    const { reason } = member.call.cancellation
    this.#fail(member, reason)
    this.#items -= member.part.items.length
    this.#bytes -= member.part.bytes
    if (this.#members.size > 0) return
    if (this.#open) this.close()
    else this.#abort.abort(reason)
  }

  /** @param sent the requests whose inputs are in the call, including those that have left since */
  async #run(sent: readonly Member[]): Promise<void> {
    const [first] = sent
    if (first === undefined) return
    try {
      if (sent.length === 1) return this.#settle(first, await this.#sendAlone(first))
      const reply = await this.#sendBatch(first.call, sent)
      await (reply.status >= 200 && reply.status < 300 ? this.#share(reply, sent) : this.#refuse(reply))
    } catch (reason) {
      for (const [member, repeats] of this.#failing()) this.#fail(member, repeats ? repeated(reason) : reason)
    }
  }

  /** Retries here when a kept connection turns out to be closed: otherwise every request of the batch would retry by itself. */
  async #sendBatch(call: UpstreamCall, sent: readonly Member[]): Promise<Reply> {
    const { signal } = this.#abort
    const cancellation: Cancellation = signal
    const batch = {
      ...call,
      content: { kind: 'json', body: batchBody(sent.map((member) => member.part)) } as const,
      signal,
      cancellation,
    }
    try {
      return await this.#send(batch, true)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure) || thrown.kind !== 'stale' || signal.aborted) throw thrown
      return this.#send({ ...batch, reuseConnection: false }, true)
    }
  }

  async #share(reply: Reply, sent: readonly Member[]): Promise<void> {
    let whole: Buffer | null
    try {
      whole = await readAll(reply.body, this.#limits.answerBytesMax)
    } catch (broken) {
      for (const [member, repeats] of this.#failing())
        this.#settle(member, { ...reply, body: brokenBody(repeats ? repeated(broken) : broken) })
      return
    }
    const answers =
      whole === null
        ? null
        : splitAnswer(
            whole,
            sent.map((member) => member.part),
          )
    // Without one vector for each input the answer cannot be split: each request is sent by itself.
    if (answers === null) return this.#sendEach()
    for (const [at, member] of sent.entries()) {
      const answer = answers[at]
      if (answer !== undefined && this.#members.has(member)) this.#settle(member, { ...reply, body: bodyOf(answer) })
    }
  }

  async #refuse(reply: Reply): Promise<void> {
    const refusal = (await readAll(reply.body, refusalBytesMax).catch(() => null)) ?? Buffer.alloc(0)
    if (statusesOfOne.has(reply.status)) return this.#sendEach()
    for (const [member, repeats] of this.#failing()) this.#settle(member, { ...reply, body: bodyOf(refusal), repeats })
  }

  /** Sends each request by itself, so that a bad one fails alone. */
  async #sendEach(): Promise<void> {
    await Promise.all(
      [...this.#members].map(async (member) => {
        try {
          this.#settle(member, await this.#sendAlone(member))
        } catch (reason) {
          this.#fail(member, reason)
        }
      }),
    )
  }

  /** Sends a request by itself; from here on its own cancellation ends the call. */
  #sendAlone(member: Member): Promise<Reply> {
    member.call.cancellation.removeEventListener('abort', member.leave)
    return this.#send(member.call, false)
  }

  /** The requests that still wait, each with whether the failure is repeated for it. */
  #failing(): readonly (readonly [Member, boolean])[] {
    return [...this.#members].map((member, at) => [member, at > 0])
  }

  #settle(member: Member, reply: UpstreamReply): void {
    this.#remove(member)
    member.resolve(reply)
  }

  #fail(member: Member, reason: unknown): void {
    this.#remove(member)
    member.reject(reason)
  }

  #remove(member: Member): void {
    this.#members.delete(member)
    member.call.cancellation.removeEventListener('abort', member.leave)
  }
}

function repeated(reason: unknown): UpstreamFailure {
  const kind = reason instanceof UpstreamFailure ? reason.kind : 'reset'
  return new UpstreamFailure(kind, reason, true)
}

function bodyOf(bytes: Uint8Array): ReplyBody {
  let left: Uint8Array | null = bytes
  const read = (): Uint8Array | null => {
    const next = left
    left = null
    return next
  }
  return { read, cancel: () => void read() }
}

function brokenBody(reason: unknown): ReplyBody {
  return { read: () => Promise.reject(reason as Error), cancel: () => {} }
}
