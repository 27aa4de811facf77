/**
 * Signing in by OpenID Connect: the authorization code flow with PKCE. Both addresses are visited by
 * a browser, so refusals too lead to a page: the sign-in page, with a code that it words.
 */
import { z } from '#lib/schema.ts'
import { isLoopbackHost } from '#config/settings/formats.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import { validQuery } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import { StoreUnavailable } from '#store/errors.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix, noStore } from '../endpoint.ts'
import { reloadAfterLostWrite } from '../reload-after-lost-write.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { startSession } from './session.ts'
import { accountOf } from './oidc-account.ts'
import { rehearsed } from './oidc-rehearsal.ts'
import { personOf } from '../oidc/claims.ts'
import { reasonOf, type OidcIssuer } from '../oidc/issuer.ts'
import { noPendingCookie, pendingCookie, pendingSeconds, readPending, type PendingSignIn } from '../oidc/pending.ts'
import { OidcRefusal } from '../oidc/refusal.ts'

const startPath = `${adminPrefix}/session/oidc`
/** Issuers beside the first one have addresses of their own, so that none can answer for another (RFC 9700, 4.4.2.1). */
const namedPath = `${startPath}/:issuer`
const signInPage = '/sign-in'

const options = z
  .strictObject({
    password: z.literal(true).describe('Signing in with e-mail address and password is always possible'),
    oidc: z
      .strictObject({ label: z.string(), url: z.string().describe('Where the browser has to go') })
      .nullable()
      .describe('The first issuer; null where it is not configured'),
    issuers: z
      .array(z.strictObject({ label: z.string(), url: z.string() }))
      .describe('All issuers in the order of their buttons, the first one too'),
  })
  .meta({ id: 'SignInOptions' })

const noQuery = z.strictObject({})

const startQuery = z.strictObject({
  return: z
    .string()
    .max(1000)
    .refine(isOwnPath, 'expected a path of this server')
    .optional()
    .describe('Where to go afterwards: a path of this server'),
  test: z
    .literal('true')
    .optional()
    .describe('Nobody is signed in: an administrator is told what would happen, on the page of settings'),
})

const tag = 'Session'

export function oidcRoutes(admin: Admin): Route<Caller>[] {
  return [
    {
      method: 'GET',
      path: `${adminPrefix}/session/options`,
      access: 'public',
      docs: {
        tag,
        operation: 'getSignInOptions',
        summary: 'The ways to sign in',
        answer: options,
        errors: ['invalid_query_parameter'],
      },
      handle({ query }) {
        validQuery(noQuery, query) // 400
        return json(signInOptions(admin), 200, noStore)
      },
    },
    ...[startPath, namedPath].flatMap((path) => flowRoutes(admin, path)),
  ]
}

/** Both ends of the flow with the issuer of a path. */
function flowRoutes(admin: Admin, path: string): Route<Caller>[] {
  const isNamed = path === namedPath
  return [
    {
      method: 'GET',
      path,
      access: 'public',
      docs: {
        tag,
        operation: isNamed ? 'signInByNamedOidc' : 'signInByOidc',
        summary: `Sign in by OpenID Connect${isNamed ? ' at an issuer of `auth.oidc.more`' : ''}: leads the browser to the issuer`,
        description: 'When that cannot be, it leads to /sign-in?error=<code>.',
        query: startQuery,
        status: 303,
        errors: ['invalid_query_parameter'],
      },
      handle: (context) => serveStart(admin, context),
    },
    {
      method: 'GET',
      path: `${path}/callback`,
      access: 'public',
      docs: {
        tag,
        operation: isNamed ? 'finishSignInByNamedOidc' : 'finishSignInByOidc',
        summary: 'Where the issuer leads the browser back: sets the cookie sluice_session',
        description: 'Leads on to the path that was asked for, or to /sign-in?error=<code>.',
        status: 303,
      },
      handle: (context) => serveCallback(admin, context),
    },
  ]
}

/** The issuer that a path names. Throws OidcRefusal when there is none. */
function issuerOf({ issuers }: Admin, { params }: RequestContext): OidcIssuer {
  const found = issuers.find(({ name }) => name === (params['issuer'] ?? ''))
  if (found === undefined) throw new OidcRefusal('oidc_not_configured')
  return found
}

function pathOf({ name }: OidcIssuer): string {
  return name === '' ? startPath : `${startPath}/${name}`
}

function signInOptions({ settings, issuers }: Admin): z.input<typeof options> {
  // The cookie of the flow must be one of the address that the issuer leads back to.
  const origin = settings.get('server.public_url') ?? ''
  const buttons = issuers.flatMap((issuer) => {
    const label = issuer.settings?.label
    return label === undefined ? [] : [{ isFirst: issuer.name === '', label, url: origin + pathOf(issuer) }]
  })
  const onWire = ({ label, url }: (typeof buttons)[number]) => ({ label, url })
  const first = buttons.find(({ isFirst }) => isFirst)
  return { password: true, oidc: first === undefined ? null : onWire(first), issuers: buttons.map(onWire) }
}

async function serveStart(admin: Admin, context: RequestContext): Promise<Response> {
  const { return: returnTo = '/', test } = validQuery(startQuery, context.query) // 400
  try {
    const issuer = issuerOf(admin, context)
    const redirectUri = redirectUriOf(admin, issuer, context)
    const { url, ...secrets } = await issuer.begin(redirectUri)
    const expiresAt = admin.clock.now() + pendingSeconds * 1000
    const isTest = test === undefined ? {} : { isTest: true as const }
    return redirect(url.href, [
      pendingCookie(admin.sealer, { ...secrets, redirectUri, returnTo, expiresAt, ...isTest }),
    ])
  } catch (thrown) {
    return refuse(admin, context, { thrown, returnTo, cookies: [] })
  }
}

async function serveCallback(admin: Admin, context: RequestContext): Promise<Response> {
  const begun = readPending(admin.sealer, admin.clock, context)
  // One that was begun later in another window goes on.
  const pending = begun?.state === context.query.get('state') ? begun : null
  try {
    if (pending === null) throw new OidcRefusal('oidc_expired')
    if (pending.isTest) return redirect(await tested(admin, context, pending), [noPendingCookie(pending)])
    const cookies = await reloadAfterLostWrite(admin, () => signedIn(admin, context, pending))
    return redirect(pending.returnTo, [...cookies, noPendingCookie(pending)])
  } catch (thrown) {
    const cookies = pending === null ? [] : [noPendingCookie(pending)]
    await admin.audit.signInRefused(context, '', refusalOf(thrown).code)
    return refuse(admin, context, { thrown, returnTo: pending?.returnTo ?? '/', cookies })
  }
}

/** The issuer of a sign-in that comes back. Throws OidcRefusal. */
function returnedFrom(admin: Admin, context: RequestContext, { redirectUri }: PendingSignIn): OidcIssuer {
  const issuer = issuerOf(admin, context)
  // A cookie belongs to the path of its issuer; another one's would have the code sent to the wrong issuer.
  if (!redirectUri.endsWith(`${pathOf(issuer)}/callback`)) throw new OidcRefusal('oidc_expired')
  return issuer
}

function tested(admin: Admin, context: RequestContext, pending: PendingSignIn): Promise<string> {
  const issuer = returnedFrom(admin, context, pending)
  return rehearsed(admin, issuer.configured, issuer.claims(pending, context.query))
}

/** The `set-cookie` headers of the new session. */
async function signedIn(admin: Admin, context: RequestContext, pending: PendingSignIn): Promise<readonly string[]> {
  const issuer = returnedFrom(admin, context, pending)
  const claims = await issuer.claims(pending, context.query)
  const person = personOf(claims, issuer.configured.groupsClaim)
  if (person === null) throw new OidcRefusal('oidc_failed')
  const user = await accountOf(admin, issuer.configured, person)
  await admin.audit.signedIn(context, user, 'oidc')
  admin.logger.info('signed in by OpenID Connect', { requestId: context.requestId, userId: user.id })
  return [await startSession(admin, context, user.id), knownBrowserCookie(admin, context, user.id)]
}

/** The public address; where none is set, that of this request when only this machine can have sent it. */
function redirectUriOf({ settings }: Admin, issuer: OidcIssuer | null, { request }: RequestContext): string {
  const callbackPath = `${issuer === null ? startPath : pathOf(issuer)}/callback`
  const publicUrl = settings.get('server.public_url')
  if (publicUrl !== null) return publicUrl + callbackPath
  // What a stranger writes into the host header must not become an address that the issuer is given.
  const own = `http://${request.headers.get('host') ?? ''}`
  if (!URL.canParse(own) || !isLoopbackHost(new URL(own).hostname)) throw new OidcRefusal('oidc_public_url_missing')
  return new URL(own).origin + callbackPath
}

/** Where an issuer has to send people back to, as seen by this request; null when the public address is needed for it. */
export function publicCallback(admin: Admin, issuer: OidcIssuer | undefined, context: RequestContext): string | null {
  try {
    return redirectUriOf(admin, issuer ?? null, context)
  } catch {
    return null
  }
}

interface Refused {
  readonly thrown: unknown
  readonly returnTo: string
  readonly cookies: readonly string[]
}

function refuse({ logger }: Admin, { requestId }: RequestContext, { thrown, returnTo, cookies }: Refused): Response {
  const refusal = refusalOf(thrown)
  const fields = { requestId, code: refusal.code, reason: reasonOf(refusal.cause) }
  if (thrown instanceof OidcRefusal) logger.warn('a sign-in by OpenID Connect was refused', fields)
  else logger.error('a sign-in by OpenID Connect failed', { ...fields, error: thrown })
  const query = new URLSearchParams({ error: refusal.code, ...(returnTo !== '/' && { return: returnTo }) })
  return redirect(`${signInPage}?${query.toString()}`, cookies)
}

function refusalOf(thrown: unknown): OidcRefusal {
  if (thrown instanceof OidcRefusal) return thrown
  const unavailable =
    thrown instanceof StoreUnavailable || (thrown instanceof ApiError && thrown.code === 'store_unavailable')
  return new OidcRefusal(unavailable ? 'store_unavailable' : 'oidc_failed', thrown)
}

/** A path that no browser takes for the address of another server, as it stands in a `location` header. */
function isOwnPath(path: string): boolean {
  const base = 'http://own.invalid'
  // Blanks and controls are taken out by browsers, backslashes read as slashes.
  return /^\/(?!\/)[!-[\]-~]*$/.test(path) && new URL(path, base).origin === base
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...noStore, location, 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
