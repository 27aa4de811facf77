/** The models that the filters of the catalogue leave, in the chosen order. Nothing here touches the page. */
import { nanoPerUnit } from '#pricing/nano.ts'
import type { ModelPerformance, UsableModel } from '../../api/schema.d.ts'
import { hasEveryWord } from '../../components/has-every-word.ts'
import { sortRows, type SortValue } from '../../components/sort-rows.ts'
import type { ModelsSearch } from '../search.ts'
import { abilities, comparedRate, kindOf, vendorOf } from './catalogue-facts.ts'

export type Performance = ModelPerformance['data'][number]

/** A model with how it did in its last day; null when nobody used it. */
export interface CatalogueModel {
  readonly model: UsableModel
  readonly performance: Performance | null
}

/** The median; the mean of requests from before the server kept medians. */
export function firstTokenMs(performance: Performance | null): number | null {
  return performance?.first_token_p50_ms ?? performance?.first_token_ms ?? null
}

const orders: Readonly<Record<string, (each: CatalogueModel) => SortValue>> = {
  price: ({ model }) => comparedRate(model),
  // The largest, fastest, most used first.
  context: ({ model }) => negative(model.context_length),
  latency: ({ performance }) => firstTokenMs(performance),
  speed: ({ performance }) => negative(performance?.tokens_per_second ?? null),
  use: ({ performance }) => negative(performance?.requests ?? null),
}

/** Unknown facts match no filter that asks for them, and come last. */
export function findModels(all: readonly CatalogueModel[], search: ModelsSearch): readonly CatalogueModel[] {
  const { q = '', kind, provider, context, price, can, order } = search
  const found = all.filter(
    ({ model }) =>
      hasEveryWord(textsOf(model), q) &&
      (kind === undefined || kindOf(model) === kind) &&
      (provider === undefined || model.provider === provider) &&
      (context === undefined || (model.context_length ?? 0) >= context) &&
      (price === undefined || isAtMost(comparedRate(model), price)) &&
      (can === undefined || abilities[can].has(model)),
  )
  const valueOf = order === undefined ? undefined : orders[order]
  return valueOf === undefined ? found : sortRows(found, valueOf, false)
}

function isAtMost(rate: number | null, units: number): boolean {
  return rate !== null && rate <= units * nanoPerUnit
}

function negative(value: number | null): number | null {
  return value === null ? null : -value
}

function textsOf(model: UsableModel): readonly string[] {
  const { name, aliases, provider, description, capabilities } = model
  const { endpoints = [], input = [] } = capabilities
  return [name, ...aliases, provider, description, vendorOf(model).name, ...endpoints, ...input]
}
