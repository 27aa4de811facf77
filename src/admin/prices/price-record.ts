/** A price on the wire: amounts are whole numbers of 10^-9 of the currency. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import { nanoMax } from '#pricing/nano.ts'
import { priceKinds, type PriceKind, type PriceRecord, type PriceTier, type Rates } from '#pricing/price.ts'
import { instantOrNull, text, time } from '../fields.ts'

export const nano = z
  .int('expected a whole number of 10^-9 of the currency')
  .min(0, 'expected at least 0')
  .max(nanoMax, 'expected at most nine million units of the currency')

export const rates = z.partialRecord(z.enum(priceKinds as readonly [PriceKind, ...PriceKind[]]), nano).meta({
  id: 'Rates',
  description:
    'By kind, in 10^-9 of the currency: tokens per million, `request`, `image`, `second` of audio and `machine_hour` for one. A part of the tokens without a rate has that of the whole; what has none costs nothing.',
})

const tiersMax = 10

const tier = z.strictObject({ above: z.int().min(0).max(1_000_000_000).describe('Tokens of input'), rates })
const tiers = z
  .array(tier)
  .max(tiersMax)
  .superRefine((list, context) => {
    const index = list.findIndex(({ above }, at) => at > 0 && above <= (list[at - 1]?.above ?? 0))
    if (index !== -1)
      context.addIssue({ code: 'custom', path: [index, 'above'], message: 'expected more than in the tier before' })
  })
  .describe('Other rates for all tokens of a request whose input is longer')

export const newPrice = z
  .strictObject({
    rates,
    tiers: tiers.default([]),
    valid_from: time.optional().describe('Now when left out'),
    note: text.default(''),
  })
  .meta({ id: 'NewPrice' })

export const priceAnswer = z
  .strictObject({
    id: z.string(),
    model_id: z.string(),
    source: z.enum(['manual', 'declared', 'catalogue']),
    valid_from: instant,
    rates,
    tiers,
    note: z.string().describe('For prices from the catalogue: the entry'),
    created_at: instant,
    replaced_at: instant.nullable(),
  })
  .meta({ id: 'Price' })

export const modelPriceAnswer = z
  .strictObject({
    model_id: z.string(),
    model: z.string(),
    provider: z.string(),
    price: priceAnswer.nullable().describe('In effect now; null when none is known: the cost of its requests is null'),
  })
  .meta({ id: 'ModelPrice' })

export function priceOnWire(price: PriceRecord): z.input<typeof priceAnswer> {
  return {
    id: price.id,
    model_id: price.modelId,
    source: price.source,
    valid_from: instantOf(price.validFrom),
    rates: { ...price.rates },
    tiers: price.tiers.map((each) => ({ above: each.above, rates: { ...each.rates } })),
    note: price.note,
    created_at: instantOf(price.createdAt),
    replaced_at: instantOrNull(price.replacedAt),
  }
}

/** A price that an administrator sets at this moment. */
export function setPrice(modelId: string, body: z.output<typeof newPrice>, now: number): PriceRecord {
  return {
    id: crypto.randomUUID(),
    modelId,
    source: 'manual',
    upstream: null,
    validFrom: body.valid_from ?? now,
    rates: known(body.rates),
    tiers: body.tiers.map((each): PriceTier => ({ above: each.above, rates: known(each.rates) })),
    note: body.note,
    createdAt: now,
    replacedAt: null,
  }
}

/** In one order, so that equal prices look equal. */
function known(given: z.output<typeof rates>): Rates {
  return Object.fromEntries(priceKinds.flatMap((kind) => (given[kind] === undefined ? [] : [[kind, given[kind]]])))
}
