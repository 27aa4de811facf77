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

test('objects come and go in any order, and each that is there is called once a round', async () => {
  using ticker = new Ticker(1)
  const calls: number[] = []
  const objects = Array.from({ length: 200 }, (_, at) => ({
    place: null,
    tick: () => void (calls[at] = (calls[at] ?? 0) + 1),
  }))
  for (const [at, each] of objects.entries()) {
    ticker.add(each)
    ticker.add(each)
    if (at % 3 > 0) ticker.delete(objects[at - (at % 3)]!)
  }
  const there = objects.flatMap(({ place }, at) => (place === null ? [] : at))
  expect(ticker.size).toBe(there.length)
  expect(new Set(there.map((at) => objects[at]?.place)).size).toBe(there.length)
  ticker.add(() => objects.forEach((each) => ticker.delete(each)))
  await nextTick(ticker)
  expect(calls).toEqual([])
  expect(ticker.size).toBe(1)
  for (const at of there) ticker.add(objects[at]!)
  await nextTick(ticker)
  await nextTick(ticker)
  expect(calls).toEqual([])
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
