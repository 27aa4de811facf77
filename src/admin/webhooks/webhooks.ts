/** Routes of webhooks: endpoints, their secrets, and a test. The log of deliveries is in deliveries.ts. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { payloadOf } from '#store/webhooks/outbox.ts'
import { newSecret } from '#webhooks/sign.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound } from '../fields.ts'
import { deliveryRoutes } from './deliveries.ts'
import {
  attemptAnswer,
  namesPrivateAddress,
  newWebhook,
  rotation,
  webhookAnswer,
  webhookChange,
  webhookOnWire,
  webhookVersion,
  webhookWithSecret,
} from './webhook-record.ts'

const tag = 'Webhooks'
/** Each has requests of its own under way at once, so their number bounds those of the process. */
const endpointsMax = 100
const hourMs = 3_600_000

export function webhookRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin), ...secretRoutes(admin), ...deliveryRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/webhooks',
      access: 'admin',
      summary: 'List the endpoints to which events are sent',
      answer: z.strictObject({ data: z.array(webhookAnswer) }),
      handle: async () => ({ data: (await store.webhooks.all()).map(webhookOnWire) }),
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      access: 'admin',
      summary: 'Add an endpoint to which events are sent',
      description: 'The answer has the secret that signs its events; it is shown this once.',
      body: newWebhook,
      answer: webhookWithSecret,
      status: 201,
      errors: ['conflict', 'not_found'],
      async handle({ body: { user_id: userId, ...body } }) {
        requireReachable(admin, body.url)
        if (userId !== null) requireFound(await store.users.get(userId), 'user')
        const id = crypto.randomUUID()
        const secret = newSecret()
        const endpoint = { id, ...body, userId, secret, createdAt: clock.now() }
        if (!(await store.webhooks.insert(endpoint, endpointsMax)))
          throw new ApiError('conflict', { message: `There are ${endpointsMax} endpoints already.` })
        const stored = requireFound(await store.webhooks.get(id), 'webhook')
        return { ...webhookOnWire(stored), secret: secret.reveal() }
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, webhooks } = admin
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    webhookOnWire(requireFound(await store.webhooks.get(params.id), 'webhook'))
  return [
    route({
      method: 'GET',
      path: '/webhooks/:id',
      access: 'admin',
      summary: 'One endpoint of webhooks',
      answer: webhookAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/webhooks/:id',
      access: 'admin',
      summary: 'Change an endpoint, or switch it off or on',
      description:
        'Deliveries that wait go to the new URL. Those of an endpoint that is off fail, and can be replayed.',
      body: webhookChange,
      answer: webhookAnswer,
      current,
      async handle({ params, body: { enabled, ...body }, unchanged }) {
        const { disabledAt } = requireFound(await store.webhooks.get(params.id), 'webhook')
        if (body.url !== undefined) requireReachable(admin, body.url)
        const isChange = enabled !== undefined && enabled !== (disabledAt === null)
        const patch = { ...body, ...(isChange && { disabledAt: enabled ? null : await webhooks.now() }) }
        const check = unchanged(webhookVersion)
        const changed = requireFound(await store.webhooks.update(params.id, patch, check), 'webhook')
        webhooks.wake()
        return webhookOnWire(changed)
      },
    }),
    route({
      method: 'DELETE',
      path: '/webhooks/:id',
      access: 'admin',
      summary: 'Delete an endpoint with its deliveries',
      current,
      async handle({ params, unchanged }) {
        const deleted = await store.webhooks.delete(params.id, unchanged(webhookVersion))
        requireFound(deleted ? params.id : null, 'webhook')
      },
    }),
  ]
}

function secretRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, webhooks } = admin
  return [
    route({
      method: 'POST',
      path: '/webhooks/:id/rotate',
      access: 'admin',
      summary: 'Give an endpoint a new secret',
      description: 'Events are signed with both secrets for a while, so that the receiver can change without a gap.',
      body: rotation,
      answer: webhookWithSecret,
      async handle({ params, body }) {
        const secret = newSecret()
        const formerUntil = (await webhooks.now()) + body.overlap_hours * hourMs
        const endpoint = requireFound(
          await store.webhooks.rotate(params.id, secret, Math.round(formerUntil)),
          'webhook',
        )
        return { ...webhookOnWire(endpoint), secret: secret.reveal() }
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks/:id/test',
      access: 'admin',
      summary: 'Send a `ping` now and say what came of it',
      description: 'It is sent once, also to an endpoint that is off, and is not in the log.',
      answer: attemptAnswer,
      async handle({ params, context }) {
        const at = await webhooks.now()
        const target = requireFound(await store.webhooks.target(params.id, at), 'webhook')
        const id = `evt_${crypto.randomUUID().replaceAll('-', '')}`
        const payload = payloadOf(id, { type: 'ping', subject: params.id, at, userId: null })
        const { status, error, durationMs } = await webhooks.sender.send(target, { id, payload }, context.signal)
        return { delivered: error === null, status, error, duration_ms: durationMs }
      },
    }),
  ]
}

function requireReachable({ settings }: Admin, url: string): void {
  if (settings.get('webhooks.allow_private') || !namesPrivateAddress(url)) return
  const message = 'The address is private. The setting webhooks.allow_private allows such receivers.'
  throw new ApiError('validation_failed', { param: 'url', message })
}
