import { describe, expect, test } from 'bun:test'
import { SignInGuard } from './sign-in-guard.ts'

const attempts = 3
const lockSeconds = 10

function guardWithClock() {
  let elapsed = 1000
  const clock = { now: () => 0, elapsed: () => elapsed }
  const guard = new SignInGuard(clock, () => ({ attempts, lockSeconds }))
  return { guard, advance: (seconds: number) => void (elapsed += seconds * 1000) }
}

function failTimes(guard: SignInGuard, times: number, email = 'a@b', address = '::1'): (number | null)[] {
  return Array.from({ length: times }, () => guard.begin(email, address))
}

describe('SignInGuard', () => {
  test('the allowed number of attempts is looked at, further ones wait', () => {
    const { guard } = guardWithClock()
    expect(failTimes(guard, 4)).toEqual([null, null, null, 10])
  })

  test('an attempt during the lock does not lengthen it', () => {
    const { guard, advance } = guardWithClock()
    failTimes(guard, 3)
    advance(9)
    expect(failTimes(guard, 5)).toEqual([1, 1, 1, 1, 1])
    advance(1)
    expect(guard.begin('a@b', '::1')).toBeNull()
  })

  test('locks double with each failure and end at an hour', () => {
    const { guard, advance } = guardWithClock()
    failTimes(guard, 3)
    const locks: (number | null)[] = []
    for (let round = 0; round < 12; round += 1) {
      const wait = guard.begin('a@b', '')
      locks.push(wait)
      advance(wait ?? 0)
      expect(guard.begin('a@b', '')).toBeNull()
    }
    expect(locks.slice(0, 4)).toEqual([10, 20, 40, 80])
    expect(locks.at(-1)).toBe(3600)
  })

  test('a count is forgotten after a quiet quarter of an hour', () => {
    const { guard, advance } = guardWithClock()
    failTimes(guard, 2)
    advance(15 * 60 + 1)
    expect(failTimes(guard, 4)).toEqual([null, null, null, 10])
  })

  test('many e-mail addresses from one client address are one attacker', () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < attempts * 10; guess += 1) expect(guard.begin(`user${guess}@b`, '10.0.0.1')).toBeNull()
    expect(guard.begin('another@b', '10.0.0.1')).toBe(10)
    expect(guard.begin('another@b', '10.0.0.2')).toBeNull()
  })

  test('a success takes its own failures off the client address, and no others', () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < attempts * 10 - 2; guess += 1) guard.begin(`user${guess}@b`, '10.0.0.1')
    guard.begin('known@b', '10.0.0.1')
    guard.succeeded('known@b', '10.0.0.1')
    expect(guard.begin('x@b', '10.0.0.1')).toBeNull()
    expect(guard.begin('y@b', '10.0.0.1')).toBeNull()
    expect(guard.begin('z@b', '10.0.0.1')).toBe(10)
  })

  test('memory is bounded whatever is tried', () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < 50_000; guess += 1) guard.begin(`user${guess}@b`, `10.0.${guess % 5000}`)
    expect(guard.size).toBe(20_000)
  })

  test('a changed limit holds for the next attempt', () => {
    let allowed = 5
    const guard = new SignInGuard({ now: () => 0, elapsed: () => 1000 }, () => ({ attempts: allowed, lockSeconds }))
    failTimes(guard, 1)
    allowed = 2
    expect(failTimes(guard, 2)).toEqual([null, 10])
  })
})
