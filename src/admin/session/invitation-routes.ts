/** What the person who has an invitation does with it: learns whose it is, and chooses a password. */
import { z } from '#lib/schema.ts'
import type { RequestContext } from '#http/request-context.ts'
import { instant, instantOf } from '#http/page.ts'
import { json } from '#http/respond.ts'
import { requireOwnOrigin } from '#http/request-origin.ts'
import type { Route } from '#http/route.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix, bodyErrors, noStore, readBody } from '../endpoint.ts'
import { password } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { invitedUser, useInvitation } from '../users/invitations.ts'
import { setPassword } from '../users/users.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { startSession } from './session.ts'
import { whoAmI, whoAmIAnswer } from './who-am-i.ts'

const token = z.string().min(1).max(200)
const look = z.strictObject({ token }).meta({ id: 'InvitationToken' })
const lookAnswer = z
  .strictObject({ email: z.string(), name: z.string(), expires_at: instant })
  .meta({ id: 'InvitedUser' })
const acceptance = z.strictObject({ token, password }).meta({ id: 'InvitationAcceptance' })

/** Enough for the longest password with every character escaped. */
const bytesMax = 16_384

const shared = { method: 'POST', access: 'public', bodyBytesMax: bytesMax } as const
const errors = ['origin_denied', 'not_found', 'store_unavailable', ...bodyErrors] as const

export function invitationSessionRoutes(admin: Admin): Route<Caller>[] {
  return [
    {
      ...shared,
      path: `${adminPrefix}/session/invitation/look`,
      docs: {
        tag: 'Session',
        summary: 'Whom an invitation is for',
        description: 'It stays as it is.',
        body: look,
        answer: lookAnswer,
        errors,
      },
      handle: (context: RequestContext) => mapStoreErrors(() => serveLook(admin, context)),
    },
    {
      ...shared,
      path: `${adminPrefix}/session/invitation`,
      docs: {
        tag: 'Session',
        summary: 'Choose a password by an invitation, and sign in',
        description: 'The invitation works once. All sessions of the user before end.',
        body: acceptance,
        answer: whoAmIAnswer,
        errors,
      },
      handle: (context: RequestContext) => mapStoreErrors(() => serveAcceptance(admin, context)),
    },
  ]
}

async function serveLook(admin: Admin, context: RequestContext): Promise<Response> {
  requireOwnOrigin(context.request, admin.settings.get('server.public_url')) // 403
  const sent = await readBody(admin, context, look) // 400, 408, 413, 415, 422
  const { user, expiresAt } = await invitedUser(admin, sent.token) // 404
  return json({ email: user.email, name: user.name, expires_at: instantOf(expiresAt) }, 200, noStore)
}

async function serveAcceptance(admin: Admin, context: RequestContext): Promise<Response> {
  requireOwnOrigin(context.request, admin.settings.get('server.public_url')) // 403
  const sent = await readBody(admin, context, acceptance) // 400, 408, 413, 415, 422
  const { user, digest } = await invitedUser(admin, sent.token) // 404
  await useInvitation(admin, digest) // 404
  await setPassword(admin, user.id, { plain: sent.password, isTemporary: false })
  await admin.audit.signedIn(context, user, 'invitation')
  const account = { user, groupIds: new Set([everyoneGroupId, ...(await admin.store.users.groupsOf(user.id))]) }
  const cookies = [await startSession(admin, context, user.id), knownBrowserCookie(admin, context, user.id)]
  const response = json(await whoAmI(admin, { account, key: null }), 200, noStore)
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
