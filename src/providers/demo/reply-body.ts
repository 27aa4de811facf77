/**
 * Sends a reply, whole or as server-sent events, with the delays and breakdowns that its directives
 * order. Bodies are made as they are read: a slow reader holds one event, and nothing runs on after
 * the call's signal or the reader has ended it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { completionTokens, type Reply } from './reply.ts'
import type { Wire } from './wire.ts'

interface StreamEvent {
  readonly kind: 'opening' | 'token' | 'closing' | 'end'
  readonly data: string
}

/** Gives the next bytes, or null at the end; what it throws breaks the body off. */
type NextBytes = (ended: AbortSignal) => Promise<Uint8Array | null>

const encoder = new TextEncoder()
/** A fast reader of a long stream would otherwise keep the event loop from everybody else. */
const eventsPerTurn = 64

/** The HTTP answer for a reply. Rejects with the signal's reason when that comes before the answer's head. */
export async function replyResponse(reply: Reply, wire: Wire, signal: AbortSignal): Promise<Response> {
  const { directives, streamed } = reply
  const headers = { 'content-type': streamed ? 'text/event-stream; charset=utf-8' : 'application/json' }
  if (directives.hang) return new Response(abortableBody(signal, silence), { headers })
  if (streamed) return new Response(abortableBody(signal, eventBytes(reply, wire)), { headers })
  // A whole answer takes the time that its stream would have taken.
  await pause(directives.delayMs + directives.paceMs * Math.max(0, completionTokens(reply) - 1), signal)
  const json = JSON.stringify(wire.whole(reply))
  if (directives.cutAfter === null) return new Response(json, { headers })
  return new Response(abortableBody(signal, halfOf(encoder.encode(json))), { headers })
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined)
  signal.throwIfAborted()
}

function abortableBody(signal: AbortSignal, next: NextBytes): ReadableStream<Uint8Array> {
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const breakOff = () => controller.error(signal.reason)
        signal.addEventListener('abort', breakOff, { once: true, signal: over.signal })
      },
      async pull(controller) {
        try {
          const bytes = await next(ended)
          if (ended.aborted) return
          if (bytes !== null) return controller.enqueue(bytes)
          controller.close()
        } catch (error) {
          if (ended.aborted) return
          controller.error(error)
        }
        over.abort()
      },
      cancel: () => over.abort(),
    },
    { highWaterMark: 0 },
  )
}

function eventBytes(reply: Reply, wire: Wire): NextBytes {
  const { delayMs, paceMs, cutAfter } = reply.directives
  const events = eventsOf(reply, wire)
  let sent = 0
  let tokens = 0
  return async (ended) => {
    const next = events.next()
    if (next.done) return null
    const { kind, data } = next.value
    if (cutAfter !== null && kind !== 'opening' && (tokens === cutAfter || kind !== 'token')) throw brokenOff()
    if (sent === 0) await pause(delayMs, ended)
    else if (kind === 'token' && tokens > 0) await pause(paceMs, ended)
    if (sent % eventsPerTurn === eventsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
    sent += 1
    if (kind === 'token') tokens += 1
    return encoder.encode(`data: ${data}\n\n`)
  }
}

/** Openings of all choices, their tokens in turns, each closing when its choice is through, usage, the end mark. */
function* eventsOf(reply: Reply, wire: Wire): Generator<StreamEvent, void> {
  for (const choice of reply.choices) {
    const opening = wire.opening(reply, choice)
    if (opening !== null) yield { kind: 'opening', data: JSON.stringify(opening) }
  }
  const rounds = Math.max(0, ...reply.choices.map(({ pieces }) => pieces.length))
  for (let round = 0; round <= rounds; round += 1) {
    for (const choice of reply.choices) {
      const piece = choice.pieces[round]
      if (piece) yield { kind: 'token', data: JSON.stringify(wire.token(reply, choice, piece.text)) }
      if (round === choice.pieces.length) yield { kind: 'closing', data: JSON.stringify(wire.closing(reply, choice)) }
    }
  }
  if (reply.usageAsked) yield { kind: 'end', data: JSON.stringify(wire.usage(reply)) }
  yield { kind: 'end', data: '[DONE]' }
}

function halfOf(bytes: Uint8Array): NextBytes {
  let sent = false
  return async () => {
    if (sent) throw brokenOff()
    sent = true
    return bytes.subarray(0, bytes.length >> 1)
  }
}

function silence(ended: AbortSignal): Promise<null> {
  return new Promise((resolve) => ended.addEventListener('abort', () => resolve(null), { once: true }))
}

function brokenOff(): Error {
  return new Error('the practice provider was told to break off by /cut')
}
