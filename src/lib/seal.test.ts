import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { SealError, sealer } from '#lib/seal.ts'

const key = randomBytes(32)

describe('sealer', () => {
  test('any text comes back from its own key and context', () => {
    const own = sealer(key)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, context) => {
        expect(own.open(own.seal(text, context), context)).toBe(text)
      }),
    )
  })

  test('sealing the same text twice gives different bytes', () => {
    const own = sealer(key)
    expect(own.seal('secret', 'a')).not.toBe(own.seal('secret', 'a'))
  })

  test('another key is refused', () => {
    const sealed = sealer(key).seal('secret', 'a')
    expect(() => sealer(randomBytes(32)).open(sealed, 'a')).toThrow(SealError)
  })

  test('another context is refused, so a sealed value cannot be moved to another row', () => {
    const own = sealer(key)
    expect(() => own.open(own.seal('secret', 'provider:1'), 'provider:2')).toThrow(SealError)
  })

  test('a change of any single byte is refused', () => {
    const own = sealer(key)
    const bytes = Buffer.from(own.seal('secret', 'a').slice(3), 'base64url')
    for (let index = 0; index < bytes.byteLength; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = changed[index]! ^ 1
      expect(() => own.open(`v1.${changed.toString('base64url')}`, 'a')).toThrow(SealError)
    }
  })

  test('a text that is cut short, empty or of another version is refused', () => {
    const own = sealer(key)
    const sealed = own.seal('secret', 'a')
    for (const broken of ['', 'v1.', sealed.slice(0, 20), `v2.${sealed.slice(3)}`, 'plain text']) {
      expect(() => own.open(broken, 'a')).toThrow(SealError)
    }
  })

  test('a key that is not 32 bytes long is refused at once', () => {
    expect(() => sealer(randomBytes(16))).toThrow(RangeError)
  })

  test('changing the caller’s key bytes afterwards does not change the sealer', () => {
    const bytes = randomBytes(32)
    const own = sealer(bytes)
    const sealed = own.seal('secret', 'a')
    bytes.fill(0)
    expect(own.open(sealed, 'a')).toBe('secret')
  })
})
