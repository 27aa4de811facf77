/** Journeys through what documents say about themselves, through vector stores, and to a damaged file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'
import { until } from '#test/support/until.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['documents.reader_processes=1'])
    browser = await startBrowser()
    const texts = { menu: 'lentil soup on monday', memo: 'lentil salad on friday', note: 'carrots and nothing else' }
    const files = Object.entries(texts).map(([name, text], at) => ({
      name: `${name}.txt`,
      category: 'recipes',
      bytes: Buffer.from(text).toString('base64'),
      metadata: at === 2 ? {} : { department: at === 0 ? 'kitchen' : 'sales', year: 2024 + at },
    }))
    const body = { files, wait_for_completion: true }
    const imported = await app.call('POST', '//api/v1/documents', { key: app.userKey, body })
    expect([imported.status, imported.text]).toEqual([202, imported.text])
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const rows = (page: Page) => page.locator('tr[data-index]')

describe.skipIf(journeysSkipped !== null)(
  `vector stores and metadata${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('documents are narrowed by their metadata, which is in the address, and changed on their page', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/documents' })
      const { page, complaints } = visitor
      await rows(page).nth(2).waitFor()
      await page.getByLabel('Metadata', { exact: true }).selectOption('department')
      await page.getByLabel('Value of department').selectOption('sales (1 document)')
      await rows(page).nth(1).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'memo.txt' }).waitFor()
      await visitor.requireAccessible('documents by metadata')
      expect(new URL(page.url()).searchParams.get('meta')).toBe('{"department":"sales"}')
      await page.reload()
      await page.getByRole('button', { name: 'Remove the filter department: sales' }).waitFor()
      await page.getByRole('link', { name: 'memo.txt' }).click()

      const panel = page.getByRole('region', { name: 'Metadata' })
      await panel.getByText('2025').waitFor()
      await panel.getByRole('button', { name: 'Edit metadata' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Value 1').fill('kitchen')
      await dialog.getByRole('button', { name: 'Remove year' }).click()
      await dialog.getByLabel('Name 2').fill('tags')
      await dialog.getByLabel('Value 2').fill('["cold", 1]')
      await visitor.requireAccessible('metadata of a document')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await panel.getByText('["cold",1]').waitFor()
      expect(await panel.getByText('2025').count()).toBe(0)
      const { body } = await app.call<{ data: { name: string; metadata: unknown }[] }>('GET', '//api/v1/documents', {
        key: app.userKey,
      })
      const memo = body.data.find(({ name }) => name === 'memo.txt')
      expect(memo?.metadata).toEqual({ department: 'kitchen', tags: ['cold', 1] })
      await visitor.open('/documents?meta=%7B%22department%22%3A%22kitchen%22%7D')
      await rows(page).nth(1).waitFor()
      expect(await rows(page).count()).toBe(2)
      expect(complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('a vector store is made, filled, searched, given an end and deleted', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/vector-stores' })
      const { page, complaints } = visitor
      await page.getByText('No vector stores yet').waitFor()
      await page.getByRole('button', { name: 'New vector store' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('handbooks')
      await visitor.requireAccessible('a new vector store')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.getByRole('heading', { level: 1, name: 'handbooks' }).waitFor()
      await page.getByText('No files yet').waitFor()
      const files = [
        { name: 'leave.txt', mimeType: 'text/plain', buffer: Buffer.from('You have thirty days of leave a year.') },
        { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n1 0 obj\n<< broken') },
      ]
      await page.getByLabel('Files to add').setInputFiles(files)
      const row = (name: string) => page.locator('tr').filter({ hasText: name })
      await row('leave.txt').getByText('completed').waitFor()
      await row('broken.pdf').getByText('failed').waitFor()
      await page.getByLabel('Search in this vector store').fill('days of leave')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.getByText('1 passage, best first.').waitFor()
      await page.getByRole('region', { name: 'Passages' }).getByText('thirty').waitFor()
      await visitor.requireAccessible('a vector store')

      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page
        .getByRole('dialog')
        .getByLabel(/^Expires after/)
        .fill('7')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText(/after 7 days without use/).waitFor()
      await row('broken.pdf')
        .getByRole('button', { name: /^Actions/ })
        .click()
      await page.getByRole('menuitem', { name: 'Take out…' }).click()
      await page.getByRole('button', { name: 'Take out', exact: true }).click()
      await row('broken.pdf').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete vector store' }).click()
      await page.getByText('No vector stores yet').waitFor()
      await visitor.open('/vector-stores/vs_00000000000000000000000000000000')
      await page.getByRole('heading', { name: 'Vector store not found' }).waitFor()
      complaints.errors.splice(0)
      expect(complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('a damaged PDF is said to be damaged, with something that helps, and not to save it as a PDF', async () => {
      const broken = {
        name: 'broken.pdf',
        category: 'recipes',
        bytes: Buffer.from('%PDF-1.7\n1 0 obj\n<< broken').toString('base64'),
      }
      const { body } = await app.call<{ accepted: { doc_id: string }[] }>('POST', '//api/v1/documents', {
        key: app.userKey,
        body: { files: [broken] },
      })
      const id = body.accepted[0]?.doc_id
      await until(async () => {
        const { body: record } = await app.call<{ state: string }>('GET', `//api/v1/document/${id}`, {
          key: app.userKey,
        })
        return record.state === 'failed'
      })
      await using visitor = await visitAs(browser, app, { who: 'user', path: `/documents/${id}` })
      const alert = visitor.page.getByRole('alert').filter({ hasText: 'while reading' })
      await alert.waitFor()
      const text = (await alert.textContent()) ?? ''
      expect(text).not.toMatch(/save (it|the file) as (a )?pdf/i)
      expect(text).toMatch(/damaged|cannot be read|not a valid/i)
    }, 60_000)
  },
)
