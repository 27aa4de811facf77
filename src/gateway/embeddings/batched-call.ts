/**
 * Several embeddings requests that become one call: open while more may be added, then under way. A
 * failure of the call is that of all of them, and is told as news to the first alone, so that one
 * failure counts as one.
 */
import { Buffer } from 'node:buffer'
import type { Cancellation } from '#lib/cancellation.ts'
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import { UpstreamFailure, type UpstreamCall } from '#providers/provider.ts'
import { joinedBody, splitAnswer, type EmbeddingPart } from './embedding-split.ts'

export interface JoinLimits {
  /** Most inputs of one call. */
  readonly itemsMax: number
  /** Largest answer of one call. */
  readonly answerBytesMax: number
}

/** The answer to one member of a joined call. */
export interface MemberReply extends Reply {
  /** Another member has got the same failure, and has it counted. */
  readonly repeats?: boolean
}

type SendCall = (call: UpstreamCall, joined: boolean) => Promise<Reply>

const joinedBytesMax = 512 * 1024
/** Refusals that may be the fault of one request among several. */
const maybeOfOne: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422])
const refusalBytesMax = 64 * 1024

/** One request of a joined call. */
interface Member {
  readonly call: UpstreamCall
  readonly part: EmbeddingPart
  readonly resolve: (reply: MemberReply) => void
  readonly reject: (reason: unknown) => void
  readonly leave: () => void
}

export class JoinedCall {
  readonly #send: SendCall
  readonly #limits: JoinLimits
  readonly #onClosed: () => void
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #abort = new AbortController()
  /** Those that still want an answer, in the order in which they came. */
  readonly #members = new Set<Member>()
  #items = 0
  #bytes = 0
  #open = true

  /** @param onClosed nothing can be added from now on */
  constructor(send: SendCall, limits: JoinLimits, { waitMs, onClosed }: { waitMs: number; onClosed: () => void }) {
    this.#send = send
    this.#limits = limits
    this.#onClosed = onClosed
    this.#timer = setTimeout(() => this.close(), waitMs)
  }

  hasRoomFor(part: EmbeddingPart): boolean {
    return this.#items + part.items.length <= this.#limits.itemsMax && this.#bytes + part.bytes <= joinedBytesMax
  }

  /** The request's own answer. Rejects with the reason of its own cancellation when that comes first. */
  add(call: UpstreamCall, part: EmbeddingPart): Promise<MemberReply> {
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

  /** Sends what has come together. More than once does nothing. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#onClosed()
    if (this.#members.size > 0) void this.#run([...this.#members])
  }

  /** Its part is dropped; the others are not disturbed. With the last the call ends. */
  #leave(member: Member): void {
    const { reason } = member.call.cancellation
    this.#fail(member, reason)
    this.#items -= member.part.items.length
    this.#bytes -= member.part.bytes
    if (this.#members.size > 0) return
    if (this.#open) this.close()
    else this.#abort.abort(reason)
  }

  /** @param sent those whose inputs are in the call, whether they stay or not */
  async #run(sent: readonly Member[]): Promise<void> {
    const [first] = sent
    if (first === undefined) return
    try {
      if (sent.length === 1) return this.#settle(first, await this.#sendAlone(first))
      const reply = await this.#sendJoined(first.call, sent)
      await (reply.status >= 200 && reply.status < 300 ? this.#share(reply, sent) : this.#refuse(reply))
    } catch (reason) {
      for (const [member, repeats] of this.#failing()) this.#fail(member, repeats ? repeated(reason) : reason)
    }
  }

  /** A kept connection that turned out to be closed is the call's own affair, or every request would try again by itself. */
  async #sendJoined(call: UpstreamCall, sent: readonly Member[]): Promise<Reply> {
    const { signal } = this.#abort
    const cancellation: Cancellation = signal
    const joined = { ...call, body: joinedBody(sent.map((member) => member.part)), signal, cancellation }
    try {
      return await this.#send(joined, true)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure) || thrown.kind !== 'stale' || signal.aborted) throw thrown
      return this.#send({ ...joined, reuseConnection: false }, true)
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
    // An upstream that does not answer one vector for each input is asked for each request by itself.
    if (answers === null) return this.#sendEach()
    for (const [at, member] of sent.entries()) {
      const answer = answers[at]
      if (answer !== undefined && this.#members.has(member)) this.#settle(member, { ...reply, body: bodyOf(answer) })
    }
  }

  async #refuse(reply: Reply): Promise<void> {
    const refusal = (await readAll(reply.body, refusalBytesMax).catch(() => null)) ?? Buffer.alloc(0)
    if (maybeOfOne.has(reply.status)) return this.#sendEach()
    for (const [member, repeats] of this.#failing()) this.#settle(member, { ...reply, body: bodyOf(refusal), repeats })
  }

  /** Each by itself, so that a bad one fails alone. */
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

  /** From here on the request's own cancellation ends its own call. */
  #sendAlone(member: Member): Promise<Reply> {
    member.call.cancellation.removeEventListener('abort', member.leave)
    return this.#send(member.call, false)
  }

  /** All that are left, and whether it is news to them no more. */
  #failing(): readonly (readonly [Member, boolean])[] {
    return [...this.#members].map((member, at) => [member, at > 0])
  }

  #settle(member: Member, reply: MemberReply): void {
    this.#take(member)
    member.resolve(reply)
  }

  #fail(member: Member, reason: unknown): void {
    this.#take(member)
    member.reject(reason)
  }

  #take(member: Member): void {
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
