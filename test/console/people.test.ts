/** Journeys of an administrator through users, groups and keys with pages of their own, and of a person who is invited. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit, visitAs } from '#test/support/app/console-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

let browser: Browser
let app: AdminApp
let keyId = ''
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    const made = async (path: string, body: object) => (await app.call<{ id: string }>('POST', path, { body })).body.id
    await made('/groups', { name: 'Research' })
    for (const [email, name] of [
      ['grace@example.org', 'Grace Hopper'],
      ['alan@example.org', 'Alan Turing'],
    ])
      await made('/users', { email, name })
    keyId = await made(`/users/${app.userId}/keys`, { name: 'nightly', description: 'Summaries of the day' })
    await made(`/users/${app.userId}/keys`, { name: 'a second one' })
    const used = { keyId, userId: app.userId, modelServed: 'demo-chat', cost: 1_500_000_000 }
    await app.store.usage.insertMany([
      aUsage({ at: Date.now() - 1000, ...used }),
      aUsage({ at: Date.now() - 3 * 86_400_000, ...used }),
    ])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const row = (page: Page, name: string) => page.locator('tr', { hasText: name })
const none = { errors: [], foreign: [] }

async function choose(page: Page, whose: string, action: string): Promise<void> {
  await button(page, `Actions for ${whose}`).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe.skipIf(journeysSkipped !== null)(
  `people and their keys in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a user is found by name and has a page with usage, keys, limits, documents and sessions', async () => {
      await using phone = await visitAs(browser, app, {
        who: 'user',
        path: '/account',
        userAgent: 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
      })
      await using visitor = await visitAs(browser, app, {
        who: 'admin',
        path: '/users',
        viewport: { width: 1440, height: 800 },
      })
      const { page } = visitor
      await page.getByLabel('Search users').fill('HOPPER')
      await row(page, userEmail).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'grace@example.org' }).waitFor()
      await visitor.open('/users?q=user%40')
      await row(page, userEmail).getByRole('img', { name: '2 requests in 30 days, $3.00' }).waitFor()
      await page.getByRole('link', { name: userEmail }).click()
      await heading(page, userEmail).waitFor()
      await page.getByRole('img', { name: /^Requests/ }).waitFor()
      await page.getByRole('region', { name: 'Models' }).getByText('demo-chat').waitFor()
      await visitor.requireAccessible('a user')

      await page.getByRole('tab', { name: 'API keys' }).click()
      await row(page, 'nightly').waitFor()
      await page.getByRole('tab', { name: 'Limits' }).click()
      await page.getByText(`There is no budget on ${userEmail}`).waitFor()
      await page.getByRole('tab', { name: 'Documents' }).click()
      await page.getByText(`No document belongs to ${userEmail}`).waitFor()
      await page.getByRole('tab', { name: 'Sessions' }).click()
      await page.getByText('Firefox on Android').waitFor()
      await visitor.requireAccessible('the sessions of a user')
      await button(page, 'End the session of Firefox on Android').click()
      await page.getByText(`${userEmail} is signed in nowhere`).waitFor()
      expect(new URL(page.url()).searchParams.get('tab')).toBe('sessions')
      await phone.page.reload()
      await heading(phone.page, 'Sign in to Sluice').waitFor()
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('people are invited by links that are shown once, choose a password and are signed in', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/users' })
      const { page } = visitor
      await button(page, 'Invite people').click()
      await page.getByLabel('E-mail addresses').fill(`ada@example.org, ${userEmail}`)
      await page.getByLabel('Research').check()
      await visitor.requireAccessible('inviting people')
      await button(page, 'Invite 2 people').click()
      const link = page.getByTestId('invitation')
      await link.waitFor()
      await page.getByRole('listitem').filter({ hasText: userEmail }).getByText('in use').waitFor()
      await visitor.requireAccessible('links')
      const address = (await link.textContent()) ?? ''
      await button(page, 'I have passed it on').click()
      await row(page, 'ada@example.org').getByText('invited').waitFor()

      await using invited = await visit(browser, app, { viewport: { width: 390, height: 780 } })
      await invited.page.goto(address)
      await invited.page.getByText('Choose a password for ada@example.org').waitFor()
      expect(new URL(invited.page.url()).hash).toBe('')
      await invited.requireAccessible('an invitation')
      await invited.page.getByLabel('New password', { exact: true }).fill('password1234')
      await invited.page.getByLabel('New password, again').fill('password1234')
      await button(invited.page, 'Set password and sign in').click()
      await invited.page.getByRole('alert').waitFor()
      await invited.page.getByLabel('New password', { exact: true }).fill('a password of her own')
      await invited.page.getByLabel('New password, again').fill('a password of her own')
      await button(invited.page, 'Set password and sign in').click()
      await heading(invited.page, 'Getting started').waitFor()

      await using late = await visit(browser, app)
      await late.page.goto(address)
      await heading(late.page, 'This link does not work').waitFor()
      await late.requireAccessible('a used invitation')
      for (const { complaints } of [visitor, invited]) expect(complaints).toEqual(none)
    }, 60_000)

    test('many users at once join a group, are disabled and written to a file', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/users?sort=email' })
      const { page } = visitor
      await page.getByLabel('Select alan@example.org').check()
      await page.getByLabel('Select grace@example.org').check()
      await button(page, '2 users').click()
      await page.getByRole('menuitem', { name: 'Add to a group…' }).click()
      await page.getByLabel('Group', { exact: true }).selectOption('Research')
      await button(page, 'Add').click()
      await row(page, 'alan@example.org').getByText('Research').waitFor()
      await page.getByLabel('Select all rows').check()
      await button(page, '5 users').click()
      await page.getByRole('menuitem', { name: 'Disable…' }).click()
      await visitor.requireAccessible('disabling many')
      await button(page, 'Disable 5 users').click()
      // The one who asks is the last administrator.
      await page.getByRole('alert').getByText('Disabled 4 users, and not 1 user').waitFor()
      await button(page, 'Cancel').click()
      await row(page, 'grace@example.org').getByText('disabled').waitFor()
      await button(page, '5 users').click()
      await page.getByRole('menuitem', { name: 'Enable…' }).click()
      await button(page, 'Enable 5 users').click()
      await row(page, 'grace@example.org').getByText('disabled').waitFor({ state: 'detached' })
      const downloading = page.waitForEvent('download')
      await button(page, 'Download CSV').click()
      const file = await readFile(await (await downloading).path(), 'utf8')
      expect(file.split('\r\n')[0]).toStartWith('email,name,kind,role,state,groups')
      expect(file).toContain('alan@example.org,Alan Turing,person,user,active,')
      expect(file).toMatch(/user@example\.org,,person,user,active,everyone,.*,2,60,3,USD/)
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('keys are searched and sorted on the server, and each has its menu and its last 30 days', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/keys' })
      const { page } = visitor
      await row(page, 'nightly').getByRole('img', { name: '2 requests in 30 days, $3.00' }).waitFor()
      const names = () => page.locator('td [data-name]').allTextContents()
      await page.getByRole('button', { name: 'Name', exact: true }).click()
      await page.waitForURL(/sort=name/)
      await page.locator('tr[data-index="0"]', { hasText: 'a second one' }).waitFor()
      await page.getByRole('button', { name: 'Name', exact: true }).click()
      await page.locator('tr[data-index="0"]', { hasText: 'test' }).waitFor()
      expect(await names()).toEqual(['test', 'nightly', 'a second one'])
      await page.reload()
      await page.locator('tr[data-index="0"]', { hasText: 'test' }).waitFor()
      await page.getByLabel('Search keys').fill('summaries')
      await row(page, 'a second one').waitFor({ state: 'detached' })
      await visitor.requireAccessible('found keys')

      await choose(page, 'nightly', 'Edit…')
      await page.getByLabel('Name', { exact: true }).fill('daily')
      await page.getByLabel('Expires').selectOption('In 90 days')
      await page.getByLabel('All models that you can use, now and later').uncheck()
      await page.getByText('Choose at least one model.').waitFor()
      expect(await button(page, 'Save').isDisabled()).toBe(true)
      await page.getByLabel('demo-embed').check()
      await visitor.requireAccessible('editing a key')
      await button(page, 'Save').click()
      await row(page, 'daily').waitFor()
      const { body } = await app.call<{ expires_at: string; scopes: object }>('GET', `/keys/${keyId}`)
      expect(body.scopes).toEqual({ areas: null, models: ['demo-embed'] })
      expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 89 * 86_400_000)
      await choose(page, 'daily', 'Delete…')
      await button(page, 'Delete 1 API key').click()
      await page.getByText('No key matches').waitFor()
      expect((await app.call('GET', `/keys/${keyId}`)).status).toBe(404)
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('a new key is shown with a request that works when it is pasted, and Getting started knows of it', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/keys' })
      const { page } = visitor
      await button(page, 'Create API Key').click()
      await page.getByLabel('Name', { exact: true }).fill('pasted')
      await button(page, 'Create').click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      const command = (await page.getByRole('region', { name: 'curl code' }).textContent()) ?? ''
      expect(command).toContain(secret)
      await visitor.requireAccessible('a new key with a first request')
      const sent = Bun.spawn(['sh', '-ec', command.replace('curl', 'curl -sS --fail')], { stdout: 'pipe' })
      expect(await new Response(sent.stdout).json()).toMatchObject({ object: 'chat.completion' })
      await app.usageRows(3)
      // In another browser, too: the server knows what the account has done.
      await using other = await visitAs(browser, app, { who: 'user', path: '/welcome' })
      for (const title of ['2. Get an answer', '3. Create an API key'])
        await other.page.getByRole('region', { name: title }).getByText('done').waitFor()
      expect(visitor.complaints).toEqual(none)
    }, 60_000)
  },
)
