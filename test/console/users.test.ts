/** Journeys through users, groups and the own account in a real browser: who may sign in, and what that opens. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { adminEmail, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, password, startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    const provider = (await app.call<{ data: { id: string }[] }>('GET', '/providers')).body.data[0]
    await app.call('POST', '/models', {
      body: { name: 'reserved', provider_id: provider?.id, upstream_name: 'demo-chat', groups: [] },
    })
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
// Not by its role, which it does not have below an open dialog.
const row = (page: Page, name: string) => page.locator('tr', { hasText: name })

async function choose(page: Page, whose: string, action: string): Promise<void> {
  await button(page, `Actions for ${whose}`).click()
  await page.getByRole('menuitem', { name: action }).click()
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

type SignedIn = Exclude<BrowserContextOptions['storageState'], string | undefined>
let ofAdministrator: SignedIn | undefined

interface SignIn {
  readonly typed?: string
  /** Replaces a password that was chosen for the user. */
  readonly own?: string
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** A visitor at this address of the console, signed in: the administrator by the form only the first time. */
async function signedIn(email: string, path: string, { typed = password, own, viewport = wide }: SignIn = {}) {
  const session = email === adminEmail ? ofAdministrator : undefined
  const visitor = await visit(browser, app, { viewport, ...(session !== undefined && { storageState: session }) })
  await visitor.open(path)
  if (session === undefined) {
    await visitor.page.getByLabel('E-mail address').fill(email)
    await visitor.page.getByLabel('Password').fill(typed)
    await button(visitor.page, 'Sign in').click()
  }
  if (own !== undefined) {
    await visitor.page.getByLabel('New password', { exact: true }).fill(own)
    await visitor.page.getByLabel('New password, again').fill(own)
    await button(visitor.page, 'Set password and sign in').click()
  }
  // Not by a role, which nothing outside of an open dialog has.
  await visitor.page.locator('#main').waitFor()
  if (email === adminEmail) ofAdministrator = await visitor.page.context().storageState()
  return visitor
}

describe.skipIf(journeysSkipped !== null)(
  `users and groups in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a new user in a new group signs in and sees the model that only this group opens', async () => {
      await using visitor = await signedIn(adminEmail, '/groups')
      const { page } = visitor
      await page.getByText('Only “everyone” so far').waitFor()
      await button(page, 'Create group').click()
      await page.getByLabel('Name').fill('Research')
      await button(page, 'Create').click()
      await heading(page, 'Research').waitFor()
      await page.getByText('This group has no members yet').waitFor()
      await page.getByRole('tab', { name: 'Models' }).click()
      await page.getByLabel('reserved').click()
      await page.getByRole('checkbox', { name: 'reserved', checked: true }).waitFor()
      await visitor.requireAccessible('models of a group')
      await page.getByRole('main').getByRole('link', { name: 'Groups', exact: true }).click()
      await row(page, 'Research').getByText('1', { exact: true }).waitFor()
      await visitor.requireAccessible('groups')

      await visitor.open('/users')
      await button(page, 'Create user').click()
      await page.getByLabel('E-mail address').fill('Ada@Example.org')
      await page.getByLabel('Name').fill('Ada Lovelace')
      await page.getByLabel('Research').check()
      await button(page, 'Generate').click()
      const typed = await page.getByRole('textbox', { name: 'Password' }).inputValue()
      expect(typed).toMatch(/^\w{20}$/)
      await visitor.requireAccessible('creating a user')
      await button(page, 'Create').click()
      await row(page, 'ada@example.org').getByText('Research').waitFor()
      await visitor.requireAccessible('users')
      expectNoComplaints(visitor)

      await using other = await signedIn('ada@example.org', '/models', { typed, own: 'a password of her own' })
      await other.page.getByRole('heading', { name: 'reserved' }).waitFor()
      expectNoComplaints(other)
      const models = await app.call<{ data: { name: string }[] }>('GET', '/me/models', { key: app.userKey })
      expect(models.body.data.map(({ name }) => name)).not.toContain('reserved')
    }, 30_000)

    test('members come and go, and a renamed group keeps them', async () => {
      const { id } = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Support' } })).body
      await using visitor = await signedIn(adminEmail, `/groups/${id}`)
      const { page } = visitor
      await page.getByRole('combobox', { name: 'User to add', exact: true }).click()
      await page.getByRole('combobox', { name: 'Search: User to add' }).fill('user@')
      await page.getByRole('option', { name: userEmail }).click()
      await button(page, 'Add').click()
      await page.getByRole('region', { name: 'Members of Support' }).getByText(userEmail).waitFor()
      await visitor.requireAccessible('members')
      await button(page, 'Edit').click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Research')
      const refused = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
      await button(page, 'Save').click()
      expect((await refused).status()).toBe(409)
      await page.getByRole('alert').getByText('Research').waitFor()
      await page.getByRole('textbox', { name: 'Name' }).fill('Help desk')
      await button(page, 'Save').click()
      await heading(page, 'Help desk').waitFor()
      await button(page, `Remove ${userEmail}`).click()
      await page
        .getByRole('dialog', { name: /^Remove / })
        .getByText('only this group opens to them')
        .waitFor()
      await button(page, 'Remove from the group').click()
      await page.getByText('This group has no members yet').waitFor()
      await button(page, 'Delete…').click()
      await button(page, 'Delete group').click()
      await heading(page, 'Groups').waitFor()
      expect(await row(page, 'Help desk').count()).toBe(0)
      expect((await app.call('GET', `/groups/${id}`)).status).toBe(404)
      expectNoComplaints(visitor)
    }, 30_000)

    test('a user is found, edited, disabled, enabled and deleted with the keys that go with it by name', async () => {
      const create = async <T>(path: string, body: object) => (await app.call<T>('POST', path, { body })).body
      const { id } = await create<{ id: string }>('/users', { email: 'grace@example.org' })
      const { secret } = await create<{ secret: string }>(`/users/${id}/keys`, { name: 'compiler' })
      await using visitor = await signedIn(adminEmail, '/users')
      const { page } = visitor
      await page.getByLabel('Search users').fill('grace')
      await row(page, userEmail).waitFor({ state: 'detached' })
      await choose(page, 'grace@example.org', 'Edit…')
      await page.getByLabel('Name').fill('Grace Hopper')
      await page.getByLabel('Role').selectOption('Administrator')
      await button(page, 'Save').click()
      await row(page, 'Grace Hopper').getByText('Administrator').waitFor()

      await choose(page, 'grace@example.org', 'Set password…')
      await page.getByLabel('New password').fill('now long enough')
      await visitor.requireAccessible('setting a password')
      await button(page, 'Set password').click()
      await row(page, 'grace@example.org').getByText('no password').waitFor({ state: 'detached' })

      await choose(page, 'grace@example.org', 'Disable…')
      await dialog(page, 'Disable grace@example.org?').getByText('API key “compiler”').waitFor()
      await button(page, 'Disable user').click()
      await row(page, 'grace@example.org').getByText('disabled').waitFor()
      expect(await app.statusWith(secret)).toBe(401)
      await choose(page, 'grace@example.org', 'Enable')
      await row(page, 'grace@example.org').getByText('active').waitFor()
      expect(await app.statusWith(secret)).toBe(200)

      await choose(page, 'grace@example.org', 'Delete…')
      await dialog(page, 'Delete grace@example.org?').getByText('API key “compiler”').waitFor()
      await visitor.requireAccessible('deleting a user')
      await button(page, 'Delete user').click()
      await page.getByText('No user matches “grace”').waitFor()
      expect(await app.statusWith(secret)).toBe(401)
      expectNoComplaints(visitor)
    }, 30_000)

    test('a service account is created, given a key that works, and found by its kind', async () => {
      await using visitor = await signedIn(adminEmail, '/users')
      const { page } = visitor
      await button(page, 'Create user').click()
      await page.getByRole('dialog').getByLabel('Kind', { exact: true }).selectOption('Service account, for a program')
      await page.getByLabel('E-mail address').fill('nightly@example.org')
      await page.getByLabel('Password (optional)').waitFor({ state: 'detached' })
      await visitor.requireAccessible('creating a service account')
      await button(page, 'Create').click()
      await row(page, 'nightly@example.org').getByText('service account').waitFor()
      await choose(page, 'nightly@example.org', 'Create API key…')
      await dialog(page, 'Create an API key of nightly@example.org').getByLabel('Name').fill('cron')
      await button(page, 'Create').click()
      const secret = await page.getByTestId('secret').textContent()
      expect(await app.statusWith(secret ?? '')).toBe(200)
      await button(page, 'I have saved it').click()
      await page.getByLabel('Kind', { exact: true }).selectOption('Service accounts')
      await row(page, userEmail).waitFor({ state: 'detached' })
      await row(page, 'nightly@example.org').waitFor()
      expectNoComplaints(visitor)
    }, 30_000)

    test('what the configuration file declares is marked, and of it only memberships can be changed', async () => {
      const created = await app.call<{ id: string }>('POST', '/users', { body: { email: 'fixed@example.org' } })
      await app.store.users.update(created.body.id, { declared: true }, Date.now())
      const group = {
        id: crypto.randomUUID(),
        name: 'Fixed',
        description: '',
        permissions: [],
        declared: true,
        createdAt: Date.now(),
      }
      await app.store.groups.insert(group)
      await using visitor = await signedIn(adminEmail, '/groups')
      const { page } = visitor
      await row(page, 'Fixed').getByText('declared').waitFor()
      await button(page, 'Actions for Fixed').click()
      await page.getByRole('menuitem', { name: 'Members, models, budgets and rates…' }).waitFor()
      expect(await page.getByRole('menuitem').count()).toBe(1)

      await visitor.open('/users?q=fixed')
      await row(page, 'fixed@example.org').getByText('declared').waitFor()
      await button(page, 'Actions for fixed@example.org').click()
      expect(await page.getByRole('menuitem').allTextContents()).toEqual([
        'Groups…',
        'Link to invite…',
        'Set password…',
        'Create API key…',
        'Budgets and rates…',
      ])
      await page.getByRole('menuitem', { name: 'Groups…' }).click()
      expect(await page.getByLabel('E-mail address').isDisabled()).toBe(true)
      await page.getByRole('checkbox', { name: 'Fixed' }).check()
      await visitor.requireAccessible('a declared user')
      await button(page, 'Save').click()
      await row(page, 'fixed@example.org').getByText('Fixed', { exact: true }).waitFor()
      expectNoComplaints(visitor)
    }, 30_000)

    test('the last administrator stays: the server’s sentence is shown with its request id', async () => {
      await using visitor = await signedIn(adminEmail, '/users?q=admin')
      const { page } = visitor
      await choose(page, adminEmail, 'Delete…')
      await button(page, 'Delete user').click()
      const notice = page.getByRole('alert')
      await notice.getByText('This is the last enabled administrator.').waitFor()
      expect(await notice.getByRole('button', { name: 'Copy request id' }).count()).toBe(1)
      await visitor.requireAccessible('a refusal')
      expectNoComplaints(visitor)
    }, 30_000)

    test('an ordinary user has none of these pages, the API refuses what they show, and signs out everywhere', async () => {
      await using visitor = await signedIn(userEmail, '/models', { viewport: narrow })
      const { page } = visitor
      await button(page, 'Open the navigation').click()
      for (const name of ['Users', 'Groups', 'Providers', 'Settings'])
        expect(await page.getByRole('link', { name }).count()).toBe(0)
      for (const path of ['/users', '/groups', '/providers', '/settings']) {
        await visitor.open(path)
        await page.getByRole('heading', { name: /page not found/i }).waitFor()
      }
      const statuses = await page.evaluate(async () => {
        const answers = [
          'users',
          'groups',
          'providers',
          'provider-presets',
          'settings',
          'inflight-limits',
          'about',
        ].map(async (name) => (await fetch(`/admin/api/v1/${name}`)).status)
        return Promise.all(answers)
      })
      expect(statuses).toEqual(statuses.map(() => 403))

      await visitor.open('/account')
      await button(page, 'Sign out everywhere').click()
      await visitor.requireAccessible('signing out everywhere')
      await dialog(page, 'Sign out everywhere?').getByRole('button', { name: 'Sign out everywhere' }).click()
      await heading(page, 'Sign in to Sluice').waitFor()
      await visitor.open('/keys')
      await heading(page, 'Sign in to Sluice').waitFor()
      expectNoComplaints(visitor)
    }, 30_000)

    test('somebody changes the own password, and signs in anew', async () => {
      const email = 'edsger@example.org'
      await app.call('POST', '/users', { body: { email, password, temporary: false } })
      await using visitor = await signedIn(email, '/keys', { viewport: narrow })
      const { page } = visitor
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Your account' }).click()
      await heading(page, 'Your account').waitFor()
      await page.getByLabel('Current password').fill('not this one')
      await page.getByLabel('New password', { exact: true }).fill('much longer than that')
      await page.getByLabel('New password, again').fill('something else')
      await button(page, 'Change password').click()
      await page.getByText('The two new passwords differ.').waitFor()
      await page.getByLabel('New password, again').fill('much longer than that')
      await button(page, 'Change password').click()
      await page.getByText('this is not the current password').waitFor()
      await visitor.requireAccessible('own account')
      await page.getByLabel('Current password').fill(password)
      await button(page, 'Change password').click()
      await heading(page, 'Sign in to Sluice').waitFor()

      expectNoComplaints(visitor)
    }, 30_000)

    test('at 360 px nothing is wider than the window', async () => {
      const { data } = (await app.call<{ data: { id: string }[] }>('GET', '/groups')).body
      await using visitor = await signedIn(adminEmail, '/users', { viewport: narrow })
      for (const path of ['/users', '/groups', `/groups/${data[0]?.id}`, '/account']) {
        await visitor.open(path)
        await visitor.page.locator('h1').waitFor()
        expect([path, await visitor.page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
      }
      expectNoComplaints(visitor)
    }, 30_000)
  },
)
