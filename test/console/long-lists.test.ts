/** Journeys through a server with more users, keys and models than a page of any list holds. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { aKey, aUsage, aUser } from '#test/support/store/store-records.ts'

const userCount = 5001
const keyCount = 1001
const modelCount = 230

const emailOf = (index: number): string => `person-${String(index).padStart(4, '0')}@example.org`
const modelOf = (index: number): string => `model-${String(index).padStart(3, '0')}`

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    browser = await startBrowser()
    const users = Array.from({ length: userCount }, (_, index) => aUser({ email: emailOf(index), name: '' }))
    for (const user of users) await app.store.users.insert(user, null)
    for (let index = 0; index < keyCount; index += 1)
      await app.store.keys.insert(aKey(app.userId, { name: `key-${String(index).padStart(4, '0')}` }))
    const gone = crypto.randomUUID()
    const userIds = [users.at(0)?.id ?? null, users.at(-1)?.id ?? null, gone]
    await app.store.usage.insertMany(userIds.map((userId) => aUsage({ at: Date.now() - 1000, userId, keyId: null })))
    const provider = (await app.call<{ data: { id: string }[] }>('GET', '/providers')).body.data[0]
    for (let index = 0; index < modelCount; index += 1) {
      const body = { name: modelOf(index), provider_id: provider?.id, upstream_name: 'demo-chat' }
      expect((await app.call('POST', '/models', { body })).status).toBe(201)
    }
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

async function signedIn(who: 'admin' | 'user', path: string): Promise<Visitor> {
  return await visitAs(browser, app, who, path)
}

/** Walks to the end of a table, page by page, until there is no further one. */
async function walkToEnd(page: Page): Promise<void> {
  await page.locator('tr[data-index="0"]').focus()
  while ((await page.getByRole('checkbox', { name: 'Select all rows' }).count()) === 0) {
    await page.keyboard.press('End')
    await page.locator('tr[data-index]:focus').waitFor()
  }
}

describe.skipIf(journeysSkipped !== null)(
  `lists longer than a page${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('requests and usage name the first and the last of 5,001 users, and only a deleted one by its id', async () => {
      await using visitor = await signedIn('admin', '/requests')
      const { page } = visitor
      for (const name of [emailOf(0), emailOf(userCount - 1), /^deleted user [0-9a-f]{8}$/])
        await page.getByRole('cell', { name, exact: true }).waitFor()
      await visitor.open('/usage?by=user')
      for (const name of [emailOf(0), emailOf(userCount - 1)]) await page.getByRole('cell', { name }).waitFor()
      expect(await page.getByRole('listitem').filter({ hasText: '…' }).count()).toBe(0)
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download CSV' }).click()
      const file = await readFile(await (await downloading).path(), 'utf8')
      for (const name of [emailOf(0), emailOf(userCount - 1), 'deleted user ']) expect(file).toContain(name)
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('a list to choose a user from says that there are more, and finds each of them', async () => {
      await using visitor = await signedIn('admin', '/requests')
      const { page } = visitor
      await page.getByRole('combobox', { name: 'User', exact: true }).click()
      await page.getByText('The first 50 users.').waitFor()
      await visitor.requireAccessible('a long list of choices')
      await page.getByRole('combobox', { name: 'Search: User' }).fill('person-4321')
      await page.getByRole('option', { name: emailOf(4321) }).click()
      await page.getByText('No request matches').waitFor()
      await page.reload()
      await page.getByRole('combobox', { name: 'User', exact: true }).getByText(emailOf(4321)).waitFor()

      await page.getByRole('combobox', { name: 'Model', exact: true }).click()
      // With both practice models and "All models".
      await page.getByText(`The first 200 of ${modelCount + 3}.`).waitFor()
      await page.getByRole('combobox', { name: 'Search: Model' }).fill(modelOf(modelCount - 1))
      await page.getByRole('option', { name: modelOf(modelCount - 1) }).waitFor()
      expect(await page.getByRole('listbox').getByRole('option').count()).toBe(1)
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('cards of models are shown page by page', async () => {
      await using visitor = await signedIn('admin', '/models')
      const { page } = visitor
      await page.getByRole('heading', { name: modelOf(0) }).waitFor()
      const last = page.getByRole('heading', { name: modelOf(modelCount - 1) })
      expect(await last.count()).toBe(0)
      await page.getByRole('button', { name: `Show 32 more models of ${modelCount + 2}` }).click()
      await last.waitFor()
      expect(await page.getByRole('button', { name: /^Show \d+ more/ }).count()).toBe(0)
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('disabling a user counts every key that stops working', async () => {
      await using visitor = await signedIn('admin', '/users?q=user@')
      const { page } = visitor
      await page.getByRole('button', { name: 'Actions for user@example.org' }).click()
      await page.getByRole('menuitem', { name: 'Disable…' }).click()
      // All sessions, the key of the sample and those of this test; eight lines are shown.
      await page.getByText(`and ${keyCount + 2 - 8} more`).waitFor()
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('all keys of a user are selected and deleted at once, however many there are', async () => {
      await using visitor = await signedIn('user', '/keys')
      const { page } = visitor
      await page.getByRole('checkbox', { name: 'Select the 100 rows that are loaded' }).waitFor()
      await walkToEnd(page)
      await page.getByRole('checkbox', { name: 'Select all rows' }).check()
      const label = `Delete ${(keyCount + 1).toLocaleString('en')} API keys`
      await page.getByRole('button', { name: label }).click()
      await page.getByRole('dialog').getByRole('button', { name: label }).click()
      await page.getByText('No API keys yet').waitFor()
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)
  },
)
