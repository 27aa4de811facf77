/** Several OpenID Connect issuers: a button each, accounts of their own, and none can speak for another. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { userEmail, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { startOidcProvider, type OidcProvider } from '#test/support/network/oidc-provider.ts'
import {
  atProvider,
  begin,
  comeBack,
  cookieOf,
  expectRefused,
  groupNames,
  locationOf,
  makeGroups,
  setSetting,
  signIn,
  start,
  whoIs,
} from '#test/support/network/oidc-sign-in.ts'

let first: OidcProvider
let second: OidcProvider
let third: OidcProvider
let app: AdminApp

beforeAll(async () => {
  ;[first, second, third] = await Promise.all([startOidcProvider(), startOidcProvider(), startOidcProvider()])
  const more = [
    { ...entryOf(second, 'partners'), button_label: 'Partners', admin_groups: ['operators'] },
    { ...entryOf(third, 'staff'), allowed_domains: ['example.org'], group_map: { x: 'research' } },
  ]
  app = await startAdminApp({
    set: [`auth.oidc.issuer=${first.issuer}`, `auth.oidc.client_id=${first.clientId}`],
    environment: { SLUICE_AUTH_OIDC_CLIENT_SECRET: first.clientSecret, SLUICE_AUTH_OIDC_MORE: JSON.stringify(more) },
  })
  await makeGroups(app, 'research')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await Promise.all([first.close(), second.close(), third.close()])
})
beforeEach(() => {
  first.person = { sub: 'ada', email: 'ada@example.org', email_verified: true }
  second.person = { sub: 'bob', email: 'bob@partner.example', email_verified: true }
})

function entryOf({ issuer, clientId, clientSecret }: OidcProvider, name: string) {
  return { name, issuer, client_id: clientId, client_secret: clientSecret }
}

test('the sign-in page has a button for each', async () => {
  const { body } = await app.call('GET', '/session/options', { key: null })
  const at = start.slice(start.indexOf('/admin'))
  expect(body).toEqual({
    password: true,
    oidc: { label: 'Single sign-on', url: at },
    issuers: [
      { label: 'Single sign-on', url: at },
      { label: 'Partners', url: `${at}/partners` },
      { label: 'staff', url: `${at}/staff` },
    ],
  })
})

test('the same subject at two issuers is two people', async () => {
  second.person = { sub: 'ada', email: 'ada@partner.example', email_verified: true, groups: ['operators'] }
  const [one, two] = [await signIn(app), await signIn(app, '/partners?return=/models')]
  expect([one.location, two.location]).toEqual(['/', '/models'])
  const [here, there] = [await whoIs(app, one.session), await whoIs(app, two.session)]
  expect(here.user).toMatchObject({ email: 'ada@example.org', role: 'user' })
  expect(there.user).toMatchObject({ email: 'ada@partner.example', role: 'admin' })
})

describe('an issuer beside the first one', () => {
  test('does not reach an account that exists, unless its domains are named', async () => {
    second.person = { sub: 'u', email: userEmail, email_verified: true }
    await expectRefused('oidc_account_taken', signIn(app, '/partners'))
    third.person = { sub: 'u', email: userEmail, email_verified: true, groups: ['x'] }
    const { session } = await signIn(app, '/staff')
    expect((await whoIs(app, session)).user.id).toBe(app.userId)
    expect(await groupNames(app, session)).toEqual(['everyone', 'research'])
    third.person = { sub: 'v', email: 'eve@elsewhere.example', email_verified: true }
    await expectRefused('oidc_domain_denied', signIn(app, '/staff'))
  })

  test('cannot end the sign-in of another one', async () => {
    const begun = await begin(app, '/partners')
    const callback = await atProvider(begun.location)
    // The answer of one issuer at the address of another: no code goes there.
    for (const path of ['', '/staff']) {
      const elsewhere = callback.replace('/partners/callback', `${path}/callback`)
      const refused = await comeBack(elsewhere, begun.cookie)
      expect(locationOf(refused)).toBe('/sign-in?error=oidc_expired')
    }
    expect(cookieOf(await comeBack(callback, begun.cookie), 'sluice_session')).not.toBe('')
  })

  test('that is not in the list is not configured', async () => {
    const response = await fetch(`${app.url}${start}/nobody`, { redirect: 'manual' })
    expect(locationOf(response)).toBe('/sign-in?error=oidc_not_configured')
  })

  test('works while another one is down', async () => {
    third.misbehaviour = { tokenStatus: 500 }
    await expectRefused('oidc_unavailable', signIn(app, '/staff'))
    third.misbehaviour = {}
    expect((await signIn(app, '/partners')).session).not.toBe('')
  })
})

test('secrets of the list are in no answer of the settings', async () => {
  const { body } = await app.call<object>('GET', '/settings')
  const text = JSON.stringify(body)
  expect(text).not.toContain(second.clientSecret)
  expect(text).toContain('[secret]')
  await setSetting(app, 'auth.oidc.button_label', 'Main')
  const options = await app.call<{ issuers: readonly { label: string }[] }>('GET', '/session/options', { key: null })
  expect(options.body.issuers[0]?.label).toBe('Main')
})
