/** Sessions of users in browsers: which there are, and ending them. The token of none is ever shown. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Session } from '#store/identity/sessions.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { instantOrNull, requireFound } from '../fields.ts'
import { sessionDigest } from './session.ts'

const sessionAnswer = z
  .strictObject({
    id: z.string(),
    created_at: instant,
    expires_at: instant,
    seen_at: instant.nullable().describe('Written about once a minute; null = not since it began'),
    agent: z.string().nullable().describe('How the browser names itself'),
    address: z.string().nullable().describe('From where the sign-in came'),
    current: z.boolean().describe('The session of this request'),
  })
  .meta({ id: 'Session' })

/** The newest first. */
export const sessionsAnswer = z.strictObject({ data: z.array(sessionAnswer) })

export function userSessionRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Users')
  const requireUser = async (id: string): Promise<string> => requireFound(await admin.store.users.get(id), 'user').id
  return [
    route({
      method: 'GET',
      path: '/users/:id/sessions',
      access: 'admin',
      summary: "One user's sessions in browsers",
      answer: sessionsAnswer,
      handle: async ({ params, context }) => readSessions(admin, context, await requireUser(params.id)),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id/sessions',
      access: 'admin',
      summary: "End all of a user's sessions",
      async handle({ params }) {
        await admin.store.sessions.deleteOfUser(await requireUser(params.id))
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/:id/sessions/:sessionId',
      access: 'admin',
      summary: "End one of a user's sessions",
      handle: ({ params }) => endOneSession(admin, params.id, params.sessionId),
    }),
  ]
}

/** The sessions that have not expired. */
export async function readSessions(
  { store, clock }: Admin,
  { request }: RequestContext,
  userId: string,
): Promise<z.input<typeof sessionsAnswer>> {
  const own = sessionDigest(request)
  const sessions = await store.sessions.ofUser(userId, clock.now())
  return {
    data: sessions.map((session) => ({
      id: idOf(session),
      created_at: instantOf(session.createdAt),
      expires_at: instantOf(session.expiresAt),
      seen_at: instantOrNull(session.seenAt),
      agent: session.agent,
      address: session.address,
      current: session.digest === own,
    })),
  }
}

/** Ends a session of the user: the next request with it is refused. Answers 404 for one that is not the user's. */
export async function endOneSession({ store, clock }: Admin, userId: string, sessionId: string): Promise<void> {
  const sessions = await store.sessions.ofUser(userId, clock.now())
  const session = requireFound(
    sessions.find((each) => idOf(each) === sessionId),
    'session',
  )
  await store.sessions.delete(session.digest)
}

/** Names a session without a way back to its digest. */
function idOf({ digest }: Session): string {
  return Bun.SHA256.hash(digest, 'hex').slice(0, 32)
}
