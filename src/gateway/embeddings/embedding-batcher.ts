/**
 * Batches small embeddings requests of one model that come within a few milliseconds into one call
 * upstream, and gives each its own part of the answer. A model server takes hardly longer for
 * sixty short texts than for one.
 *
 * A request waits only while the upstream has as many calls of the same model as it works on at once
 * (call-window.ts). A single client therefore never waits, and no client waits at an upstream that takes
 * all calls at once. A wait ends when one of the calls is answered; where calls are not known to queue
 * up, it lasts no longer than the setting says. Each request keeps its own slot, time-outs and record:
 * only the upstream sees the batch.
 */
import { Buffer } from 'node:buffer'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Provider, UpstreamCall } from '#providers/provider.ts'
import { CallWindow } from './call-window.ts'
import { embeddingPart, type EmbeddingPart } from './embedding-split.ts'
import type { CallSender } from '../upstreams/forward.ts'
import type { UpstreamReply } from '../upstreams/upstream-error.ts'
import { BatchedCall, type BatchLimits } from './batched-call.ts'

export interface BatchOptions extends BatchLimits {
  /** How long a request waits for others; 0 batches nothing. */
  readonly batchMs: number
}

/** Larger requests, or more of them together, gain nothing. */
const bodyBytesMax = 64 * 1024
/** The longest wait for a call that is under way: it may be one that never ends. */
const patienceMaxMs = 1000
/** Headers that identify the client or the request and do not change the answer. */
const clientHeaders = /^(?:user-agent|accept|accept-.*|x-stainless-.*|traceparent|tracestate|baggage|priority|dnt)$/

export class EmbeddingBatcher {
  readonly #options: () => BatchOptions
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #senders = new WeakMap<Provider, CallSender>()

  constructor(options: () => BatchOptions, clock: Pick<Clock, 'elapsed'> = systemClock) {
    this.#options = options
    this.#clock = clock
  }

  /** The sender that batches the calls of a provider; always the same one for the same provider. */
  over(provider: Provider): CallSender {
    let sender = this.#senders.get(provider)
    if (sender === undefined) {
      sender = new BatchingProvider(provider, this.#options, this.#clock)
      this.#senders.set(provider, sender)
    }
    return sender
  }
}

/** The calls under way for one model of a provider, and the batches that wait. */
interface Traffic {
  calls: number
  readonly window: CallWindow
  readonly waiting: Map<string, BatchedCall>
}

class BatchingProvider implements CallSender {
  readonly #provider: Provider
  readonly #options: () => BatchOptions
  readonly #clock: Pick<Clock, 'elapsed'>
  /** One entry for each model, under the provider's name of it. */
  readonly #traffic = new Map<string, Traffic>()

  constructor(provider: Provider, options: () => BatchOptions, clock: Pick<Clock, 'elapsed'>) {
    this.#provider = provider
    this.#options = options
    this.#clock = clock
  }

  send(call: UpstreamCall): Promise<UpstreamReply> {
    const options = this.#options()
    if (options.batchMs === 0) return this.#provider.send(call)
    const traffic = this.#trafficOf(call.upstreamModel)
    if (traffic.window.admits(traffic.calls)) return this.#sendCounted(traffic, call, false)
    const part = partOf(call)
    if (part === null || part.items.length > options.itemsMax / 2) return this.#sendCounted(traffic, call, false)
    return this.#addToBatch(call, part, { traffic, options })
  }

  #trafficOf(model: string): Traffic {
    let traffic = this.#traffic.get(model)
    if (traffic === undefined) {
      traffic = { calls: 0, window: new CallWindow(), waiting: new Map() }
      this.#traffic.set(model, traffic)
    }
    return traffic
  }

  /** Sends a call as it is. Its answer makes room for a batch that waits. */
  async #sendCounted(traffic: Traffic, call: UpstreamCall, isBatch: boolean): Promise<Reply> {
    const concurrent = traffic.calls
    const startedAt = this.#clock.elapsed()
    traffic.calls += 1
    try {
      const reply = await this.#provider.send(call)
      const endedAt = this.#clock.elapsed()
      // A batch takes longer because it has more texts, which says nothing about a queue.
      if (!isBatch && reply.status < 300) traffic.window.ended({ concurrent, ms: endedAt - startedAt }, endedAt)
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

  #addToBatch(
    call: UpstreamCall,
    part: EmbeddingPart,
    { traffic, options }: { readonly traffic: Traffic; readonly options: BatchOptions },
  ): Promise<UpstreamReply> {
    const key = keyOf(call, part)
    const { waiting } = traffic
    let batch = waiting.get(key)
    if (batch?.hasRoomFor(part) === false) {
      batch.close()
      batch = undefined
    }
    if (batch === undefined) {
      const opened: BatchedCall = new BatchedCall(
        (each, isBatch) => this.#sendCounted(traffic, each, isBatch),
        options,
        {
          waitMs: Math.max(options.batchMs, Math.min(patienceMaxMs, traffic.window.patienceMs)),
          onClosed: () => {
            if (waiting.get(key) === opened) waiting.delete(key)
          },
        },
      )
      batch = opened
      waiting.set(key, batch)
    }
    return batch.add(call, part)
  }
}

function partOf(call: UpstreamCall): EmbeddingPart | null {
  const { content } = call
  if (content.kind !== 'json' || content.body.byteLength > bodyBytesMax) return null
  const { buffer, byteOffset, byteLength } = content.body
  return embeddingPart(Buffer.from(buffer, byteOffset, byteLength))
}

/** Equal for calls that may share a batch: they differ only in their inputs and in headers that identify the client. */
function keyOf(call: UpstreamCall, { before, after, form }: EmbeddingPart): string {
  const headers = Object.entries(call.headers).filter(([name]) => !clientHeaders.test(name))
  headers.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([form, before.toString('latin1'), after.toString('latin1'), call.reuseConnection, headers])
}
