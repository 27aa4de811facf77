/**
 * Journeys through the console in a real browser, on the real app. Each ends with axe finding
 * nothing, no complaint of the browser, and no request to anywhere else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { adminEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import {
  buildConsole,
  journeysSkipped,
  startConsoleApp,
  visit,
  visitAs,
  type Visitor,
} from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    await buildConsole()
    app = await startConsoleApp(['auth.sign_in_attempts=3', 'auth.sign_in_lock_seconds=30'])
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

/** A visitor at this address of the console, signed in. */
async function signedIn(
  who: 'admin' | 'user',
  path: string,
  viewport = { width: 1280, height: 800 },
): Promise<Visitor> {
  return await visitAs(browser, app, { who, path, viewport })
}

describe.skipIf(journeysSkipped !== null)(
  `the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a stranger is asked to sign in, and comes out where they wanted to go', async () => {
      await using visitor = await visit(browser, app)
      await visitor.open('/models?q=chat')
      await heading(visitor.page, 'Sign in to Sluice').waitFor()
      await visitor.requireAccessible('sign-in')
      await visitor.signIn('user')
      await heading(visitor.page, 'Models').waitFor()
      expect(new URL(visitor.page.url()).search).toBe('?q=chat')
      expectNoComplaints(visitor)
    })

    test('a page that a new version has replaced reloads once by itself, then says so; the navigation stays', async () => {
      await using visitor = await signedIn('admin', '/users')
      const { page } = visitor
      await heading(page, 'Users').waitFor()
      let loads = 0
      page.on('load', () => (loads += 1))
      await page.route('**/assets/usage-page*', (route) => route.fulfill({ status: 404, body: '' }))
      await page.getByRole('link', { name: 'Usage', exact: true }).click()
      await page.getByText('A new version is ready').waitFor()
      expect(loads).toBe(1)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await visitor.requireAccessible('a page of a version that is gone')
      await page.unroute('**/assets/usage-page*')
      await button(page, 'Reload').click()
      await heading(page, 'Usage').waitFor()
    }, 60_000)

    test('parts that do not load while the connection is down load when it is back; the page stays', async () => {
      await using visitor = await signedIn('admin', '/users')
      const { page } = visitor
      await page.getByRole('searchbox', { name: 'Search users' }).fill('admin')
      await page.context().setOffline(true)
      await page.keyboard.press('Control+k')
      const notice = page.getByRole('alert').filter({ hasText: 'cannot be reached' })
      await notice.waitFor()
      expect(await page.getByRole('searchbox', { name: 'Search users' }).inputValue()).toBe('admin')
      await heading(page, 'Users').waitFor()
      await page.context().setOffline(false)
      await notice.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('combobox', { name: 'Find', exact: true }).waitFor()
      await page.keyboard.press('Escape')
    }, 60_000)

    test('a return path to another site is not followed', async () => {
      await using visitor = await visit(browser, app)
      await visitor.open(`/sign-in?return=${encodeURIComponent('//evil.example/')}`)
      await visitor.signIn('user')
      await heading(visitor.page, 'Getting started').waitFor()
      expect(new URL(visitor.page.url()).origin).toBe(app.url)
      expectNoComplaints(visitor)
    })

    test('the first run leads from sign-in to a streamed answer and a key that works', async () => {
      await using visitor = await visit(browser, app)
      const { page } = visitor
      await visitor.open('/')
      await visitor.signIn('admin')
      await heading(page, 'Getting started').waitFor()
      await visitor.requireAccessible('guide')
      await button(page, 'Ask').click()
      await page.getByText(/first token after/).waitFor()
      expect(await page.getByRole('region', { name: 'Answer', exact: true }).textContent()).toContain('demo-chat')
      await page.getByRole('link', { name: 'playground', exact: true }).waitFor()
      await button(page, 'Create API Key').click()
      await button(page, 'Create').click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      await visitor.requireAccessible('the secret')
      await button(page, 'I have saved it').click()
      await page.getByRole('tab', { name: 'Python' }).click()
      expect(await page.getByRole('region', { name: 'Python code' }).textContent()).toContain(`${app.url}/ai/v1`)
      expect(await app.statusWith(secret)).toBe(200)
      await page.getByRole('link', { name: 'Go to the overview' }).click()
      await page.getByRole('img', { name: /^Requests/ }).waitFor()
      await visitor.requireAccessible('overview')
      await button(page, 'Requests as a table').click()
      await page.getByRole('columnheader', { name: 'errors' }).waitFor()
      await visitor.requireAccessible('overview as a table')
      expectNoComplaints(visitor)
    })

    test('an administrator connects what was found on this machine; the guide is put away and taken out again, everywhere', async () => {
      // A vendor whose key the server's environment has.
      process.env['GROQ_API_KEY'] = 'gsk-of-a-test'
      await using _variable = { [Symbol.asyncDispose]: async () => void delete process.env['GROQ_API_KEY'] }
      await using visitor = await signedIn('admin', '/')
      const { page } = visitor
      const card = page.getByRole('region', { name: 'Getting started' })
      await card.getByText(/ of 5 steps are done\. Next: Connect a provider\./).waitFor()
      await card.getByRole('link', { name: 'Continue' }).click()
      await page.getByText('has its key in the variable GROQ_API_KEY').waitFor()
      await visitor.requireAccessible('the guide of an administrator')
      await page.getByRole('link', { name: 'Connect Groq' }).click()
      await page.getByRole('dialog', { name: 'Add Groq' }).waitFor()
      await page.keyboard.press('Escape')
      await visitor.open('/')
      await card.getByRole('button', { name: 'Put away' }).click()
      await card.waitFor({ state: 'detached' })
      await using elsewhere = await signedIn('admin', '/')
      await elsewhere.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await elsewhere.page.getByRole('link', { name: 'Getting started' }).click()
      await button(elsewhere.page, 'Show it on the overview').click()
      await button(elsewhere.page, 'Put away').waitFor()
      await visitor.open('/')
      await card.waitFor()
      expectNoComplaints(visitor)
    })

    test('a key is created, used, rotated, deleted with its name, and refused from then on', async () => {
      await using visitor = await signedIn('user', '/keys')
      const { page } = visitor
      await button(page, 'Create API Key').click()
      await page.getByLabel('Name').fill('nightly import')
      await page.getByLabel('Description').fill('Reads the invoices')
      await page.getByLabel('Expires').selectOption('In 30 days')
      await page.getByLabel('Documents: import and search').uncheck()
      await visitor.requireAccessible('creating a key')
      await button(page, 'Create').click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      await page.keyboard.press('Escape')
      expect(await page.getByTestId('secret').isVisible()).toBe(true)
      await button(page, 'I have saved it').click()

      // Not by its role, which it does not have below an open dialog.
      const row = page.locator('tr', { hasText: 'nightly import' })
      await row.getByText('in 30 days').waitFor()
      expect(await page.content()).not.toContain(secret)
      expect(await app.statusWith(secret)).toBe(200)
      const { data } = (
        await app.call<{ data: { name: string; scopes: object }[] }>('GET', `/users/${app.userId}/keys`)
      ).body
      expect(data.find(({ name }) => name === 'nightly import')?.scopes).toEqual({ models: null, areas: ['inference'] })

      await button(page, 'Actions for nightly import').click()
      await page.getByRole('menuitem', { name: 'Rotate…' }).click()
      await page.getByLabel('The secret of now').selectOption('Works for another hour')
      await visitor.requireAccessible('rotating a key')
      await button(page, 'Rotate').click()
      const next = (await page.getByTestId('secret').textContent()) ?? ''
      await button(page, 'I have saved it').click()
      expect([await app.statusWith(secret), await app.statusWith(next)]).toEqual([200, 200])
      await row.getByText('2 secrets').waitFor()

      await row.focus()
      await page.keyboard.press('Space')
      await button(page, 'Delete 1 API key').click()
      const dialog = page.getByRole('dialog', { name: 'Delete 1 API key?' })
      await dialog.getByText('nightly import').waitFor()
      await visitor.requireAccessible('deleting a key')
      await dialog.getByRole('button', { name: 'Delete 1 API key' }).click()
      await row.waitFor({ state: 'detached' })
      expect(await app.statusWith(next)).toBe(401)
      await visitor.requireAccessible('keys')
      expectNoComplaints(visitor)
    })

    test('an administrator sees the keys of all users and deletes several at once', async () => {
      for (const name of ['left over 1', 'left over 2'])
        await app.call('POST', `/users/${app.userId}/keys`, { body: { name } })
      await using visitor = await signedIn('admin', '/keys')
      const { page } = visitor
      await page.getByRole('row').filter({ hasText: 'test' }).waitFor()
      expect(await page.getByText('left over 1').count()).toBe(0)
      await page.getByLabel('Keys of all users').click()
      await page.getByLabel('Select left over 1').check()
      await page.getByLabel('Select left over 2').check()
      await visitor.requireAccessible('all keys')
      await button(page, 'Delete 2 API keys').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 API keys' }).click()
      await page.getByText('Deleted 2 API keys').waitFor()
      await page.locator('tr', { hasText: 'left over' }).first().waitFor({ state: 'detached' })
      expectNoComplaints(visitor)
    })

    test('an ordinary user sees no sign of other users’ keys', async () => {
      await using visitor = await signedIn('user', '/keys?owner=anyone')
      const { page } = visitor
      await page.getByRole('row').filter({ hasText: 'test' }).waitFor()
      expect(await page.getByLabel('Keys of all users').count()).toBe(0)
      expect(await page.getByRole('columnheader', { name: 'User' }).count()).toBe(0)
      expectNoComplaints(visitor)
    })

    test('models are found by alias, copied, shown as a table and as code', async () => {
      await using visitor = await signedIn('user', '/models')
      const { page } = visitor
      await page.getByRole('heading', { name: 'demo-embed' }).waitFor()
      await visitor.requireAccessible('models')
      await page.getByLabel('Search models').fill('gpt-small')
      await page.getByRole('heading', { name: 'demo-embed' }).waitFor({ state: 'detached' })
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await button(page, 'Copy alias gpt-small').click()
      await page.getByText('Copied the alias gpt-small').waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('gpt-small')
      await button(page, 'Table').click()
      await page.getByRole('table', { name: 'Models' }).waitFor()
      await visitor.requireAccessible('models as a table')
      await page.getByRole('table', { name: 'Models' }).getByRole('link', { name: 'demo-chat' }).click()
      await page.getByRole('region', { name: 'Who may use it' }).getByText('everyone').waitFor()
      expect(await page.getByRole('region', { name: 'curl code' }).textContent()).toContain(
        `curl ${app.url}/ai/v1/chat/completions`,
      )
      await visitor.requireAccessible('a model')
      await page.getByRole('link', { name: 'Try it' }).click()
      await heading(page, 'Playground').waitFor()
      expect(new URL(page.url()).searchParams.get('model')).toBe('demo-chat')
      expectNoComplaints(visitor)
    })

    test('a password that an administrator has chosen is replaced at the first sign-in', async () => {
      const email = 'chosen@example.org'
      await app.call('POST', '/users', { body: { email, password: 'correct horse battery' } })
      await using visitor = await visit(browser, app, { viewport: { width: 360, height: 740 } })
      const { page } = visitor
      await visitor.open('/sign-in')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
      await button(page, 'Sign in').click()
      await page.getByText('This password was chosen for you.').waitFor()
      await visitor.requireAccessible('choosing a password')
      const choose = async (own: string, again = own): Promise<void> => {
        await page.getByLabel('New password', { exact: true }).fill(own)
        await page.getByLabel('New password, again').fill(again)
        await button(page, 'Set password and sign in').click()
      }
      await choose('a horse of my own', 'a horse of another')
      await page.getByText('The two new passwords differ.').waitFor()
      await choose('password1234')
      await page.getByText('more than a common word').waitFor()
      await choose('a horse of my own')
      await heading(page, 'Getting started').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    })

    test('a wrong password says so, without an id that nobody needs; after the third the form waits as long as the server', async () => {
      await app.call('POST', '/users', {
        body: { email: 'locked@example.org', password: 'correct horse battery', temporary: false },
      })
      await using visitor = await visit(browser, app)
      const { page } = visitor
      await visitor.open('/sign-in')
      await page.getByLabel('E-mail address').fill('locked@example.org')
      await page.getByLabel('Password').fill('wrong horse')
      for (let count = 0; count < 3; count += 1) {
        const answered = page.waitForResponse(/\/session$/)
        await button(page, 'Sign in').click()
        expect((await answered).status()).toBe(401)
      }
      const notice = page.getByRole('alert')
      await notice.getByText('The e-mail address or the password is wrong.').waitFor()
      expect(await notice.getByRole('button', { name: 'Copy request id' }).count()).toBe(0)
      await visitor.requireAccessible('wrong password')

      await page.getByLabel('Password').fill('correct horse battery')
      await button(page, 'Sign in').click()
      await notice.getByText(/Too many failed sign-ins/).waitFor()
      await page.getByRole('button', { name: /^Try again in \d+ s$/ }).waitFor()
      await visitor.requireAccessible('locked out')
      expectNoComplaints(visitor)
    })

    test('everything is reached from a window of 360 px, by drawer and by palette, and signing out forgets all', async () => {
      await using visitor = await signedIn('user', '/models', { width: 360, height: 740 })
      const { page } = visitor
      await button(page, 'Open the navigation').click()
      await page.getByRole('link', { name: 'API Keys' }).waitFor()
      await visitor.requireAccessible('drawer')
      await page.getByRole('link', { name: 'API Keys' }).click()
      await heading(page, 'API Keys').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find', exact: true }).fill('over')
      await visitor.requireAccessible('palette')
      await page.keyboard.press('Enter')
      await heading(page, 'Overview').waitFor()
      for (const path of ['/', '/models', '/models?view=table', '/models/about/demo-chat', '/keys', '/welcome']) {
        await visitor.open(path)
        await page.locator('h1').waitFor()
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
      }
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      await visitor.requireAccessible('dark')
      await page.getByRole('button', { name: /^Account of/ }).click()
      await visitor.requireAccessible('account menu')
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await heading(page, 'Sign in to Sluice').waitFor()
      await visitor.open('/keys')
      await heading(page, 'Sign in to Sluice').waitFor()
      expectNoComplaints(visitor)
    })

    test('the first load is at most 150 KB of JavaScript, gzipped', async () => {
      await using visitor = await visit(browser, app)
      const { page } = visitor
      // What loads while the browser is idle is not needed to show the page.
      await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }))
      await visitor.open('/')
      await heading(page, 'Sign in to Sluice').waitFor()
      expect(await loadedKilobytes(page)).toBeLessThanOrEqual(150)
      await page.getByLabel('E-mail address').fill(adminEmail)
      await visitor.signIn('admin')
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await visitor.open('/')
      await heading(page, 'Overview').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await loadedKilobytes(page)).toBeLessThanOrEqual(150)
      expectNoComplaints(visitor)
    })
  },
)

/** What the scripts of the page weigh, each as `gzip -9` has it. */
async function loadedKilobytes(page: Page): Promise<number> {
  const names = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((entry) => new URL(entry.name).pathname)
      .filter((path) => path.endsWith('.js')),
  )
  expect(names.length).toBeGreaterThan(0)
  const directory = await buildConsole()
  const bytes = [...new Set(names)].map(
    (name) => Bun.gzipSync(readFileSync(join(directory, name)), { level: 9 }).length,
  )
  return bytes.reduce((sum, each) => sum + each, 0) / 1024
}
