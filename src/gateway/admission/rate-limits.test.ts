import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { duration } from './rate-limits.ts'

test('a time is written as OpenAI writes it', () => {
  const times = [0.2, 120, 999.5, 1500, 59_994, 59_999, 60_000, 359_700, 3_599_999, 3_661_000]
  expect(times.map(duration)).toEqual([
    '1ms',
    '120ms',
    '1000ms',
    '1.5s',
    '60s',
    '60s',
    '1m0s',
    '6m0s',
    '1h0m0s',
    '1h1m1s',
  ])
})

test('a time is never shorter than what it says, and has no 60th second of a minute', () => {
  fc.assert(
    fc.property(fc.double({ min: 60_000, max: 10 ** 9, noNaN: true }), (ms) => {
      const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(\d+)m(\d+)s$/.exec(duration(ms)) ?? []
      expect(Number(seconds)).toBeLessThan(60)
      const told = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
      expect(told).toBeGreaterThanOrEqual(ms)
      expect(told - ms).toBeLessThan(1000)
    }),
  )
})
