/** Vectors as they are stored: 32-bit floats, little-endian. */

/** The engines return bytes that may begin anywhere in their buffer. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.length / Float32Array.BYTES_PER_ELEMENT)
}

/** The same bytes, not a copy. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return Buffer.from(buffer, byteOffset, byteLength)
}
