import { expect, test } from 'bun:test'
import { Loop } from './loop.ts'

function ignore(): void {}

test('work runs again and again, and a failure is reported and does not end the loop', async () => {
  const { promise: fourth, resolve } = Promise.withResolvers<void>()
  const errors: unknown[] = []
  let runs = 0
  await using _ = new Loop({
    intervalMs: 0,
    work: async () => {
      runs += 1
      if (runs === 4) resolve()
      if (runs % 2 === 1) throw new Error(`run ${runs}`)
    },
    onError: (error) => errors.push(error),
  })
  await fourth
  expect(errors.map(String)).toEqual(['Error: run 1', 'Error: run 3'])
})

test('work never overlaps itself', async () => {
  let running = 0
  let most = 0
  let runs = 0
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  await using _ = new Loop({
    intervalMs: 0,
    work: async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((done) => setImmediate(done))
      running -= 1
      runs += 1
      if (runs === 5) resolve()
    },
    onError: ignore,
  })
  await enough
  expect(most).toBe(1)
})

test('a stop waits for the work under way, and no work begins after it', async () => {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let finished = 0
  const loop = new Loop({
    intervalMs: 0,
    work: async () => {
      started.resolve()
      await gate.promise
      finished += 1
    },
    onError: ignore,
  })
  await started.promise
  const stopped = loop[Symbol.asyncDispose]()
  expect(Bun.peek.status(stopped)).toBe('pending')
  gate.resolve()
  await stopped
  expect(finished).toBe(1)
})

test('a stop does not wait for the interval to pass, and stopping twice does no harm', async () => {
  let runs = 0
  const loop = new Loop({ intervalMs: 2_000_000_000, work: async () => void (runs += 1), onError: ignore })
  await loop[Symbol.asyncDispose]()
  await loop[Symbol.asyncDispose]()
  expect(runs).toBe(0)
})
