/** Journeys through the settings in a real browser: what holds, what is fixed, and limits of single accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { settingNames } from '#config/settings/records.ts'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { startOidcProvider } from '#test/support/network/oidc-provider.ts'
import { titledSettings, titleOfSetting } from '../../ui/src/routes/settings/setting-titles.ts'

const licensePath = join(import.meta.dir, '../../node_modules/@fontsource-variable/geist/LICENSE')

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['gateway.idle_seconds=7'])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

interface Setting {
  readonly name: string
  readonly value: unknown
  readonly source: string
}

async function setting(name: string): Promise<Setting | undefined> {
  return (await app.call<{ data: Setting[] }>('GET', '/settings')).body.data.find((each) => each.name === name)
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

async function asAdmin(path: string, viewport = { width: 1280, height: 800 }): Promise<Visitor> {
  const visitor = await visitAs(browser, app, { who: 'admin', path, viewport })
  await visitor.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  return visitor
}

describe.skipIf(journeysSkipped !== null)(
  `settings in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a setting is found, refused with the server’s sentence, changed, and reset', async () => {
      const name = 'failover.max_attempts'
      await using visitor = await asAdmin('/settings')
      const { page } = visitor
      await page.getByText(name, { exact: true }).waitFor()
      await visitor.requireAccessible('settings')
      await page.getByLabel('Search settings').fill('calls for one request')
      await page.getByText('documents.max_attempts', { exact: true }).waitFor({ state: 'detached' })
      await button(page, `Edit ${titleOfSetting(name)}`).click()
      await page.getByLabel('Value in attempts').fill('0')
      await button(page, 'Save').click()
      await page.getByText(/^Expected a whole number of attempts from 1 to/).waitFor()
      await visitor.requireAccessible('a refused value')
      await page.getByLabel('Value in attempts').fill('2')
      await button(page, 'Save').click()
      await item(page, name).getByText('set here').waitFor()
      expect(await setting(name)).toMatchObject({ value: 2, source: 'admin page' })
      await button(page, `Reset ${titleOfSetting(name)} to its default`).click()
      await item(page, name).getByText('set here').waitFor({ state: 'detached' })
      expect(await setting(name)).toMatchObject({ value: 3, source: 'default' })
      expectNoComplaints(visitor)
    }, 30_000)

    test('an issuer is tested before anybody signs in with it, and what is wrong is said in words', async () => {
      await using issuer = await startOidcProvider()
      await using visitor = await asAdmin('/settings?tab=start&q=single%20sign-on')
      const { page } = visitor
      const dialog = page.getByRole('dialog')
      await page.getByRole('region', { name: 'Single sign-on' }).getByRole('button', { name: 'Test…' }).click()
      await dialog.getByLabel('Issuer').fill(`${issuer.issuer}/realm`)
      await dialog.getByLabel('Client id').fill(issuer.clientId)
      await button(page, 'Test').click()
      await dialog.getByText(/does not exist \(404\)/).waitFor()
      await dialog.getByLabel('Issuer').fill(issuer.issuer)
      await dialog.getByLabel('Client secret').fill('wrong')
      await button(page, 'Test').click()
      await dialog.getByText(/^The issuer does not accept the client id with this secret/).waitFor()
      await visitor.requireAccessible('a test of an issuer')
      await dialog.getByLabel('Client secret').fill(issuer.clientSecret)
      await button(page, 'Test').click()
      await dialog.getByText('It knows this server by its client id and secret.').waitFor()
      await dialog.getByText(/session\/oidc\/callback$/).waitFor()
      await button(page, 'Done').click()
      await dialog.waitFor({ state: 'detached' })
      expect(await setting('auth.oidc.issuer')).toMatchObject({ value: null })
      expectNoComplaints(visitor)
    }, 30_000)

    test('lists and mappings are typed line by line', async () => {
      await using visitor = await asAdmin('/settings')
      const { page } = visitor
      const store = async (name: string, text: string) => {
        await button(page, `Edit ${titleOfSetting(name)}`).click()
        await page.getByLabel('Value').fill(text)
        await button(page, 'Save').click()
        await page.getByText(`Saved “${titleOfSetting(name)}”`).waitFor()
        return (await setting(name))?.value
      }
      expect(await store('failover.statuses', '500\n503')).toEqual([500, 503])
      expect(await store('documents.categories', 'invoices\n\nletters and more')).toEqual([
        'invoices',
        'letters and more',
      ])
      const groups = { primary: 'demo-chat', other: 'a=b' }
      expect(await store('generation.consumer_groups', 'primary = demo-chat\nother = a=b')).toEqual(groups)
      expectNoComplaints(visitor)
    }, 30_000)

    test('what the command line fixes and what is read at start is shown and cannot be changed', async () => {
      await using visitor = await asAdmin('/settings?q=idle_seconds', { width: 360, height: 740 })
      const { page } = visitor
      await item(page, 'gateway.idle_seconds').getByText('read-only').waitFor()
      await item(page, 'gateway.idle_seconds').getByText('--set').waitFor()
      expect(await button(page, `Edit ${titleOfSetting('gateway.idle_seconds')}`).count()).toBe(0)
      await page.getByRole('tab', { name: 'Read at start' }).click()
      await page.getByLabel('Search settings').fill('server.port')
      await item(page, 'SLUICE_SERVER_PORT').waitFor()
      expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0)
      await visitor.requireAccessible('settings read at start')
      await page.getByRole('tab', { name: 'About' }).click()
      await page.getByText('SQLite').waitFor()
      for (const [name, path] of [
        ['OpenAPI document', '/openapi.json'],
        ['API reference', '/docs'],
        ['Licence of the typeface', '/font-license.txt'],
      ] as const)
        expect(await page.getByRole('main').getByRole('link', { name }).getAttribute('href')).toBe(path)
      // The Open Font License asks that its text goes with the font.
      const license = await (await fetch(`${app.url}/font-license.txt`)).text()
      expect(license).toBe(await readFile(licensePath, 'utf8'))
      await visitor.requireAccessible('about')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      expectNoComplaints(visitor)
    }, 30_000)

    test('limits are enforced by a switch, and an account gets, changes and loses one of its own', async () => {
      await using visitor = await asAdmin('/settings?tab=limits')
      const { page } = visitor
      await page.getByText('No account has its own limit.').waitFor()
      const enforced = page.getByRole('switch', { name: 'Limit requests in flight' })
      await enforced.click()
      await page.getByText('Saved “Limit requests in flight”').waitFor()
      expect([await enforced.isChecked(), (await setting('limits.realtime_inflight.enforce'))?.value]).toEqual([
        true,
        true,
      ])

      await button(page, 'Add limit').click()
      await page.getByRole('combobox', { name: 'Account', exact: true }).click()
      await page.getByRole('combobox', { name: 'Search: Account' }).fill('user@')
      await page.getByRole('option', { name: userEmail }).click()
      await page.getByRole('combobox', { name: 'Model', exact: true }).click()
      await page.getByRole('option', { name: 'demo-chat' }).click()
      await page.getByLabel('Requests in flight', { exact: true }).fill('2')
      await visitor.requireAccessible('adding a limit')
      await button(page, 'Set limit').click()
      const table = page.getByRole('table', { name: 'Limits of single accounts' })
      await table.getByRole('row', { name: new RegExp(`${userEmail}.*demo-chat.*2`) }).waitFor()
      await visitor.requireAccessible('limits')

      const actions = `Actions for ${userEmail} and demo-chat`
      await button(page, actions).click()
      await page.getByRole('menuitem', { name: 'Change…' }).click()
      await page.getByLabel('Requests in flight', { exact: true }).fill('5')
      await button(page, 'Set limit').click()
      await table.getByRole('row', { name: new RegExp(`${userEmail}.*demo-chat.*5`) }).waitFor()
      await button(page, actions).click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      await page.getByRole('dialog').getByText(`${userEmail}, demo-chat: 5 in flight`).waitFor()
      await button(page, 'Remove limit').click()
      await page.getByText('No account has its own limit.').waitFor()
      expect((await app.call<{ data: unknown[] }>('GET', '/inflight-limits')).body.data).toEqual([])
      expectNoComplaints(visitor)
    }, 30_000)

    test('the API reference breaks no word of its tables at any width', async () => {
      const page = await browser.newPage()
      await page.goto(`${app.url}/docs`)
      await page.locator('td em').first().waitFor({ state: 'attached' })
      for (const width of [360, 600, 860, 1024, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        const broken = await page.evaluate(
          `[...document.querySelectorAll('td em')].filter((each) => each.getClientRects().length > 1).length`,
        )
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
        expect({ width, broken, isWider: wide > width }).toEqual({ width, broken: 0, isWider: false })
      }
      await page.close()
    }, 60_000)
  },
)

test('every setting has a title for people, and no two of a group have the same', () => {
  expect(titledSettings.toSorted()).toEqual(settingNames.toSorted())
  const titles = settingNames.map((name) => `${name.split('.')[0]} ${titleOfSetting(name)}`)
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})
