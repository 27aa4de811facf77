import { describe, expect, test } from 'bun:test'
import { ManualClock } from '#test/support/manual-clock.ts'
import { UpstreamHealth } from './upstream-health.ts'

function health(options: Partial<Parameters<typeof withOptions>[0]> = {}) {
  return withOptions({ failuresToEject: 2, ejectionMs: 1000, ejectionMaxMs: 4000, ...options })
}

function withOptions(options: {
  readonly failuresToEject: number
  readonly ejectionMs: number
  readonly ejectionMaxMs: number
}) {
  const clock = new ManualClock()
  const subject = new UpstreamHealth(() => options, clock)
  const fail = (times = 1): void => {
    for (let time = 0; time < times; time += 1) {
      using attempt = subject.begin('a')
      attempt.failed()
    }
  }
  const succeed = (firstByteMs = 10): void => {
    using attempt = subject.begin('a')
    attempt.succeeded(firstByteMs)
  }
  return { subject, clock, fail, succeed, isAvailable: () => subject.isAvailable('a') }
}

test('what a server says of its load counts with what was begun and ended since, and for a while', () => {
  const { subject, clock } = health()
  expect([subject.load('a'), subject.waiting('a')]).toEqual([0, null])
  const first = subject.begin('a')
  expect(subject.load('a')).toBe(1)
  // Nine of others beside the one of this process.
  subject.told('a', { running: 6, waiting: 4, cacheUse: 0.9 }, 1000)
  expect([subject.load('a'), subject.waiting('a')]).toEqual([10, 4])
  const second = subject.begin('a')
  expect(subject.load('a')).toBe(11)
  first[Symbol.dispose]()
  second[Symbol.dispose]()
  expect(subject.load('a')).toBe(9)
  subject.told('a', { running: 0, waiting: 0, cacheUse: null }, 1000)
  const third = subject.begin('a')
  // Never less than this process has under way.
  expect(subject.load('a')).toBe(1)
  subject.told('a', { running: 0, waiting: 0, cacheUse: null }, 1000)
  expect(subject.load('a')).toBe(1)
  subject.told('a', { running: 90, waiting: 9, cacheUse: null }, 1000)
  clock.advance(1001)
  expect([subject.load('a'), subject.waiting('a')]).toEqual([1, null])
  third[Symbol.dispose]()
})

describe('an upstream', () => {
  test('that others have ejected is ejected by one failure, as long as they say so', () => {
    const { subject, fail, succeed } = health({ failuresToEject: 3 })
    const state = () => subject.status('a').state
    subject.suspect(new Set(['b']))
    fail()
    expect(state()).toBe('failing')
    succeed()
    subject.suspect(new Set(['a']))
    expect(state()).toBe('healthy')
    fail()
    expect(state()).toBe('out')
    subject.endEjection('a')
    succeed()
    subject.suspect(new Set())
    fail(2)
    expect(state()).toBe('failing')
  })

  test('tells how it is doing, from not asked to left out and back', () => {
    const { subject, clock, fail, succeed } = health()
    const state = () => subject.status('a').state
    expect(subject.status('a')).toEqual({
      state: 'unknown',
      failuresInRow: 0,
      retryInMs: 0,
      firstByteMs: null,
      inFlight: 0,
    })
    succeed(20)
    expect([state(), subject.status('a').firstByteMs]).toEqual(['healthy', 20])
    fail()
    expect([state(), subject.status('a').failuresInRow]).toEqual(['failing', 1])
    fail()
    expect([state(), subject.status('a').retryInMs]).toEqual(['out', 1000])
    clock.advance(1000)
    expect(state()).toBe('failing')
    succeed()
    expect(state()).toBe('healthy')
    {
      using attempt = subject.begin('a')
      attempt.rateLimited(500)
    }
    expect([state(), subject.status('a').retryInMs]).toEqual(['resting', 500])
  })

  test('is available while it has not been tried, and after failures that were not enough in a row', () => {
    const { fail, succeed, isAvailable, subject } = health()
    expect(isAvailable()).toBe(true)
    for (let round = 0; round < 5; round += 1) {
      fail()
      succeed()
    }
    expect([isAvailable(), subject.retryInMs('a')]).toEqual([true, 0])
  })

  test('is out for twice as long each time it is ejected again, up to the longest', () => {
    const { fail, clock, isAvailable, subject } = health()
    fail(2)
    for (const retryInMs of [1000, 2000, 4000, 4000]) {
      expect([isAvailable(), subject.retryInMs('a'), subject.isEjected('a')]).toEqual([false, retryInMs, true])
      clock.advance(retryInMs - 1)
      expect(isAvailable()).toBe(false)
      clock.advance(1)
      expect([isAvailable(), subject.isEjected('a')]).toEqual([true, false])
      fail()
    }
  })

  test('is ejected once for all the requests that were under way when it failed', () => {
    const { subject, clock, isAvailable } = health()
    const attempts = Array.from({ length: 50 }, () => subject.begin('a'))
    for (const attempt of attempts) {
      attempt.failed()
      attempt[Symbol.dispose]()
    }
    expect(subject.retryInMs('a')).toBe(1000)
    clock.advance(1000)
    expect(isAvailable()).toBe(true)
  })

  test('that is being probed is not offered to others because an older request ends', () => {
    const { subject, clock, isAvailable, fail } = health()
    using older = subject.begin('a')
    fail(2)
    clock.advance(1000)
    using probe = subject.begin('a')
    older.failed()
    older[Symbol.dispose]()
    expect(isAvailable()).toBe(false)
    probe.succeeded(5)
    expect(isAvailable()).toBe(true)
  })

  test('that is due is tried by one request alone, whose success forgets everything', () => {
    const { fail, clock, isAvailable, subject, succeed } = health()
    fail(2)
    clock.advance(1000)
    const probe = subject.begin('a')
    expect(isAvailable()).toBe(false)
    probe.succeeded(5)
    probe[Symbol.dispose]()
    expect(isAvailable()).toBe(true)
    fail()
    expect(isAvailable()).toBe(true)
    fail()
    expect(subject.retryInMs('a')).toBe(1000)
    clock.advance(1000)
    succeed()
    expect(isAvailable()).toBe(true)
  })

  test('is tried by another request when the one that tried it ended without an outcome', () => {
    const { fail, clock, isAvailable, subject } = health()
    fail(2)
    clock.advance(1000)
    subject.begin('a')[Symbol.dispose]()
    expect(isAvailable()).toBe(true)
  })

  test('that limits requests rests for as long as it says, which does not count as a failure', () => {
    const { clock, isAvailable, subject, succeed } = health({ failuresToEject: 1 })
    using attempt = subject.begin('a')
    attempt.rateLimited(500)
    expect([isAvailable(), subject.retryInMs('a'), subject.isEjected('a')]).toEqual([false, 500, false])
    clock.advance(500)
    expect(isAvailable()).toBe(true)
    succeed()
    expect(isAvailable()).toBe(true)
  })

  test('that is said to be back is tried by the next request, and is out at once and for longer when that fails', () => {
    const { fail, isAvailable, subject } = health()
    subject.endEjection('a')
    fail(2)
    subject.endEjection('a')
    expect([isAvailable(), subject.isEjected('a')]).toEqual([true, false])
    fail()
    expect(subject.retryInMs('a')).toBe(2000)
  })
})

test('requests in flight are counted until they are disposed, once each', () => {
  const { subject } = health()
  const [one, two] = [subject.begin('a'), subject.begin('a')]
  expect([subject.inFlight('a'), subject.inFlight('b')]).toEqual([2, 0])
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  expect(subject.inFlight('a')).toBe(1)
  two[Symbol.dispose]()
  expect(subject.inFlight('a')).toBe(0)
})

test('the time to the first byte rises at once and falls slowly', () => {
  const { subject, succeed } = health()
  expect(subject.firstByteMs('a')).toBe(0)
  succeed(100)
  expect(subject.firstByteMs('a')).toBe(100)
  succeed(0)
  expect(subject.firstByteMs('a')).toBeCloseTo(80)
  succeed(500)
  expect(subject.firstByteMs('a')).toBe(500)
  for (let index = 0; index < 50; index += 1) succeed(10)
  expect(subject.firstByteMs('a')).toBeCloseTo(10, 0)
})

test('upstreams that are gone are forgotten, but not while they serve', () => {
  const { fail, subject } = health()
  fail(2)
  const running = subject.begin('b')
  subject.retain(new Set())
  expect([subject.isAvailable('a'), subject.inFlight('b')]).toEqual([true, 1])
  running[Symbol.dispose]()
  subject.retain(new Set())
  expect(subject.inFlight('b')).toBe(0)
})
