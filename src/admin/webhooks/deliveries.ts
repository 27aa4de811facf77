/** Routes of the log of deliveries, and of sending some again. */
import { z } from '#lib/schema.ts'
import { pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { waitingMax } from '#store/webhooks/outbox.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound, time } from '../fields.ts'
import { deliveryAnswer, deliveryOnWire, deliveryStates } from './webhook-record.ts'

const tag = 'Webhooks'
/** Deliveries of one statement. */
const replayedAtOnce = 500

const replayRequest = z
  .strictObject({ since: time.describe('Failed deliveries of events from this moment on') })
  .meta({ id: 'WebhookReplay' })

export function deliveryRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, webhooks } = admin
  return [
    route({
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      access: 'admin',
      summary: 'The deliveries of an endpoint, the newest first',
      query: pageQuery.extend({ state: z.enum(deliveryStates).optional() }),
      answer: pageAnswer(deliveryAnswer),
      errors: ['invalid_cursor'],
      async handle({ params, query }) {
        const page = await store.webhooks.deliveries(params.id, query)
        requireFound(await store.webhooks.get(params.id), 'webhook')
        return pageOnWire(page, deliveryOnWire)
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks/:id/deliveries/:deliveryId/replay',
      access: 'admin',
      summary: 'Send a delivery again, with the same event id',
      description: 'One that waits already is left as it is.',
      answer: deliveryAnswer,
      async handle({ params: { id, deliveryId } }) {
        await store.webhooks.replay(id, deliveryId, await webhooks.now())
        const delivery = requireFound(await store.webhooks.delivery(id, deliveryId), 'delivery')
        webhooks.wake()
        return deliveryOnWire(delivery)
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks/:id/replay',
      access: 'admin',
      summary: 'Send all failed deliveries since a time again',
      description: `The oldest first, at most ${waitingMax} at once.`,
      body: replayRequest,
      answer: z.strictObject({ replayed: z.int() }),
      async handle({ params: { id }, body: { since } }) {
        requireFound(await store.webhooks.get(id), 'webhook')
        const now = await webhooks.now()
        let replayed = 0
        for (;;) {
          const some = await store.webhooks.replayFailed(id, since, now, replayedAtOnce)
          replayed += some
          if (some < replayedAtOnce || replayed >= waitingMax) break
        }
        webhooks.wake()
        return { replayed }
      },
    }),
  ]
}
