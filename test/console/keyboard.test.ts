/** The way of an app developer through the console without a mouse: nothing here is clicked or filled by the browser's driver. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, password, startConsoleApp, visit, visitAs } from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['documents.reader_processes=1'])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

/** More presses than any page has places to stop at. */
const pressesMax = 60

/** Presses Tab until this has the focus; throws when it never gets it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let press = 0; press < pressesMax; press += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${String(target)}`)
}

/** Goes to a page by the palette. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find', exact: true }).waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

describe.skipIf(journeysSkipped !== null)(
  `with the keyboard alone${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('somebody signs in, makes a key, chats, imports a document and finds a passage of it', async () => {
      await using visitor = await visit(browser, app)
      const { page } = visitor
      await visitor.open('/')
      // The form has the focus from the beginning.
      await page.getByLabel('E-mail address').waitFor()
      await page.keyboard.type(userEmail)
      await page.keyboard.press('Tab')
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()

      await goTo(page, 'API Keys')
      await tabTo(page, button(page, 'Create API Key'))
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByLabel('Name'))
      await page.keyboard.type('by keyboard')
      await page.keyboard.press('Enter')
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      expect(await app.statusWith(secret)).toBe(200)
      await tabTo(page, button(page, 'I have saved it'))
      await page.keyboard.press('Enter')
      await page.locator('tr', { hasText: 'by keyboard' }).waitFor()
      await page.getByTestId('secret').waitFor({ state: 'detached' })

      await goTo(page, 'Playground')
      await tabTo(page, page.getByLabel('Your message'))
      await page.keyboard.type('Hello there')
      await page.keyboard.press('Enter')
      await page.getByRole('article', { name: 'Answer of demo-chat' }).getByText('tokens out').waitFor()

      await goTo(page, 'Documents')
      await tabTo(page, button(page, 'Import').first())
      await page.keyboard.press('Enter')
      const chooser = page.waitForEvent('filechooser')
      await tabTo(page, button(page, 'Choose files'))
      await page.keyboard.press('Enter')
      const text = '# Leave\n\nUp to five vacation days may be carried over to the next year.'
      await (await chooser).setFiles({ name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from(text) })
      await tabTo(page, page.getByRole('dialog').getByLabel('Category'))
      await page.keyboard.type('handbooks')
      await page.keyboard.press('Enter')
      await page.locator('tr', { hasText: 'handbook.md' }).getByText('completed').waitFor()

      await goTo(page, 'Playground')
      await tabTo(page, page.getByRole('tab', { name: 'Chat' }))
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByRole('searchbox'))
      await page.keyboard.type('carried over vacation')
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByRole('link', { name: 'handbook.md' }).first())
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'handbook.md' }).waitFor()
      await visitor.requireAccessible('the document that was found')
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('dialogs give the focus back to what opened them, and a page that is gone to is read from its top', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/keys' })
      const { page } = visitor
      await tabTo(page, button(page, 'Create API Key'))
      await page.keyboard.press('Enter')
      await page.getByLabel('Name').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Create API Key')
      await goTo(page, 'Usage')
      await page.waitForFunction('document.activeElement.id === "main"')
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)
  },
)
