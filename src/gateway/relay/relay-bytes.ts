/**
 * Relays a binary answer, such as speech, byte for byte while it arrives. It has no place for an error, so
 * when it breaks the connection breaks too, and no client takes it for complete.
 */
import type { Reply } from '#lib/http1/reply.ts'
import { mediaType } from '../call/answer-type.ts'
import { headersForClient } from '../call/headers.ts'
import type { Relay } from './relay.ts'
import { relayPieces, type Tap } from './relay-stream.ts'

/** The answer for the client. Throws what goes wrong before the first byte. */
export async function relayBytes(reply: Reply, relay: Relay): Promise<Response> {
  const headers = headersForClient(reply.headers, relay.responseHeaders)
  headers['content-type'] = mediaType(reply.headers['content-type'])
  return relayPieces({ ...reply, headers }, relay, { tap: new PassThroughTap(), inBand: false })
}

/** Lets all bytes through and reads none of them. */
class PassThroughTap implements Tap {
  readonly usage = null
  readonly done = false
  readonly complete = false
  readonly upstreamError = null
  readonly oversized = false
  started = false

  push(bytes: Uint8Array): Uint8Array | null {
    if (bytes.byteLength === 0) return null
    this.started = true
    return bytes
  }

  end(): Uint8Array {
    return new Uint8Array()
  }
}
