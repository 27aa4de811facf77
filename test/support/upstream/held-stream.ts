/** A stream that stays open for as long as a test wants it, and so holds its slot. */
import type { ChatOptions, GatewayApp } from '../app/gateway-app.ts'
import { events, gate, streamEnd, streamHead, type Behaviour } from './upstream-behaviours.ts'
import { chatChunks, doneEvent } from './upstream-samples.ts'
import type { ReceivedRequest } from './upstream.ts'

export interface HeldStream {
  readonly requestId: string
  /** Its first event has come. */
  readonly response: Response
  readonly received: ReceivedRequest
  /** Lets the upstream send the rest; resolves with the whole text of the answer. */
  finish(): Promise<string>
  /** The client goes away; resolves when the upstream's connection is gone too. */
  leave(): Promise<void>
}

const [first = {}, ...rest] = chatChunks()

/** Sends its first event and waits. */
const heldBehaviour: Behaviour = [streamHead, ...events([first]), gate, ...events([...rest, doneEvent]), streamEnd]

/** An answer that nobody refers to is collected, and its connection closed with it. */
const kept = new Set<Response>()

/** Opens a stream on a model; it is under way when this resolves. */
export async function holdStream(gateway: GatewayApp, model: string, options: ChatOptions = {}): Promise<HeldStream> {
  gateway.upstream.scriptNext(heldBehaviour)
  const requestId = `held-${crypto.randomUUID()}`
  const client = new AbortController()
  const headers = { ...options.headers, 'x-request-id': requestId }
  const response = await gateway.stream({ model }, { ...options, headers, signal: client.signal })
  if (response.status !== 200) throw new Error(`not held: ${response.status} ${await response.text()}`)
  kept.add(response)
  const received = await gateway.received(requestId)
  return {
    requestId,
    response,
    received,
    finish() {
      received.release()
      kept.delete(response)
      return response.text()
    },
    async leave() {
      client.abort()
      kept.delete(response)
      await received.closed
    },
  }
}
