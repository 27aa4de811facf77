import { describe, expect, test } from 'bun:test'
import { createKeySecret, digestKey, displayPrefix, isWellFormedKey } from './api-key.ts'

describe('API key form', () => {
  test('a new key has the documented form and a right checksum', () => {
    const { secret, publicId } = createKeySecret()
    expect(secret).toMatch(/^sk-slu-[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/)
    expect(secret.startsWith(`${displayPrefix(publicId)}_`)).toBe(true)
    expect(isWellFormedKey(secret)).toBe(true)
  })

  test('no single changed character passes the checksum', () => {
    const { secret } = createKeySecret()
    for (let at = 7; at < secret.length; at += 1) {
      const typo = secret.slice(0, at) + (secret[at] === 'x' ? 'y' : 'x') + secret.slice(at + 1)
      expect(isWellFormedKey(typo)).toBe(false)
    }
  })

  test('text that is not a key is refused whatever its length', () => {
    for (const text of ['', 'sk-', 'sk-slu-', `sk-slu-abcdefgh_${'0'.repeat(48)}`, 'x'.repeat(10_000)]) {
      expect(isWellFormedKey(text)).toBe(false)
    }
  })

  test('the stored digest is SHA-256 of the whole secret', () => {
    const expected = new Bun.CryptoHasher('sha256').update('sk-slu-x').digest('base64')
    expect(digestKey('sk-slu-x')).toBe(expected)
  })
})
