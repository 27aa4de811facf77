import { expect, test } from 'bun:test'
import { ByteBudget } from './byte-budget.ts'

const never = new AbortController().signal

/** Whether it is settled once all that could run has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const mark = Symbol('pending')
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  return (await Promise.race([promise, Promise.resolve(mark)])) === mark
}

test('what does not fit waits until enough is given back, in order', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(6, 'b', never)
  const second = budget.take(6, 'c', never)
  const third = budget.take(1, 'd', never)
  expect(await isPending(second)).toBe(true)
  expect(await isPending(third)).toBe(true)
  first[Symbol.dispose]()
  await second
  await third
})

test('a wish beyond the bound is granted alone', async () => {
  const budget = new ByteBudget(10)
  const small = await budget.take(1, 'e', never)
  const huge = budget.take(100, 'f', never)
  expect(await isPending(huge)).toBe(true)
  small[Symbol.dispose]()
  const held = await huge
  const next = budget.take(1, 'g', never)
  expect(await isPending(next)).toBe(true)
  held[Symbol.dispose]()
  await next
})

test('giving back twice frees nothing more', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(10, 'h', never)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await budget.take(10, 'i', never)
  expect(await isPending(budget.take(1, 'j', never))).toBe(true)
})

test('a waiter that gives up lets those behind it pass', async () => {
  const budget = new ByteBudget(10)
  await budget.take(6, 'k', never)
  const gone = new AbortController()
  const impatient = budget.take(10, 'l', gone.signal)
  const behind = budget.take(2, 'm', never)
  gone.abort(new Error('left'))
  expect(await impatient.catch(String)).toContain('left')
  await behind
})

test('an owner that has half of the bound waits for its own requests, and others pass', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(4, 'mass importer', never)
  const second = budget.take(4, 'mass importer', never)
  expect(await isPending(second)).toBe(true)
  await budget.take(4, 'another person', never)
  first[Symbol.dispose]()
  await second
})

test('a request beyond its owner’s share is granted when the owner has nothing else', async () => {
  const budget = new ByteBudget(10)
  const large = await budget.take(8, 'owner', never)
  const more = budget.take(1, 'owner', never)
  expect(await isPending(more)).toBe(true)
  large[Symbol.dispose]()
  await more
})

test('what a grant gives back lets others pass, and disposing gives back only the rest', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(10, 'm', never)
  const second = budget.take(6, 'n', never)
  expect(await isPending(second)).toBe(true)
  first.shrinkTo(4)
  await second
  first.shrinkTo(9)
  expect(budget.used).toBe(10)
  first[Symbol.dispose]()
  expect(budget.used).toBe(6)
})
