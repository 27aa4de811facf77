/** The route that tells how the upstreams of a model are doing, as the requests of all processes have shown. */
import { z } from '#lib/schema.ts'
import type { ModelRecord } from '#catalog/records.ts'
import { healthStates, type UpstreamStatus } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { allProcesses, processesAnswer, type AllProcesses } from '../all-processes.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound } from '../fields.ts'
import { healthByModel } from '../server-health.ts'

const stateText =
  'unknown: not asked yet; failing: failed last, but is still asked; out: left out for its failures; resting: asked to be left alone; off: switched off, as component, model or provider'

const statusFields = {
  state: z.enum([...healthStates, 'off']).describe(stateText),
  failures_in_row: z.int(),
  retry_in_ms: z.int().describe('When it may be tried again; 0 = now'),
  first_byte_ms: z.int().nullable().describe('Smoothed; null while nothing is known'),
  in_flight: z.int().describe('Requests that it is serving'),
}

const upstreamAnswer = z
  .strictObject({
    model_id: z.string().describe('The plain model: a component, or the model itself'),
    model: z.string(),
    provider: z.string(),
    ...statusFields,
    servers: z
      .array(z.strictObject({ address: z.string(), ...statusFields }))
      .describe('Each server of a provider that may have several; the model is as well as the best of them'),
  })
  .meta({ id: 'UpstreamHealth' })

export function modelHealthRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Models')
  return [
    route({
      method: 'GET',
      path: '/models/:id/health',
      access: 'admin',
      summary: 'How the upstreams of a model are doing',
      description:
        'One entry for a plain model, one for each component of a composite. Of several processes, the worst that one has seen counts, and requests are added up.',
      answer: z.strictObject({ data: z.array(upstreamAnswer), processes: processesAnswer }),
      async handle({ params }) {
        const { statuses, processes } = await allProcesses(admin)
        return { data: await readHealth(admin, params.id, statuses), processes }
      },
    }),
  ]
}

async function readHealth(
  { store, state: { catalog } }: Admin,
  id: string,
  statuses: AllProcesses['statuses'],
): Promise<z.input<typeof upstreamAnswer>[]> {
  const model = requireFound(await store.models.get(id), 'model')
  const models = new Map((await store.models.all()).map((record) => [record.id, record]))
  const providers = new Map((await store.providers.all()).map((record) => [record.id, record]))
  const healthOf = healthByModel(catalog, statuses)
  return partsOf(model, models).flatMap(({ part, enabled }) => {
    const provider = part.target.kind === 'plain' ? providers.get(part.target.providerId) : undefined
    if (provider === undefined) return []
    const isOn = enabled && part.active && provider.enabled
    const { status, servers } = healthOf(part.id)
    return {
      model_id: part.id,
      model: part.name,
      provider: provider.name,
      ...statusOnWire(status, isOn),
      servers: servers.map((server) => ({ address: server.address, ...statusOnWire(server.status, isOn) })),
    }
  })
}

function statusOnWire({ state, failuresInRow, retryInMs, firstByteMs, inFlight }: UpstreamStatus, isOn: boolean) {
  return {
    state: isOn ? state : 'off',
    failures_in_row: failuresInRow,
    retry_in_ms: Math.ceil(retryInMs),
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    in_flight: inFlight,
  } as const
}

/** The plain models that serve it, in the order of the record. */
function partsOf(model: ModelRecord, models: ReadonlyMap<string, ModelRecord>) {
  if (model.target.kind === 'plain') return [{ part: model, enabled: true }]
  return model.target.components.flatMap(({ modelId, enabled }) => {
    const part = models.get(modelId)
    return part === undefined ? [] : { part, enabled }
  })
}
