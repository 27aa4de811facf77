/** When a batch says that it will be done, and that it will not be in time. */
import { expect, test } from 'bun:test'
import { aBatch } from '#test/support/store/store-contract-batches.ts'
import { batchOnWire } from './batch-wire.ts'

const currency = 'EUR'
const running = { ...aBatch('u', 10_000_000), status: 'in_progress', inProgressAt: 1_000_000 } as const

test.each([
  [100, 1, 0],
  [100, 50, 49],
  [50_000, 1, 1],
  [50_000, 20_000, 0],
])('of %i lines with %i answered and %i failed, the rest takes as long in proportion', (total, completed, failed) => {
  const now = running.inProgressAt + 60_000
  const wire = batchOnWire({ ...running, total, completed, failed }, { now, currency })
  const msPerLine = 60_000 / (completed + failed)
  const end = running.inProgressAt + msPerLine * total
  expect(wire.estimated_completion_at).toBe(Math.floor(end / 1000))
  expect(wire.warning !== null).toBe(end > running.expiresAt)
})

test('nothing is said before the first line, and after the last', () => {
  const now = running.inProgressAt + 60_000
  for (const batch of [
    { ...running, total: 10, completed: 0 },
    { ...running, total: 10, completed: 10, status: 'completed' },
    { ...running, total: 10, completed: 3, status: 'cancelling' },
    { ...running, total: 10, completed: 3, inProgressAt: null },
  ] as const)
    expect(batchOnWire(batch, { now, currency })).toMatchObject({ estimated_completion_at: null, warning: null })
})

test('a clock that was set back does not put the end before the beginning', () => {
  const wire = batchOnWire({ ...running, total: 10, completed: 3 }, { now: 0, currency })
  expect(wire.estimated_completion_at).toBe(running.inProgressAt / 1000)
})
