/** Signing in, staying signed in, and being signed out. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  adminEmail,
  startAdminApp,
  userEmail,
  type AdminApp,
  type Answer,
  type CallOptions,
} from '#test/support/app/admin-app.ts'

import { aSession } from '#test/support/store/store-records.ts'
let app: AdminApp
beforeEach(async () => {
  app = await startAdminApp({ set: ['auth.session_hours=2'] })
  await app.call('POST', `/users/${app.adminId}/password`, { body: { password, temporary: false } })
})
afterEach(() => app[Symbol.asyncDispose]())

const password = 'correct horse'

interface WhoAmI {
  readonly user: { readonly id: string; readonly email: string; readonly role: string }
  readonly groups: readonly { readonly name: string }[]
  readonly key: { readonly prefix: string } | null
}

function signIn(
  sent: { readonly email?: string; readonly password?: string } = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<WhoAmI>> {
  return app.call<WhoAmI>('POST', '/session', { key: null, headers, body: { email: adminEmail, password, ...sent } })
}

function cookieOf({ headers }: Answer<unknown>): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

async function signedIn(): Promise<string> {
  return cookieOf(await signIn())
}

/** A request with the cookie and without a key. */
function withCookie<T>(
  cookie: string,
  method: string,
  path: string,
  { headers = {}, ...rest }: Omit<CallOptions, 'key'> = {},
): Promise<Answer<T>> {
  return app.call<T>(method, path, { key: null, headers: { cookie, ...headers }, ...rest })
}

describe('POST /session', () => {
  test('a body larger than any address and password is refused before it is read', async () => {
    expect((await signIn({ password: 'x'.repeat(20_000) })).code).toBe('request_too_large')
    expect((await signIn({ password: '\u0001'.repeat(1024) })).code).toBe('invalid_credentials')
  })

  test('the right password answers with the user and sets a cookie that scripts and other sites cannot use', async () => {
    const answer = await signIn()
    expect([answer.status, answer.body.user.email, answer.body.user.role, answer.body.key]).toEqual([
      200,
      adminEmail,
      'admin',
      null,
    ])
    expect(answer.body.groups.map((group) => group.name)).toEqual(['everyone'])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sluice_session=[0-9A-Za-z]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=7200$/),
      expect.stringMatching(
        /^sluice_browser=[\w.-]+; HttpOnly; SameSite=Lax; Path=\/admin\/api\/v1; Max-Age=31536000$/,
      ),
    ])
  })

  test('the address is taken in any case', async () => {
    expect((await signIn({ email: adminEmail.toUpperCase() })).status).toBe(200)
  })

  test('behind an https public address the cookie goes over https only', async () => {
    await using secure = await startAdminApp({ set: ['server.public_url=https://ai.example.org'] })
    await secure.call('POST', `/users/${secure.adminId}/password`, { body: { password, temporary: false } })
    const answer = await secure.call('POST', '/session', { key: null, body: { email: adminEmail, password } })
    const cookies = answer.headers.getSetCookie()
    expect(cookies.map((cookie) => cookie.endsWith('; Secure'))).toEqual([true, true])
  })

  test('a wrong password, an unknown address, a user without password and a disabled one get the same 401', async () => {
    const disabled = await app.call<{ id: string }>('POST', '/users', {
      body: { email: 'off@example.org', password, disabled: true },
    })
    expect(disabled.status).toBe(201)
    const refused = [
      await signIn({ password: 'wrong horse' }),
      await signIn({ email: 'nobody@example.org' }),
      await signIn({ email: userEmail }),
      await signIn({ email: 'off@example.org' }),
    ]
    for (const answer of refused) {
      expect([answer.status, answer.code, answer.headers.get('set-cookie')]).toEqual([401, 'invalid_credentials', null])
    }
    expect(new Set(refused.map((answer) => answer.text)).size).toBe(1)
  })

  test('another web site cannot sign a browser in', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await signIn({}, headers)
      expect([answer.status, answer.code]).toEqual([403, 'origin_denied'])
    }
    expect((await signIn({}, { origin: app.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test('the public address is an own origin even when a proxy hides it', async () => {
    await using proxied = await startAdminApp({ set: ['server.public_url=https://ai.example.org/gateway'] })
    const attempt = (origin: string) =>
      proxied.call('POST', '/session', {
        key: null,
        headers: { origin },
        body: { email: adminEmail, password: 'wrong horse' },
      })
    expect((await attempt('https://ai.example.org')).code).toBe('invalid_credentials')
    expect((await attempt('https://ai.example.org.evil.example')).code).toBe('origin_denied')
  })

  test('an unknown field or a missing one is 422', async () => {
    const missing = await app.call('POST', '/session', { key: null, body: { email: adminEmail } })
    expect([missing.status, missing.code, missing.param]).toEqual([422, 'validation_failed', 'password'])
    const unknown = await app.call('POST', '/session', {
      key: null,
      body: { email: adminEmail, password, remember: true },
    })
    expect([unknown.status, unknown.param]).toEqual([422, 'remember'])
  })

  test('the password is in no answer and in no log line', async () => {
    const answers = [
      await signIn(),
      await signIn({ password: 'canary-password-1' }),
      await app.call('POST', '/session', { key: null, body: `{"password":"canary-password-1"` }),
    ]
    for (const answer of answers) expect(answer.text).not.toMatch(/canary-password|correct horse/)
    expect(app.log()).not.toMatch(/canary-password|correct horse/)
  })
})

describe('the limit of failed sign-ins', () => {
  const fail = async (times: number, email = adminEmail) => {
    const codes: (string | null)[] = []
    for (let count = 0; count < times; count += 1) codes.push((await signIn({ email, password: 'wrong horse' })).code)
    return codes
  }

  beforeEach(async () => {
    await app.call('PUT', '/settings/auth.sign_in_attempts', { body: { value: 2 } })
    await app.call('PUT', '/settings/auth.sign_in_lock_seconds', { body: { value: 30 } })
  })

  test('after the allowed failures even the right password is 429 with Retry-After, until the time has passed', async () => {
    expect(await fail(2)).toEqual(['invalid_credentials', 'invalid_credentials'])
    const locked = await signIn()
    expect([locked.status, locked.code]).toEqual([429, 'too_many_attempts'])
    expect(Number(locked.headers.get('retry-after'))).toBeWithin(28, 31)
    app.advance(30_000)
    expect((await signIn()).status).toBe(200)
  })

  test('attempts at the same time get no more tries than attempts one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn({ password: 'wrong horse' })))
    expect(answers.filter((answer) => answer.code === 'invalid_credentials')).toHaveLength(2)
    expect(answers.filter((answer) => answer.code === 'too_many_attempts')).toHaveLength(4)
  })

  test('each failure after a lock doubles the next lock', async () => {
    await fail(2)
    app.advance(31_000)
    expect(await fail(1)).toEqual(['invalid_credentials'])
    expect(Number((await signIn()).headers.get('retry-after'))).toBeWithin(57, 61)
  })

  test('a success starts the count anew, and other addresses are not locked', async () => {
    await fail(1)
    expect((await signIn()).status).toBe(200)
    await fail(1)
    expect((await signIn()).status).toBe(200)
    await fail(2, 'somebody@example.org')
    expect((await signIn({ email: 'somebody@example.org' })).code).toBe('too_many_attempts')
    expect((await signIn()).status).toBe(200)
  })

  test('a browser that has signed in before is not locked out by the guesses of others, and anybody else is soon let in', async () => {
    const browserCookie = (answer: Answer<unknown>) => answer.headers.getSetCookie()[1]?.split(';')[0] ?? ''
    const cookie = browserCookie(await signIn())
    await fail(25)
    expect((await signIn()).code).toBe('too_many_attempts')
    const known = await signIn({}, { cookie })
    expect([known.status, browserCookie(known)]).toEqual([200, expect.stringMatching(/^sluice_browser=/)])
    // Of another account, and made up.
    await app.call('POST', `/users/${app.userId}/password`, { body: { password, temporary: false } })
    await fail(25, userEmail)
    for (const other of [cookie, 'sluice_browser=v1.abc'])
      expect((await signIn({ email: userEmail }, { cookie: other })).code).toBe('too_many_attempts')
    app.advance(31_000)
    expect((await signIn({ email: userEmail })).status).toBe(200)
  })

  test('a known browser that guesses itself waits, too', async () => {
    const cookie = (await signIn()).headers.getSetCookie()[1]?.split(';')[0] ?? ''
    const codes: (string | null)[] = []
    for (let count = 0; count < 3; count += 1) codes.push((await signIn({ password: 'wrong horse' }, { cookie })).code)
    expect(codes).toEqual(['invalid_credentials', 'invalid_credentials', 'too_many_attempts'])
  })

  test('clients behind a trusted proxy are told apart, and behind any other they are one', async () => {
    await using proxied = await startAdminApp({
      set: ['server.trusted_proxies=127.0.0.0/8', 'auth.sign_in_attempts=1', 'auth.sign_in_lock_seconds=30'],
    })
    const attempt = async (address: string, on: AdminApp) => {
      const headers = { 'x-forwarded-for': address }
      const body = { email: adminEmail, password: 'wrong horse' }
      return (await on.call('POST', '/session', { key: null, headers, body })).code
    }
    expect(await attempt('198.51.100.1', proxied)).toBe('invalid_credentials')
    expect(await attempt('198.51.100.1', proxied)).toBe('too_many_attempts')
    expect(await attempt('198.51.100.2', proxied)).toBe('invalid_credentials')
    await fail(2)
    expect(await attempt('198.51.100.3', app)).toBe('too_many_attempts')
  })

  test('guessing at the current password through a session is limited alike', async () => {
    const cookie = await signedIn()
    const guess = () =>
      withCookie(cookie, 'POST', '/me/password', { body: { current: 'wrong horse', new: 'new password' } })
    expect([(await guess()).code, (await guess()).code, (await guess()).code]).toEqual([
      'validation_failed',
      'validation_failed',
      'too_many_attempts',
    ])
  })
})

describe('DELETE /me/sessions', () => {
  test('ends all sessions of the caller and nobody else’s', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    await app.call('POST', `/users/${app.userId}/password`, { body: { password, temporary: false } })
    const foreign = cookieOf(await signIn({ email: userEmail }))
    expect((await withCookie(one, 'DELETE', '/me/sessions')).status).toBe(204)
    for (const cookie of [one, other])
      expect((await withCookie(cookie, 'GET', '/session')).code).toBe('invalid_session')
    expect((await withCookie(foreign, 'GET', '/session')).status).toBe(200)
  })
})

describe('a session', () => {
  test('is as good as an administrator’s key for the admin API', async () => {
    const cookie = await signedIn()
    const me = await withCookie<WhoAmI>(cookie, 'GET', '/session')
    expect([me.status, me.body.user.id, me.body.key]).toEqual([200, app.adminId, null])
    expect((await withCookie(cookie, 'GET', '/users')).status).toBe(200)
    expect(
      (await withCookie(cookie, 'POST', '/groups', { headers: { origin: app.url }, body: { name: 'Team' } })).status,
    ).toBe(201)
  })

  test('a change that another web site makes the browser send is 403 and changes nothing', async () => {
    const cookie = await signedIn()
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await withCookie(cookie, 'POST', '/groups', { headers, body: { name: 'Evil' } })
      expect([answer.status, answer.code]).toEqual([403, 'origin_denied'])
    }
    expect(await app.store.groups.byName('Evil')).toBeNull()
  })

  test('ends at sign-out', async () => {
    const cookie = await signedIn()
    const out = await withCookie(cookie, 'DELETE', '/session')
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'sluice_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0',
    ])
    const after = await withCookie(cookie, 'GET', '/session')
    expect([after.status, after.code]).toEqual([401, 'invalid_session'])
  })

  test('ends when its time has passed', async () => {
    const cookie = await signedIn()
    app.advance(2 * 3_600_000 - 60_000)
    expect((await withCookie(cookie, 'GET', '/session')).status).toBe(200)
    app.advance(60_000)
    expect((await withCookie(cookie, 'GET', '/session')).code).toBe('invalid_session')
  })

  test('ends when the password changes, by an administrator or by the user', async () => {
    const first = await signedIn()
    await app.call('POST', `/users/${app.adminId}/password`, { body: { password: 'another horse', temporary: false } })
    expect((await withCookie(first, 'GET', '/session')).code).toBe('invalid_session')

    const second = cookieOf(await signIn({ password: 'another horse' }))
    const changed = await withCookie(second, 'POST', '/me/password', {
      body: { current: 'another horse', new: password },
    })
    expect(changed.status).toBe(204)
    expect((await withCookie(second, 'GET', '/session')).code).toBe('invalid_session')
    expect((await signIn()).status).toBe(200)
    expect((await signIn({ password: 'another horse' })).code).toBe('invalid_credentials')
  })

  test('ends when the user is disabled, and does not come back with the user', async () => {
    await app.call('POST', `/users/${app.userId}/password`, { body: { password, temporary: false } })
    const cookie = cookieOf(await signIn({ email: userEmail }))
    expect((await withCookie(cookie, 'GET', '/me')).status).toBe(200)
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: true } })
    expect((await withCookie(cookie, 'GET', '/me')).code).toBe('invalid_session')
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: false } })
    expect((await withCookie(cookie, 'GET', '/me')).code).toBe('invalid_session')
  })

  test('of a disabled user is refused, even one that is still stored', async () => {
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: true } })
    const expiresAt = Date.now() + 3_600_000
    await app.store.sessions.insert(aSession(app.userId, { digest: Bun.SHA256.hash('left', 'base64'), expiresAt }))
    expect((await withCookie('sluice_session=left', 'GET', '/me')).code).toBe('invalid_session')
    await app.call('PATCH', `/users/${app.userId}`, { body: { disabled: false } })
    expect((await withCookie('sluice_session=left', 'GET', '/me')).status).toBe(200)
  })

  test('a made-up token is refused, and only its digest is stored of a real one', async () => {
    expect((await withCookie('sluice_session=abc', 'GET', '/session')).code).toBe('invalid_session')
    const token = (await signedIn()).replace('sluice_session=', '')
    expect(await app.store.sessions.get(token)).toBeNull()
    expect(await app.store.sessions.get(Bun.SHA256.hash(token, 'base64'))).not.toBeNull()
  })

  test('a key that is sent along decides, not the cookie', async () => {
    const answer = await app.call<WhoAmI>('GET', '/session', {
      key: app.userKey,
      headers: { cookie: await signedIn() },
    })
    expect([answer.body.user.email, answer.body.key === null]).toEqual([userEmail, false])
  })
})

describe('a password that another person has chosen', () => {
  const own = 'a horse of my own'
  const signInAs = (sent: object): Promise<Answer<WhoAmI>> =>
    app.call('POST', '/session', { key: null, body: { email: userEmail, ...sent } })
  const choose = (fields: object): Promise<unknown> =>
    app.call('POST', `/users/${app.userId}/password`, { body: fields })

  test('opens no session until the user has replaced it', async () => {
    await choose({ password })
    const refused = await signInAs({ password })
    expect([refused.status, refused.code]).toEqual([403, 'password_change_required'])
    expect(refused.headers.get('set-cookie')).toBeNull()
    for (const weak of ['short', password, 'password1234', 'abcabcabcabc'])
      expect(await signInAs({ password, new_password: weak })).toMatchObject({ status: 422, param: 'new_password' })
    expect((await signInAs({ password: 'wrong horse', new_password: own })).status).toBe(401)
    const session = await signInAs({ password, new_password: own })
    expect(session.status).toBe(200)
    expect((await withCookie(cookieOf(session), 'GET', '/me')).status).toBe(200)
    expect((await signInAs({ password })).code).toBe('invalid_credentials')
    expect((await signInAs({ password: own })).status).toBe(200)
  })

  test('need not be replaced when the administrator says so, or is the user', async () => {
    await choose({ password, temporary: false })
    expect((await signInAs({ password })).status).toBe(200)
    // The key of the requests is the administrator's.
    await app.call('POST', `/users/${app.adminId}/password`, { body: { password: own } })
    expect((await signIn({ password: own })).status).toBe(200)
  })

  test('is also one with which the user was made, and keys work all the while', async () => {
    const { body } = await app.call<{ id: string }>('POST', '/users', { body: { email: 'new@example.org', password } })
    const made = await app.call<{ secret: string }>('POST', `/users/${body.id}/keys`, { body: { name: 'k' } })
    const sent = { email: 'new@example.org', password }
    expect((await signInAs(sent)).code).toBe('password_change_required')
    expect((await app.call('GET', '/me', { key: made.body.secret })).status).toBe(200)
    const both = await Promise.all([own, `${own} 2`].map((each) => signInAs({ ...sent, new_password: each })))
    expect(both.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    expect((await signInAs(sent)).code).toBe('invalid_credentials')
  })
})
