import { expect, test } from 'bun:test'
import type { KeyTouch } from '#store/identity/keys.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { LastUsed } from './last-used.ts'

function collected() {
  const writes: (readonly KeyTouch[])[] = []
  const failures: Error[] = []
  const lastUsed = new LastUsed(async (touches) => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    writes.push(touches)
  })
  return { lastUsed, writes, failures }
}

test('each key is written once in a flush, with its latest time, however often it was used', async () => {
  const { lastUsed, writes } = collected()
  for (let at = 1; at <= 1000; at += 1) lastUsed.touch(at % 2 === 0 ? 'even' : 'odd', at)
  expect(writes).toEqual([])
  await lastUsed.flush()
  expect(writes).toEqual([
    [
      { keyId: 'odd', lastUsedAt: 999 },
      { keyId: 'even', lastUsedAt: 1000 },
    ],
  ])
})

test('a flush without use since the last one writes nothing', async () => {
  const { lastUsed, writes } = collected()
  await lastUsed.flush()
  lastUsed.touch('k', 1)
  await lastUsed.flush()
  await lastUsed.flush()
  expect(writes).toHaveLength(1)
})

test('what the store refuses is written by the next flush, unless a later time has come', async () => {
  const { lastUsed, writes, failures } = collected()
  failures.push(new Error('locked'))
  lastUsed.touch('a', 1)
  lastUsed.touch('b', 1)
  const flushing = lastUsed.flush()
  lastUsed.touch('b', 2)
  expect(await rejection(flushing)).toEqual(new Error('locked'))
  await lastUsed.flush()
  expect(new Map(writes.flat().map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]))).toEqual(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  )
})
