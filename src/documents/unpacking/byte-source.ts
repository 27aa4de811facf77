/**
 * The content of a file item, piece by piece: base64 and text are decoded from the bytes of the
 * request as they are written to the blob store, so that no second copy of a large file exists.
 */
import type { FileHandle } from 'node:fs/promises'

export interface ByteSource {
  pieces(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** A multiple of four: base64 decodes piece by piece at that. */
const pieceBytes = 3 * 1024 * 1024
const base64Only = /^[A-Za-z0-9+/]*$/
const base64UrlOnly = /^[A-Za-z0-9_-]*$/

/** Bytes that need not be waited for. */
export interface MemorySource extends ByteSource {
  pieces(): Iterable<Uint8Array>
}

/** Bytes that are there. */
export function bytesSource(bytes: Uint8Array): MemorySource {
  return { pieces: () => [bytes] }
}

/** An open file from its beginning, at most `bytes` of it. */
export function fileSource(file: FileHandle, bytes: number): ByteSource {
  return {
    async *pieces() {
      for (let at = 0; at < bytes;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at)), 0, null, at)
        if (bytesRead === 0) return
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
  }
}

/**
 * What ASCII bytes encode in base64 (RFC 4648 sections 4 and 5: the standard or the URL alphabet, with
 * or without padding), or null when they are not base64. An empty input encodes nothing.
 */
export function base64Source(ascii: Buffer): MemorySource | null {
  const length = unpaddedLength(ascii)
  if (length === null || length % 4 === 1 || !isOneAlphabet(ascii.subarray(0, length))) return null
  return {
    *pieces() {
      for (let at = 0; at < length; at += pieceBytes)
        yield Buffer.from(ascii.toString('latin1', at, Math.min(length, at + pieceBytes)), 'base64')
    },
  }
}

/** The length without padding; null when the padding does not fit the length. */
function unpaddedLength(ascii: Buffer): number | null {
  let length = ascii.length
  while (length > 0 && ascii[length - 1] === 0x3d && ascii.length - length < 3) length -= 1
  const padding = ascii.length - length
  return padding === 0 || (padding < 3 && ascii.length % 4 === 0) ? length : null
}

function isOneAlphabet(ascii: Buffer): boolean {
  let standard = true
  let url = true
  for (let at = 0; at < ascii.length && (standard || url); at += pieceBytes) {
    const piece = ascii.toString('latin1', at, Math.min(ascii.length, at + pieceBytes))
    standard &&= base64Only.test(piece)
    url &&= base64UrlOnly.test(piece)
  }
  return standard || url
}
