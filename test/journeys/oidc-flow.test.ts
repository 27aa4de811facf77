/** The flow of a sign-in by OpenID Connect: what is sent, what is believed, and what happens when the provider is down. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startAdminApp, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startOidcProvider, type Misbehaviour, type OidcProvider } from '#test/support/network/oidc-provider.ts'
import {
  appWith,
  atProvider,
  begin,
  comeBack,
  cookieOf,
  expectRefused,
  locationOf,
  setSetting,
  signIn,
  start,
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

describe('what comes back from the provider is refused', () => {
  const lies: Readonly<Record<string, Misbehaviour>> = {
    'with a wrong nonce': { claims: (claims) => ({ ...claims, nonce: 'another' }) },
    'without a nonce': { claims: (claims) => ({ ...claims, nonce: undefined }) },
    'for another audience': { claims: (claims) => ({ ...claims, aud: 'another-client' }) },
    'for several audiences of which another is meant': {
      claims: (claims) => ({ ...claims, aud: ['sluice-test', 'another-client'], azp: 'another-client' }),
    },
    'of another issuer': { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) },
    'when it has expired': { claims: (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }) },
    'without an expiry': { claims: (claims) => ({ ...claims, exp: undefined }) },
    'when it was altered after signing': { signature: 'altered' },
    'when it is signed with another key': { signature: 'foreign' },
    'when it is not signed': { signature: 'none' },
  }
  for (const [lie, misbehaviour] of Object.entries(lies)) {
    test(lie, async () => {
      provider.misbehaviour = misbehaviour
      await expectRefused('oidc_failed', signIn(app))
      expect(await app.store.users.byEmail('ada@example.org')).toBeNull()
      provider.misbehaviour = {}
      expect((await signIn(app)).location).toBe('/')
    })
  }

  test('with another state, or in a browser that has begun nothing', async () => {
    const { location, cookie } = await begin(app)
    const callback = new URL(await atProvider(location))
    for (const sent of ['', 'sluice_oidc=', 'sluice_oidc=v1.AAAA', cookie.replace('v1.', 'v1.A')])
      expect(locationOf(await comeBack(callback.href, sent))).toBe('/sign-in?error=oidc_expired')
    callback.searchParams.set('state', 'another')
    expect(locationOf(await comeBack(callback.href, cookie))).toBe('/sign-in?error=oidc_expired')
    callback.searchParams.delete('state')
    expect(locationOf(await comeBack(callback.href, cookie))).toBe('/sign-in?error=oidc_expired')
    expect(provider.requests).not.toContain('POST /token')
  })

  test('a second time, even with the cookie of the first', async () => {
    const { location, cookie } = await begin(app)
    const callback = await atProvider(location)
    const first = await comeBack(callback, cookie)
    expect(first.headers.getSetCookie().find((each) => each.startsWith('sluice_oidc='))).toMatch(
      /^sluice_oidc=;.*Max-Age=0/,
    )
    expect(locationOf(await comeBack(callback, cookie))).toBe('/sign-in?error=oidc_failed')
  })

  test('of an earlier window, which leaves the later one alone', async () => {
    const [earlier, later] = [await begin(app), await begin(app)]
    const refused = await comeBack(await atProvider(earlier.location), later.cookie)
    expect([locationOf(refused), refused.headers.getSetCookie()]).toEqual(['/sign-in?error=oidc_expired', []])
    expect(locationOf(await comeBack(await atProvider(later.location), later.cookie))).toBe('/')
  })

  test('after the time for signing in is over', async () => {
    const { location, cookie } = await begin(app)
    const callback = await atProvider(location)
    app.advance(600_000)
    expect(locationOf(await comeBack(callback, cookie))).toBe('/sign-in?error=oidc_expired')
  })

  test('with a code that was issued to another sign-in: PKCE', async () => {
    const [victim, attacker] = [await begin(app), await begin(app)]
    const stolen = new URL(await atProvider(victim.location)).searchParams.get('code') ?? ''
    const callback = new URL(await atProvider(attacker.location))
    callback.searchParams.set('code', stolen)
    expect(locationOf(await comeBack(callback.href, attacker.cookie))).toBe('/sign-in?error=oidc_failed')
  })

  test('with an error of the provider, whose own words are in the log only', async () => {
    for (const [error, code] of [
      ['access_denied', 'oidc_denied'],
      ['temporarily_unavailable', 'oidc_unavailable'],
      ['invalid_scope', 'oidc_failed'],
    ] as const) {
      provider.misbehaviour = { authorizationError: error }
      await expectRefused(code, signIn(app))
      expect(app.log()).toContain(error)
    }
  })
})

describe('beginning', () => {
  test('sends state, nonce and an S256 challenge that differ each time, and keeps their secrets sealed', async () => {
    const begun = [await begin(app), await begin(app)]
    const queries = begun.map(({ location }) => new URL(location).searchParams)
    for (const query of queries) {
      expect(query.get('code_challenge_method')).toBe('S256')
      expect(query.get('redirect_uri')).toBe(`${app.url}${start}/callback`)
      expect(query.get('scope')).toBe('openid profile email')
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(queries.map((query) => query.get(name))).size).toBe(2)
    const setCookie = (await fetch(app.url + start, { redirect: 'manual' })).headers.get('set-cookie') ?? ''
    expect(setCookie).toMatch(
      /^sluice_oidc=v1\.[\w-]+; HttpOnly; SameSite=Lax; Path=\/admin\/api\/v1\/session\/oidc\/callback; Max-Age=600$/,
    )
    expect(setCookie.length).toBeLessThan(4096)
  })

  test('leads nowhere but to this server afterwards', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      'evil.example',
      '',
      '/a b',
      '/a\r\nset-cookie: x=y',
      `/${'x'.repeat(1000)}`,
    ]
    for (const path of elsewhere) {
      const { status, code, param } = await app.call('GET', `/session/oidc?return=${encodeURIComponent(path)}`, {
        key: null,
      })
      expect([path, status, code, param]).toEqual([path, 400, 'invalid_query_parameter', 'return'])
    }
  })

  test('a refusal keeps the page that was asked for', async () => {
    provider.misbehaviour = { authorizationError: 'access_denied' }
    expect((await signIn(app, '?return=/keys')).location).toBe('/sign-in?error=oidc_denied&return=%2Fkeys')
  })

  test('behind a public address the provider leads back to that, and cookies go over https only', async () => {
    await using proxied = await appWith(provider, 'server.public_url=https://ai.example.org/gateway')
    const response = await fetch(proxied.url + start, { redirect: 'manual' })
    const redirectUri = 'https://ai.example.org/gateway/admin/api/v1/session/oidc/callback'
    expect(new URL(locationOf(response)).searchParams.get('redirect_uri')).toBe(redirectUri)
    expect(response.headers.get('set-cookie')).toMatch(
      /Path=\/gateway\/admin\/api\/v1\/session\/oidc\/callback; .*; Secure$/,
    )
    const callback = new URL(await atProvider(locationOf(response)))
    const back = await comeBack(`${proxied.url}${start}/callback${callback.search}`, cookieOf(response, 'sluice_oidc'))
    expect(back.headers.getSetCookie().find((each) => each.startsWith('sluice_session='))).toEndWith('; Secure')
  })

  test('without a public address a host that is not this machine is not believed', async () => {
    for (const host of [
      'ai.example.org',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'user@localhost.evil.example',
    ]) {
      const response = await fetch(app.url + start, { redirect: 'manual', headers: { host } })
      expect([host, locationOf(response)]).toEqual([host, '/sign-in?error=oidc_public_url_missing'])
    }
  })
})

describe('GET /session/options', () => {
  test('names the button and its address when an issuer is configured, else only the password', async () => {
    await setSetting(app, 'auth.oidc.button_label', 'Example account')
    const configured = await app.call('GET', '/session/options', { key: null })
    const button = { label: 'Example account', url: start }
    expect(configured.body).toEqual({ password: true, oidc: button, issuers: [button] })
    await using proxied = await appWith(provider, 'server.public_url=https://ai.example.org')
    const there = await proxied.call<{ oidc: { url: string } }>('GET', '/session/options', { key: null })
    expect(there.body.oidc.url).toBe(`https://ai.example.org${start}`)
    await using plain = await startAdminApp()
    expect((await plain.call('GET', '/session/options', { key: null })).body).toEqual({
      password: true,
      oidc: null,
      issuers: [],
    })
    expect(locationOf(await fetch(plain.url + start, { redirect: 'manual' }))).toBe(
      '/sign-in?error=oidc_not_configured',
    )
  })
})

describe('a provider that is down', () => {
  test('keeps neither the server nor passwords from working, and is asked again when it is back', async () => {
    await provider.close()
    await using late = await appWith(provider)
    await late.call('POST', `/users/${late.userId}/password`, { body: { password: 'correct horse', temporary: false } })
    const beginLate = async () => locationOf(await fetch(late.url + start, { redirect: 'manual' }))
    expect(await beginLate()).toBe('/sign-in?error=oidc_unavailable')
    const byPassword = await late.call('POST', '/session', {
      key: null,
      body: { email: userEmail, password: 'correct horse' },
    })
    expect(byPassword.status).toBe(200)

    await using back = await startOidcProvider({ port: provider.port })
    expect(await beginLate()).toBe('/sign-in?error=oidc_unavailable')
    expect(back.requests).toEqual([])
    late.advance(3000)
    expect(await beginLate()).toStartWith(`${provider.issuer}/authorize?`)
  })

  test('in the middle of a sign-in, is told apart from a lie', async () => {
    const { location, cookie } = await begin(app)
    const callback = await atProvider(location)
    await provider.close()
    expect(locationOf(await comeBack(callback, cookie))).toBe('/sign-in?error=oidc_unavailable')
    // What was found of it before still holds.
    expect((await begin(app)).location).toStartWith(`${provider.issuer}/authorize?`)
  })

  test('or that fails to context the code, is told apart from a lie too', async () => {
    provider.misbehaviour = { tokenStatus: 503 }
    await expectRefused('oidc_unavailable', signIn(app))
    provider.misbehaviour = { tokenStatus: 400 }
    await expectRefused('oidc_failed', signIn(app))
  })

  test('is looked up once for many who begin at the same time, and again after an hour', async () => {
    await Promise.all(Array.from({ length: 5 }, () => begin(app)))
    const lookUps = () => provider.requests.filter((each) => each.includes('.well-known')).length
    expect(lookUps()).toBe(1)
    app.advance(3_600_000)
    await begin(app)
    expect(lookUps()).toBe(2)
  })

  test('or one that calls itself by another name, is not used', async () => {
    await provider.close()
    await using other = await startOidcProvider({ port: provider.port })
    other.misbehaviour = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }
    expect((await begin(app)).location).toBe('/sign-in?error=oidc_unavailable')
    expect(app.log()).toContain('calls itself https://login.microsoftonline.com/{tenantid}/v2.0')
  })
})

test('a database that is down is told apart from the provider', async () => {
  const { location, cookie } = await begin(app)
  const callback = await atProvider(location)
  await app.store.close()
  expect(locationOf(await comeBack(callback, cookie))).toBe('/sign-in?error=store_unavailable')
})

test('neither the client secret nor a code, a token or a cookie is in the log', async () => {
  const { location, cookie } = await begin(app)
  const callback = await atProvider(location)
  await comeBack(callback, cookie)
  provider.misbehaviour = { signature: 'altered' }
  await signIn(app)
  const code = new URL(callback).searchParams.get('code') ?? ''
  expect(code).not.toBe('')
  for (const secret of [provider.clientSecret, code, cookie.replace('sluice_oidc=', ''), 'eyJ', 'ada@example.org'])
    expect(app.log()).not.toContain(secret)
})
