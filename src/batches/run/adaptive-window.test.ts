import { expect, test } from 'bun:test'
import { AdaptiveWindow } from './adaptive-window.ts'

let now = 0

/** Rounds of answers of a model that does `capacity` at once and refuses more; what the window was after each. */
function rounds(window: AdaptiveWindow, capacity: number, count: number): readonly number[] {
  return Array.from({ length: count }, () => {
    const running = window.limit
    for (let line = 0; line < Math.min(running, capacity); line += 1)
      window.answered(20, { lines: running, live: 0 }, 1000)
    now += 1000
    if (running > capacity) window.congested(now, 0)
    return window.limit
  })
}

test('finds what a model can do within a few rounds, and stays near it', () => {
  for (const capacity of [1, 2, 7, 64, 300]) {
    const window = new AdaptiveWindow()
    rounds(window, capacity, 12 + capacity)
    const steady = rounds(window, capacity, 200)
    const mean = steady.reduce((sum, each) => sum + Math.min(each, capacity), 0) / steady.length
    expect(Math.max(...steady)).toBeLessThanOrEqual(capacity + Math.max(2, capacity * 0.05))
    expect(mean).toBeGreaterThanOrEqual(capacity * 0.7)
  }
})

test('a model that can do more than before is soon used to the full', () => {
  for (const capacity of [4, 32, 100]) {
    const window = new AdaptiveWindow()
    rounds(window, capacity, 100)
    const grown = rounds(window, 4 * capacity, 12 * capacity)
    expect(Math.max(...grown)).toBeGreaterThanOrEqual(4 * capacity)
  }
})

test('refusals of requests that were sent together halve it once', () => {
  const window = new AdaptiveWindow()
  rounds(window, 1000, 4)
  const before = window.limit
  for (let refused = 0; refused < 30; refused += 1) window.congested(now + 1000 + refused / 10, 0)
  expect(window.limit).toBe(Math.floor(before / 2))
})

test('a model that is gone is asked by one line at a time, and never by none', () => {
  const window = new AdaptiveWindow()
  rounds(window, 100, 6)
  window.closed()
  expect(window.limit).toBe(1)
  for (let at = 0; at < 20; at += 1) window.congested(now + at * 1e6, 0)
  expect(window.limit).toBe(1)
})

test('it gives up as many lines as wait at the model, and grows slowly from there', () => {
  const window = new AdaptiveWindow()
  rounds(window, 1000, 6)
  const running = window.limit
  window.queued(3, { lines: running, live: 0 })
  expect(window.limit).toBe(running - 3)
  rounds(window, 1000, 3)
  expect(window.limit).toBeLessThanOrEqual(running)
  window.queued(1_000_000, { lines: window.limit, live: 0 })
  expect(window.limit).toBe(1)
})

test('a window that is not used does not grow, and none passes the most', () => {
  const window = new AdaptiveWindow()
  const { limit } = window
  for (let at = 0; at < 100; at += 1) window.answered(20, { lines: limit - 1, live: 0 }, 1000)
  expect(window.limit).toBe(limit)
  for (let at = 0; at < 1000; at += 1) window.answered(20, { lines: 1000, live: 0 }, 16)
  expect(window.limit).toBe(16)
})
