import { expect, test } from 'bun:test'
import { momentOfId, newTimedId } from './timed-id.ts'

test('an id tells when it was made', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1000 }, () => newTimedId('req'))
  const after = Date.now()
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    const moment = momentOfId(id) ?? 0
    expect(moment).toBeGreaterThanOrEqual(before)
    expect(moment).toBeLessThanOrEqual(after)
  }
})

test('an id that was not made here has no moment', () => {
  const made = newTimedId('req')
  const others = ['', 'trace-7', made.slice(0, -1), `${made}0`, made.replace('_', '-'), made.toUpperCase()]
  for (const id of others) expect(momentOfId(id)).toBeNull()
  // A UUID of version 4.
  expect(momentOfId(`req_${crypto.randomUUID().replaceAll('-', '')}`)).toBeNull()
})
