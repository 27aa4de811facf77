import { expect, test } from 'bun:test'
import { Ticker } from './ticker.ts'

/** Resolves with the next tick. */
function nextTick(ticker: Ticker): Promise<void> {
  return new Promise((resolve) => {
    const tick = (): void => {
      ticker.delete(tick)
      resolve()
    }
    ticker.add(tick)
  })
}

test('every registered tick is called, again and again', async () => {
  using ticker = new Ticker(1)
  const calls: string[] = []
  ticker.add(() => calls.push('a'))
  ticker.add(() => calls.push('b'))
  await nextTick(ticker)
  await nextTick(ticker)
  expect(calls.slice(0, 4)).toEqual(['a', 'b', 'a', 'b'])
})

test('a tick that was taken out is not called any more, also when another tick takes it out', async () => {
  using ticker = new Ticker(1)
  let calls = 0
  const victim = (): void => void (calls += 1)
  const remover = (): void => ticker.delete(victim)
  ticker.add(remover)
  ticker.add(victim)
  await nextTick(ticker)
  expect(calls).toBe(0)
  expect(ticker.size).toBe(1)
})

test('a tick that is registered twice is called once', async () => {
  using ticker = new Ticker(1)
  let calls = 0
  const tick = (): void => void (calls += 1)
  ticker.add(tick)
  ticker.add(tick)
  await nextTick(ticker)
  expect(calls).toBe(1)
})

test('after disposal nothing is registered and nothing is called', async () => {
  const ticker = new Ticker(1)
  let calls = 0
  ticker.add(() => void (calls += 1))
  ticker[Symbol.dispose]()
  expect(ticker.size).toBe(0)
  using later = new Ticker(1)
  await nextTick(later)
  await nextTick(later)
  expect(calls).toBe(0)
})
