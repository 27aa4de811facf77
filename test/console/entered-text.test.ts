/** What people have entered is not lost: not by a key, a link, the browser's way back or the end of their session. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import {
  buildConsole,
  journeysSkipped,
  password,
  startConsoleApp,
  visitAs,
  type Visitor,
} from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    await buildConsole()
    app = await startConsoleApp([])
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

/** The administrator at this address of the console. */
async function signedIn(path: string): Promise<Visitor> {
  return await visitAs(browser, app, 'admin', path)
}

describe.skipIf(journeysSkipped !== null)(
  `entered text${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('what was entered into a dialog or a page is not lost by Escape, a link or the address', async () => {
      await using visitor = await signedIn('/users')
      const { page } = visitor
      await button(page, 'Create user').click()
      const field = page.getByRole('dialog').getByLabel('E-mail address')
      await field.waitFor()
      await page.waitForFunction('document.activeElement.tagName === "INPUT"')
      await field.fill('ada@example.org')
      await page.keyboard.press('Escape')
      await page.getByText('Discard what you entered?').waitFor()
      await visitor.requireAccessible('the question before entered text is lost')
      await button(page, 'Keep editing').click()
      expect(await field.inputValue()).toBe('ada@example.org')
      await page.keyboard.press('Escape')
      await button(page, 'Discard').click()
      await field.waitFor({ state: 'detached' })

      await visitor.open('/models/new')
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('unsaved-model')
      await page.getByRole('link', { name: 'Usage', exact: true }).click()
      const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
      await asked.getByText('unsaved-model').waitFor()
      await asked.getByRole('button', { name: 'Cancel' }).click()
      expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('unsaved-model')
      await page.getByRole('link', { name: 'Usage', exact: true }).click()
      await asked.getByRole('button', { name: 'Leave without saving' }).click()
      await heading(page, 'Usage').waitFor()

      await visitor.open('/no/such/page')
      await heading(page, 'Page not found').waitFor()
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a session that ends in the middle of a form is renewed over the page, and what was sent is repeated', async () => {
      await using visitor = await signedIn('/users')
      const { page } = visitor
      await button(page, 'Create user').click()
      const form = page.getByRole('dialog', { name: 'Create a user' })
      await form.getByLabel('E-mail address').fill('late@example.org')
      await page.context().clearCookies()
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      const again = page.getByRole('dialog', { name: 'Your session has ended' })
      await again.getByLabel('Password').fill('not the password')
      await again.getByRole('button', { name: 'Sign in', exact: true }).click()
      await again.getByRole('alert').waitFor()
      await again.getByLabel('Password').fill(password)
      await again.getByRole('button', { name: 'Sign in', exact: true }).click()
      await again.waitFor({ state: 'detached' })
      await page.getByText('late@example.org').first().waitFor()
    }, 60_000)

    test('a session that was renewed in another tab goes on in this one', async () => {
      await using visitor = await signedIn('/keys')
      const { page } = visitor
      await heading(page, 'API Keys').waitFor()
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      await page.getByLabel('Keys of all users').click()
      const again = page.getByRole('dialog', { name: 'Your session has ended' })
      await again.waitFor()
      await page.context().addCookies(cookies)
      await page.evaluate('window.dispatchEvent(new Event("focus"))')
      await again.waitFor({ state: 'detached' })
      expect(await page.getByLabel('Keys of all users').isChecked()).toBe(true)
    }, 60_000)

    test('a session of another user does not send what this one has entered: the page is the other one’s', async () => {
      await using visitor = await signedIn('/users')
      const { page } = visitor
      await button(page, 'Create user').click()
      const form = page.getByRole('dialog', { name: 'Create a user' })
      await form.getByLabel('E-mail address').fill('never@example.org')
      await page.context().clearCookies()
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      const again = page.getByRole('dialog', { name: 'Your session has ended' })
      await again.waitFor()
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
      const email = 'other@example.org'
      const other = await app.call<{ id: string }>('POST', '/users', { body: { email, role: 'admin' } })
      await app.call('POST', `/users/${other.body.id}/password`, { body: { password, temporary: false } })
      await page.context().request.post(`${app.url}/admin/api/v1/session`, {
        data: { email, password },
      })
      await page.evaluate('window.dispatchEvent(new Event("focus"))')
      await page.getByRole('button', { name: `Account of ${email}` }).waitFor()
      expect(sent.filter((request) => request.startsWith('POST'))).toEqual([])
    }, 60_000)

    test('what was entered is asked about after its connection was tested, too', async () => {
      await using visitor = await signedIn('/users')
      const { page } = visitor
      await page.getByRole('link', { name: 'Providers', exact: true }).click()
      await button(page, 'Add provider').click()
      await page.getByRole('button', { name: /^Groq/ }).click()
      await page.getByLabel('Base URL').fill('http://127.0.0.1:1/v1')
      await button(page, 'Test connection').click()
      await page.getByRole('alert').getByText('Nothing can be reached at the base URL.').waitFor()
      await page.goBack()
      await page.getByText('Discard what you entered?').waitFor()
      await button(page, 'Discard').click()
      await heading(page, 'Users').waitFor()
    }, 60_000)

    test('what was entered into a dialog is not lost by the browser’s way back', async () => {
      await using visitor = await signedIn('/users')
      const { page } = visitor
      await page.getByRole('link', { name: 'Groups', exact: true }).click()
      await heading(page, 'Groups').waitFor()
      await button(page, 'Create group').click()
      const field = page.getByRole('dialog').getByLabel('Name', { exact: true })
      await field.fill('unsaved')
      await page.goBack()
      await page.getByText('Discard what you entered?').waitFor()
      await button(page, 'Keep editing').click()
      expect(await field.inputValue()).toBe('unsaved')
      await page.goBack()
      await button(page, 'Discard').click()
      await heading(page, 'Users').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a session that has ended leads back to the sign-in page', async () => {
      await using visitor = await signedIn('/keys')
      const { page } = visitor
      await heading(page, 'API Keys').waitFor()
      await page.context().clearCookies()
      await page.getByLabel('Keys of all users').click()
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      await visitor.requireAccessible('the end of a session')
      await button(page, 'Leave the page').click()
      await heading(page, 'Sign in to Sluice').waitFor()
      expect(new URL(page.url()).searchParams.get('return')).toBe('/keys?owner=anyone')
      expectNoComplaints(visitor)
    })
  },
)
