import { expect, test } from 'bun:test'
import { retryAfterMs } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

test.each([
  ['0', 0],
  ['7', 7000],
  ['1.5', 1500],
  [' 120 ', 120_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thursday, 01-Jan-26 12:01:00 GMT', 60_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
])('%p', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})

test.each([
  undefined,
  '',
  '-1',
  '+1',
  '1e3',
  '0x10',
  'Infinity',
  '2030-01-01',
  'soon',
  'Soon, please',
  '9'.repeat(400),
])('%p says nothing', (header) => {
  expect(retryAfterMs(header, now)).toBeNull()
})
