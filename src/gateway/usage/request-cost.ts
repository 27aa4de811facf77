/** What a request costs, from what its provider reported and the price that was in effect when it arrived. */
import type { Upstream } from '#catalog/upstream.ts'
import { costOf, type Consumption } from '#pricing/cost.ts'
import { priceAt } from '#pricing/price.ts'
import type { MediaUnits, TokenUsage } from './token-usage.ts'

/** The facts of a request that its cost depends on. */
export interface CostFacts {
  /** When it arrived. */
  readonly at: number
  /** The upstream that answered; null when none did. */
  readonly upstream: Upstream | null
  readonly upstreamStatus: number | null
  /** The gateway ended the call before its answer began: the provider may have made it. */
  readonly wasLeft: boolean
  readonly usage: TokenUsage | null
  /** Images that were asked for. */
  readonly images: number
  readonly durationMs: number
  /** A batch of the provider's own has answered. */
  readonly isBatch: boolean
}

export interface RequestCost {
  /** 10^-9 of the currency; null when no price is known, or the price needs tokens that nobody reported. */
  readonly cost: number | null
  readonly priceId: string | null
}

const noCost: RequestCost = { cost: null, priceId: null }

/** Whether the provider has begun to answer, or would have if it had not been left: only then it can have cost something. */
export function mayHaveCost({ upstreamStatus, wasLeft }: Pick<CostFacts, 'upstreamStatus' | 'wasLeft'>): boolean {
  return wasLeft || (upstreamStatus !== null && upstreamStatus >= 200 && upstreamStatus < 300)
}

/** The cost of a request that has ended. A provider's refusal costs nothing. */
export function requestCost(facts: CostFacts): RequestCost {
  if (facts.upstream === null || !mayHaveCost(facts)) return noCost
  const price = priceAt(facts.upstream.prices, facts.at)
  if (price === null) return noCost
  const cost = costOf(price, consumptionOf(facts))
  return cost === null ? noCost : { cost, priceId: price.id }
}

function consumptionOf({ usage, images, durationMs, isBatch }: CostFacts): Consumption {
  const { kinds } = usage ?? {}
  return {
    inputTokens: usage?.promptTokens ?? null,
    cachedTokens: kinds?.cachedTokens ?? 0,
    cacheWriteTokens: kinds?.cacheWriteTokens ?? 0,
    outputTokens: usage?.completionTokens ?? null,
    reasoningTokens: kinds?.reasoningTokens ?? 0,
    images,
    durationMs,
    isBatch,
    ...mediaOf(kinds?.units ?? {}),
  }
}

function mediaOf({ audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0, audioMs = 0 }: MediaUnits) {
  return {
    audioInputTokens: audioInput,
    imageInputTokens: imageInput,
    audioOutputTokens: audioOutput,
    imageOutputTokens: imageOutput,
    audioMs,
  }
}

/** What a record keeps of the units beside its tokens, so that it can be priced again; null for none. */
export function unitsText(usage: TokenUsage | null, images: number, isBatch: boolean): string | null {
  const units = usage?.kinds?.units
  if (units === undefined && images === 0 && !isBatch) return null
  return JSON.stringify({ ...units, ...(images > 0 && { images }), ...(isBatch && { batch: 1 }) })
}
