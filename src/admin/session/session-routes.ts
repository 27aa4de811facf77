/** Signing in to the console and out again. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import { passwordMatches } from '#identity/password.ts'
import { everyoneGroupId, type Account, type Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix, bodyErrors, endpointsOf, noStore, readBody } from '../endpoint.ts'
import { email, password as newPassword } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { requireOwnOrigin } from '#http/request-origin.ts'
import { attemptOf, knownBrowserCookie } from './known-browser.ts'
import { setPassword } from '../users/users.ts'
import { endSession, startSession } from './session.ts'
import { whoAmI, whoAmIAnswer } from './who-am-i.ts'

const signIn = z
  .strictObject({
    email,
    password: z.string().max(1024, 'expected at most 1024 characters'),
    new_password: newPassword
      .optional()
      .describe('Replaces the password; needed with one that another person has chosen'),
  })
  .meta({ id: 'SignIn' })

/** Enough for the longest address and password with every character escaped. */
const signInBytesMax = 16_384

const tag = 'Session'

export function sessionRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    {
      method: 'POST',
      path: `${adminPrefix}/session`,
      access: 'public',
      bodyBytesMax: signInBytesMax,
      docs: {
        tag,
        summary: 'Sign in with e-mail address and password',
        description:
          'The answer sets the cookie sluice_session, which the console sends from then on, and sluice_browser, by which failed sign-ins of others do not make this browser wait. API keys need no session.',
        body: signIn,
        answer: whoAmIAnswer,
        errors: [
          'invalid_credentials',
          'password_change_required',
          'origin_denied',
          'too_many_attempts',
          'store_unavailable',
          ...bodyErrors,
        ],
      },
      handle: (context) => mapStoreErrors(() => serveSignIn(admin, context)),
    },
    route({
      method: 'GET',
      path: '/session',
      access: 'user',
      summary: 'Who am I: user, groups, and the API key if one was used',
      answer: whoAmIAnswer,
      handle: ({ caller }) => whoAmI(admin, caller),
    }),
    route({
      method: 'DELETE',
      path: '/session',
      access: 'user',
      summary: 'Sign out',
      async handle({ context }) {
        context.addHeader('set-cookie', await endSession(admin, context))
      },
    }),
  ]
}

async function serveSignIn(admin: Admin, context: RequestContext): Promise<Response> {
  requireOwnOrigin(context.request, admin.settings.get('server.public_url')) // 403
  const sent = await readBody(admin, context, signIn) // 400, 408, 413, 415, 422
  const account = await recorded(admin, context, sent) // 401, 403, 429
  const { new_password: plain } = sent
  if (plain !== undefined) await setPassword(admin, account.user.id, { plain, isTemporary: false })
  const cookies = [
    await startSession(admin, context, account.user.id),
    knownBrowserCookie(admin, context, account.user.id),
  ]
  const response = json(await whoAmI(admin, { account, key: null }), 200, noStore)
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

/** As `checkPassword`, with a row in the audit log of how it ended. */
async function recorded(admin: Admin, context: RequestContext, sent: z.output<typeof signIn>): Promise<Account> {
  try {
    const account = await checkPassword(admin, context, sent)
    await admin.audit.signedIn(context, account.user, 'password')
    return account
  } catch (thrown) {
    if (thrown instanceof ApiError) await admin.audit.signInRefused(context, sent.email, thrown.code)
    throw thrown
  }
}

/** The account that these credentials belong to. An unknown, disabled and passwordless user all answer the same 401. */
async function checkPassword(admin: Admin, context: RequestContext, sent: z.output<typeof signIn>): Promise<Account> {
  const { store, signInGuard } = admin
  const attempt = attemptOf(admin, context, sent.email)
  const waitSeconds = await signInGuard.begin(attempt)
  if (waitSeconds !== null) throw tooManyAttempts(waitSeconds)
  const user = await store.users.byEmail(sent.email)
  const stored = user && (await store.users.password(user.id))
  const matches = await passwordMatches(sent.password, stored?.hash ?? null)
  if (user === null || !matches || user.disabled) throw new ApiError('invalid_credentials')
  await signInGuard.succeeded(attempt)
  if (stored?.isTemporary === true && sent.new_password === undefined) throw new ApiError('password_change_required')
  if (sent.new_password === sent.password)
    throw new ApiError('validation_failed', {
      param: 'new_password',
      message: '"new_password": expected another password than the present one.',
    })
  return { user, groupIds: new Set([everyoneGroupId, ...(await store.users.groupsOf(user.id))]) }
}

/** 429 with the time after which the next attempt is looked at. */
export function tooManyAttempts(waitSeconds: number): ApiError {
  return new ApiError('too_many_attempts', {
    message: `Too many failed sign-ins. Try again in ${waitSeconds} seconds.`,
    headers: { 'retry-after': String(waitSeconds) },
  })
}
