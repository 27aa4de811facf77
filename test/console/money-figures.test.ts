/** What the console makes of amounts, months, budgets and prices that are typed. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nanoMax } from '#pricing/nano.ts'
import { priceKinds } from '#pricing/price.ts'
import { amountOf, amountText, compactMoneyText, exactMoneyText, moneyText } from '../../ui/src/components/money.ts'
import { changeOf, draftOf, newBudgetOf, newDraft, problemsOf } from '../../ui/src/routes/budgets/budget-draft.ts'
import { spentShareText, targetText } from '../../ui/src/routes/budgets/budget-text.ts'
import { changeText, monthsOf, rangeBefore } from '../../ui/src/routes/cost/months.ts'
import {
  draftOf as priceDraftOf,
  newPriceOf,
  problemsOf as priceProblemsOf,
  withTier,
} from '../../ui/src/routes/model/price-draft.ts'
import { monthStart, rangeOf } from '../../ui/src/routes/time-range.ts'

const day = 86_400_000
const unit = 1_000_000_000

describe('an amount of money', () => {
  test('shows at least three digits that count, and never one that is not there', () => {
    const shown = [0, 1, 2_130_000, 213_456_789, 500_000_000, 12.5 * unit, 1_234_567 * unit]
    expect(shown.map((nano) => moneyText(nano, 'USD'))).toEqual([
      '$0.00',
      '$0.000000001',
      '$0.00213',
      '$0.213',
      '$0.50',
      '$12.50',
      '$1,234,567.00',
    ])
    expect(compactMoneyText(1_234_567 * unit, 'EUR')).toBe('€1.2M')
    expect(exactMoneyText(12_345_678, 'EUR')).toBe('€0.012345678')
  })

  test('that is written into a field or a file is read again as the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: nanoMax }), (nano) => {
        expect(amountOf(amountText(nano))).toBe(nano)
      }),
    )
  })
})

describe('months', () => {
  const anyMoment = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) })

  test('a month begins at its first day, whatever the moment', () => {
    fc.assert(
      fc.property(anyMoment, fc.nat(30), (now, before) => {
        const start = new Date(monthStart(now, before))
        expect(start.toISOString()).toEndWith('-01T00:00:00.000Z')
        const months = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth()
        expect(months(new Date(now)) - months(start)).toBe(before)
      }),
    )
  })

  test('the range before a range ends where that begins; that of a month is the whole month before', () => {
    fc.assert(
      fc.property(
        anyMoment,
        fc.constantFrom('hour', 'day', 'week', 'month', 'this_month', 'last_month'),
        (now, span) => {
          const range = rangeOf({ span }, now)
          const before = rangeBefore({ span }, range)
          expect(before.to).toBe(range.from)
          if (span.endsWith('_month')) expect(before.from).toBe(monthStart(before.to - 1))
          else expect(before.to - before.from).toBe(range.to - range.from)
        },
      ),
    )
  })

  test('the days of both months are summed up, and none is lost or counted twice', () => {
    fc.assert(
      fc.property(anyMoment, fc.array(fc.nat(70)), (now, daysAgo) => {
        const points = [...new Set(daysAgo)].map((ago) => ({ at: now - (now % day) - ago * day, cost: ago + 1 }))
        const sum = (from: number, to: number): number =>
          points.reduce((all, { at, cost }) => all + (at >= from && at < to ? cost : 0), 0)
        const [first, last] = [monthStart(now), monthStart(now, 1)]
        const months = monthsOf(
          points.map(({ at, cost }) => ({ at: new Date(at).toISOString(), cost })),
          now,
        )
        expect(months.thisMonth).toBe(sum(first, now + 1))
        expect(months.lastMonth).toBe(sum(last, first))
        expect(months.lastMonthByNow).toBe(sum(last, Math.min(first, last + (now - (now % day) - first) + day)))
        expect(months.days.findLast(({ thisMonth }) => thisMonth !== null)?.thisMonth).toBe(months.thisMonth)
        expect(months.days.findLast(({ lastMonth }) => lastMonth !== null)?.lastMonth).toBe(months.lastMonth)
        expect(months.days.length).toBeWithin(28, 32)
      }),
    )
  })

  test('a change is said in words, and nothing is compared with nothing', () => {
    expect(
      [
        [112, 100],
        [97, 100],
        [100.2, 100],
        [0, 100],
        [5, 0],
      ].map(([now = 0, before = 0]) => changeText(now, before)),
    ).toEqual(['12% more', '3% less', 'about the same', '100% less', null])
  })
})

describe('a budget', () => {
  const target = { scope: 'user' as const, id: 'u1', name: 'ada@example.org' }

  test('that is typed becomes a request, percentages in their order and once', () => {
    const draft = { ...newDraft, amount: ' 12.5', thresholds: '100%, 50;50 80' }
    expect(problemsOf(draft)).toEqual({})
    expect(newBudgetOf({ ...draft, timeZone: ' ' }, target)).toEqual({
      scope: 'user',
      scope_id: 'u1',
      amount: 12.5 * unit,
      period: 'month',
      time_zone: 'UTC',
      hard: true,
      thresholds: [50, 80, 100],
    })
    expect(changeOf({ ...draft, thresholds: '' }).thresholds).toEqual([])
  })

  test('says which field is wrong', () => {
    for (const amount of ['', '-1', 'ten', '1.0000000001', '1e9'])
      expect(Object.keys(problemsOf({ ...newDraft, amount }))).toEqual(['amount'])
    for (const thresholds of ['0', '1001', 'half', '50,-1', '1.5'])
      expect(Object.keys(problemsOf({ ...newDraft, amount: '1', thresholds }))).toEqual(['thresholds'])
  })

  test('that is edited without a change is the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: nanoMax }),
        fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 10 }),
        (amount, percents) => {
          const thresholds = percents.toSorted((one, other) => one - other)
          const draft = draftOf({ ...budget, amount, thresholds })
          expect(problemsOf(draft)).toEqual({})
          expect(changeOf(draft)).toEqual({ amount, hard: false, thresholds })
        },
      ),
    )
  })

  test('never looks more spent than it is', () => {
    expect([799, 800, 999, 1000, 1500].map((spent) => spentShareText({ spent, amount: 1000 }))).toEqual([
      '79%',
      '80%',
      '99%',
      '100%',
      '150%',
    ])
    expect(targetText({ scope: 'key', name: 'batch' })).toBe('API key batch')
    expect(targetText({ scope: 'user', name: null })).toBe('Deleted user')
  })
})

const budget = {
  id: 'b1',
  etag: '"1"',
  scope: 'user' as const,
  scope_id: 'u1',
  name: 'ada@example.org',
  period: 'month' as const,
  time_zone: 'UTC',
  amount: 5,
  hard: false,
  thresholds: [80],
  declared: false,
  created_at: '2026-01-01T00:00:00Z',
  starts_at: '2026-01-01T00:00:00Z',
  renews_at: null,
  spent: 0,
  held: 0,
  unreconciled: 0,
  left: 5,
  reached: null,
}

describe('a price', () => {
  const price = {
    id: 'p1',
    model_id: 'm1',
    source: 'manual' as const,
    valid_from: '2026-01-01T00:00:00Z',
    rates: {},
    tiers: [{ above: 200_000, rates: { input: 6 } }],
    note: 'the invoice',
    created_at: '2026-01-01T00:00:00Z',
    replaced_at: null,
  }

  const rates = fc.dictionary(fc.constantFrom(...priceKinds), fc.integer({ min: 0, max: nanoMax }), {
    noNullPrototype: true,
  })
  const tiers = fc.array(fc.record({ above: fc.integer({ min: 0, max: 1_000_000_000 }), rates }), { maxLength: 10 })

  test('begins with the rates and tiers in effect, and keeps them when nothing is typed', () => {
    fc.assert(
      fc.property(rates, tiers, (given, givenTiers) => {
        const draft = priceDraftOf({ ...price, rates: given, tiers: givenTiers })
        expect(priceProblemsOf(draft).size).toBe(0)
        const made = newPriceOf(draft)
        expect([made.rates, made.tiers]).toEqual([given, givenTiers])
        expect(made.valid_from).toBeUndefined()
      }),
    )
  })

  test('has a row for each tier, distinct whatever is added and removed', () => {
    fc.assert(
      fc.property(tiers, fc.array(fc.nat(9)), (givenTiers, removals) => {
        let rows = priceDraftOf({ ...price, tiers: givenTiers }).tiers
        for (const removed of removals) rows = withTier(rows.filter((_row, index) => index !== removed))
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
      }),
    )
  })

  test('says which rates are no amounts; empty ones are none', () => {
    const draft = { ...priceDraftOf(null), rates: { input: '2,5', output: ' ', request: '0.01' } }
    const tier = { key: 0, above: ' ', rates: { output: 'much' } }
    expect([...priceProblemsOf({ ...draft, tiers: [tier] }).keys()]).toEqual([
      'rates.input',
      'tiers.0.above',
      'tiers.0.rates.output',
    ])
    const right = { ...tier, above: '1000', rates: { output: '3' } }
    expect(newPriceOf({ ...draft, rates: { ...draft.rates, input: '2.5' }, tiers: [right] })).toEqual({
      rates: { input: 2.5 * unit, request: 10_000_000 },
      tiers: [{ above: 1000, rates: { output: 3 * unit } }],
      note: '',
    })
  })
})
