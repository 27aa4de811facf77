/**
 * The route that tells how the models of each provider are doing, as all processes have seen them. For one model in
 * particular there is model-health.ts.
 */
import { z } from 'zod'
import { upstreamOf, waitingOf } from '#gateway/process-status.ts'
import { healthStates } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { allProcesses, processesAnswer, type AllProcesses } from '../all-processes.ts'
import { endpointsOf } from '../endpoint.ts'

const providerHealth = z
  .strictObject({
    provider_id: z.string(),
    states: z
      .record(z.enum(healthStates), z.int())
      .describe('How many of its active models are in which state; unknown: not asked yet'),
    in_flight: z.int().describe('Requests that it is serving'),
    waiting: z.int().describe('Requests that wait because of its `max_concurrent`'),
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
      description: 'Of several processes, the worst state that one has seen counts, and requests are added up.',
      answer: z.strictObject({ data: z.array(providerHealth), processes: processesAnswer }),
      async handle() {
        const { statuses, processes } = await allProcesses(admin)
        return { data: await readHealth(admin, statuses), processes }
      },
    }),
  ]
}

async function readHealth(
  { store }: Admin,
  statuses: AllProcesses['statuses'],
): Promise<z.input<typeof providerHealth>[]> {
  const models = (await store.models.all()).filter(({ active }) => active)
  return (await store.providers.all()).map(({ id }) => {
    const states = { unknown: 0, healthy: 0, failing: 0, out: 0, resting: 0 }
    let inFlight = 0
    for (const model of models) {
      if (model.target.kind !== 'plain' || model.target.providerId !== id) continue
      const status = upstreamOf(statuses, model.id)
      states[status.state] += 1
      inFlight += status.inFlight
    }
    return { provider_id: id, states, in_flight: inFlight, waiting: waitingOf(statuses, id) }
  })
}
