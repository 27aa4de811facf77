import { expect, test } from 'bun:test'
import { readAll, type ReplyBody } from './reply.ts'

function bodyOf(parts: readonly string[]): ReplyBody & { readonly cancelled: () => boolean } {
  let at = 0
  let isCancelled = false
  return {
    read: () => (at < parts.length ? Buffer.from(parts[at++] ?? '') : null),
    cancel: () => void (isCancelled = true),
    cancelled: () => isCancelled,
  }
}

test('a body is read whole, and every part of it is announced, so that white space counts as a sign of life', async () => {
  let parts = 0
  const body = bodyOf([' ', ' ', '{}'])
  expect((await readAll(body, 10, { part: () => void (parts += 1) }))?.toString()).toBe('  {}')
  expect(parts).toBe(3)
})

test('a body over the limit is given up', async () => {
  const body = bodyOf(['123', '456'])
  expect(await readAll(body, 5)).toBeNull()
  expect(body.cancelled()).toBe(true)
})
