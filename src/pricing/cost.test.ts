import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { costBound, costOf, exactCost, nothingUsed, type Consumption, type ConsumptionBound } from './cost.ts'
import { nanoMax } from './nano.ts'
import { priceKinds, tokenKinds, wholeKinds, type Rates, type Rating } from './price.ts'

/** A fraction, the slow and obvious way. */
type Fraction = readonly [numerator: bigint, denominator: bigint]

const sum = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const halfUp = ([a, b]: Fraction): bigint => (a * 2n + b) / (b * 2n)

const parentOf: Record<string, string> = {
  cached_input: 'input',
  cache_write: 'input',
  audio_input: 'input',
  image_input: 'input',
  reasoning: 'output',
  audio_output: 'output',
  image_output: 'output',
}

/** The cost as the documentation says it: each token once, at the rate of its kind. */
function reference({ rates, tiers }: Rating, used: Consumption): bigint {
  const tier = [...tiers].reverse().find(({ above }) => (used.inputTokens ?? 0) > above)
  const all: Record<string, number> = { ...rates, ...tier?.rates }
  const rateOf = (kind: string): bigint => BigInt(all[kind] ?? all[parentOf[kind] ?? ''] ?? 0)
  const counts: [string, number][] = []
  for (const [whole, parts] of [
    [
      'input',
      {
        cached_input: used.cachedTokens,
        cache_write: used.cacheWriteTokens,
        audio_input: used.audioInputTokens,
        image_input: used.imageInputTokens,
      },
    ],
    [
      'output',
      { reasoning: used.reasoningTokens, audio_output: used.audioOutputTokens, image_output: used.imageOutputTokens },
    ],
  ] as const) {
    let left = (whole === 'input' ? used.inputTokens : used.outputTokens) ?? 0
    for (const [kind, count] of Object.entries(parts)) {
      counts.push([kind, Math.min(left, count)])
      left = Math.max(0, left - count)
    }
    counts.push([whole, left])
  }
  let total: Fraction = [0n, 1n]
  for (const [kind, count] of counts) total = sum(total, [BigInt(count) * rateOf(kind), 1_000_000n])
  total = sum(total, [rateOf('request') + rateOf('image') * BigInt(used.images), 1n])
  total = sum(total, [rateOf('second') * BigInt(used.audioMs), 1000n])
  const [whole, below] = sum(total, [rateOf('machine_hour') * BigInt(used.durationMs), 3_600_000n])
  return halfUp([whole, used.isBatch === true ? 2n * below : below])
}

const amount = fc.integer({ min: 0, max: 1_000_000_000_000 })
const rates = (kinds: readonly string[]): fc.Arbitrary<Rates> =>
  fc.record(Object.fromEntries(kinds.map((kind) => [kind, amount])), { requiredKeys: [] }) as fc.Arbitrary<Rates>
const tiers = fc
  .uniqueArray(fc.record({ above: fc.integer({ min: 0, max: 1_000_000 }), rates: rates(tokenKinds) }), {
    selector: ({ above }) => above,
    maxLength: 3,
  })
  .map((list) => list.toSorted((one, other) => one.above - other.above))
const rating: fc.Arbitrary<Rating> = fc.record({ rates: rates(priceKinds), tiers })
const tokens = fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 10 ** 15 }))
const consumption: fc.Arbitrary<Consumption> = fc.record({
  inputTokens: tokens,
  cachedTokens: tokens,
  cacheWriteTokens: tokens,
  audioInputTokens: tokens,
  imageInputTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
  audioOutputTokens: tokens,
  imageOutputTokens: tokens,
  images: fc.integer({ min: 0, max: 100 }),
  audioMs: tokens,
  durationMs: fc.integer({ min: 0, max: 100_000_000 }),
  isBatch: fc.boolean(),
})

describe('a cost', () => {
  test('is the exact sum, rounded once, half up', () => {
    fc.assert(
      fc.property(rating, consumption, (price, used) => {
        expect(exactCost(price, used)).toBe(reference(price, used))
      }),
      { numRuns: 2000 },
    )
  })

  test('of a quadrillion tokens does not overflow, and is stored as the largest amount', () => {
    const used = { ...nothingUsed, inputTokens: 10 ** 15, outputTokens: 10 ** 15 }
    const price: Rating = { rates: { input: 150_000_000_000, output: 600_000_000_000 }, tiers: [] }
    expect(exactCost(price, used)).toBe(750_000_000_000n * 10n ** 9n)
    expect(costOf(price, used)).toBe(nanoMax)
  })

  test('rounds a half up and less than a half down', () => {
    const cost = (inputTokens: number) => costOf({ rates: { input: 1 }, tiers: [] }, { ...nothingUsed, inputTokens })
    expect([0, 499_999, 500_000, 1_499_999, 1_500_000].map(cost)).toEqual([0, 0, 1, 1, 2])
  })

  test('never grows when tokens are reported as cheaper parts', () => {
    fc.assert(
      fc.property(tokens, tokens, amount, amount, (whole, part, dear, cheap) => {
        const price: Rating = {
          rates: { input: Math.max(dear, cheap), cached_input: Math.min(dear, cheap) },
          tiers: [],
        }
        const plain = exactCost(price, { ...nothingUsed, inputTokens: whole }) ?? 0n
        const cached = exactCost(price, { ...nothingUsed, inputTokens: whole, cachedTokens: part }) ?? 0n
        expect(cached <= plain).toBe(true)
      }),
    )
  })

  test('that depends on tokens is unknown when nobody reported them, and known when tokens cost nothing', () => {
    expect(exactCost({ rates: { output: 1 }, tiers: [] }, nothingUsed)).toBeNull()
    expect(exactCost({ rates: {}, tiers: [{ above: 5, rates: { input: 1 } }] }, nothingUsed)).toBeNull()
    expect(exactCost({ rates: { request: 7, input: 0 }, tiers: [] }, nothingUsed)).toBe(7n)
  })
})

describe('a bound', () => {
  const bound: fc.Arbitrary<ConsumptionBound> = fc.record({
    inputTokens: fc.integer({ min: 0, max: 2_000_000 }),
    outputTokens: fc.integer({ min: 0, max: 2_000_000 }),
    images: fc.integer({ min: 0, max: 10 }),
    audioMs: fc.integer({ min: 0, max: 1_000_000 }),
    durationMs: fc.integer({ min: 0, max: 1_000_000 }),
  })
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  test('is never below the cost of what stays within it', () => {
    fc.assert(
      fc.property(rating, bound, fc.array(share, { minLength: 12, maxLength: 12 }), (price, most, shares) => {
        const part = (of: number | null, index: number): number => Math.floor((of ?? 0) * (shares[index] ?? 0))
        const used: Consumption = {
          inputTokens: part(most.inputTokens, 0),
          cachedTokens: part(most.inputTokens, 1),
          cacheWriteTokens: part(most.inputTokens, 2),
          audioInputTokens: part(most.inputTokens, 3),
          imageInputTokens: part(most.inputTokens, 4),
          outputTokens: part(most.outputTokens, 5),
          reasoningTokens: part(most.outputTokens, 6),
          audioOutputTokens: part(most.outputTokens, 7),
          imageOutputTokens: part(most.outputTokens, 8),
          images: part(most.images, 9),
          audioMs: part(most.audioMs, 10),
          durationMs: part(most.durationMs, 11),
        }
        const limit = costBound(price, most)
        expect(limit).not.toBeNull()
        expect(Math.min(nanoMax, Number(exactCost(price, used)))).toBeLessThanOrEqual(limit ?? -1)
      }),
      { numRuns: 2000 },
    )
  })

  test('is unknown exactly when a priced quantity has none', () => {
    const none: ConsumptionBound = { inputTokens: null, outputTokens: null, images: 1, audioMs: null, durationMs: 0 }
    const limit = (given: Rates) => costBound({ rates: given, tiers: [] }, none)
    expect(tokenKinds.map((kind) => limit({ [kind]: 1 }))).toEqual(tokenKinds.map(() => null))
    expect(wholeKinds.map((kind) => limit({ [kind]: 5 }))).toEqual([5, 5, null, 0])
    expect(limit({ input: 0 })).toBe(0)
  })
})
