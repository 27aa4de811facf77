/**
 * What a real browser does with the cookies of a sign-in by OpenID Connect. The session's cookie is
 * SameSite=Strict, and the way back comes from another site, so the first page is loaded without it:
 * the page's own requests must carry it all the same.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { ConsoleFile, ConsoleFiles } from '#console/console-files.ts'
import { prefix, startAdminApp } from '#test/support/app/admin-app.ts'
import { browserMissing, collectComplaints, startBrowser } from '#test/support/app/browser.ts'
import { startOidcProvider } from '#test/support/network/oidc-provider.ts'

function file(mediaType: string, text: string): ConsoleFile {
  const identity = new Uint8Array(Buffer.from(text))
  return { mediaType, digest: Bun.SHA256.hash(text, 'hex'), identity, br: null, gzip: null }
}

/** As small as a console can be: who is signed in, and a link to sign in. */
const consoleFiles: ConsoleFiles = new Map([
  [
    '/index.html',
    file(
      'text/html; charset=utf-8',
      `<!doctype html><title>Console</title><a href="${prefix}/session/oidc?return=/models">Sign in</a>
       <output></output><script src="/assets/who.js" defer></script>`,
    ),
  ],
  [
    '/assets/who.js',
    file(
      'text/javascript',
      `fetch('${prefix}/session').then((answer) => answer.json()).then(({ user, error }) => {
         document.querySelector('output').textContent = user ? user.email : error.code
       })`,
    ),
  ],
])

const suite = browserMissing === null ? describe : describe.skip

suite(browserMissing === null ? 'in a browser' : `in a browser (skipped: ${browserMissing})`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  for (const interactive of [true, false]) {
    const way = interactive ? 'after a page of the provider' : 'by redirects alone'
    test(`somebody who comes back ${way} is signed in on the first page`, async () => {
      // To a browser localhost and 127.0.0.1 are different sites.
      await using provider = await startOidcProvider({ host: 'localhost' })
      provider.interactive = interactive
      await using app = await startAdminApp({
        set: [`auth.oidc.issuer=${provider.issuer}`, `auth.oidc.client_id=${provider.clientId}`],
        environment: { SLUICE_AUTH_OIDC_CLIENT_SECRET: provider.clientSecret },
        consoleFiles,
      })
      const context = await browser.newContext()
      const page = await context.newPage()
      const { errors } = collectComplaints(page, app.url)
      const shown = page.locator('output:not(:empty)')

      await page.goto(`${app.url}/sign-in`)
      expect(await shown.textContent()).toBe('missing_api_key')
      await page.getByRole('link', { name: 'Sign in' }).click()
      if (interactive) await page.getByRole('link', { name: 'Continue' }).click()
      await page.waitForURL(`${app.url}/models`)
      expect(await shown.textContent()).toBe('ada@example.org')

      const cookies = await context.cookies()
      expect(
        cookies
          .toSorted((a, b) => b.name.localeCompare(a.name))
          .map(({ name, sameSite, httpOnly }) => ({ name, sameSite, httpOnly })),
      ).toEqual([
        { name: 'sluice_session', sameSite: 'Strict', httpOnly: true },
        { name: 'sluice_browser', sameSite: 'Lax', httpOnly: true },
      ])
      expect(errors).toEqual([])
      await context.close()
    })
  }
})
