/** A journey through the webhooks in a real browser, against a receiver that refuses every event. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit } from '#test/support/app/console-app.ts'
import { refusingUrl } from '#test/support/upstream/upstream.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['webhooks.allow_private=true'])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

/** Makes an event that the endpoint wants. */
async function importDocument(): Promise<void> {
  const bytes = Buffer.from('Some words.').toString('base64')
  const files = [{ name: 'note.txt', category: 'notes', path: '', bytes }]
  const { status } = await app.call('POST', '//api/v1/documents', { body: { files, wait_for_completion: true } })
  expect(status).toBe(202)
}

describe.skipIf(journeysSkipped !== null)(
  `webhooks in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('one is added with its secret, tested, edited, rotated, switched off and on, and deleted', async () => {
      await using visitor = await visit(browser, app, { viewport: { width: 1280, height: 800 } })
      const { page } = visitor
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const url = refusingUrl
      const choose = async (action: string): Promise<void> => {
        await button(`Actions for ${url}`).click()
        await page.getByRole('menuitem', { name: action, exact: true }).click()
      }
      await visitor.open('/webhooks')
      await visitor.signIn('admin')
      await page.getByText('No webhooks yet').waitFor()
      await visitor.requireAccessible('no webhooks')
      await button('Add webhook').click()
      await page.getByLabel('Address').fill(url)
      await page.getByRole('checkbox', { name: /^A provider is down/ }).click()
      await visitor.requireAccessible('a new webhook')
      await button('Add').click()
      await page.getByText(/^whsec_/).waitFor()
      await visitor.requireAccessible('the secret')
      await button('I have saved it').click()
      await page.getByRole('table', { name: 'Webhooks' }).waitFor()
      await visitor.requireAccessible('webhooks')
      expect(await page.getByText(/^whsec_/).count()).toBe(0)

      await choose('Send a test event')
      await page.getByText(/^The test failed/).waitFor()
      await choose('Edit…')
      await page.getByLabel('Description (optional)').fill('the pager')
      await button('Save').click()
      await page.getByText('the pager').waitFor()
      await choose('New secret…')
      await button('Rotate').click()
      await page.getByText(/^whsec_/).waitFor()
      await button('I have saved it').click()
      await choose('Deliveries…')
      await page.getByText('No deliveries').waitFor()
      await visitor.requireAccessible('no deliveries')
      await button('Close').click()
      await importDocument()
      await choose('Deliveries…')
      const log = page.getByRole('table', { name: 'Deliveries' })
      await log.getByText('document.completed').click()
      await page.getByText('"document.completed"').waitFor()
      await visitor.requireAccessible('a delivery')
      await button('Back').click()
      await visitor.requireAccessible('deliveries')
      await page.getByRole('combobox', { name: 'State' }).selectOption('delivered')
      await page.getByText('No deliveries').waitFor()
      await button('Close').click()
      await choose('Switch off…')
      await button('Switch off').click()
      await page.getByText('off', { exact: true }).waitFor()
      await choose('Switch on')
      await page.getByText('on', { exact: true }).waitFor()
      await choose('Delete…')
      await button('Delete webhook').click()
      await page.getByText('No webhooks yet').waitFor()
    }, 60_000)
  },
)
