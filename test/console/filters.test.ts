/** Journeys through the filters above lists: they behave alike on every page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['documents.reader_processes=1'])
    browser = await startBrowser()
    const file = { name: 'five days.txt', bytes: 'Five days.', encoding: 'utf-8', category: 'general' }
    const headers = { 'content-type': 'application/json' }
    await app.call('POST', '//api/v1/documents', { headers, body: { files: [file], wait_for_completion: true } })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

/** Waits until the address has this search. */
async function searchIs(page: Page, expected: string | null): Promise<void> {
  await page.waitForURL((url) => url.searchParams.get('q') === expected)
}

const pages = [
  { path: '/documents', field: 'Search names', shown: 'five days.txt', empty: 'No document matches' },
  { path: '/models', field: 'Search models', shown: 'demo-chat', empty: 'No model matches' },
  { path: '/models?reach=all', field: 'Search all models', shown: 'demo-chat', empty: 'No model matches' },
  { path: '/users', field: 'Search users', shown: 'user@example.org', empty: 'No user matches' },
  { path: '/settings', field: 'Search settings', shown: 'gateway.idle_seconds', empty: 'No setting matches' },
] as const

describe.skipIf(journeysSkipped !== null)(`filters${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`, () => {
  for (const { path, field, shown, empty } of pages) {
    test(`at ${path} follow typing, the address and “Clear filters”`, async () => {
      await using visitor = await visitAs(browser, app, 'admin', path)
      const { page } = visitor
      const input = page.getByLabel(field, { exact: true })
      await page.locator('main').getByText(shown).first().waitFor()
      expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0)
      // The blank at the end is not sent, and stays in the field for the word that follows.
      await input.pressSequentially('five ')
      await searchIs(page, 'five')
      await input.pressSequentially('moons')
      await searchIs(page, 'five moons')
      expect(await input.inputValue()).toBe('five moons')
      await page.getByText(empty).waitFor()
      await visitor.requireAccessible(`filters at ${path}`)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await searchIs(page, null)
      expect(await input.inputValue()).toBe('')
      await page.locator('main').getByText(shown).first().waitFor()
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)
  }
})
