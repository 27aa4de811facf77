/** Routes of in-flight limits: accounts' own ones for single models, and what is in use now. */
import { z } from '#lib/schema.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { inUseOf, waitingOf } from '#gateway/process-status.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { allProcesses, processesAnswer } from '../all-processes.ts'
import { requireFound } from '../fields.ts'
import { etag, versionOf } from '../record-version.ts'
import { inflightLimit } from '../models/model-record.ts'

const limitAnswer = z.strictObject({ user_id: z.string(), limit: z.int(), etag }).meta({ id: 'InflightLimit' })
const newLimit = z
  .strictObject({ limit: inflightLimit.describe('Requests in flight') })
  .meta({ id: 'NewInflightLimit' })
const ownLimitAnswer = z
  .strictObject({
    user_id: z.string(),
    user: z.string(),
    model_id: z.string(),
    model: z.string(),
    limit: z.int(),
    etag,
  })
  .meta({ id: 'OwnInflightLimit' })
const inUseAnswer = z
  .strictObject({
    model_id: z.string(),
    model: z.string(),
    in_use: z.int(),
    waiting: z.int().describe('Requests that wait because of `max_concurrent`'),
  })
  .meta({ id: 'InflightUse' })

const tag = 'Limits'

export function limitRoutes(admin: Admin): Route<Caller>[] {
  return [...overrideRoutes(admin), ...useRoutes(admin)]
}

function overrideRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed } = admin
  const current = async ({ params: { userId, id } }: LimitCall) =>
    limitOnWire(userId, requireFound(await store.inflightOverrides.get(userId, id), 'limit'))
  return [
    route({
      method: 'GET',
      path: '/inflight-limits',
      access: 'admin',
      summary: "List accounts' own in-flight limits, by model and e-mail address",
      answer: z.strictObject({ data: z.array(ownLimitAnswer) }),
      handle: async () => ({ data: await ownLimits(admin) }),
    }),
    route({
      method: 'GET',
      path: '/models/:id/inflight-limits',
      access: 'admin',
      summary: "List accounts' own in-flight limits for a model",
      answer: z.strictObject({ data: z.array(limitAnswer) }),
      async handle({ params }) {
        const model = requireFound(await store.models.get(params.id), 'model')
        const overrides = await store.inflightOverrides.listOfModel(model.id)
        return { data: overrides.map(({ userId, inflightLimit: limit }) => limitOnWire(userId, limit)) }
      },
    }),
    route({
      method: 'PUT',
      path: '/models/:id/inflight-limits/:userId',
      access: 'admin',
      summary: "Set an account's own in-flight limit for a model",
      description:
        'Limits hold only while the setting limits.realtime_inflight.enforce is on. All keys of the account share one count.',
      body: newLimit,
      answer: limitAnswer,
      current,
      async handle({ params, body, unchanged }) {
        const { userId, id: modelId } = params
        const override = { userId, modelId, inflightLimit: body.limit }
        await store.inflightOverrides.set(override, unchanged(limitVersion))
        await feed.publish([{ kind: 'model', id: modelId }])
        return limitOnWire(userId, body.limit)
      },
    }),
    route({
      method: 'DELETE',
      path: '/models/:id/inflight-limits/:userId',
      access: 'admin',
      summary: "Remove an account's own limit: the model's holds again",
      current,
      async handle({ params, unchanged }) {
        const deleted = await store.inflightOverrides.delete(params.userId, params.id, unchanged(limitVersion))
        requireFound(deleted ? params.userId : null, 'limit')
        await feed.publish([{ kind: 'model', id: params.id }])
      },
    }),
  ]
}

interface LimitCall {
  readonly params: { readonly id: string; readonly userId: string }
}

function limitOnWire(userId: string, limit: number): z.input<typeof limitAnswer> {
  return { user_id: userId, limit, etag: limitVersion(limit) }
}

/** No limit is a version, too. */
function limitVersion(limit: number | null): string {
  return versionOf({ limit })
}

async function ownLimits({ store, state }: Admin): Promise<z.input<typeof ownLimitAnswer>[]> {
  const overrides = await store.inflightOverrides.all()
  // All models: those that are switched off keep their limits.
  const models = new Map((await store.models.all()).map(({ id, name }) => [id, name]))
  const limits = overrides.flatMap(({ userId, modelId, inflightLimit: limit }) => {
    const user = state.directory.account(userId)?.user.email
    const model = models.get(modelId)
    // What another replica deletes at this moment is in one of the two only.
    if (user === undefined || model === undefined) return []
    return [{ ...limitOnWire(userId, limit), user, model_id: modelId, model }]
  })
  return limits.toSorted((a, b) => a.model.localeCompare(b.model) || a.user.localeCompare(b.user))
}

function useRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { state } = admin
  return [
    route({
      method: 'GET',
      path: '/inflight',
      access: 'admin',
      summary: 'Requests in flight now, by model',
      description: 'Added up over all processes.',
      answer: z.strictObject({ data: z.array(inUseAnswer), processes: processesAnswer }),
      async handle() {
        const { statuses, processes } = await allProcesses(admin)
        const data = state.catalog.models.map(({ record }) => ({
          model_id: record.id,
          model: record.name,
          in_use: inUseOf(statuses, record.id),
          waiting: waitingOf(statuses, record.id),
        }))
        return { data, processes }
      },
    }),
  ]
}
