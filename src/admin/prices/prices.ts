/** Routes of prices: what is in effect, the history of a model, setting one, and the vendors' list prices. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { priceAt, priceLists } from '#pricing/price.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id, requireEditable, requireFound } from '../fields.ts'
import { isOn, plainUpstreams, priceFromCatalogue } from './catalogue-prices.ts'
import { recomputeRoute } from './recompute.ts'
import { modelPriceAnswer, newPrice, priceAnswer, priceOnWire, setPrice } from './price-record.ts'

const tag = 'Prices'

const importRequest = z
  .strictObject({ model_ids: z.array(id).max(10_000).optional().describe('All models when left out') })
  .meta({ id: 'PriceImport' })
const importAnswer = z
  .strictObject({
    priced: z.array(z.string()).describe('Models whose prices are now those of the catalogue'),
    unknown: z.array(z.string()).describe('Models that the catalogue does not have'),
  })
  .meta({ id: 'PriceImportResult' })

export function priceRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), recomputeRoute(admin), ...historyRoutes(admin), ...settingRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { state, settings, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/prices',
      access: 'admin',
      summary: 'The price of each active model of a provider, as it is now',
      answer: z.strictObject({ currency: z.string(), data: z.array(modelPriceAnswer) }),
      handle() {
        const data = plainUpstreams({ state }).map(({ model, provider, prices }) => {
          const price = priceAt(prices, clock.now())
          return {
            model_id: model.id,
            model: model.name,
            provider: provider.name,
            price: price === null ? null : priceOnWire(price),
          }
        })
        return { currency: settings.get('prices.currency'), data }
      },
    }),
    route({
      method: 'POST',
      path: '/prices/import',
      access: 'admin',
      summary: "Take the list prices of the vendors' catalogue",
      description: 'Prices that people set still precede. Earlier prices of the catalogue are replaced.',
      body: importRequest,
      answer: importAnswer,
      errors: ['conflict'],
      async handle({ body }) {
        if (!isOn(settings)) throw new ApiError('conflict', { message: catalogueOff })
        const wanted = body.model_ids === undefined ? null : new Set(body.model_ids)
        const upstreams = plainUpstreams({ state }).filter(({ model }) => wanted?.has(model.id) !== false)
        const priced = new Set(await priceFromCatalogue(admin, upstreams))
        const names = (isPriced: boolean) =>
          upstreams.filter((upstream) => priced.has(upstream) === isPriced).map(({ model }) => model.name)
        return { priced: names(true), unknown: names(false) }
      },
    }),
  ]
}

const catalogueOff =
  'The catalogue has prices in USD. It is used only with the settings prices.currency USD and prices.catalogue true.'

function historyRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, state, settings, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/models/:id/prices',
      access: 'admin',
      summary: 'Every price that a model ever had, the newest first',
      answer: z.strictObject({
        currency: z.string(),
        price: priceAnswer.nullable().describe('In effect now; null when none is known'),
        data: z.array(priceAnswer),
      }),
      async handle({ params }) {
        const prices = await store.prices.history(params.id)
        // A deleted model keeps its prices, for the records that name them.
        if (prices.length === 0) requireFound(await store.models.get(params.id), 'model')
        const upstream = plainUpstreams({ state }).find(({ model }) => model.id === params.id)
        const price = priceAt(upstream?.prices ?? priceLists(prices).get(params.id) ?? [], clock.now())
        return {
          currency: settings.get('prices.currency'),
          price: price === null ? null : priceOnWire(price),
          data: prices.map(priceOnWire),
        }
      },
    }),
  ]
}

function settingRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed, clock } = admin
  return [
    route({
      method: 'POST',
      path: '/models/:id/prices',
      access: 'admin',
      summary: 'Set the price of a model from a moment on',
      description:
        'One that was set for the same moment is replaced. Costs of earlier requests stay as they are until they are recomputed.',
      body: newPrice,
      answer: priceAnswer,
      status: 201,
      errors: ['validation_failed', 'declared_read_only'],
      async handle({ params, body }) {
        const model = requireFound(await store.models.get(params.id), 'model')
        if (model.target.kind === 'composite') throw new ApiError('validation_failed', { message: compositePrice })
        requireEditable({ declared: await hasDeclared(admin, model.id) })
        const price = setPrice(model.id, body, clock.now())
        await store.prices.set(price)
        await feed.publish([{ kind: 'model', id: model.id }])
        return priceOnWire(price)
      },
    }),
    route({
      method: 'DELETE',
      path: '/models/:id/prices/:priceId',
      access: 'admin',
      summary: 'Remove a price: the one before it is in effect again, or none',
      errors: ['declared_read_only'],
      handle: ({ params }) => removePrice(admin, params.id, params.priceId),
    }),
  ]
}

async function removePrice(admin: Admin, modelId: string, priceId: string): Promise<void> {
  const { store, feed, clock } = admin
  requireEditable({ declared: await hasDeclared(admin, modelId) })
  const removed = await store.prices.remove(modelId, priceId, clock.now())
  requireFound(removed ? priceId : null, 'price')
  await feed.publish([{ kind: 'model', id: modelId }])
}

/** Whether the configuration file has prices of the model; it is then the truth about all that people set. */
async function hasDeclared({ store }: Admin, modelId: string): Promise<boolean> {
  const prices = await store.prices.history(modelId)
  return prices.some(({ source, replacedAt }) => source === 'declared' && replacedAt === null)
}

const compositePrice = 'A composite has no price of its own: a request costs what the component costs that serves it.'
