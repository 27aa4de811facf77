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

export interface PriceDraft {
  /** Decimals by kind; empty for none. */
  readonly rates: Readonly<Partial<Record<PriceKind, string>>>
  /** As the control for local time has it; empty for now. */
  readonly from: string
  readonly note: string
  /** The other rates for long inputs stay as they are. */
  readonly keepTiers: boolean
}

/** Begins with the rates in effect. */
export function draftOf(price: Price | null): PriceDraft {
  const rates = Object.entries(price?.rates ?? {}).map(([kind, nano]) => [kind, amountText(nano)])
  return { rates: Object.fromEntries(rates) as PriceDraft['rates'], from: '', note: '', keepTiers: true }
}

/** Kinds whose text is not an amount. */
export function wrongKinds({ rates }: PriceDraft): ReadonlySet<PriceKind> {
  return new Set(priceKinds.filter((kind) => (rates[kind] ?? '').trim() !== '' && amountOf(rates[kind] ?? '') === null))
}

/** The request for fields without problems. */
export function newPriceOf({ rates, from, note, keepTiers }: PriceDraft, current: Price | null): NewPrice {
  const amounts = priceKinds.flatMap((kind) => {
    const nano = amountOf(rates[kind] ?? '')
    return nano === null ? [] : [[kind, nano] as const]
  })
  return {
    rates: Object.fromEntries(amounts),
    note: note.trim(),
    ...(keepTiers && current !== null && { tiers: current.tiers }),
    ...(from !== '' && { valid_from: new Date(from).toISOString() }),
  }
}
