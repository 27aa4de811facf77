import { expect, test } from 'bun:test'
import { FirstTokenGuard } from './first-token-guard.ts'

/** Times around `ms`, the same each time. */
function times(ms: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => ms * (1 + ((at * 7919) % 21) / 100 - 0.1))
}

function learned(ms: number): FirstTokenGuard {
  const guard = new FirstTokenGuard()
  for (const each of times(ms, 50)) guard.observe(each, false)
  return guard
}

const alarms = (guard: FirstTokenGuard, samples: readonly number[]): number =>
  samples.filter((each) => guard.observe(each, true)).length

test('live streams that are as fast as before raise no alarm', () => {
  for (const ms of [5, 100, 2000]) expect(alarms(learned(ms), times(ms, 400))).toBe(0)
})

test('live streams that are a third slower do, and soon', () => {
  for (const ms of [5, 100, 2000]) expect(alarms(learned(ms), times(ms * 1.33, 16))).toBe(2)
})

test('one slow stream among many raises none', () => {
  expect(alarms(learned(100), [...times(100, 7), 130])).toBe(0)
})

test('a model that became faster is judged by that', () => {
  const guard = learned(1000)
  expect(alarms(guard, times(100, 400))).toBe(0)
  // So much slower that three are enough each time.
  expect(alarms(guard, times(1000, 8))).toBe(2)
})
