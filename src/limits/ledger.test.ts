import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LedgerWorld } from '#test/support/limits/ledger-world.ts'
import { View } from './fair-share.ts'

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 })

describe('fair shares', () => {
  test('add up to the limit, and differ by one at most', () => {
    fc.assert(
      fc.property(names, fc.string(), fc.integer({ min: 0, max: 1000 }), (members, key, limit) => {
        const shares = new View(1, members, '').shares(key, limit)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('never grow when a member comes, and never shrink when one goes', () => {
    fc.assert(
      fc.property(names, fc.string(), fc.integer({ min: 0, max: 100 }), (members, key, limit) => {
        const [newcomer = '', ...others] = members
        for (const self of others) {
          const before = new View(1, others, self).ownShare(key, limit)
          expect(new View(2, [...others, newcomer], self).ownShare(key, limit)).toBeLessThanOrEqual(before)
        }
      }),
    )
  })

  test('give the remainders of different keys to different members', () => {
    const view = new View(1, ['a', 'b', 'c'], 'a')
    const wins = [0, 0, 0]
    for (let key = 0; key < 3000; key += 1) wins[view.shares(`key ${key}`, 1).indexOf(1)]! += 1
    for (const won of wins) expect(won).toBeGreaterThan(850)
  })
})

describe('the ledger of several processes', () => {
  const limits = { one: 1, few: 5, many: 23 }

  test('never exceeds a limit, whatever is lost, late, frozen, killed, emptied or set back', async () => {
    const worlds = fc.record({
      seed: fc.integer({ min: 1, max: 2 ** 30 }),
      loss: fc.constantFrom(0, 0.01, 0.1),
      faults: fc.constantFrom(0.003, 0.02, 0.1),
    })
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 2, max: 4 }), async (world, size) => {
        await neverExceeded(new LedgerWorld({ ...world, limits }), size)
      }),
      { numRuns: 120 },
    )
  }, 60_000)

  test('lets one process have all of a limit again once the faults are over', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        const world = new LedgerWorld({ seed, limits, loss: 0.05, faults: 0.02 })
        for (let count = 0; count < 3; count += 1) world.spawn()
        for (let step = 0; step < 300; step += 1) await world.step()
        world.releaseAll()
        if (world.processes.length === 0) world.spawn()
        await world.calm(40)
        const [process] = world.processes
        for (const [key, limit] of Object.entries(limits)) {
          let taken = 0
          for (let attempt = 0; attempt < limit * 20 && taken < limit; attempt += 1) {
            if (world.take(process!, key)) taken += 1
            await world.calm(1)
          }
          expect([key, taken]).toEqual([key, limit])
          expect(world.violations()).toEqual([])
        }
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})

describe('a process with less than its share', () => {
  for (const limit of [1, 2, 3, 7, 20]) {
    test(`gets slots of a limit of ${limit} although another process would use all of it at once`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), fc.integer({ min: 2, max: 4 }), async (seed, size) => {
          const world = new LedgerWorld({ seed, limits: { key: limit }, loss: 0, faults: 0 })
          for (let count = 0; count < size; count += 1) world.spawn()
          await world.calm(10)
          const served = new Map(world.processes.map((process) => [process, 0]))
          const takeAll = (process: LedgerWorld['processes'][number]): void => {
            while (world.take(process, 'key')) served.set(process, (served.get(process) ?? 0) + 1)
            void process.exchange.flush()
          }
          const [greedy, ...others] = world.processes
          for (let taken = 0; taken < limit; await world.calm(1)) if (world.take(greedy!, 'key')) taken += 1
          world.onMore = (process, keys) => keys.length > 0 && takeAll(process)
          for (let turn = 0; turn < 200; turn += 1) {
            // What ends is taken again where it ended before any other can ask for it. Who asks first after that is chance.
            const mixed = Math.imul(seed ^ Math.imul(turn + 1, 0x9e3779b1), 0x85ebca6b)
            const from = (Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 16) % size
            for (const position of world.processes.keys()) {
              const process = world.processes[(from + position) % size]!
              if (turn % 3 === 0) world.releaseAllOf(process)
              takeAll(process)
              process.clock.advance(50)
            }
            await world.deliverAll()
            expect(world.violations()).toEqual([])
          }
          for (const process of others) expect(served.get(process)).toBeGreaterThan(0)
        }),
        { numRuns: 20 },
      )
    }, 60_000)
  }
})

async function neverExceeded(world: LedgerWorld, size: number): Promise<void> {
  for (let count = 0; count < size; count += 1) world.spawn()
  for (let step = 0; step < 1000; step += 1) {
    await world.step()
    expect(world.violations()).toEqual([])
  }
}
