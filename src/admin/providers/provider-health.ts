/**
 * The route that tells how the models of each provider are doing, as all processes have seen them. For one model in
 * particular there is model-health.ts.
 */
import { z } from '#lib/schema.ts'
import { waitingOf, worstOf } from '#gateway/process-status.ts'
import { healthStates, type UpstreamStatus } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { allProcesses, processesAnswer, type AllProcesses } from '../all-processes.ts'
import { endpointsOf } from '../endpoint.ts'
import { healthByModel } from '../server-health.ts'

const providerHealth = z
  .strictObject({
    provider_id: z.string(),
    states: z
      .record(z.enum(healthStates), z.int())
      .describe('How many of its active models are in which state; unknown: not asked yet'),
    in_flight: z.int().describe('Requests that it is serving'),
    waiting: z.int().describe('Requests that wait because of its `max_concurrent`'),
    servers: z
      .array(z.strictObject({ address: z.string(), state: z.enum(healthStates), in_flight: z.int() }))
      .describe('Each server of a provider that may have several, as its model that does worst there'),
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
  { store, state: { catalog } }: Admin,
  statuses: AllProcesses['statuses'],
): Promise<z.input<typeof providerHealth>[]> {
  const models = (await store.models.all()).filter(({ active }) => active)
  const healthOf = healthByModel(catalog, statuses)
  return (await store.providers.all()).map(({ id }) => {
    const states = { unknown: 0, healthy: 0, failing: 0, out: 0, resting: 0 }
    let inFlight = 0
    const servers = new Map<string, UpstreamStatus[]>()
    for (const model of models) {
      if (model.target.kind !== 'plain' || model.target.providerId !== id) continue
      const { status, servers: own } = healthOf(model.id)
      states[status.state] += 1
      inFlight += status.inFlight
      for (const server of own) servers.set(server.address, [...(servers.get(server.address) ?? []), server.status])
    }
    const shown = [...servers].map(([address, each]) => {
      const { state, inFlight: serving } = worstOf(each)
      return { address, state, in_flight: serving }
    })
    return { provider_id: id, states, in_flight: inFlight, waiting: waitingOf(statuses, id), servers: shown }
  })
}
