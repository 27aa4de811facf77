/** Routes of the caller's own account: keys, models, usage and password, whatever the caller's role. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import { passwordMatches } from '#identity/password.ts'
import type { Caller, User } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf, type Call } from '../endpoint.ts'
import { password } from '../fields.ts'
import { keyAnswer } from '../keys/key-record.ts'
import {
  changeKey,
  createdKey,
  createKey,
  deletedKeys,
  deleteKey,
  deleteKeys,
  getKey,
  keyChange,
  keyCreation,
  keyDeletion,
  keyPage,
  keyRotation,
  keysQuery,
  listKeys,
  rotateKey,
  type OwnerFilter,
} from '../keys/key-handlers.ts'
import { attemptOf } from './known-browser.ts'
import { performanceAnswer, performanceQuery, readPerformance } from './model-performance.ts'
import { usableModels, usableModelsAnswer } from './usable-models.ts'
import { tooManyAttempts } from './session-routes.ts'
import {
  ownRequestsQuery,
  ownSeriesQuery,
  ownTotalsQuery,
  readRequest,
  readRequests,
  readSeries,
  readTotals,
  requestAnswer,
  requestDescription,
  requestQuery,
  requestsAnswer,
  seriesAnswer,
  seriesDescription,
  totalsAnswer,
} from '../usage/usage.ts'
import { ownLiveRequestRoute } from '../usage/live-requests.ts'
import { activityAnswer, ownActivityQuery, readActivity } from '../usage/activity.ts'
import { endOneSession, readSessions, sessionsAnswer } from './user-sessions.ts'
import { setPassword } from '../users/users.ts'
import { whoAmI, whoAmIAnswer } from './who-am-i.ts'

const passwordChange = z.strictObject({ current: z.string().max(1024), new: password }).meta({ id: 'PasswordChange' })

const tag = 'Own account'

export function meRoutes(admin: Admin): Route<Caller>[] {
  return [
    ...accountRoutes(admin),
    ...ownSessionRoutes(admin),
    ...ownKeyListRoutes(admin),
    ...ownKeyRecordRoutes(admin),
    ...ownUsageRoutes(admin),
    ...ownRequestRoutes(admin),
    ownLiveRequestRoute(admin, self),
  ]
}

export type MeCall = Pick<Call<string, unknown, unknown>, 'caller' | 'context'>

/** The caller's user. Answers 404 for the operator on the control socket, who has no user. */
export function self({ caller, context }: MeCall): User {
  if (context.trusted) {
    throw new ApiError('not_found', {
      message: 'The operator on the control socket has no account of its own. Use the addresses of /users.',
    })
  }
  return caller.account.user
}

function own(call: MeCall): OwnerFilter & { readonly userId: string } {
  return { owner: 'self', userId: self(call).id }
}

function accountRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/me',
      access: 'user',
      summary: 'The own user, groups, and the API key if one was used',
      answer: whoAmIAnswer,
      errors: ['not_found'],
      handle(call) {
        self(call)
        return whoAmI(admin, call.caller)
      },
    }),
    route({
      method: 'GET',
      path: '/me/models',
      access: 'user',
      summary: 'The models that the caller can use, by name',
      answer: usableModelsAnswer,
      errors: ['not_found'],
      handle(call) {
        self(call)
        return usableModels(admin, call.caller)
      },
    }),
    route({
      method: 'GET',
      path: '/me/models/performance',
      access: 'user',
      summary: 'Speed and outages of the models that the caller can use, in the last day',
      query: performanceQuery,
      answer: performanceAnswer,
      errors: ['not_found'],
      report: true,
      handle(call) {
        self(call)
        return readPerformance(admin, call.caller, call.query.model)
      },
    }),
    route({
      method: 'POST',
      path: '/me/password',
      access: 'user',
      operation: 'changeMyPassword',
      summary: 'Change the own password; all sessions end, this one too',
      body: passwordChange,
      errors: ['not_found', 'too_many_attempts'],
      async handle(call) {
        const user = self(call)
        await requireCurrentPassword(admin, call.context, { user, current: call.body.current })
        await setPassword(admin, user.id, { plain: call.body.new, isTemporary: false })
      },
    }),
  ]
}

function ownKeyListRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/me/keys',
      access: 'user',
      summary: 'List the own API keys',
      query: keysQuery,
      answer: keyPage,
      errors: ['invalid_cursor', 'not_found'],
      handle: (call) => listKeys(admin, call.query, self(call).id),
    }),
    route({
      method: 'POST',
      path: '/me/keys',
      access: 'user',
      summary: 'Create an API key',
      description:
        'The answer is the only one that ever holds the secret. A key made through another key never gets more than that key has.',
      body: keyCreation,
      answer: createdKey,
      status: 201,
      errors: ['not_found'],
      handle: (call) => createKey(admin, call.caller, own(call), call.body),
    }),
  ]
}

function ownKeyRecordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const current = (call: MeCall & { readonly params: { readonly id: string } }) =>
    getKey(admin, own(call), call.params.id)
  return [
    route({
      method: 'GET',
      path: '/me/keys/:id',
      access: 'user',
      summary: 'One own API key',
      answer: keyAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/me/keys/:id',
      access: 'user',
      summary: 'Change an own API key',
      body: keyChange,
      answer: keyAnswer,
      current,
      handle: (call) =>
        changeKey(admin, call.caller, { ...own(call), id: call.params.id, unchanged: call.unchanged }, call.body),
    }),
    route({
      method: 'POST',
      path: '/me/keys/:id/rotate',
      access: 'user',
      summary: 'Give an own API key another secret',
      description:
        'The answer is the only one that ever holds it. Name, scopes, limits, budgets and usage stay. The secret of now works on for `overlap_hours`, an older one ends at once. A key can only rotate one that may do no more than it.',
      body: keyRotation,
      answer: createdKey,
      errors: ['conflict'],
      current,
      handle: (call) =>
        rotateKey(admin, call.caller, { ...own(call), id: call.params.id, unchanged: call.unchanged }, call.body),
    }),
    route({
      method: 'DELETE',
      path: '/me/keys/:id',
      access: 'user',
      summary: 'Delete an own API key; the next request with it is refused',
      current,
      handle: (call) => deleteKey(admin, { ...own(call), id: call.params.id, unchanged: call.unchanged }),
    }),
    route({
      method: 'POST',
      path: '/me/keys/delete',
      access: 'user',
      summary: 'Delete several own API keys at once',
      body: keyDeletion,
      answer: deletedKeys,
      errors: ['not_found'],
      handle: async (call) => ({ deleted: await deleteKeys(admin, own(call), call.body.ids) }),
    }),
  ]
}

function ownSessionRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/me/sessions',
      access: 'user',
      summary: 'The own sessions in browsers',
      answer: sessionsAnswer,
      errors: ['not_found'],
      handle: (call) => readSessions(admin, call.context, self(call).id),
    }),
    route({
      method: 'DELETE',
      path: '/me/sessions',
      access: 'user',
      summary: 'Sign out everywhere: all own sessions end, this one too',
      errors: ['not_found'],
      async handle(call) {
        await admin.store.sessions.deleteOfUser(self(call).id)
      },
    }),
    route({
      method: 'DELETE',
      path: '/me/sessions/:sessionId',
      access: 'user',
      summary: 'End one of the own sessions',
      handle: (call) => endOneSession(admin, self(call).id, call.params.sessionId),
    }),
  ]
}

function ownUsageRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/me/usage',
      access: 'user',
      summary: 'What the own account used',
      query: ownTotalsQuery,
      answer: totalsAnswer,
      errors: ['not_found'],
      report: true,
      handle: (call) => readTotals(admin, { ...call.query, user_id: self(call).id }),
    }),
    route({
      method: 'GET',
      path: '/me/usage/series',
      access: 'user',
      summary: 'The same over time',
      description: seriesDescription,
      query: ownSeriesQuery,
      answer: seriesAnswer,
      errors: ['invalid_cursor', 'not_found'],
      report: true,
      handle: (call) => readSeries(admin, { ...call.query, user_id: self(call).id }),
    }),
    route({
      method: 'GET',
      path: '/me/usage/activity',
      access: 'user',
      summary: 'What each of some own keys, or of some models by the own account, was used, day by day',
      query: ownActivityQuery,
      answer: activityAnswer,
      errors: ['not_found'],
      report: true,
      handle: (call) => readActivity(admin, call.query, self(call).id),
    }),
  ]
}

function ownRequestRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/me/requests',
      access: 'user',
      summary: 'The own requests, the newest first',
      query: ownRequestsQuery,
      answer: requestsAnswer,
      errors: ['invalid_cursor', 'not_found'],
      report: true,
      handle: (call) => readRequests(admin, { ...call.query, user_id: self(call).id }),
    }),
    route({
      method: 'GET',
      path: '/me/requests/:id',
      access: 'user',
      summary: 'One of the own requests, by its id',
      description: requestDescription,
      query: requestQuery,
      answer: requestAnswer,
      errors: ['not_found'],
      report: true,
      handle: (call) => readRequest(admin, { ...call.params, ...call.query, userId: self(call).id }),
    }),
  ]
}

/** Guesses count like failed sign-ins: a borrowed session must not be a way around that limit. */
async function requireCurrentPassword(
  admin: Admin,
  context: RequestContext,
  { user, current }: { readonly user: User; readonly current: string },
): Promise<void> {
  const { store, signInGuard } = admin
  const attempt = attemptOf(admin, context, user.email)
  const waitSeconds = await signInGuard.begin(attempt)
  if (waitSeconds !== null) throw tooManyAttempts(waitSeconds)
  if (!(await passwordMatches(current, (await store.users.password(user.id))?.hash ?? null))) {
    throw new ApiError('validation_failed', {
      param: 'current',
      message: '"current": this is not the current password.',
    })
  }
  await signInGuard.succeeded(attempt)
}
