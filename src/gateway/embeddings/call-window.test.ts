import { describe, expect, test } from 'bun:test'
import { CallWindow } from './call-window.ts'

const callMs = 20

interface Outcome {
  readonly size: number
  /** Calls that were answered. */
  readonly calls: number
  /** Milliseconds that calls waited at the upstream, in all. */
  readonly queuedMs: number
}

interface Load {
  /** Calls that the upstream works on at once. */
  readonly width: number
  readonly clients: number
}

/**
 * Clients that call as soon as the window admits them, at an upstream, from one millisecond to
 * another. Nothing else happens at that time.
 */
function simulate({ width, clients }: Load, window: CallWindow, from: number, to: number): Outcome {
  let running: { readonly endsAt: number; readonly startedAt: number; readonly concurrent: number }[] = []
  const freeAt = Array.from({ length: Math.min(width, 10_000) }, () => 0)
  let [answered, queuedMs] = [0, 0]
  for (let now = from; now < to; now += 1) {
    for (const call of running.filter(({ endsAt }) => endsAt <= now)) {
      window.ended({ concurrent: call.concurrent, ms: now - call.startedAt }, now)
      answered += 1
    }
    running = running.filter(({ endsAt }) => endsAt > now)
    while (running.length < clients && window.admits(running.length)) {
      const worker = freeAt.indexOf(Math.min(...freeAt))
      const startsAt = Math.max(now, freeAt[worker] ?? 0)
      freeAt[worker] = startsAt + callMs
      queuedMs += startsAt - now
      running.push({ endsAt: startsAt + callMs, startedAt: now, concurrent: running.length })
    }
  }
  return { size: window.size, calls: answered, queuedMs }
}

describe('the window', () => {
  test('is open to the first call at once, and to no second before one has been answered', () => {
    const window = new CallWindow()
    expect([window.admits(0), window.admits(1)]).toEqual([true, false])
    expect(simulate({ width: 64, clients: 1 }, new CallWindow(), 0, 1000)).toEqual({ size: 1, calls: 49, queuedMs: 0 })
  })

  test('opens within a second to all clients of an upstream that takes all calls at once', () => {
    const window = new CallWindow()
    simulate({ width: 64, clients: 64 }, window, 0, 500)
    expect(window.size).toBeGreaterThanOrEqual(64)
    // Then nobody waits: each client is answered once in 20 ms.
    expect(simulate({ width: 64, clients: 64 }, window, 500, 1500)).toMatchObject({ calls: 64 * 49, queuedMs: 0 })
  })

  test('stays at one where calls queue from the second on, and tries again ever more rarely', () => {
    const window = new CallWindow()
    const first = simulate({ width: 1, clients: 64 }, window, 0, 10_000)
    const later = simulate({ width: 1, clients: 64 }, window, 10_000, 70_000)
    expect([first.size, later.size]).toEqual([1, 1])
    expect(later.queuedMs / 60).toBeLessThan(first.queuedMs / 10 / 2)
    // One call's worth of waiting in a second, at most.
    expect(later.queuedMs).toBeLessThan(60 * callMs * 2)
  })

  test('finds about as many as the upstream works on at once', () => {
    for (const width of [4, 16]) {
      const window = new CallWindow()
      simulate({ width, clients: 64 }, window, 0, 10_000)
      expect(window.size).toBeGreaterThanOrEqual(width)
      expect(window.size).toBeLessThanOrEqual(width * 2)
    }
  })

  test('closes when an upstream takes fewer calls at once than before', () => {
    const window = new CallWindow()
    simulate({ width: 64, clients: 64 }, window, 0, 2000)
    expect(window.size).toBeGreaterThanOrEqual(64)
    simulate({ width: 1, clients: 64 }, window, 2000, 12_000)
    expect(window.size).toBe(1)
  })

  test('is not opened by a first call that took long, because its connection had to be made', () => {
    const window = new CallWindow()
    window.ended({ concurrent: 0, ms: 200 }, 0)
    const later = simulate({ width: 1, clients: 64 }, window, 200, 20_200)
    // As one that has known all along how long a call takes.
    expect(later.queuedMs).toBeLessThan(simulate({ width: 1, clients: 64 }, new CallWindow(), 0, 20_000).queuedMs * 1.5)
  })
})
