import { expect, test } from 'bun:test'
import { hashPassword, passwordMatches } from './password.ts'

test('a password belongs to its own hash only, and the hash is argon2id with a salt of its own', async () => {
  const hash = await hashPassword('correct horse')
  expect(hash).toStartWith('$argon2id$')
  expect(hash).not.toBe(await hashPassword('correct horse'))
  expect(await passwordMatches('correct horse', hash)).toBe(true)
  for (const wrong of ['Correct horse', 'correct horse ', '']) expect(await passwordMatches(wrong, hash)).toBe(false)
})

test('no password belongs to no hash', async () => {
  for (const password of ['', 'anything']) expect(await passwordMatches(password, null)).toBe(false)
})
