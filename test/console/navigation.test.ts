/** Each page answers a press at once, however far away the server is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

/** Holds every answer of the server while it is closed. */
class Gate {
  #open = Promise.withResolvers<void>()

  static async before(page: Page): Promise<Gate> {
    const gate = new Gate()
    gate.open()
    await page.route('**/*', async (route) => {
      await gate.#open.promise
      await route.continue().catch(() => undefined)
    })
    return gate
  }

  close(): void {
    this.#open = Promise.withResolvers()
  }

  open(): void {
    this.#open.resolve()
  }
}

describe.skipIf(journeysSkipped !== null)(
  `navigation${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('every page of the navigation shows that it comes before any answer of the server', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/account' })
      const { page, complaints } = visitor
      await page.getByRole('heading', { level: 1 }).waitFor()
      const gate = await Gate.before(page)
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      const addresses = await links.evaluateAll((all) =>
        all.flatMap((link) => {
          const { target, pathname } = link as unknown as { target: string; pathname: string }
          return target === '' ? [pathname] : []
        }),
      )
      expect(addresses.length).toBeGreaterThan(15)
      for (const address of addresses) {
        gate.close()
        // By a script: a pointer on its way would have loaded the page before the press.
        await page
          .locator(`nav a[href="${address}"]`)
          .evaluate((link) => (link as unknown as { click(): void }).click())
        const main = page.locator('#main')
        await main.getByRole('status').first().waitFor({ state: 'attached' })
        expect(await main.getByRole('heading', { name: 'Your account' }).count()).toBe(0)
        gate.open()
        await page.waitForURL((url) => url.pathname === address)
        await main.getByRole('heading', { level: 1 }).waitFor()
      }
      expect(complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)
  },
)
