import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { priceAt, priceLists, ratesFor, type PriceRecord } from './price.ts'

function aPrice(fields: Partial<PriceRecord>): PriceRecord {
  const base = {
    id: crypto.randomUUID(),
    modelId: 'm',
    source: 'manual',
    upstream: null,
    rates: {},
    tiers: [],
    note: '',
  } as const
  return { ...base, validFrom: 0, createdAt: 0, replacedAt: null, ...fields }
}

const price = fc
  .record({
    modelId: fc.constantFrom('a', 'b'),
    source: fc.constantFrom('manual', 'declared', 'catalogue'),
    validFrom: fc.integer({ min: 0, max: 20 }),
    createdAt: fc.integer({ min: 0, max: 20 }),
    replacedAt: fc.constantFrom(null, null, 5),
  })
  .map(aPrice)

test('the price in effect is the latest of what people set, else the latest of the catalogue', () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 12 }), fc.integer({ min: 0, max: 25 }), (prices, at) => {
      for (const modelId of ['a', 'b']) {
        const found = priceAt(priceLists(prices).get(modelId) ?? [], at)
        const valid = prices.filter(
          (each) => each.modelId === modelId && each.replacedAt === null && each.validFrom <= at,
        )
        const set = valid.filter(({ source }) => source !== 'catalogue')
        const among = set.length > 0 ? set : valid
        const latest = Math.max(...among.map(({ validFrom }) => validFrom))
        if (found === null) expect(valid).toEqual([])
        else {
          expect(among).toContain(found)
          expect(found.validFrom).toBe(latest)
        }
      }
    }),
  )
})

test('a tier applies to longer inputs than its bound, and only to the kinds that it names', () => {
  const rating = {
    rates: { input: 1, output: 2 },
    tiers: [
      { above: 10, rates: { input: 3 } },
      { above: 20, rates: { input: 4, output: 5 } },
    ],
  }
  expect([10, 11, 20, 21].map((tokens) => ratesFor(rating, tokens))).toEqual([
    { input: 1, output: 2 },
    { input: 3, output: 2 },
    { input: 3, output: 2 },
    { input: 4, output: 5 },
  ])
})
