/** The route that tells what would happen to the requests of a composite, stored or not, with some of its components down. */
import { z } from '#lib/schema.ts'
import type { Model } from '#catalog/catalog.ts'
import type { CompositeTarget } from '#catalog/records.ts'
import { upstreamOf, worstOf } from '#gateway/process-status.ts'
import { simulateRouting } from '#gateway/simulate-routing.ts'
import { healthStates, type UpstreamStatus } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { allProcesses } from '../all-processes.ts'
import { endpointsOf } from '../endpoint.ts'
import { id } from '../fields.ts'
import { modelCreation, newModel } from './model-record.ts'
import { newModelReferences } from './model-references.ts'
import { composite } from './routing-fields.ts'

/** Enough for shares to a percent: a few dozen milliseconds, in parts. */
const requests = 1000

const body = z
  .strictObject({
    composite,
    down: z.array(id).max(100).default([]).describe('Ids of plain models that fail every request'),
  })
  .meta({ id: 'RoutingQuestion' })

const answer = z
  .strictObject({
    requests: z.int().describe('Ten a second, as if all began now'),
    failed: z.int().describe('Requests that no component answered'),
    lost_ms: z.int().describe('The longest time that a request lost in calls that failed'),
    components: z
      .array(
        z.strictObject({
          model_id: z.string(),
          model: z.string(),
          provider: z.string().nullable(),
          state: z.enum([...healthStates, 'off']).describe('Its health now'),
          is_down: z.boolean().describe('As was asked, or because it is ejected now'),
          chosen: z.int().describe('Requests that went there first'),
          served: z.int().describe('Requests that it answered'),
          rescued: z.int().describe('Those of them that another component had failed before'),
          failures: z.int().describe('Calls that it failed'),
        }),
      )
      .describe('In the order of the composite'),
  })
  .meta({ id: 'RoutingForecast' })

const description =
  'The routing of this server on the health that all processes see now, in a time of its own: no provider is called. Caps, rates and what other models do are left out.'

export function simulateCompositeRoute(admin: Admin): Route<Caller> {
  return endpointsOf(
    admin,
    'Models',
  )({
    method: 'POST',
    path: '/composite-simulations',
    access: 'admin',
    operation: 'simulateComposite',
    summary: 'What would happen to the requests of a composite',
    description,
    asks: true,
    body,
    answer,
    handle: async ({ body: asked, caller }) => simulate(admin, asked, caller),
  })
}

async function simulate(
  admin: Admin,
  { composite: written, down }: z.output<typeof body>,
  caller: Caller,
): Promise<z.input<typeof answer>> {
  const { settings } = admin
  const asModel = modelCreation.parse({ name: 'simulation', composite: written })
  const record = newModel(asModel, await newModelReferences(admin, asModel), admin.clock.now())
  if (record.target.kind !== 'composite') throw new Error('a composite has become a plain model')
  const { target } = record
  const { statuses } = await allProcesses(admin)
  const statusOf = (upstreamId: string): UpstreamStatus => upstreamOf(statuses, upstreamId)
  const wanted = new Set(down)
  const model: Model = { ...routing(admin, target), record, groupIds: new Set(), ownedBy: '', supportedEfforts: null }
  const isDown = ({ id: upstreamId, model: { id: modelId } }: Model['upstreams'][number]): boolean =>
    wanted.has(modelId) || statusOf(upstreamId).state === 'out'
  const simulated = await simulateRouting({ model, caller, settings, statusOf, isDown, requests })
  const none = { chosen: 0, served: 0, rescued: 0, failures: 0 }
  const names = new Map((await admin.store.models.all()).map((each) => [each.id, each.name]))
  return {
    requests,
    failed: simulated.failed,
    lost_ms: Math.round(simulated.lostMs),
    components: target.components.map(({ modelId }) => {
      const own = model.upstreams.filter((each) => each.model.id === modelId)
      return {
        model_id: modelId,
        model: names.get(modelId) ?? modelId,
        provider: own[0]?.provider.name ?? null,
        state: own.length === 0 ? 'off' : worstOf(own.map((each) => statusOf(each.id))).state,
        is_down: own.length > 0 && own.every(isDown),
        ...(simulated.components.get(modelId) ?? none),
      }
    }),
  }
}

/** The ways to serve it now: those of its components that are on, as the catalog has them for themselves. */
function routing({ state }: Admin, { strategy, failover, components }: CompositeTarget) {
  const byId = new Map(state.catalog.models.map((model) => [model.record.id, model]))
  const upstreams = components.flatMap(({ modelId, enabled, weight, priority }) =>
    (enabled ? (byId.get(modelId)?.upstreams ?? []) : []).map((upstream) => ({
      ...upstream,
      weight: weight * upstream.weight,
      priority,
      caps: [],
    })),
  )
  return { strategy, failover, upstreams }
}
