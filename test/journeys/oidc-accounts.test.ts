/** Whom a sign-in by OpenID Connect makes somebody: which account, with which groups and role, and for whom there is none. */
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { adminEmail, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startOidcProvider, type OidcProvider } from '#test/support/network/oidc-provider.ts'
import {
  appWith,
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

let provider: OidcProvider
let app: AdminApp

beforeEach(async () => {
  provider = await startOidcProvider()
  app = await appWith(provider)
})
afterEach(async () => {
  await app[Symbol.asyncDispose]()
  await provider.close()
})

describe('the first sign-in', () => {
  test('creates an account with the groups of the claims, and leads to the page that was asked for', async () => {
    await makeGroups(app, 'research', 'staff', 'other')
    await setSetting(app, 'auth.oidc.group_map', { '0760b6cf': 'research' })
    provider.person = { ...provider.person, groups: ['0760b6cf', 'staff', 'unknown', 'everyone'] }
    const { location, session } = await signIn(app, '?return=/models%3Fview=table')
    expect(location).toBe('/models?view=table')
    const { user } = await whoIs(app, session)
    expect(user).toMatchObject({ email: 'ada@example.org', name: 'Ada Lovelace', role: 'user' })
    expect(await groupNames(app, session)).toEqual(['everyone', 'research', 'staff'])
  })

  test('links an account that has the verified address, which keeps its password and its own groups', async () => {
    await makeGroups(app, 'own')
    const group = await app.store.groups.byName('own')
    await app.call('PUT', `/users/${app.userId}/groups/${group!.id}`)
    await app.call('POST', `/users/${app.userId}/password`, { body: { password: 'correct horse', temporary: false } })
    provider.person = { ...provider.person, email: userEmail.toUpperCase() }
    const { session } = await signIn(app)
    expect((await whoIs(app, session)).user.id).toBe(app.userId)
    expect(await groupNames(app, session)).toEqual(['everyone', 'own'])
    const byPassword = await app.call('POST', '/session', {
      key: null,
      body: { email: userEmail, password: 'correct horse' },
    })
    expect(byPassword.status).toBe(200)
  })

  test('reads from the userinfo endpoint what the ID token leaves out', async () => {
    await makeGroups(app, 'staff')
    provider.person = { ...provider.person, groups: ['staff'] }
    provider.userinfoOnly = ['email', 'email_verified', 'groups', 'name']
    const { session } = await signIn(app)
    expect((await whoIs(app, session)).user).toMatchObject({ email: 'ada@example.org', name: 'Ada Lovelace' })
    expect(await groupNames(app, session)).toEqual(['everyone', 'staff'])
  })

  test('of one person in two windows at once makes one account', async () => {
    const begun = await Promise.all([begin(app), begin(app)])
    const callbacks = await Promise.all(begun.map(({ location }) => atProvider(location)))
    const responses = await Promise.all(callbacks.map((callback, at) => comeBack(callback, begun[at]!.cookie)))
    const users = await Promise.all(responses.map((each) => whoIs(app, cookieOf(each, 'sluice_session'))))
    expect(new Set(users.map(({ user }) => user.id)).size).toBe(1)
  })

  test('sends the client secret as the provider wants it, also one with odd characters', async () => {
    for (const methods of [['client_secret_basic'], ['client_secret_post'], undefined]) {
      provider.authMethods = methods
      await using other = await appWith(provider)
      const first = await fetch(other.url + start, { redirect: 'manual' })
      const callback = await atProvider(locationOf(first))
      expect(locationOf(await comeBack(callback, cookieOf(first, 'sluice_oidc')))).toBe('/')
    }
  })
})

describe('a later sign-in', () => {
  test('finds the account by its subject whatever the address is, and brings its groups up to date', async () => {
    await makeGroups(app, 'research', 'staff')
    provider.person = { ...provider.person, groups: ['research'] }
    const first = await signIn(app)
    const before = await whoIs(app, first.session)
    provider.person = { ...provider.person, email: 'countess@example.org', email_verified: false, groups: ['staff'] }
    const second = await signIn(app)
    expect((await whoIs(app, second.session)).user).toMatchObject({ id: before.user.id, email: 'ada@example.org' })
    // Memory too: the session that goes on sees the new groups at once.
    for (const { session } of [first, second]) expect(await groupNames(app, session)).toEqual(['everyone', 'staff'])
  })

  test('gives and takes the role of an administrator with the claim, but not one that was given here', async () => {
    provider.person = { ...provider.person, groups: ['operators'] }
    const { session } = await signIn(app)
    expect((await whoIs(app, session)).user.role).toBe('admin')
    expect((await app.call('GET', '/users', { key: null, headers: { cookie: session } })).status).toBe(200)
    provider.person = { ...provider.person, groups: [] }
    await signIn(app)
    expect((await app.call('GET', '/users', { key: null, headers: { cookie: session } })).status).toBe(403)

    provider.person = { sub: 'root', email: adminEmail, email_verified: true }
    expect((await whoIs(app, (await signIn(app)).session)).user).toMatchObject({ id: app.adminId, role: 'admin' })
  })

  test('takes a new key of the provider, which is looked for at most once a minute', async () => {
    await signIn(app)
    await provider.rotateKey()
    await expectRefused('oidc_failed', signIn(app))
    setSystemTime(new Date(Date.now() + 61_000))
    try {
      expect((await signIn(app)).location).toBe('/')
    } finally {
      setSystemTime()
    }
    expect(provider.requests.filter((each) => each === 'GET /keys')).toHaveLength(2)
  })
})

describe('an account is refused', () => {
  test('to an address that the issuer has not verified, neither linked nor created', async () => {
    for (const email_verified of [false, undefined]) {
      provider.person = { sub: 'mallory', email: adminEmail, email_verified }
      await expectRefused('oidc_email_unverified', signIn(app))
      provider.person = { sub: 'mallory', email: 'new@example.org', email_verified }
      await expectRefused('oidc_email_unverified', signIn(app))
    }
    expect(await app.store.users.byEmail('new@example.org')).toBeNull()
    await setSetting(app, 'auth.oidc.trust_email', true)
    expect((await signIn(app)).location).toBe('/')
  })

  test('to somebody without an address', async () => {
    provider.person = { sub: 'nobody' }
    await expectRefused('oidc_email_missing', signIn(app))
  })

  test('to a second subject with the address of an account that has one', async () => {
    await signIn(app)
    provider.person = { ...provider.person, sub: 'another-ada' }
    await expectRefused('oidc_account_taken', signIn(app))
  })

  test('that is disabled, before and after it was linked', async () => {
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: true } })
    provider.person = { ...provider.person, email: userEmail }
    await expectRefused('oidc_account_disabled', signIn(app))
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: false } })
    const { session } = await signIn(app)
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: true } })
    await expectRefused('oidc_account_disabled', signIn(app))
    expect((await app.call('GET', '/session', { key: null, headers: { cookie: session } })).status).toBe(401)
  })

  test('that is a service account, before and after it was linked', async () => {
    provider.person = { ...provider.person, email: userEmail }
    for (const kind of ['service', 'person', 'service']) {
      await app.call('PATCH', `/users/${app.userId}`, { body: { kind } })
      if (kind === 'person') expect((await signIn(app)).location).toBe('/')
      else await expectRefused('oidc_account_taken', signIn(app))
    }
  })

  test('of another domain than those that may sign in, before and after it was linked', async () => {
    await setSetting(app, 'auth.oidc.allowed_domains', ['example.com'])
    await expectRefused('oidc_domain_denied', signIn(app))
    expect(await app.store.users.byEmail('ada@example.org')).toBeNull()
    await setSetting(app, 'auth.oidc.allowed_domains', ['example.org'])
    expect((await signIn(app)).location).toBe('/')
    await setSetting(app, 'auth.oidc.allowed_domains', ['example.com'])
    await expectRefused('oidc_domain_denied', signIn(app))
  })

  test('that does not exist, when none are created', async () => {
    await setSetting(app, 'auth.oidc.auto_create', false)
    await expectRefused('oidc_no_account', signIn(app))
    provider.person = { ...provider.person, email: userEmail }
    expect((await signIn(app)).location).toBe('/')
  })
})
