/** The palette finds everything by its name, shortcuts lead to pages, and charts are read with mouse, finger and keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { ShortcutReader } from '../../ui/src/shell/shortcuts.ts'

test('a letter counts as a page after g and only for a moment; other keys have their own meaning', () => {
  const reader = new ShortcutReader()
  const read = (...keys: readonly (readonly [string, number])[]) => keys.map(([key, at]) => reader.read(key, at))
  expect(read(['g', 0], ['k', 100])).toEqual([null, { kind: 'go', path: '/keys' }])
  expect(read(['g', 1000], ['k', 4000])).toEqual([null, null])
  expect(read(['g', 5000], ['z', 5100], ['k', 5200])).toEqual([null, null, null])
  expect(read(['?', 9000], ['/', 9001], ['k', 9002])).toEqual([{ kind: 'list' }, { kind: 'search' }, null])
})

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    await app.call('POST', '/users', { body: { email: 'grace@example.org', name: 'Grace Hopper' } })
    await app.call('POST', `/users/${app.userId}/keys`, { body: { name: 'compiler' } })
    const files = [{ bytes: 'A report.', encoding: 'utf-8', name: 'compiled report.md', category: 'reports' }]
    const headers = { 'content-type': 'application/json' }
    expect((await app.call('POST', '//api/v1/documents', { headers, body: { files } })).status).toBe(202)
    const hourAgo = Date.now() - 3_600_000
    await app.store.usage.insertMany([
      aUsage({ at: hourAgo, requestId: 'req_found12345', userId: app.userId, modelServed: 'demo-chat' }),
      aUsage({ at: hourAgo, userId: app.userId, status: 500, modelServed: 'demo-chat' }),
    ])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const none = { errors: [], foreign: [] }

async function find(page: Page, text: string, option: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find', exact: true }).fill(text)
  await page.getByRole('option', { name: option }).click()
}

describe.skipIf(journeysSkipped !== null)(
  `finding one's way in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('the palette opens users, keys, documents, models, settings, requests and actions', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/' })
      const { page } = visitor
      await heading(page, 'Overview').waitFor()
      await find(page, 'hopper', /Grace Hopper, grace@example.org/)
      await heading(page, 'Grace Hopper').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find', exact: true }).fill('compile')
      await page.getByRole('option', { name: /^compiled report.md/ }).waitFor()
      await visitor.requireAccessible('what the palette found')
      await page.getByRole('option', { name: /^compiler/ }).click()
      await page.locator('tr', { hasText: 'compiler' }).waitFor()
      await find(page, 'compile', /^compiled report.md/)
      await heading(page, 'compiled report.md').waitFor()
      await find(page, 'gpt-small', /^demo-chat/)
      await heading(page, 'demo-chat').waitFor()
      await find(page, 'idle_seconds', /^Longest silence within a response/)
      await page.getByText('gateway.idle_seconds', { exact: true }).waitFor()
      await find(page, 'req_found12345', /^req_found12345/)
      await page.getByText('req_found12345').first().waitFor()
      await find(page, 'create an api', 'Create an API key Action')
      await page.getByRole('dialog', { name: 'Create an API key' }).waitFor()
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('the palette shows a user neither other users nor their keys nor settings', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/keys' })
      const { page } = visitor
      await heading(page, 'API Keys').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find', exact: true }).fill('compile')
      await page.getByRole('option', { name: /^compiler/ }).waitFor()
      for (const text of ['grace', 'idle_seconds', 'Invite']) {
        await page.getByRole('combobox', { name: 'Find', exact: true }).fill(text)
        await page.getByText('Nothing matches.').waitFor()
      }
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('shortcuts are listed at ?, lead to pages, and leave what is typed alone', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/users' })
      const { page } = visitor
      await page.locator('tr', { hasText: userEmail }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Requests').waitFor()
      await visitor.requireAccessible('the list of shortcuts')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('/')
      await page.keyboard.type('g?k')
      expect(await page.getByLabel('Search users').inputValue()).toBe('g?k')
      await page.getByText('No user matches').waitFor()
      await page.getByLabel('Search users').blur()
      await page.keyboard.press('g')
      await page.keyboard.press('k')
      await heading(page, 'API Keys').waitFor()
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('a chart tells its values to mouse and keys, and a press shows the requests of that time', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/' })
      const { page } = visitor
      const cursor = page.getByRole('slider', { name: 'Requests at a time' })
      await cursor.focus()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowLeft')
      expect(await cursor.getAttribute('aria-valuetext')).toMatch(/: answered 1, errors 1$/)
      await page.getByText('together').waitFor()
      await visitor.requireAccessible('a chart with its cursor')
      await page.keyboard.press('Escape')
      await page.getByText('together').waitFor({ state: 'detached' })
      const box = await cursor.boundingBox()
      if (box === null) throw new Error('the chart is not drawn')
      await page.mouse.move(box.x + box.width - box.width / 50, box.y + box.height / 2)
      await page.getByText('together').waitFor()
      await cursor.focus()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await heading(page, 'Requests').waitFor()
      await page.locator('tr', { hasText: 'demo-chat' }).nth(1).waitFor()
      const search = new URL(page.url()).searchParams
      expect(Date.parse(search.get('to') ?? '') - Date.parse(search.get('from') ?? '')).toBe(3_600_000)
      expect(visitor.complaints).toEqual(none)
    }, 60_000)

    test('a finger shows a point first, and chooses it by a second touch; on paper there is only the page', async () => {
      await using visitor = await visitAs(browser, app, {
        who: 'admin',
        path: '/',
        viewport: { width: 390, height: 780 },
        hasTouch: true,
      })
      const { page } = visitor
      const cursor = page.getByRole('slider', { name: 'Requests at a time' })
      await cursor.waitFor()
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('banner').count()).toBe(0)
      expect(await page.getByRole('button').count()).toBe(0)
      await heading(page, 'Overview').waitFor()
      await page.emulateMedia({ media: 'screen' })
      await cursor.tap()
      await page.getByText('together').waitFor()
      await cursor.tap()
      await heading(page, 'Requests').waitFor()
      expect(visitor.complaints).toEqual(none)
    }, 60_000)
  },
)
