import { expect, test } from 'bun:test'
import { randomOf } from '#test/support/affinity/prefix-servers.ts'
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

test('live streams that are slower do, and the sooner the slower they are', () => {
  for (const ms of [5, 100, 2000]) {
    const untilAlarm = [1.2, 1.33, 1.7, 10].map((factor) => {
      const guard = learned(ms)
      return times(ms * factor, 400).findIndex((each) => guard.observe(each, true)) + 1
    })
    expect(untilAlarm).toEqual(untilAlarm.toSorted((one, other) => other - one))
    expect(untilAlarm[0]).toBeLessThan(20)
    expect(untilAlarm.at(-1)).toBe(2)
  }
})

test('chance alone raises one in a thousand streams at most', () => {
  const random = randomOf(5)
  for (const spread of [0.05, 0.25, 0.5]) {
    const about = (): number => 200 * (1 + spread * (2 * random() - 1))
    const guard = new FirstTokenGuard()
    for (let at = 0; at < 200; at += 1) guard.observe(about(), false)
    expect(alarms(guard, Array.from({ length: 20_000 }, about))).toBeLessThanOrEqual(20)
  }
})

test('one slow stream among many raises none', () => {
  expect(alarms(learned(100), [...times(100, 7), 130, ...times(100, 7), 1000, ...times(100, 7)])).toBe(0)
})

test('a model that became faster is judged by that', () => {
  const guard = learned(1000)
  expect(alarms(guard, times(100, 400))).toBe(0)
  expect(alarms(guard, times(1000, 4))).toBeGreaterThan(0)
})
