/** "Getting started": what the account, and the server for an administrator, has and has not yet; put away and taken out again. */
import { z } from '#lib/schema.ts'
import type { Route } from '#http/route.ts'
import type { Caller, User } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound } from '../fields.ts'
import { self, type MeCall } from './me.ts'

const guideAnswer = z
  .strictObject({
    hidden: z.boolean().describe('The user has put it away'),
    own_password: z.boolean().describe('False while the password is one that another person has chosen'),
    answered: z.boolean().describe('A model has answered the user once'),
    has_key: z.boolean(),
    has_provider: z.boolean().nullable().describe('Beside the practice provider; null for users'),
    has_colleague: z.boolean().nullable().describe('The server has another person; null for users'),
  })
  .meta({ id: 'Guide' })

const guideChange = z.strictObject({ hidden: z.boolean() }).meta({ id: 'GuideChange' })

export function guideRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Own account')
  return [
    route({
      method: 'GET',
      path: '/me/guide',
      access: 'user',
      operation: 'getMyGuide',
      summary: 'What is left to do to get started',
      answer: guideAnswer,
      errors: ['not_found'],
      report: true,
      handle: (call: MeCall) => readGuide(admin, self(call)),
    }),
    route({
      method: 'PUT',
      path: '/me/guide',
      access: 'user',
      operation: 'changeMyGuide',
      summary: 'Put "Getting started" away, or take it out again',
      body: guideChange,
      answer: guideAnswer,
      errors: ['not_found'],
      async handle({ body, ...call }) {
        const user = self(call)
        await admin.store.users.setGuideHidden(user.id, body.hidden)
        return readGuide(admin, user)
      },
    }),
  ]
}

async function readGuide({ store, clock }: Admin, { id, role }: User): Promise<z.input<typeof guideAnswer>> {
  const hidden = requireFound(await store.users.guideHidden(id), 'user')
  const [password, totals, keys] = await Promise.all([
    store.users.password(id),
    store.usage.totals({ from: 0, to: clock.now() + 1, userId: id }),
    store.keys.list({ userId: id, limit: 1 }),
  ])
  const isAdmin = role === 'admin'
  const [providers, people] = isAdmin
    ? await Promise.all([store.providers.all(), store.users.list({ kind: 'person', limit: 2 })])
    : [[], { items: [] }]
  return {
    hidden,
    own_password: password?.isTemporary !== true,
    answered: totals.requests > totals.errors,
    has_key: keys.items.length > 0,
    has_provider: isAdmin ? providers.some(({ kind }) => kind !== 'demo') : null,
    has_colleague: isAdmin ? people.items.length > 1 : null,
  }
}
