/**
 * The route that tells how the models of each provider are doing, as the process that answers has
 * seen them. For one model in particular there is model-health.ts.
 */
import { z } from 'zod'
import { healthStates } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'

const providerHealth = z
  .strictObject({
    provider_id: z.string(),
    states: z
      .record(z.enum(healthStates), z.int())
      .describe('How many of its active models are in which state; unknown: not asked yet'),
    in_flight: z.int().describe('Requests that it is serving for this process'),
  })
  .meta({ id: 'ProviderHealth' })

export function providerHealthRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Providers')
  return [
    route({
      method: 'GET',
      path: '/provider-health',
      access: 'admin',
      summary: 'How the models of each provider are doing',
      description: 'Of several replicas, the one that answers tells what it has seen.',
      answer: z.strictObject({ data: z.array(providerHealth) }),
      handle: async () => ({ data: await readHealth(admin) }),
    }),
  ]
}

async function readHealth({ store, health }: Admin): Promise<z.input<typeof providerHealth>[]> {
  const models = (await store.models.all()).filter(({ active }) => active)
  return (await store.providers.all()).map(({ id }) => {
    const states = { unknown: 0, healthy: 0, failing: 0, out: 0, resting: 0 }
    let inFlight = 0
    for (const model of models) {
      if (model.target.kind !== 'plain' || model.target.providerId !== id) continue
      const status = health.status(model.id)
      states[status.state] += 1
      inFlight += status.inFlight
    }
    return { provider_id: id, states, in_flight: inFlight }
  })
}
