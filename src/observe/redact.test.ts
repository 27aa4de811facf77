import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Secret } from '#lib/secret.ts'
import { isCredentialField, redact } from './redact.ts'

const base62 = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
const base62Text = (length: number) =>
  fc.string({ unit: fc.constantFrom(...base62), minLength: length, maxLength: length })

test('a Sluice key keeps its public id and nothing more, whatever stands around it', () => {
  fc.assert(
    fc.property(fc.string(), base62Text(8), base62Text(49), fc.string(), (before, publicId, canary, after) => {
      const clean = redact(`${before}sk-slu-${publicId}_${canary}${after}`)
      expect(clean).not.toContain(canary)
    }),
  )
  expect(redact(`key sk-slu-abcd1234_${'Z'.repeat(49)} used`)).toBe('key sk-slu-abcd1234_[secret] used')
  expect(redact(`authorization: Bearer sk-slu-abcd1234_${'Z'.repeat(49)}`)).toBe(
    'authorization: Bearer sk-slu-abcd1234_[secret]',
  )
  expect(redact(`/x?key=sk-slu-abcd1234%5F${'Z'.repeat(49)}`)).toBe('/x?key=sk-slu-abcd1234_[secret]')
})

test("every vendor's key is taken out, in a header, an address, JSON and prose", () => {
  const keys = [
    'sk-',
    'sk-proj-',
    'sk-ant-api03-',
    'sk-or-v1-',
    'gsk_',
    'xai-',
    'hf_',
    'AIza',
    'nvapi-',
    'github_pat_',
    'ghp_',
  ]
  const contexts = [
    (key: string) => `Bearer ${key}`,
    (key: string) => `Incorrect API key provided: ${key}.`,
    (key: string) => `{"api_key":"${key}"}`,
    (key: string) => `https://example.com/v1?key=${key}&a=b`,
    (key: string) => `("${key}")`,
  ]
  fc.assert(
    fc.property(fc.constantFrom(...keys), base62Text(32), fc.constantFrom(...contexts), (prefix, canary, context) => {
      expect(redact(context(prefix + canary))).not.toContain(canary)
    }),
  )
})

test('credentials without a known form are taken out by where they stand', () => {
  expect(redact('postgres://sluice:hunter2@db:5432/sluice')).toBe('postgres://[secret]@db:5432/sluice')
  expect(redact('Authorization: bearer 0a1b2c')).toBe('Authorization: bearer [secret]')
  expect(redact('Basic dXNlcjpodW50ZXIyaHVudGVyMg==')).toBe('Basic [secret]')
  expect(redact('{"password": "hunter2", "name": "x"}')).toBe('{"password": "[secret]", "name": "x"}')
  expect(redact('"{\\"client_secret\\":\\"hunter2\\"}"')).toBe('"{\\"client_secret\\":\\"[secret]\\"}"')
  expect(redact('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln')).toBe('[secret]')
})

test('a secret in use is taken out even where it looks like an ordinary word', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 6 }), fc.string(), (before, canary, after) => {
      fc.pre(!'[secret]'.includes(canary))
      const clean = redact(`${before}${canary}${after}`, [new Secret(canary)])
      expect(clean.replaceAll('[secret]', '')).not.toContain(canary)
    }),
  )
  expect(redact('the provider said: correct-horse is wrong', [new Secret('correct-horse')])).toBe(
    'the provider said: [secret] is wrong',
  )
})

test('ordinary text is left as it is', () => {
  const lines = [
    'the first token took 312 ms',
    'basic authentication is off; the risk-management desk-based-plan is fine',
    'POST https://api.example.com/v1/chat/completions?limit=20 answered 502',
    'user alice@example.com joined group ops',
    'key sk-slu-abcd1234 was deleted',
  ]
  for (const line of lines.slice(0, 4)) expect(redact(line)).toBe(line)
})

test('redacting twice changes nothing more', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'Bearer ',
      'sk-',
      'sk-slu-abcd1234_',
      '[secret]',
      '?key=',
      '://',
      '@',
      '"token":"',
      'eyJ',
      'Basic ',
    ),
    base62Text(20),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const once = redact(pieces.join(''))
      expect(redact(once)).toBe(once)
    }),
  )
})

test('a field is known as a credential by its name, however it is written', () => {
  for (const name of ['Authorization', 'x-api-key', 'apiKey', 'api_key', 'Set-Cookie', 'password']) {
    expect(isCredentialField(name)).toBe(true)
  }
  for (const name of ['tokens', 'promptTokens', 'keyId', 'model']) expect(isCredentialField(name)).toBe(false)
})
