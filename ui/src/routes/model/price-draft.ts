/** The fields of a price as they are typed, and the request that they make. */
import { priceKinds, tokenKinds, wholeKinds, type PriceKind } from '#pricing/price.ts'
import type { NewPrice, Price } from '../../api/schema.d.ts'
import { amountOf, amountText } from '../../components/money.ts'

export const kindNames: Readonly<Record<PriceKind, string>> = {
  input: 'Input',
  cached_input: 'Cached input',
  cache_write: 'Cache write',
  audio_input: 'Audio input',
  image_input: 'Image input',
  output: 'Output',
  reasoning: 'Reasoning',
  audio_output: 'Audio output',
  image_output: 'Image output',
  request: 'Request',
  image: 'Image',
  second: 'Second of audio',
  machine_hour: 'Hour of a machine',
}

/** The kinds with what their rates are for. */
export const kindGroups = [
  ['A million tokens', tokenKinds],
  ['One', wholeKinds],
] as const

/** Decimals by kind; empty for none. */
export type RatesDraft = Readonly<Partial<Record<PriceKind, string>>>

export interface TierDraft {
  /** Distinguishes the rows while the lengths change. */
  readonly key: number
  readonly above: string
  readonly rates: RatesDraft
}

export interface PriceDraft {
  readonly rates: RatesDraft
  /** Other rates for long inputs. */
  readonly tiers: readonly TierDraft[]
  /** As the control for local time has it; empty for now. */
  readonly from: string
  readonly note: string
}

/** As many as the API takes. */
export const tiersMax = 10

/** Begins with the rates in effect. */
export function draftOf(price: Price | null): PriceDraft {
  const tiers = price?.tiers ?? []
  return {
    rates: textsOf(price?.rates ?? {}),
    tiers: tiers.map(({ above, rates }, key) => ({ key, above: String(above), rates: textsOf(rates) })),
    from: '',
    note: '',
  }
}

/** The tiers with an empty one at the end. */
export function withTier(tiers: readonly TierDraft[]): readonly TierDraft[] {
  return [...tiers, { key: Math.max(-1, ...tiers.map(({ key }) => key)) + 1, above: '', rates: {} }]
}

/** The fields that do not say what they should, by the parameters that they fill, with what to enter. */
export function problemsOf({ rates, tiers }: PriceDraft): ReadonlyMap<string, string> {
  return new Map([
    ...wrongRates('rates', rates),
    ...tiers.flatMap(({ above, rates: own }, index): (readonly [string, string])[] => [
      ...(above.trim() === '' ? [[`tiers.${index}.above`, 'Enter a number of tokens.'] as const] : []),
      ...wrongRates(`tiers.${index}.rates`, own),
    ]),
  ])
}

/** The request for fields without problems. */
export function newPriceOf({ rates, tiers, from, note }: PriceDraft): NewPrice {
  return {
    rates: amountsOf(rates),
    tiers: tiers.map(({ above, rates: own }) => ({ above: Number(above), rates: amountsOf(own) })),
    note: note.trim(),
    ...(from !== '' && { valid_from: new Date(from).toISOString() }),
  }
}

function textsOf(rates: Price['rates']): RatesDraft {
  return Object.fromEntries(Object.entries(rates).map(([kind, nano]) => [kind, amountText(nano)])) as RatesDraft
}

function wrongRates(param: string, rates: RatesDraft): (readonly [string, string])[] {
  return priceKinds
    .filter((kind) => (rates[kind] ?? '').trim() !== '' && amountOf(rates[kind] ?? '') === null)
    .map((kind) => [`${param}.${kind}`, 'Enter an amount such as 2.50.'])
}

function amountsOf(rates: RatesDraft): NewPrice['rates'] {
  const amounts = priceKinds.flatMap((kind) => {
    const nano = amountOf(rates[kind] ?? '')
    return nano === null ? [] : [[kind, nano] as const]
  })
  return Object.fromEntries(amounts)
}
