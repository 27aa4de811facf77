/** What a model costs: rates by kind, valid from a moment on. Immutable: a correction is another price. */

/** Kinds of tokens, priced per million. A kind without a rate has that of the kind that is named with it. */
const tokenParents = {
  input: null,
  cached_input: 'input',
  cache_write: 'input',
  audio_input: 'input',
  image_input: 'input',
  output: null,
  reasoning: 'output',
  audio_output: 'output',
  image_output: 'output',
} as const

export type TokenKind = keyof typeof tokenParents

export const tokenKinds = Object.keys(tokenParents) as readonly TokenKind[]

/** Kinds that are priced for one of them: a request, an image, a second of audio, an hour of a machine. */
export const wholeKinds = ['request', 'image', 'second', 'machine_hour'] as const

export type PriceKind = TokenKind | (typeof wholeKinds)[number]

export const priceKinds: readonly PriceKind[] = [...tokenKinds, ...wholeKinds]

/** Nano-units by kind: per million tokens, or for one. */
export type Rates = Readonly<Partial<Record<PriceKind, number>>>

/** Other rates for all tokens of a request whose input is longer. */
export interface PriceTier {
  /** Tokens of input; the tier applies to more than these. */
  readonly above: number
  readonly rates: Rates
}

export interface Rating {
  readonly rates: Rates
  /** From the shortest input to the longest. */
  readonly tiers: readonly PriceTier[]
}

/** Who set a price. What people set precedes what comes from the catalogue. */
export type PriceSource = 'manual' | 'declared' | 'catalogue'

export interface PriceRecord extends Rating {
  readonly id: string
  /** A plain model. */
  readonly modelId: string
  readonly source: PriceSource
  /** The provider and its name of the model that this is the price of; null = whatever serves the model. */
  readonly upstream: string | null
  /** Milliseconds since 1970. */
  readonly validFrom: number
  readonly createdAt: number
  /** When another price took its place, or it was removed: it is kept for the records that name it. */
  readonly replacedAt: number | null
  /** Where it comes from, for people. */
  readonly note: string
}

/** The `upstream` of a price from the catalogue: it does not apply to a model that is served elsewhere now. */
export function upstreamKey(providerId: string, upstreamName: string): string {
  return `${providerId} ${upstreamName}`
}

/** The prices of one model, those that precede first. */
export type PriceList = readonly PriceRecord[]

/** The price of what costs nothing. */
export const freePrices: PriceList = [
  {
    id: 'free',
    modelId: '',
    source: 'catalogue',
    upstream: null,
    validFrom: 0,
    rates: {},
    tiers: [],
    note: 'costs nothing',
    createdAt: 0,
    replacedAt: null,
  },
]

/** The prices of each model in the order in which they precede. Replaced ones are left out. */
export function priceLists(prices: Iterable<PriceRecord>): ReadonlyMap<string, PriceList> {
  const lists = Map.groupBy(
    [...prices].filter(({ replacedAt }) => replacedAt === null),
    ({ modelId }) => modelId,
  )
  for (const list of lists.values()) list.sort(precedence)
  return lists
}

/** The price in effect at a moment; null when none is known. */
export function priceAt(prices: PriceList, at: number): PriceRecord | null {
  for (const price of prices) if (price.validFrom <= at) return price
  return null
}

function precedence(one: PriceRecord, other: PriceRecord): number {
  const rank = ({ source }: PriceRecord): number => (source === 'catalogue' ? 1 : 0)
  return (
    rank(one) - rank(other) ||
    other.validFrom - one.validFrom ||
    other.createdAt - one.createdAt ||
    (one.id < other.id ? -1 : 1)
  )
}

/** The rates for a request with so many tokens of input. */
export function ratesFor({ rates, tiers }: Rating, inputTokens: number): Rates {
  const tier = tiers.findLast(({ above }) => inputTokens > above)
  return tier === undefined ? rates : { ...rates, ...tier.rates }
}

/** The rate of a kind of tokens: its own, its parent's, or nothing. */
export function tokenRate(rates: Rates, kind: TokenKind): number {
  const parent = tokenParents[kind]
  return rates[kind] ?? (parent === null ? undefined : rates[parent]) ?? 0
}

/** Whether some tokens cost something, so that a cost needs their counts. */
export function pricesTokens({ rates, tiers }: Rating): boolean {
  return [rates, ...tiers.map((tier) => tier.rates)].some((each) => tokenKinds.some((kind) => (each[kind] ?? 0) > 0))
}
