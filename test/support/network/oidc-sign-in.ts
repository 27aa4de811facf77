/** Sign-ins by OpenID Connect as a browser goes through them, without the browser. */
import { expect } from 'bun:test'
import { prefix, startAdminApp, type AdminApp } from '../app/admin-app.ts'
import type { OidcProvider } from './oidc-provider.ts'

/** An app that uses this provider, with more settings. */
export function appWith(
  { issuer, clientId, clientSecret }: OidcProvider,
  ...more: readonly string[]
): Promise<AdminApp> {
  return startAdminApp({
    set: [`auth.oidc.issuer=${issuer}`, `auth.oidc.client_id=${clientId}`, 'auth.oidc.admin_groups=operators', ...more],
    // Secrets are not taken from the command line.
    environment: { SLUICE_AUTH_OIDC_CLIENT_SECRET: clientSecret },
  })
}

/** Where a sign-in begins. */
export const start = `${prefix}/session/oidc`

/** What a browser keeps between the pages of one sign-in. */
export interface Begun {
  /** Where the browser is sent. */
  readonly location: string
  readonly cookie: string
}

/** Begins a sign-in as a browser does. */
export async function begin(app: AdminApp, query = ''): Promise<Begun> {
  const response = await fetch(app.url + start + query, { redirect: 'manual' })
  expect(response.status).toBe(303)
  return { location: locationOf(response), cookie: cookieOf(response, 'sluice_oidc') }
}

/** The address to which the provider leads back. */
export async function atProvider(location: string): Promise<string> {
  const response = await fetch(location, { redirect: 'manual' })
  expect(response.status).toBe(302)
  return locationOf(response)
}

/** What the app answers to a browser that the provider has led back. */
export async function comeBack(callback: string, cookie: string): Promise<Response> {
  const response = await fetch(callback, { redirect: 'manual', headers: { cookie } })
  expect(response.status).toBe(303)
  return response
}

export interface SignedIn {
  /** Where the journey ends. */
  readonly location: string
  /** The session's cookie; empty when there is none. */
  readonly session: string
}

/** The whole journey of somebody without cookies. */
export async function signIn(app: AdminApp, query = ''): Promise<SignedIn> {
  const { location, cookie } = await begin(app, query)
  const response = await comeBack(await atProvider(location), cookie)
  return { location: locationOf(response), session: cookieOf(response, 'sluice_session') }
}

/** Where an answer leads; empty when it does not. */
export function locationOf({ headers }: Response): string {
  return headers.get('location') ?? ''
}

/** The cookie of this name that an answer sets, as it is sent back; empty when it sets none. */
export function cookieOf({ headers }: Response, name: string): string {
  return (
    headers
      .getSetCookie()
      .find((each) => each.startsWith(`${name}=`) && !each.startsWith(`${name}=;`))
      ?.split(';')[0] ?? ''
  )
}

export interface WhoAmI {
  readonly user: { readonly id: string; readonly email: string; readonly name: string; readonly role: string }
  readonly groups: readonly { readonly name: string }[]
}

/** Who is signed in with this cookie. */
export async function whoIs(app: AdminApp, session: string): Promise<WhoAmI> {
  const { status, body } = await app.call<WhoAmI>('GET', '/session', { key: null, headers: { cookie: session } })
  expect(status).toBe(200)
  return body
}

/** The names of their groups, in order. */
export async function groupNames(app: AdminApp, session: string): Promise<readonly string[]> {
  return (await whoIs(app, session)).groups.map(({ name }) => name).toSorted()
}

/** That the journey ends on the sign-in page with this code and without a session. */
export async function expectRefused(code: string, journey: Promise<SignedIn>): Promise<void> {
  expect(await journey).toEqual({ location: `/sign-in?error=${code}`, session: '' })
}

export async function makeGroups(app: AdminApp, ...names: readonly string[]): Promise<void> {
  for (const name of names) expect((await app.call('POST', '/groups', { body: { name } })).status).toBe(201)
}

export async function setSetting(app: AdminApp, name: string, value: unknown): Promise<void> {
  expect((await app.call('PUT', `/settings/${name}`, { body: { value } })).status).toBe(200)
}
