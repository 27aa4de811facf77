import { describe, expect, test } from 'bun:test'
import { eachOf } from './each-of.ts'

describe('work on each item of a list', () => {
  test.each([
    [0, 4],
    [1, 4],
    [3, 1],
    [100, 7],
  ])('of %i, at most %i at once, is done once each', async (count, atOnce) => {
    const items = Array.from({ length: count }, (_, at) => at)
    const done: number[] = []
    let [running, most] = [0, 0]
    await eachOf(items, atOnce, async (item) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      done.push(item)
    })
    expect(done.toSorted((a, b) => a - b)).toEqual(items)
    expect(most).toBe(Math.min(count, atOnce))
  })

  test('ends with the first failure, after what was under way and before the rest', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended: number[] = []
    const whole = eachOf([0, 1, 2, 3], 2, async (item) => {
      if (item === 0) throw new Error('the first')
      await promise
      ended.push(item)
    })
    resolve()
    expect(await whole.catch(String)).toBe('Error: the first')
    expect(ended).toEqual([1])
  })
})
