/** The route that prices usage records of a period again. */
import { z } from '#lib/schema.ts'
import { plainUpstream } from '#catalog/upstream.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { priceLists } from '#pricing/price.ts'
import { decodeRowCursor, encodeCursor } from '#store/page.ts'
import type { RecomputeStep, RepricedModel } from '#store/usage/usage.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id, requireFound, time } from '../fields.ts'

const modelsMax = 1000
/** Steps begin until then; the answer says where to go on. */
const spanMs = 1000

const request = z
  .strictObject({
    from: time.describe('First moment that counts'),
    to: time.describe('First moment that no longer counts'),
    model_ids: z.array(id).min(1).max(modelsMax).optional().describe('Plain models; all when left out'),
    dry_run: z.boolean().default(false).describe('Change nothing'),
    cursor: z.string().max(1000).nullable().default(null).describe('`next_cursor` of the answer before'),
  })
  .meta({ id: 'PriceRecomputation' })

const answer = z
  .strictObject({
    records: z.int().describe('Records that were looked at: those that a provider has answered'),
    changed: z.int().describe('Records that have, or would have, another cost'),
    skipped: z.int().describe('Records whose model does not exist any more: they keep their cost'),
    before: z.int().describe('Sum of their costs before, in 10^-9 of the currency'),
    after: z.int().describe('Sum of their costs now'),
    next_cursor: z.string().nullable().describe('Send it as `cursor` to go on; null when all are done'),
  })
  .meta({ id: 'PriceRecomputationResult' })

export function recomputeRoute(admin: Admin): Route<Caller> {
  return endpointsOf(
    admin,
    'Prices',
  )({
    method: 'POST',
    path: '/prices/recompute',
    access: 'admin',
    summary: 'Compute the costs of a period again, by the prices of now',
    description: `Works for about a second and answers with a cursor to go on. It can be broken off, repeated, and begun again at any point: a record that has its cost already is not changed. Reports and budgets are changed with the records. What was purged keeps its sums.`,
    body: request,
    answer,
    errors: ['invalid_cursor', 'validation_failed', 'not_found'],
    report: true,
    async handle({ body }) {
      if (body.from > body.to)
        throw new ApiError('validation_failed', { param: 'from', message: '"from" is after "to".' })
      const models = await repricedModels(admin, body.model_ids)
      const { from, to, dry_run: dryRun } = body
      const step = { from, to, dryRun, models, isEveryModel: body.model_ids === undefined }
      return recompute(admin, { ...step, after: body.cursor === null ? null : decodeRowCursor(body.cursor) })
    },
  })
}

async function recompute({ store }: Admin, first: RecomputeStep): Promise<z.input<typeof answer>> {
  const until = performance.now() + spanMs
  const sums = { records: 0, changed: 0, skipped: 0, before: 0, after: 0 }
  let place = first.after
  do {
    const { last, rows, ...done } = await store.usage.recompute({ ...first, after: place })
    sums.records += rows
    for (const name of ['changed', 'skipped', 'before', 'after'] as const) sums[name] += done[name]
    place = last
  } while (place !== null && performance.now() < until)
  return { ...sums, next_cursor: place === null ? null : encodeCursor(place) }
}

/** Read from the store, so that a price that was just set through another process is among them. */
async function repricedModels({ store }: Admin, wanted?: readonly string[]): Promise<readonly RepricedModel[]> {
  const [providers, records, prices] = await Promise.all([
    store.providers.all(),
    store.models.all(),
    store.prices.current(),
  ])
  const source = {
    providers: new Map(providers.map((provider) => [provider.id, provider])),
    records: new Map(records.map((record) => [record.id, record])),
    prices: priceLists(prices),
  }
  for (const modelId of wanted ?? []) requireFound(source.records.get(modelId), 'model')
  const chosen = wanted === undefined ? null : new Set(wanted)
  return records.flatMap((record) => {
    const upstream = chosen?.has(record.id) === false ? null : plainUpstream(record, source)
    return upstream === null ? [] : [{ id: record.id, name: record.name, prices: upstream.prices }]
  })
}
