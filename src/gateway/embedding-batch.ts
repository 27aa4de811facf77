/**
 * Joins small embeddings requests of one model that come within a few milliseconds into one call
 * upstream, and gives each its own part of the answer. A model server takes hardly longer for
 * sixty short texts than for one.
 *
 * A request waits only while the upstream is busy with the same model, so a client that is alone pays
 * nothing, and no longer than until the upstream is free again. Each request keeps its own slot,
 * time-outs and record: joining is seen by nobody but the upstream.
 */
import { Buffer } from 'node:buffer'
import type { Cancellation } from '#lib/cancellation.ts'
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import { UpstreamFailure, type Provider, type UpstreamCall } from '#providers/provider.ts'
import { embeddingPart, joinedBody, splitAnswer, type EmbeddingPart } from './embedding-split.ts'

export interface JoinOptions {
  /** How long a request waits for others; 0 joins nothing. */
  readonly joinMs: number
  /** Most inputs of one call. */
  readonly itemsMax: number
  /** Largest answer of one call. */
  readonly answerBytesMax: number
}

type Send = Pick<Provider, 'send'>

/** Larger requests, or more of them together, gain nothing. */
const bodyBytesMax = 64 * 1024
const joinedBytesMax = 512 * 1024
/** Refusals that may be the fault of one request among several. */
const maybeOfOne: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422])
const refusalBytesMax = 64 * 1024
/** Headers that say nothing about what is asked, and differ from request to request. */
const ofTheClient = /^(?:user-agent|accept|accept-.*|x-stainless-.*|traceparent|tracestate|baggage|priority|dnt)$/

export class EmbeddingBatcher {
  readonly #options: () => JoinOptions
  readonly #batched = new WeakMap<Provider, Send>()

  constructor(options: () => JoinOptions) {
    this.#options = options
  }

  /** The provider, whose calls may be joined; the same one for the same provider. */
  over(provider: Provider): Send {
    let batched = this.#batched.get(provider)
    if (batched === undefined) {
      batched = new BatchedProvider(provider, this.#options)
      this.#batched.set(provider, batched)
    }
    return batched
  }
}

/** What is under way for one model of a provider, and what waits. */
interface Traffic {
  calls: number
  readonly waiting: Map<string, Batch>
}

class BatchedProvider implements Send {
  readonly #provider: Provider
  readonly #options: () => JoinOptions
  readonly #traffic = new Map<string, Traffic>()

  constructor(provider: Provider, options: () => JoinOptions) {
    this.#provider = provider
    this.#options = options
  }

  send(call: UpstreamCall): Promise<Reply> {
    const options = this.#options()
    const traffic = this.#trafficOf(call.upstreamModel)
    const part = traffic.calls === 0 || options.joinMs === 0 ? null : partOf(call)
    if (part === null || part.items.length > options.itemsMax / 2) return this.#counted(call)
    return this.#join(call, part, { traffic, options })
  }

  #trafficOf(model: string): Traffic {
    let traffic = this.#traffic.get(model)
    if (traffic === undefined) {
      traffic = { calls: 0, waiting: new Map() }
      this.#traffic.set(model, traffic)
    }
    return traffic
  }

  /** Sends a call as it is. When it was the last under way, what waits has no reason to wait any longer. */
  async #counted(call: UpstreamCall): Promise<Reply> {
    const traffic = this.#trafficOf(call.upstreamModel)
    traffic.calls += 1
    try {
      return await this.#provider.send(call)
    } finally {
      traffic.calls -= 1
      if (traffic.calls === 0) {
        for (const batch of traffic.waiting.values()) batch.close()
        if (traffic.calls === 0) this.#traffic.delete(call.upstreamModel)
      }
    }
  }

  #join(
    call: UpstreamCall,
    part: EmbeddingPart,
    { traffic, options }: { readonly traffic: Traffic; readonly options: JoinOptions },
  ): Promise<Reply> {
    const key = keyOf(call, part)
    let batch = traffic.waiting.get(key)
    if (batch !== undefined && !batch.hasRoomFor(part)) {
      batch.close()
      batch = undefined
    }
    if (batch === undefined) {
      const opened: Batch = new Batch(
        (each) => this.#counted(each),
        options,
        () => {
          if (traffic.waiting.get(key) === opened) traffic.waiting.delete(key)
        },
      )
      batch = opened
      traffic.waiting.set(key, batch)
    }
    return batch.add(call, part)
  }
}

function partOf(call: UpstreamCall): EmbeddingPart | null {
  if (call.body.byteLength > bodyBytesMax) return null
  const { buffer, byteOffset, byteLength } = call.body
  return embeddingPart(Buffer.from(buffer, byteOffset, byteLength))
}

/** Equal for calls that may be joined: nothing but their inputs, and what tells of the client, differs. */
function keyOf(call: UpstreamCall, { before, after, form }: EmbeddingPart): string {
  const headers = Object.entries(call.headers).filter(([name]) => !ofTheClient.test(name))
  headers.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([form, before.toString('latin1'), after.toString('latin1'), call.reuseConnection, headers])
}

/** One request of a batch. */
interface Member {
  readonly call: UpstreamCall
  readonly part: EmbeddingPart
  readonly resolve: (reply: Reply) => void
  readonly reject: (reason: unknown) => void
  readonly leave: () => void
}

/** Open while requests may be added; then one call. */
class Batch {
  readonly #send: (call: UpstreamCall) => Promise<Reply>
  readonly #options: JoinOptions
  readonly #onClosed: () => void
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #abort = new AbortController()
  /** Those that still want an answer. */
  #members: readonly Member[] = []
  #items = 0
  #bytes = 0
  #open = true

  constructor(send: (call: UpstreamCall) => Promise<Reply>, options: JoinOptions, onClosed: () => void) {
    this.#send = send
    this.#options = options
    this.#onClosed = onClosed
    this.#timer = setTimeout(() => this.close(), options.joinMs)
  }

  hasRoomFor(part: EmbeddingPart): boolean {
    return this.#items + part.items.length <= this.#options.itemsMax && this.#bytes + bytesOf(part) <= joinedBytesMax
  }

  /** The request's own answer. Rejects with the reason of its own cancellation when that comes first. */
  add(call: UpstreamCall, part: EmbeddingPart): Promise<Reply> {
    return new Promise((resolve, reject) => {
      call.cancellation.throwIfAborted()
      const leave = (): void => this.#leave(member)
      const member: Member = { call, part, resolve, reject, leave }
      call.cancellation.addEventListener('abort', leave)
      this.#members = [...this.#members, member]
      this.#items += part.items.length
      this.#bytes += bytesOf(part)
      if (this.#items >= this.#options.itemsMax) this.close()
    })
  }

  /** Sends what has come together. More than once does nothing. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#onClosed()
    if (this.#members.length > 0) void this.#run(this.#members)
  }

  /** Its part is dropped; the others are not disturbed. With the last the call ends. */
  #leave(member: Member): void {
    const { reason } = member.call.cancellation
    this.#fail(member, reason)
    this.#items -= member.part.items.length
    this.#bytes -= bytesOf(member.part)
    if (this.#members.length > 0) return
    if (this.#open) this.close()
    else this.#abort.abort(reason)
  }

  #take(member: Member): void {
    this.#members = this.#members.filter((each) => each !== member)
    member.call.cancellation.removeEventListener('abort', member.leave)
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
      for (const member of this.#members) this.#fail(member, reason)
    }
  }

  /** A kept connection that turned out to be closed is the batch's own affair, or every request would try again by itself. */
  async #sendJoined(call: UpstreamCall, sent: readonly Member[]): Promise<Reply> {
    const { signal } = this.#abort
    const cancellation: Cancellation = signal
    const joined = { ...call, body: joinedBody(sent.map((member) => member.part)), signal, cancellation }
    try {
      return await this.#send(joined)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure) || thrown.kind !== 'stale' || signal.aborted) throw thrown
      return this.#send({ ...joined, reuseConnection: false })
    }
  }

  async #share(reply: Reply, sent: readonly Member[]): Promise<void> {
    let whole: Buffer | null
    try {
      whole = await readAll(reply.body, this.#options.answerBytesMax)
    } catch (broken) {
      for (const member of this.#members) this.#settle(member, { ...reply, body: brokenBody(broken) })
      return
    }
    const parts = sent.map((member) => member.part)
    const answers = whole === null ? null : splitAnswer(whole, parts)
    // An upstream that does not answer one vector for each input is asked for each request by itself.
    if (answers === null) return this.#sendEach()
    for (const [at, member] of sent.entries()) {
      const answer = answers[at]
      if (answer !== undefined && this.#members.includes(member))
        this.#settle(member, { ...reply, body: bodyOf(answer) })
    }
  }

  async #refuse(reply: Reply): Promise<void> {
    const refusal = (await readAll(reply.body, refusalBytesMax).catch(() => null)) ?? Buffer.alloc(0)
    if (maybeOfOne.has(reply.status)) return this.#sendEach()
    for (const member of this.#members) this.#settle(member, { ...reply, body: bodyOf(refusal) })
  }

  /** Each by itself, so that a bad one fails alone. */
  async #sendEach(): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
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
    return this.#send(member.call)
  }

  #settle(member: Member, reply: Reply): void {
    this.#take(member)
    member.resolve(reply)
  }

  #fail(member: Member, reason: unknown): void {
    this.#take(member)
    member.reject(reason)
  }
}

function bytesOf({ items }: EmbeddingPart): number {
  return items.reduce((sum, item) => sum + item.length + 1, 0)
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
