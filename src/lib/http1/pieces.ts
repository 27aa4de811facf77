/** A request body that is several buffers, which other requests may share. */
import type { BodyStream } from './request.ts'

/** Sends them one after the other, copying none; they must not change until the call is over. */
export function bodyOfPieces(pieces: readonly Uint8Array[]): BodyStream {
  let next = 0
  return {
    length: pieces.reduce((sum, piece) => sum + piece.byteLength, 0),
    read: async () => pieces[next++] ?? null,
  }
}
