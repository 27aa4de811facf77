/**
 * Encryption of short texts at rest: AES-256-GCM under one key, bound to a context.
 *
 * A sealed text is `v1.` and base64url of nonce (12 bytes), tag (16 bytes) and ciphertext. Nonces
 * are random, which is safe for some 2^32 seals under one key (NIST SP 800-38D, 8.3).
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const version = 'v1.'
const nonceBytes = 12
const tagBytes = 16
/** Length of a sealing key. */
export const keyBytes = 32

/** A sealed text was written under another key or context, or has been changed. */
export class SealError extends Error {
  constructor(cause?: unknown) {
    super('A stored secret cannot be opened: it was sealed with another secret key, or it has been changed.', { cause })
    this.name = 'SealError'
  }
}

export interface Sealer {
  /** The text, encrypted; it opens only with the same key and the same context. */
  seal(text: string, context: string): string
  /** The text that was sealed. Throws SealError when key, context or bytes differ. */
  open(sealed: string, context: string): string
  /** A digest of the text (HMAC-SHA-256, base64url) that only this key and this context make. */
  digest(text: string, context: string): string
}

/** A sealer for one key of exactly 32 bytes. */
export function sealer(key: Uint8Array): Sealer {
  if (key.byteLength !== keyBytes) throw new RangeError(`A sealing key has ${keyBytes} bytes, not ${key.byteLength}.`)
  const ownKey = Buffer.from(key)
  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', ownKey, nonce).setAAD(Buffer.from(context))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return version + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
      if (!sealed.startsWith(version) || bytes.byteLength < nonceBytes + tagBytes) throw new SealError()
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
      // The length is stated because GCM would else accept a tag cut down to 4 bytes.
      const decipher = createDecipheriv('aes-256-gcm', ownKey, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      try {
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch (thrown) {
        throw new SealError(thrown)
      }
    },
    digest(text, context) {
      return createHmac('sha256', ownKey).update(`digest\0${context}\0`).update(text).digest('base64url')
    },
  }
}
