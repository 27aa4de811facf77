/** The models that a caller can use, with what people choose one by: capabilities, price and limits. */
import { z } from '#lib/schema.ts'
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { priceAt } from '#pricing/price.ts'
import type { Admin } from '../admin.ts'
import { capabilities, capabilitiesOnWire } from '../fields.ts'
import { rates } from '../prices/price-record.ts'

export const usableModelsAnswer = z.strictObject({
  currency: z.string().describe('Of the prices'),
  data: z.array(
    z
      .strictObject({
        id: z.string(),
        name: z.string(),
        aliases: z.array(z.string()),
        description: z.string(),
        provider: z.string().describe('`sluice` for a composite'),
        provider_kind: z.string().nullable().describe('null for a composite'),
        context_length: z.int().nullable().describe('Tokens'),
        capabilities,
        rates: rates.nullable().describe('In effect now; null when no price is known, and for a composite'),
        in_flight_limit: z
          .int()
          .nullable()
          .describe('Requests that the own account may have under way at once; null while that is not limited'),
        groups: z.array(z.string()).describe('Ids of the own groups that open it'),
      })
      .meta({ id: 'UsableModel' }),
  ),
})

/** Sorted by name. Answers 503 while memory may be behind the store. */
export function usableModels(admin: Admin, caller: Caller): z.input<typeof usableModelsAnswer> {
  const { state, settings } = admin
  if (state.catalog.inDoubt) throw new ApiError('store_unavailable')
  return {
    currency: settings.get('prices.currency'),
    data: state.catalog.listFor(caller).map((model) => usableOnWire(admin, caller, model)),
  }
}

function usableOnWire({ state, settings, clock }: Admin, { account }: Caller, model: Model) {
  const { record, ownedBy, groupIds, upstreams } = model
  const isComposite = record.target.kind === 'composite'
  const [upstream] = isComposite ? [] : upstreams
  const isLimited = settings.get('limits.realtime_inflight.enforce')
  const defaultLimit = settings.get('limits.realtime_inflight.default')
  const price = upstream === undefined ? null : priceAt(upstream.prices, clock.now())
  return {
    id: record.id,
    name: record.name,
    aliases: [...record.aliases],
    description: record.description,
    provider: ownedBy,
    provider_kind: upstream?.provider.kind ?? null,
    context_length: record.contextLength,
    capabilities: capabilitiesOnWire(record.capabilities),
    rates: price === null ? null : { ...price.rates },
    in_flight_limit: isLimited ? state.catalog.inflightLimit(account, model, defaultLimit) : null,
    groups: [...groupIds].filter((group) => account.groupIds.has(group)).sort(),
  }
}
