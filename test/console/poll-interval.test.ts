/** How often the console asks how far documents are. */
import { expect, test } from 'bun:test'
import { nextPollMs, pollMsMin } from '../../ui/src/routes/documents/poll-interval.ts'

test('while nothing moves the wait grows up to ten seconds, and is a second again once something has', () => {
  const waits = [pollMsMin]
  for (let asked = 0; asked < 10; asked += 1) waits.push(nextPollMs(waits.at(-1) ?? 0, false))
  expect(waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375])
  expect(waits.at(-1)).toBe(10_000)
  expect(nextPollMs(10_000, true)).toBe(1000)
})
