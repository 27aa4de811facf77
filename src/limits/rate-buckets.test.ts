import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readRateRule, type RateRule } from '#config/settings/rate-rule.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { RateBuckets, wholeParts, type RateCost } from './rate-buckets.ts'

function ruleOf(text: string): RateRule {
  const rule = readRateRule(text)
  if (rule === null) throw new Error(`${text} is not a rule`)
  return rule
}

function costOf(text: string, amount: number): RateCost {
  return { rule: ruleOf(text), key: text, amount }
}

describe('rules', () => {
  test('are read with all their parts', () => {
    expect(readRateRule('user:*  model:gpt-4o tokens 100000/minute burst 20000')).toEqual({
      text: 'user:* model:gpt-4o tokens 100000/minute burst 20000',
      subjects: new Map([
        ['user', '*'],
        ['model', 'gpt-4o'],
      ]),
      unit: 'tokens',
      amount: 100_000,
      windowMs: 60_000,
      burst: 20_000,
    })
    expect(readRateRule('group:"night shift" requests 5/10s')).toMatchObject({ amount: 5, windowMs: 10_000, burst: 5 })
  })

  test('of other forms are refused', () => {
    for (const text of [
      '',
      'requests 5/minute',
      'user:* requests 0/minute',
      'user:* user:a requests 5/minute',
      'user:* coins 5/minute',
      'user:* requests 5/week',
      'user:* requests 5/0s',
    ])
      expect([text, readRateRule(text)]).toEqual([text, null])
  })
})

describe('buckets', () => {
  test('hold a burst, refill with time, and say when there is enough again', () => {
    const clock = new ManualClock()
    const buckets = new RateBuckets(clock, wholeParts)
    const cost = costOf('user:a requests 60/minute burst 3', 1)
    expect([1, 2, 3].map(() => buckets.take([cost]))).toEqual([null, null, null])
    expect(buckets.take([cost])).toMatchObject({ remaining: 0, retryMs: 1000, resetMs: 3000 })
    clock.advance(1000)
    expect([buckets.take([cost]), buckets.take([cost])?.retryMs]).toEqual([null, 1000])
  })

  test('are taken from together or not at all', () => {
    const buckets = new RateBuckets(new ManualClock(), wholeParts)
    const [many, few] = [costOf('user:a requests 10/minute', 1), costOf('model:m requests 1/minute', 1)]
    expect(buckets.take([many, few])).toBeNull()
    expect(buckets.take([many, few])?.rule).toBe(few.rule)
    expect(buckets.stateOf(many).remaining).toBe(9)
  })

  test('get back what was reserved too much, and owe what was reserved too little', () => {
    const buckets = new RateBuckets(new ManualClock(), wholeParts)
    const cost = costOf('user:a tokens 1000/minute', 600)
    buckets.take([cost])
    buckets.settle(cost, 100)
    expect(buckets.stateOf(cost).remaining).toBe(900)
    buckets.take([cost])
    buckets.settle(cost, 1200)
    expect(buckets.stateOf(cost)).toMatchObject({ remaining: 0, resetMs: 78_000 })
  })

  test('of several processes let through no more than the burst and the refill, whatever parts move between them', () => {
    const step = fc.record({
      by: fc.nat(2),
      kind: fc.constantFrom('take', 'take', 'take', 'end', 'wait', 'move'),
      amount: fc.integer({ min: 1, max: 400 }),
      to: fc.nat(2),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const clock = new ManualClock()
        const parts = [400, 300, 300]
        const leasts = [...parts]
        const all = parts.map(
          (_part, index) =>
            new RateBuckets(clock, {
              ...wholeParts,
              partOf: () => (parts[index] ?? 0) / 1000,
              leastPartOf() {
                const least = leasts[index] ?? 0
                leasts[index] = parts[index] ?? 0
                return least / 1000
              },
            }),
        )
        const rule = ruleOf('user:a tokens 1000/minute burst 200')
        const began = clock.elapsed()
        const open: { readonly by: number; readonly cost: RateCost }[] = []
        let through = 0
        // What answers were longer than was reserved for them: later requests pay for it.
        let owed = 0
        for (const { by, kind, amount, to } of steps) {
          const cost = { rule, key: 'k', amount: amount / 8 }
          if (kind === 'take' && all[by]!.take([cost]) === null) {
            through += cost.amount
            open.push({ by, cost })
          }
          const ended = kind === 'end' ? open.shift() : undefined
          if (ended !== undefined) {
            const used = (ended.cost.amount * amount) / 300
            all[ended.by]!.settle(ended.cost, used)
            through += used - ended.cost.amount
            owed += Math.max(0, used - ended.cost.amount)
          }
          if (kind === 'wait') clock.advance(amount * 10)
          if (kind === 'move') {
            // The lender goes first, and both notice at any later time.
            const moved = Math.min(parts[by]!, amount)
            parts[by]! -= moved
            leasts[by] = Math.min(leasts[by]!, parts[by]!)
            parts[to]! += moved
            if (amount % 2 === 0) all[by]!.tick()
          }
          const bound = rule.burst + ((clock.elapsed() - began) * rule.amount) / rule.windowMs
          expect(through).toBeLessThanOrEqual(bound + owed + 1e-6)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('that cannot hold what a request needs ask the others for a part of that size', () => {
    const asked: number[] = []
    const parts = {
      ...wholeParts,
      partOf: () => 0.25,
      leastPartOf: () => 0.25,
      want: (_key: string, part: number) => void asked.push(part),
    }
    const buckets = new RateBuckets(new ManualClock(), parts)
    expect(buckets.take([costOf('user:a tokens 1000/minute', 500)])?.retryMs).toBe(1000)
    expect(asked).toEqual([0.5])
    expect(buckets.take([costOf('user:a tokens 1000/minute', 250)])).toBeNull()
  })

  test('whose part owes tokens are in use until that is paid, so that no other process fills up with it', () => {
    const clock = new ManualClock()
    const used: number[] = []
    const buckets = new RateBuckets(clock, { ...wholeParts, use: (_key, part) => void used.push(part) })
    const cost = costOf('user:a tokens 60/minute', 30)
    buckets.take([cost])
    buckets.settle(cost, 90)
    buckets.tick()
    used.length = 0
    for (let second = 0; second < 40; second += 1) {
      clock.advance(1000)
      buckets.tick()
    }
    // 30 tokens are owed, and the refill is one a second.
    expect(used).toEqual([...Array.from({ length: 29 }, () => 1), ...Array.from({ length: 11 }, () => 0)])
  })

  test('are forgotten when they are full', () => {
    const clock = new ManualClock()
    const buckets = new RateBuckets(clock, wholeParts)
    const cost = costOf('user:a requests 60/minute', 1)
    buckets.take([cost])
    clock.advance(60_000)
    buckets.tick()
    buckets.tick()
    expect(buckets.size).toBe(0)
  })
})
