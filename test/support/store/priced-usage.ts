/** Usage records to price again, and prices for them, for the tests of several processes. */
import { priceLists, type PriceRecord } from '#pricing/price.ts'
import type { Store } from '#store/store.ts'
import type { RecomputedStep, RecomputeStep, RepricedModel } from '#store/usage/usage.ts'
import type { StoredUsage, UsageRecord } from '#store/usage/usage-record.ts'
import { allPages } from './store-test.ts'
import { aUsage } from './store-records.ts'

export const dayMs = 86_400_000
/** The beginning of a day. */
export const firstMoment = Date.UTC(2026, 2, 1)
/** Days over which the rows are spread. */
export const days = 3
export const always = { from: 0, to: Number.MAX_SAFE_INTEGER }

function priceOf(modelId: string, validFrom: number, rates: PriceRecord['rates']): PriceRecord {
  return {
    id: `${modelId}-${validFrom}-${rates.input ?? 0}`,
    modelId,
    source: 'manual',
    upstream: null,
    validFrom,
    rates,
    tiers: [{ above: 4000, rates: { input: 9_000_000 } }],
    note: '',
    createdAt: 0,
    replacedAt: null,
  }
}

/** Models whose prices depend on the moment; the last one has none. */
export function models(input: number): readonly RepricedModel[] {
  const prices = priceLists([
    priceOf('m0', 0, { input, cached_input: 1, output: 3_000_000 }),
    priceOf('m0', firstMoment + dayMs + 5, { input: input * 2, reasoning: 7_000_000 }),
    priceOf('m1', firstMoment, { request: input, image: 11, machine_hour: 3_600_000 }),
  ])
  return ['m0', 'm1', 'm2'].map((id) => ({ id, name: `model ${id}`, prices: prices.get(id) ?? [] }))
}

/** Rows of three days: plain ones and those of composites, renamed and deleted models, refusals, unreported tokens. */
export function someCharged(count: number, counters: readonly string[]): readonly UsageRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `m${index % 3}`
    const isComposite = index % 5 === 0
    const name = index % 7 === 0 && !isComposite ? 'its name of before' : `model ${id}`
    const counted = counters.filter((_counter, nth) => (index >> nth) % 2 === 0)
    return aUsage({
      at: firstMoment + Math.floor((index * days * dayMs) / count),
      modelId: isComposite ? 'composite' : index % 11 === 0 ? 'deleted' : id,
      modelServed: isComposite ? 'composite' : name,
      upstreamModel: name,
      userId: `user ${index % 4}`,
      keyId: `key ${index % 9}`,
      upstreamStatus: index % 13 === 0 ? 429 : 200,
      promptTokens: index % 17 === 0 ? null : index * 7,
      completionTokens: index % 17 === 0 ? null : index % 900,
      cachedTokens: index % 50,
      reasoningTokens: index % 30,
      durationMs: index * 3,
      units: index % 4 === 0 ? JSON.stringify({ images: index % 6, audioInput: index % 8, batch: index % 3 }) : null,
      cost: index % 19 === 0 ? null : index * 1000,
      priceId: index % 19 === 0 ? null : 'wrong',
      counters: counted.length === 0 ? null : JSON.stringify(counted),
    })
  })
}

type Period = Partial<Omit<RecomputeStep, 'models'>>

/** Every step of a recomputation, one after the other; their figures are added up. */
export async function recomputeAll(
  { usage }: Pick<Store, 'usage'>,
  priced: readonly RepricedModel[],
  period: Period = {},
): Promise<RecomputedStep> {
  const sums = { rows: 0, changed: 0, skipped: 0, before: 0, after: 0 }
  let after: RecomputeStep['after'] = null
  do {
    const step = { ...always, isEveryModel: true, dryRun: false, ...period, models: priced, after }
    const { last, ...done } = await usage.recompute(step)
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += done[name]
    after = last
  } while (after !== null)
  return { ...sums, last: null }
}

export async function allRows({ usage }: Pick<Store, 'usage'>): Promise<readonly StoredUsage[]> {
  return allPages((cursor) => usage.list({ ...always, cursor, limit: 1000 }))
}
