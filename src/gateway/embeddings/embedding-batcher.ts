/**
 * Joins small embeddings requests of one model that come within a few milliseconds into one call
 * upstream, and gives each its own part of the answer. A model server takes hardly longer for
 * sixty short texts than for one.
 *
 * A request waits only while the upstream has as many calls of the same model as it works on at once
 * (call-window.ts), so a client that is alone pays nothing, and neither does anybody at an upstream
 * that takes all calls at once; and no longer than until one of them is answered, or for the time of
 * the setting where it is not known that calls queue up. Each request keeps its own slot, time-outs
 * and record: joining is seen by nobody but the upstream.
 */
import { Buffer } from 'node:buffer'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Provider, UpstreamCall } from '#providers/provider.ts'
import { CallWindow } from './call-window.ts'
import { embeddingPart, type EmbeddingPart } from './embedding-split.ts'
import { JoinedCall, type JoinLimits, type MemberReply } from './batched-call.ts'

export interface JoinOptions extends JoinLimits {
  /** How long a request waits for others; 0 joins nothing. */
  readonly joinMs: number
}

interface Send {
  send(call: UpstreamCall): Promise<MemberReply>
}

/** Larger requests, or more of them together, gain nothing. */
const bodyBytesMax = 64 * 1024
/** However long calls take there, another one of them may be the one that never ends. */
const patienceMaxMs = 1000
/** Headers that say nothing about what is asked, and differ from request to request. */
const ofTheClient = /^(?:user-agent|accept|accept-.*|x-stainless-.*|traceparent|tracestate|baggage|priority|dnt)$/

export class EmbeddingBatcher {
  readonly #options: () => JoinOptions
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #batched = new WeakMap<Provider, Send>()

  constructor(options: () => JoinOptions, clock: Pick<Clock, 'elapsed'> = systemClock) {
    this.#options = options
    this.#clock = clock
  }

  /** The provider, whose calls may be joined; the same one for the same provider. */
  over(provider: Provider): Send {
    let batched = this.#batched.get(provider)
    if (batched === undefined) {
      batched = new BatchedProvider(provider, this.#options, this.#clock)
      this.#batched.set(provider, batched)
    }
    return batched
  }
}

/** What is under way for one model of a provider, and what waits. */
interface Traffic {
  calls: number
  readonly window: CallWindow
  readonly waiting: Map<string, JoinedCall>
}

class BatchedProvider implements Send {
  readonly #provider: Provider
  readonly #options: () => JoinOptions
  readonly #clock: Pick<Clock, 'elapsed'>
  /** By the provider's name of the model: as many as are configured. */
  readonly #traffic = new Map<string, Traffic>()

  constructor(provider: Provider, options: () => JoinOptions, clock: Pick<Clock, 'elapsed'>) {
    this.#provider = provider
    this.#options = options
    this.#clock = clock
  }

  send(call: UpstreamCall): Promise<MemberReply> {
    const options = this.#options()
    if (options.joinMs === 0) return this.#provider.send(call)
    const traffic = this.#trafficOf(call.upstreamModel)
    if (traffic.window.admits(traffic.calls)) return this.#counted(traffic, call, false)
    const part = partOf(call)
    if (part === null || part.items.length > options.itemsMax / 2) return this.#counted(traffic, call, false)
    return this.#join(call, part, { traffic, options })
  }

  #trafficOf(model: string): Traffic {
    let traffic = this.#traffic.get(model)
    if (traffic === undefined) {
      traffic = { calls: 0, window: new CallWindow(), waiting: new Map() }
      this.#traffic.set(model, traffic)
    }
    return traffic
  }

  /** Sends a call as it is. When it is answered there is room for what waits. */
  async #counted(traffic: Traffic, call: UpstreamCall, joined: boolean): Promise<Reply> {
    const beside = traffic.calls
    const startedAt = this.#clock.elapsed()
    traffic.calls += 1
    try {
      const reply = await this.#provider.send(call)
      const endedAt = this.#clock.elapsed()
      // Calls of many texts take longer by themselves, which says nothing about a queue.
      if (!joined && reply.status < 300) traffic.window.ended({ beside, ms: endedAt - startedAt }, endedAt)
      return reply
    } finally {
      traffic.calls -= 1
      this.#sendWaiting(traffic)
    }
  }

  #sendWaiting({ calls, window, waiting }: Traffic): void {
    if (waiting.size === 0) return
    let room = window.size - calls
    for (const batch of waiting.values()) {
      if (room <= 0) return
      room -= 1
      batch.close()
    }
  }

  #join(
    call: UpstreamCall,
    part: EmbeddingPart,
    { traffic, options }: { readonly traffic: Traffic; readonly options: JoinOptions },
  ): Promise<MemberReply> {
    const key = keyOf(call, part)
    const { waiting } = traffic
    let batch = waiting.get(key)
    if (batch?.hasRoomFor(part) === false) {
      batch.close()
      batch = undefined
    }
    if (batch === undefined) {
      const opened: JoinedCall = new JoinedCall((each, joined) => this.#counted(traffic, each, joined), options, {
        waitMs: Math.max(options.joinMs, Math.min(patienceMaxMs, traffic.window.patienceMs)),
        onClosed: () => {
          if (waiting.get(key) === opened) waiting.delete(key)
        },
      })
      batch = opened
      waiting.set(key, batch)
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
