/** Signing in through an OpenID Connect issuer, from the console's own sign-in page, in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { oidcRefusals } from '#admin/oidc/refusal.ts'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'
import { startOidcProvider, type OidcProvider } from '#test/support/network/oidc-provider.ts'
import { signInErrorText } from '../../ui/src/routes/sign-in-errors.ts'

let browser: Browser
let app: AdminApp
let provider: OidcProvider
if (journeysSkipped === null) {
  beforeAll(async () => {
    // Another site than the app to a browser, as an issuer is.
    provider = await startOidcProvider({ host: 'localhost' })
    provider.interactive = true
    const { issuer, clientId, clientSecret } = provider
    app = await startConsoleApp(
      [
        `auth.oidc.issuer=${issuer}`,
        `auth.oidc.client_id=${clientId}`,
        'auth.oidc.button_label=Example SSO',
        'auth.oidc.admin_groups=operators',
      ],
      { SLUICE_AUTH_OIDC_CLIENT_SECRET: clientSecret },
    )
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await provider.close()
  })
}

/** Goes to the issuer and back as this person. */
async function throughTheIssuer({ page }: Visitor, person: Record<string, unknown>): Promise<void> {
  provider.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace', ...person }
  await page.getByRole('link', { name: 'Sign in with Example SSO' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
}

function expectNoComplaints({ complaints }: Visitor): void {
  // The way leads through the issuer's own page; nothing else may be asked for anything.
  const elsewhere = complaints.foreign.filter((url) => !url.startsWith(provider.issuer))
  expect({ errors: complaints.errors, elsewhere }).toEqual({ errors: [], elsewhere: [] })
}

describe.skipIf(journeysSkipped !== null)(
  `signing in through an issuer${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('leads back to the page that was asked for, with a new account and no rights of others', async () => {
      await using visitor = await visit(browser, app)
      const { page } = visitor
      await visitor.open('/models?q=chat')
      await page.getByRole('link', { name: 'Sign in with Example SSO' }).waitFor()
      await visitor.requireAccessible('sign-in with an issuer')
      await throughTheIssuer(visitor, {})
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
      expect(new URL(page.url()).search).toBe('?q=chat')
      await page.getByRole('button', { name: 'Account of ada@example.org' }).waitFor()
      expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
      expectNoComplaints(visitor)
    }, 60_000)

    test('a member of the administrators’ group at the issuer administers', async () => {
      await using visitor = await visit(browser, app)
      await visitor.open('/users')
      await throughTheIssuer(visitor, { sub: 'grace', email: 'grace@example.org', groups: ['operators'] })
      await visitor.page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
      await visitor.page.getByRole('heading', { level: 2, name: 'Administration' }).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('an address that the issuer has not verified is refused with a sentence, and the password still works', async () => {
      await using visitor = await visit(browser, app, { viewport: { width: 360, height: 740 } })
      const { page } = visitor
      await visitor.open('/sign-in')
      await throughTheIssuer(visitor, { sub: 'eve', email: 'eve@example.org', email_verified: false })
      await page.getByRole('alert').getByText('has not verified your e-mail address').waitFor()
      await visitor.requireAccessible('refused by the issuer')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await visitor.signIn('user')
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)
  },
)

test('every code with which a sign-in is refused has a sentence of its own', () => {
  const texts = Object.keys(oidcRefusals).map(signInErrorText)
  expect(texts).not.toContain(signInErrorText('anything else'))
  expect(new Set(texts).size).toBe(texts.length)
})
