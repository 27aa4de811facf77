/** A journey through the sources in a real browser, against a WebDAV folder. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit } from '#test/support/app/console-app.ts'
import { startRemote, type Remote } from '#test/support/sources/remote.ts'

let browser: Browser
let app: AdminApp
let remote: Remote
if (journeysSkipped === null) {
  beforeAll(async () => {
    remote = startRemote()
    app = await startConsoleApp(['documents.sources_allow_private=true'])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await remote[Symbol.asyncDispose]()
  })
}

describe.skipIf(journeysSkipped !== null)(
  `sources in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('one is added, looked at, run, paused, edited and deleted', async () => {
      remote.files.set('docs/a.txt', 'An aardvark.')
      remote.files.set('docs/empty.txt', '')
      await using visitor = await visit(browser, app, { viewport: { width: 1280, height: 800 } })
      const { page } = visitor
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const choose = async (action: string): Promise<void> => {
        await button('Actions for handbooks').click()
        await page.getByRole('menuitem', { name: action, exact: true }).click()
      }
      const table = page.getByRole('table', { name: 'Sources' })
      await visitor.open('/sources')
      await visitor.signIn('admin')
      await page.getByText('No sources yet').waitFor()
      await visitor.requireAccessible('no sources')
      await button('Add source').click()
      await page.getByLabel('Kind').selectOption('git')
      await page.getByLabel('Branch (optional)').waitFor()
      await visitor.requireAccessible('a new source')
      await page.getByLabel('Kind').selectOption('webdav')
      await page.getByLabel('Name', { exact: true }).fill('handbooks')
      await page.getByRole('combobox', { name: 'User' }).click()
      await page.getByRole('option', { name: /admin@/ }).click()
      await page.getByLabel('Address').fill(`${remote.origin}/dav/docs/`)
      await button('Add').click()
      await table.getByText('with errors').waitFor()
      await table.getByText('1 imported, 1 failed').waitFor()
      await visitor.requireAccessible('sources')

      await table.getByText('handbooks', { exact: true }).click()
      await page.getByText('empty.txt: The file is empty.').waitFor()
      await visitor.requireAccessible('the last run')
      await button('Close').click()
      remote.files.set('docs/b.txt', 'A badger.')
      await choose('Dry run…')
      await page.getByRole('table', { name: 'Changes' }).getByText('b.txt', { exact: true }).waitFor()
      await visitor.requireAccessible('a dry run')
      await button('Close').click()
      remote.files.delete('docs/empty.txt')
      await choose('Run now')
      await table.getByText('in step').waitFor()
      await choose('Edit…')
      await page.getByLabel('Minutes between runs').fill('90')
      await button('Save').click()
      await page.getByText('Saved the source').waitFor()
      await choose('Pause')
      await table.getByText('paused').waitFor()
      await choose('Resume')
      await table.getByText('in step').waitFor()
      const { body } = await app.call<{ data: { every_minutes: number }[] }>('GET', '/sources')
      expect(body.data.map(({ every_minutes: minutes }) => minutes)).toEqual([90])
      await choose('Delete…')
      await button('Delete source').click()
      await page.getByText('No sources yet').waitFor()
    }, 60_000)
  },
)
