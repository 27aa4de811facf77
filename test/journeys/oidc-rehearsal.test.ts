/** A test sign-in: what the issuer sends and what a sign-in would do, without one. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startOidcProvider, type OidcProvider } from '#test/support/network/oidc-provider.ts'
import {
  appWith,
  atProvider,
  begin,
  comeBack,
  cookieOf,
  locationOf,
  signIn,
} from '#test/support/network/oidc-sign-in.ts'

let provider: OidcProvider
let app: AdminApp
beforeEach(async () => {
  provider = await startOidcProvider()
  app = await appWith(provider, 'auth.oidc.auto_create=true')
})
afterEach(async () => {
  await app[Symbol.asyncDispose]()
  await provider.close()
})

const place = '/settings?tab=start#test-sign-in='

/** The whole way of a browser; what it carries back. */
async function rehearsed(): Promise<string> {
  const { location, cookie } = await begin(app, '?test=true')
  const response = await comeBack(await atProvider(location), cookie)
  expect(cookieOf(response, 'sluice_session')).toBe('')
  const end = locationOf(response)
  expect(end.slice(0, place.length)).toBe(place)
  return decodeURIComponent(end.slice(place.length))
}

function opened(sealed: string, key = app.adminKey) {
  return app.call<Record<string, unknown>>('POST', '/oidc/test-sign-in', { key, body: { sealed } })
}

function sends(claims: Readonly<Record<string, unknown>>): void {
  provider.misbehaviour = { claims: (own) => ({ ...own, ...claims }) }
}

test('tells what would happen to each kind of person, and does nothing', async () => {
  const users = async () => (await app.call<{ data: unknown[] }>('GET', '/users')).body.data.length
  const before = await users()
  await app.call('POST', '/groups', { body: { name: 'research' } })
  const cases: readonly (readonly [claims: Record<string, unknown>, expected: Record<string, unknown>])[] = [
    [
      { email: 'new@example.org', groups: ['research', 'other'] },
      { refusal: null, account: 'new', groups: ['research'], sent_groups: ['research', 'other'], is_admin: false },
    ],
    [
      { email: userEmail, groups: 'operators' },
      { refusal: null, account: 'existing', email: userEmail, is_admin: true },
    ],
    [
      { email: 'new@example.org', email_verified: false },
      { refusal: 'oidc_email_unverified', account: null, email: 'new@example.org' },
    ],
    [{ email: 'no address' }, { refusal: 'oidc_email_missing', email: null }],
    [{ nonce: 'another' }, { refusal: 'oidc_failed', subject: null }],
  ]
  for (const [claims, expected] of cases) {
    sends(claims)
    expect((await opened(await rehearsed())).body).toMatchObject(expected)
  }
  expect(await users()).toBe(before)
  // A sign-in afterwards does what the test has said.
  sends({ email: 'new@example.org' })
  expect((await signIn(app)).location).toBe('/')
  expect((await opened(await rehearsed())).body).toMatchObject({ account: 'existing' })
})

test('is told to administrators only, for some minutes, and is what this server has written', async () => {
  const sealed = await rehearsed()
  expect((await opened(sealed, app.userKey)).status).toBe(403)
  for (const other of ['', 'x', sealed.slice(0, -4), sealed.slice(1)])
    expect((await opened(other)).param).toBe('sealed')
  expect((await opened(sealed)).status).toBe(200)
  app.advance(11 * 60_000)
  expect((await opened(sealed)).param).toBe('sealed')
})
