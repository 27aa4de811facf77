/**
 * Browser sessions: a random token in a cookie, its digest in the store. A session ends at its
 * time, at sign-out, when the password changes, and when the user is disabled or deleted.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Directory } from '#identity/directory.ts'
import type { Caller } from '#identity/records.ts'
import { randomBase62 } from '#lib/base62.ts'
import type { Clock } from '#lib/clock.ts'
import { StoreUnavailable } from '#store/errors.ts'
import type { Session } from '#store/identity/sessions.ts'
import type { Store } from '#store/store.ts'
import { requireOwnOrigin } from '#http/request-origin.ts'

export interface SessionDeps {
  readonly store: Store
  readonly directory: Directory
  readonly clock: Clock
  readonly settings: LiveSettings
}

const cookieName = 'sluice_session'
const hourMs = 3_600_000
/** Between two notes that a session was seen. */
const seenMs = 60_000
const agentCharsMax = 300

/**
 * Who is signed in with the request's cookie; null when it carries none. Answers 401 for a session
 * that is not valid, 403 when another web site makes the browser send it, and 503 when the store
 * cannot tell.
 */
export function sessionCaller(deps: SessionDeps, context: RequestContext): Promise<Caller> | null {
  const token = tokenOf(context.request)
  return token === null ? null : callerOf(deps, context, token)
}

async function callerOf(deps: SessionDeps, context: RequestContext, token: string): Promise<Caller> {
  requireOwnOrigin(context.request, deps.settings.get('server.public_url'))
  const session = await readSession(deps.store, digestOf(token))
  if (session === null || session.expiresAt <= deps.clock.now()) throw new ApiError('invalid_session')
  const account = deps.directory.account(session.userId)
  if (deps.directory.isAccountInDoubt(account)) throw new ApiError('store_unavailable')
  if (account === undefined || account.user.disabled || account.user.kind === 'service')
    throw new ApiError('invalid_session')
  await noteSeen(deps, session)
  return { account, key: null }
}

/** About once a minute. A store that cannot be written refuses no request. */
async function noteSeen({ store, clock }: SessionDeps, session: Session): Promise<void> {
  const now = clock.now()
  if (now - (session.seenAt ?? session.createdAt) < seenMs) return
  try {
    await store.sessions.touch(session, now)
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown
  }
}

async function readSession(store: Store, digest: string) {
  try {
    return await store.sessions.get(digest)
  } catch (thrown) {
    throw thrown instanceof StoreUnavailable ? new ApiError('store_unavailable', { cause: thrown }) : thrown
  }
}

/** Starts a session of the user in the browser of this request; returns the `set-cookie` header that hands it over. */
export async function startSession(
  { store, clock, settings }: Omit<SessionDeps, 'directory'>,
  { request, remoteAddress }: RequestContext,
  userId: string,
): Promise<string> {
  const token = randomBase62(32, 43)
  const lastsMs = settings.get('auth.session_hours') * hourMs
  const createdAt = clock.now()
  const digest = digestOf(token)
  const agent = request.headers.get('user-agent')?.slice(0, agentCharsMax) ?? null
  const session = {
    digest,
    userId,
    createdAt,
    expiresAt: createdAt + Math.round(lastsMs),
    agent,
    address: remoteAddress,
  }
  await store.sessions.insert({ ...session, seenAt: null })
  await store.sessions.touch(session, createdAt)
  return cookie(token, Math.round(lastsMs / 1000), settings)
}

/** Ends the session of the request's cookie, if there is one; returns the header that takes the cookie back. */
export async function endSession(
  { store, settings }: Pick<SessionDeps, 'store' | 'settings'>,
  { request }: RequestContext,
): Promise<string> {
  const token = tokenOf(request)
  if (token !== null) await store.sessions.delete(digestOf(token))
  return cookie('', 0, settings)
}

function cookie(value: string, maxAgeSeconds: number, settings: LiveSettings): string {
  const secure = settings.get('server.public_url')?.startsWith('https:') ? '; Secure' : ''
  return `${cookieName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}${secure}`
}

function tokenOf({ headers }: Request): string | null {
  const found = /(?:^|; *)sluice_session=([0-9A-Za-z]+)/.exec(headers.get('cookie') ?? '')
  return found?.[1] ?? null
}

/** The digest of the session that the request names, valid or not; null when it names none. */
export function sessionDigest(request: Request): string | null {
  const token = tokenOf(request)
  return token === null ? null : digestOf(token)
}

function digestOf(token: string): string {
  return Bun.SHA256.hash(token, 'base64')
}
