/** What is asked of the vendors' price catalogue, and what it answers. */
import type { Rating } from '../price.ts'

/** A model as its provider knows it. */
export interface CatalogueQuestion {
  /** The kind of the provider: `openai`, `bedrock`, … */
  readonly kind: string
  /** Empty for kinds that know their address. */
  readonly baseUrl: string
  /** The provider's own name of the model. */
  readonly upstreamName: string
}

export interface CataloguePrice extends Rating {
  /** Milliseconds since 1970; 0 for a price from the beginning. */
  readonly validFrom: number
}

export interface CatalogueEntry {
  /** The entry's name: `openai/gpt-4o`. */
  readonly name: string
  readonly prices: readonly CataloguePrice[]
  /** Tokens; null when it is not known. */
  readonly contextLength: number | null
}
