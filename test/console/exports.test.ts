/** The page of exports: files to download, and a restatement. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp([])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

describe.skipIf(journeysSkipped !== null)(`exports${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`, () => {
  test('are listed with their files, and made again as another version', async () => {
    await using visitor = await visitAs(browser, app, {
      who: 'admin',
      path: '/exports',
      viewport: { width: 1280, height: 800 },
    })
    const { page } = visitor
    await page.getByText('Nothing was exported yet').waitFor()
    await visitor.requireAccessible('no exports')
    const at = Date.UTC(2026, 0, 5)
    await app.store.usage.insertMany([aUsage({ at: at + 1, modelServed: 'm' })])
    const planned = { period: 'day', startsAt: at, endsAt: at + 86_400_000, timeZone: 'UTC', version: 1 } as const
    await app.store.exports.plan([{ ...planned, id: 'first', createdAt: at }])
    await visitor.open('/exports')
    await page.getByRole('link', { name: /^csv \(/ }).waitFor()
    await visitor.requireAccessible('exports')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: /^csv \(/ }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('usage-2026-01-05.csv')
    expect(await readFile(await download.path(), 'utf8')).toContain('2026-01-05')
    await page.getByRole('button', { name: 'Restate 2026-01-05' }).click()
    await page.getByText('2026-01-05, version 2').waitFor()
    expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
  }, 60_000)
})
