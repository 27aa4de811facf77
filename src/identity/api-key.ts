/**
 * The form of an API key: `sk-slu-` + 8 characters of public id + `_` + 43 characters of secret
 * (256 random bits in base62) + 6 characters of CRC-32 over everything before them, in base62.
 *
 * The checksum lets a secret scanner recognise a key offline and lets a typo be refused without a
 * look-up. A plain SHA-256 is stored: 256 random bits cannot be searched, so a slow hash would buy
 * nothing and cost a denial of service.
 */
import { base62, randomBase62 } from '#lib/base62.ts'

const keyPattern = /^sk-slu-([0-9A-Za-z]{8})_[0-9A-Za-z]{49}$/
const checksumLength = 6

export interface NewKeySecret {
  /** Shown once, in the answer to the creation. */
  readonly secret: string
  readonly publicId: string
  readonly digest: string
}

/** A fresh random key. */
export function createKeySecret(): NewKeySecret {
  // 40 bits fit 8 base62 characters (47.6 bits); the id only has to be unique.
  const publicId = randomBase62(5, 8)
  const body = `sk-slu-${publicId}_${randomBase62(32, 43)}`
  const secret = body + checksum(body)
  return { secret, publicId, digest: digestKey(secret) }
}

/** Whether the text has the form of a key and a right checksum; says nothing about its existence. */
export function isWellFormedKey(text: string): boolean {
  return keyPattern.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)))
}

/** SHA-256 of the key in base64, as it is stored and looked up. */
export function digestKey(secret: string): string {
  return Bun.SHA256.hash(secret, 'base64')
}

/** What may be displayed of a key. */
export function displayPrefix(publicId: string): string {
  return `sk-slu-${publicId}`
}

function checksum(body: string): string {
  return base62(Bun.hash.crc32(body), checksumLength)
}
