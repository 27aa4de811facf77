import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ByteRedaction, SecretSet } from './byte-redaction.ts'

const secret = 'sk-live/abcabcabd+"x'
const secrets = new SecretSet([secret, 'abcabcabdabc', 'short'])

function through(pieces: readonly Uint8Array[]): string {
  const stream = new ByteRedaction(secrets)
  return Buffer.concat([...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()]).toString('latin1')
}

describe('bytes on their way', () => {
  test('lose every form of a secret and nothing else', () => {
    const json = JSON.stringify({ message: `Incorrect API key provided: ${secret}.` })
    expect(secrets.redact(json)).toBe('{"message":"Incorrect API key provided: [secret]."}')
    expect(secrets.redact(json.replaceAll('/', String.raw`\/`))).toBe(
      '{"message":"Incorrect API key provided: [secret]."}',
    )
    expect(secrets.redact(`?key=${encodeURIComponent(secret)}&a=short`)).toBe('?key=[secret]&a=short')
    expect(secrets.redact('abcabcabcabdabcabc')).toBe('abc[secret]abc')
  })

  test('come out the same whatever pieces they came in', () => {
    const part = fc.constantFrom(secret, 'abcabcabdabc', 'abc', 'abd', 'sk-', 'sk-live/abc', '\n\n', 'data: ', 'ü')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 6 }), (parts, cuts) => {
        const whole = Buffer.from(parts.join(''))
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
        const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end))
        expect(through(pieces)).toBe(through([whole]))
      }),
      { numRuns: 2000 },
    )
  })

  test('are not copied and not held back when they hold no secret', () => {
    const stream = new ByteRedaction(secrets)
    const event = Buffer.from('data: {"choices":[{"delta":{"content":"hello"}}]}\n\n')
    const passed = stream.push(event)
    expect(passed.buffer).toBe(event.buffer)
    expect(passed.byteLength).toBe(event.byteLength)
    expect(stream.end().byteLength).toBe(0)
  })

  test('keep words that are too short to be a secret', () => {
    const set = new SecretSet(['EMPTY', 'ollama', ''])
    expect(set.isEmpty).toBe(true)
    expect(set.redact('ollama is EMPTY')).toBe('ollama is EMPTY')
  })
})
