/**
 * Finds a model in the data of `@pydantic/genai-prices` and translates its prices. Loading the package takes some
 * hundred milliseconds, so this runs on a thread (catalogue-worker.ts).
 */
import { calcPrice, type ModelPrice, type PriceCalculation } from '@pydantic/genai-prices'
import { nanoPerUnit } from '../nano.ts'
import type { PriceKind, PriceTier, Rates } from '../price.ts'
import type { CatalogueEntry, CataloguePrice, CatalogueQuestion } from './catalogue-job.ts'

/** The package's keys, our kinds, and how many of its units are one of ours. Other keys are not priced here. */
const kindOf: Readonly<Record<string, readonly [kind: PriceKind, per: number]>> = {
  input_mtok: ['input', 1],
  cache_read_mtok: ['cached_input', 1],
  cache_write_mtok: ['cache_write', 1],
  input_audio_mtok: ['audio_input', 1],
  input_image_mtok: ['image_input', 1],
  output_mtok: ['output', 1],
  output_reasoning_mtok: ['reasoning', 1],
  output_audio_mtok: ['audio_output', 1],
  output_image_mtok: ['image_output', 1],
  requests_kcount: ['request', 1000],
  audio_hours: ['second', 3600],
}

/** Kinds of provider whose vendor is not in their address. */
const vendorOfKind: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  bedrock: 'aws',
  cohere: 'cohere',
  google: 'google',
  mistral: 'mistral',
}

type PackageModel = PriceCalculation['model']

/** The entry of a model; null when the catalogue does not have its vendor, the model, or any price that applies here. */
export function readEntry({ kind, baseUrl, upstreamName }: CatalogueQuestion): CatalogueEntry | null {
  const vendor = vendorOfKind[kind]
  // Without either, the package would guess the vendor by the model's name, and a model at home has a vendor's name.
  if (baseUrl === '' && vendor === undefined) return null
  const where = baseUrl === '' ? { providerId: vendor ?? '' } : { providerApiUrl: baseUrl }
  const found = calcPrice({}, upstreamName, where)
  if (found === null || !isOfAddress(found, baseUrl)) return null
  const prices = pricesOf(found.model)
  if (prices.every(({ rates }) => Object.keys(rates).length === 0)) return null
  return { name: `${found.provider.id}/${found.model.id}`, prices, contextLength: found.model.context_window ?? null }
}

/** The package falls back to the model's name when no vendor has the address. */
function isOfAddress({ provider }: PriceCalculation, baseUrl: string): boolean {
  return baseUrl === '' || new RegExp(`^(?:${provider.api_pattern})`).test(baseUrl)
}

function pricesOf({ prices }: PackageModel): readonly CataloguePrice[] {
  if (!Array.isArray(prices)) return [{ validFrom: 0, ...ratingOf(prices) }]
  const dated = prices.flatMap(({ constraint, prices: price }) =>
    constraint?.type === 'start_date' ? [{ validFrom: Date.parse(constraint.start_date), ...ratingOf(price) }] : [],
  )
  // Where the price depends on the time of day, the dearest: a budget must not be exceeded at noon.
  const [first] = prices
    .filter(({ constraint }) => constraint?.type !== 'start_date')
    .map(({ prices: price }) => ratingOf(price))
    .toSorted((one, other) => dearness(other.rates) - dearness(one.rates))
  return first === undefined ? dated : [{ validFrom: 0, ...first }, ...dated]
}

function dearness(rates: Rates): number {
  return Object.values(rates).reduce((sum, rate) => sum + rate, 0)
}

function ratingOf(price: ModelPrice): { readonly rates: Rates; readonly tiers: readonly PriceTier[] } {
  const rates: Record<string, number> = {}
  const tiers = new Map<number, Record<string, number>>()
  for (const [key, value] of Object.entries(price)) {
    const [kind, per] = kindOf[key] ?? []
    if (kind === undefined || per === undefined || value === undefined) continue
    rates[kind] = nanoOf(typeof value === 'number' ? value : value.base, per)
    if (typeof value === 'number') continue
    for (const { start, price: tierPrice } of value.tiers) {
      tiers.getOrInsertComputed(start, () => ({}))[kind] = nanoOf(tierPrice, per)
    }
  }
  const ordered = [...tiers].toSorted(([one], [other]) => one - other)
  return { rates, tiers: cumulated(ordered) }
}

/** Each tier with what the tiers below it say of the kinds that it does not name. */
function cumulated(tiers: readonly (readonly [number, Rates])[]): readonly PriceTier[] {
  let before: Rates = {}
  return tiers.map(([above, rates]) => ({ above, rates: (before = { ...before, ...rates }) }))
}

function nanoOf(price: number, per: number): number {
  return Math.round((price * nanoPerUnit) / per)
}
