/** How prices and budgets are written in the configuration file. Amounts are decimals of the currency. */
import { z } from '#lib/schema.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import { parseNano } from '#pricing/nano.ts'
import { priceKinds, type PriceKind, type Rates } from '#pricing/price.ts'

/** A decimal as text or number; the output is in 10^-9 of the currency. */
const amount = z
  .union([z.string(), z.number()], 'expected an amount such as 2.50')
  .transform((value, context): number => {
    const nano = parseNano(String(value))
    if (nano !== null) return nano
    context.addIssue('expected an amount such as 2.50, with at most nine decimals; put very small ones in quotes')
    return z.NEVER
  })

const rates = z
  .partialRecord(
    z.enum(priceKinds as readonly [PriceKind, ...PriceKind[]], `expected one of ${priceKinds.join(', ')}`),
    amount,
  )
  // In one order, so that equal prices look equal.
  .transform((given): Rates =>
    Object.fromEntries(priceKinds.flatMap((kind) => (given[kind] === undefined ? [] : [[kind, given[kind]]]))),
  )

const tier = z.strictObject({ above: z.int().min(0).max(1_000_000_000), rates })

const price = z.strictObject({
  rates,
  tiers: z
    .array(tier)
    .max(10)
    .refine((list) => isRising(list.map(({ above }) => above)), 'expected tiers in the order of their lengths')
    .default([]),
  valid_from: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], 'expected a time such as 2026-01-31T00:00:00Z')
    .transform((text) => Date.parse(text))
    .default(0),
  note: z.string().max(2000, 'expected at most 2000 characters').default(''),
})

/** The prices of a model; each is valid until the next one. */
export const pricesForm = z
  .array(price)
  .max(100, 'expected at most 100 prices')
  .refine((list) => new Set(list.map(({ valid_from: at }) => at)).size === list.length, 'expected each time once')

/** What a budget of the file can be on: keys cannot be declared. */
export const declaredScopes = ['user', 'group', 'model', 'provider'] as const
export const declaredPeriods = ['day', 'week', 'month', 'total'] as const

const percentages = z
  .array(z.int('expected a whole number').min(1, 'expected at least 1').max(1000, 'expected at most 1000'))
  .max(10, 'expected at most 10 percentages')
  .refine(isRising, 'expected percentages from the lowest to the highest')

/** One entry of `budgets`. */
export const budgetSchema = z.strictObject({
  scope: z
    .enum(declaredScopes, `expected one of ${declaredScopes.join(', ')}`)
    .describe('What it is on: `user`, `group`, `model` or `provider`.'),
  name: z.string().min(1).max(255).describe('Its name; the e-mail address of a user.'),
  amount: amount.describe('In the currency, for example `50` or `12.50`.'),
  period: z
    .enum(declaredPeriods, `expected one of ${declaredPeriods.join(', ')}`)
    .default('month')
    .describe('`day`, `week` (from Monday), `month`, or `total` for all time. One budget for each period.'),
  time_zone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'expected a time zone such as Europe/Berlin')
    .default('UTC')
    .describe('Where days begin.'),
  hard: z.boolean().default(true).describe('False only counts and notifies.'),
  thresholds: percentages.default([80, 100]).describe('Percentages of the amount at which people are told.'),
})

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((each, index) => index === 0 || each > (numbers[index - 1] ?? 0))
}
