/**
 * Links by which people choose their own password: an administrator makes one, and passes it on. This server sends no
 * mail. The token is in the part of the address that browsers keep to themselves.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller, User } from '#identity/records.ts'
import { randomBase62 } from '#lib/base62.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound } from '../fields.ts'

const hourMs = 3_600_000

const creation = z
  .strictObject({
    hours: z.number().min(1).max(720).default(72).describe('How long the link works'),
  })
  .meta({ id: 'InvitationCreation' })

const creationAnswer = z
  .strictObject({
    user_id: z.string(),
    path: z.string().describe('Of the link, below the address of this server. It is in no other answer: keep it now'),
    expires_at: instant,
  })
  .meta({ id: 'Invitation' })

export function invitationRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Users')
  return [
    route({
      method: 'POST',
      path: '/users/:id/invitation',
      access: 'admin',
      summary: 'Make a link by which a user chooses a password',
      description:
        'It works once, and takes the place of the one before. With it a user who has a password chooses another, and all sessions end.',
      body: creation,
      answer: creationAnswer,
      status: 201,
      errors: ['conflict'],
      async handle({ params, body }) {
        const user = requirePerson(requireFound(await admin.store.users.get(params.id), 'user'))
        const token = randomBase62(32, 43)
        const createdAt = admin.clock.now()
        const expiresAt = createdAt + Math.round(body.hours * hourMs)
        await admin.store.invitations.put({ digest: tokenDigest(token), userId: user.id, createdAt, expiresAt })
        return { user_id: user.id, path: `/invitation#${token}`, expires_at: instantOf(expiresAt) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/:id/invitation',
      access: 'admin',
      summary: 'Withdraw the link; there may have been none',
      async handle({ params }) {
        const user = requireFound(await admin.store.users.get(params.id), 'user')
        await admin.store.invitations.delete(user.id)
      },
    }),
  ]
}

/** Whom a token invites. Answers 404 for one that was used, replaced or has expired, and for a user who may not sign in. */
export async function invitedUser(
  { store, clock }: Admin,
  token: string,
): Promise<{ readonly user: User; readonly digest: string; readonly expiresAt: number }> {
  const digest = tokenDigest(token)
  const invitation = await store.invitations.get(digest)
  const isValid = invitation !== null && invitation.expiresAt > clock.now()
  const user = isValid ? await store.users.get(invitation.userId) : null
  if (!isValid || user === null || user.disabled || user.kind === 'service')
    throw new ApiError('not_found', { message })
  return { user, digest, expiresAt: invitation.expiresAt }
}

/** Takes the invitation out: of two requests with it, one goes on. */
export async function useInvitation({ store, clock }: Admin, digest: string): Promise<void> {
  if (!(await store.invitations.use(digest, clock.now()))) throw new ApiError('not_found', { message })
}

const message = 'This link was used or replaced, or its time has passed. Ask an administrator for another one.'

function requirePerson(user: User): User {
  if (user.kind === 'person' && !user.disabled) return user
  const reason = user.disabled ? 'The user is disabled.' : 'A service account has no password and cannot sign in.'
  throw new ApiError('conflict', { message: reason })
}

function tokenDigest(token: string): string {
  return Bun.SHA256.hash(token, 'base64')
}
