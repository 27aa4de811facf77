/** Journeys through the documents in a real browser: imported, watched, found, mended, deleted, and nobody else's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { journeysSkipped, password, startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'
import { embeds, embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

const strangerEmail = 'stranger@example.org'
const narrow = { width: 360, height: 740 }

let browser: Browser
let app: AdminApp
let upstream: Upstream
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['documents.reader_processes=1'])
    upstream = await startUpstream()
    const provider = { name: 'scripted', kind: 'openai', base_url: upstream.url }
    const { id } = (await app.call<{ id: string }>('POST', '/providers', { body: provider })).body
    const capabilities = { endpoints: ['embeddings'], input: ['text'] }
    await app.call('POST', '/models', { body: { name: 'vectors', provider_id: id, capabilities } })
    await app.call('POST', '/users', { body: { email: strangerEmail, password, temporary: false } })
    await app.call('PATCH', `/groups/${everyoneGroupId}`, { body: { permissions: ['documents.share'] } })
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await upstream.close()
  })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
// Not by its role, which it does not have below an open dialog.
const row = (page: Page, name: string) => page.locator('tr', { hasText: name })
const upload = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name })

type SignedIn = Exclude<BrowserContextOptions['storageState'], string | undefined>
const sessions = new Map<string, SignedIn>()

/** A visitor at this address of the console, signed in: by the form the first time, later with the same session. */
async function signedIn(email: string, path: string, viewport = { width: 1280, height: 800 }): Promise<Visitor> {
  const session = sessions.get(email)
  const visitor = await visit(browser, app, { viewport, ...(session !== undefined && { storageState: session }) })
  await visitor.open(path)
  if (session === undefined) {
    await visitor.page.getByLabel('E-mail address').fill(email)
    await visitor.page.getByLabel('Password').fill(password)
    await button(visitor.page, 'Sign in').click()
  }
  await visitor.page.getByRole('button', { name: /^Account of/ }).waitFor()
  sessions.set(email, await visitor.page.context().storageState())
  return visitor
}

interface TestFile {
  readonly name: string
  readonly text: string
}

const file = ({ name, text }: TestFile) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })

/** Chooses files by the button and imports them; `choose` may change what the dialog asks for. */
async function importFiles(
  { page }: Visitor,
  files: readonly TestFile[],
  choose: (page: Page) => Promise<unknown> = async () => {},
): Promise<void> {
  await button(page, 'Import').click()
  const dialog = page.getByRole('dialog', { name: 'Import documents' })
  await dialog.getByLabel('Files to import').setInputFiles(files.map(file))
  await choose(page)
  await dialog.getByRole('button', { name: /^Import \d+ files?$/ }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Drops files on the page, as the browser tells it of them. */
async function dropFiles(page: Page, files: readonly TestFile[]): Promise<void> {
  const transfer = await page.evaluateHandle((list) => {
    const { DataTransfer } = globalThis as unknown as {
      readonly DataTransfer: new () => { readonly items: { add(dropped: File): void } }
    }
    const created = new DataTransfer()
    for (const { name, text } of list) created.items.add(new File([text], name))
    return created
  }, files)
  const target = page.locator('h1')
  await target.dispatchEvent('dragover', { dataTransfer: transfer })
  await page.getByText('Drop files or a folder to import them').waitFor()
  await target.dispatchEvent('drop', { dataTransfer: transfer })
}

async function chooseVectors(page: Page): Promise<void> {
  await page.getByText('Processing options').click()
  await page.getByLabel('Embedder').selectOption('vectors')
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

/** Ids of the documents that this user sees, by their names. */
async function idsOf(key: string): Promise<ReadonlyMap<string, string>> {
  const answer = await app.call<{ data: { doc_id: string; name: string }[] }>('GET', '//api/v1/documents', { key })
  return new Map(answer.body.data.map(({ doc_id: id, name }) => [name, id]))
}

const handbook = Array.from(
  { length: 60 },
  (_, index) =>
    `# Section ${index}\n\nRule ${index} of the handbook says what employees do on day ${index}. ${'It is a rule that everybody knows. '.repeat(12)}`,
)
handbook[41] = '# Parental leave\n\nParents may take twenty weeks of leave after a birth, with full pay.'

describe.skipIf(journeysSkipped !== null)(
  `the documents${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('three files are dropped, one is refused with its reason, two are watched to the end and found', async () => {
      await using visitor = await signedIn(userEmail, '/documents')
      const { page } = visitor
      await page.getByText('No documents yet').waitFor()
      await page.getByRole('region', { name: 'sluice code' }).getByText('sluice import').waitFor()
      await visitor.requireAccessible('no documents')

      upstream.script(embedsWhenReleased)
      await dropFiles(page, [
        { name: 'handbook.md', text: handbook.join('\n\n') },
        { name: 'menu.txt', text: 'Monday: soup. Tuesday: dumplings.' },
        { name: 'empty.txt', text: '' },
      ])
      await page.getByLabel('Category').fill('rules')
      await chooseVectors(page)
      await visitor.requireAccessible('the import dialog')
      await button(page, 'Import 3 files').click()
      await upload(page, 'empty.txt').getByText('The file is empty.').waitFor()
      await page.getByText('1 invalid, 2 accepted').waitFor()
      await row(page, 'handbook.md').getByRole('progressbar', { name: 'handbook.md: embedding' }).waitFor()
      await row(page, 'handbook.md')
        .getByText(/^0 of \d+ embedded$/)
        .waitFor()
      await visitor.requireAccessible('under way')

      upstream.script(embeds)
      for (const request of upstream.requests) request.release()
      await row(page, 'handbook.md').getByText('completed').waitFor()
      await row(page, 'menu.txt').getByText('completed').waitFor()
      expect(await row(page, 'empty.txt').count()).toBe(0)
      await button(page, 'Dismiss').click()

      await importFiles(visitor, [{ name: 'copy.txt', text: 'Monday: soup. Tuesday: dumplings.' }], async () =>
        page.getByLabel('Category').last().fill('rules'),
      )
      await upload(page, 'copy.txt').getByText('duplicate').waitFor()
      await page.getByRole('link', { name: 'open the document' }).click()
      await heading(page, 'menu.txt').waitFor()

      const body = { query: 'dumplings', mode: 'keyword' }
      const found = await app.call<{ data: { name: string }[] }>('POST', '//api/v1/search', { key: app.userKey, body })
      expect(found.body.data.map(({ name }) => name)).toEqual(['menu.txt'])
      expectNoComplaints(visitor)
    }, 60_000)

    test('a document shows its record and text, and a question in it leads to the passage', async () => {
      await using visitor = await signedIn(userEmail, '/documents?q=handbook')
      const { page } = visitor
      await page.getByRole('link', { name: 'handbook.md' }).click()
      await heading(page, 'handbook.md').waitFor()
      await page.getByRole('article', { name: 'Chunk 0', exact: true }).getByText('Rule 0').waitFor()
      expect(await page.getByText('text/markdown').count()).toBe(1)
      const total = Number((await page.getByText('Chunks made').locator('xpath=..').textContent())?.match(/\d+/)?.[0])
      expect(total).toBeGreaterThan(20)
      // Only what is in sight is in the page.
      expect(await page.getByRole('article').count()).toBeLessThan(total)

      await page.getByLabel('Search in this document').fill('leave after a birth')
      await page.keyboard.press('Enter')
      const passages = page.getByRole('region', { name: 'Passages' })
      const best = passages.getByRole('button').filter({ hasText: 'twenty weeks' })
      await best.click()
      const chunk = page.locator('article[aria-current=location]')
      await chunk.getByText(/twenty weeks/).waitFor()
      expect(await chunk.locator('mark').allTextContents()).toContain('birth')
      expect(await chunk.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0)
      await visitor.requireAccessible('a document')

      const address = new URL(page.url())
      await visitor.open(address.pathname + address.search)
      await chunk.getByText(/twenty weeks/).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a failed document says why, and completes when it is retried after the cause was mended', async () => {
      await using visitor = await signedIn(userEmail, '/documents', narrow)
      const { page } = visitor
      upstream.script(json(errorObject('wrong key'), 401))
      await importFiles(visitor, [{ name: 'minutes.txt', text: 'The meeting was short.' }], chooseVectors)
      await row(page, 'minutes.txt').getByText('failed').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(narrow.width)
      await visitor.requireAccessible('a failed document')

      await page.getByRole('link', { name: 'minutes.txt' }).click()
      await page.getByRole('alert').getByText('while embedding').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(narrow.width)
      await visitor.requireAccessible('what has failed')

      upstream.script(embeds)
      await page.goBack()
      await button(page, 'Retry minutes.txt').click()
      await row(page, 'minutes.txt').getByText('completed').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a document under way is stopped by its importer', async () => {
      await using visitor = await signedIn(userEmail, '/documents')
      const { page } = visitor
      upstream.script(embedsWhenReleased)
      await importFiles(visitor, [{ name: 'slow.txt', text: 'This takes a while.' }], chooseVectors)
      await row(page, 'slow.txt').getByRole('button', { name: 'Cancel slow.txt' }).click()
      await row(page, 'slow.txt').getByText('cancelled').waitFor()
      upstream.script(embeds)
      for (const request of upstream.requests) request.release()
      await page.getByLabel('State').selectOption('Cancelled')
      await row(page, 'menu.txt').waitFor({ state: 'detached' })
      await row(page, 'slow.txt').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('another user sees nothing of it, neither in the page nor from the API', async () => {
      const ids = await idsOf(app.userKey)
      const handbookId = ids.get('handbook.md') ?? ''
      expect(handbookId).not.toBe('')
      await using visitor = await signedIn(strangerEmail, '/documents')
      const { page } = visitor
      await page.getByText('No documents yet').waitFor()
      await visitor.open(`/documents/${handbookId}`)
      await page.getByText('This document does not exist').waitFor()
      await visitor.requireAccessible('no such document')
      // With the session of the page, as its own scripts call.
      const answers = await page.evaluate(async (id) => {
        const search = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"leave"}' }
        const [list, one, chunks, found, deleted] = await Promise.all([
          fetch(`/api/v1/documents?doc_id=${id}`),
          fetch(`/api/v1/document/${id}`),
          fetch(`/api/v1/document/${id}/chunks`),
          fetch('/api/v1/search', search),
          fetch(`/api/v1/document/${id}`, { method: 'DELETE' }),
        ])
        const dataOf = async (response: Response) => ((await response.json()) as { data: unknown[] }).data
        return {
          listed: await dataOf(list),
          hits: await dataOf(found),
          statuses: [one, chunks, deleted].map(({ status }) => status),
        }
      }, handbookId)
      expect(answers).toEqual({ listed: [], hits: [], statuses: [404, 404, 404] })
      expectNoComplaints(visitor)
    }, 60_000)

    test('a folder is imported with its paths, without what is hidden in it; whom it is shared with may read it only', async () => {
      await using visitor = await signedIn(userEmail, '/documents')
      const folder = await mkdtemp(join(tmpdir(), 'sluice-folder-'))
      await using cleaning = new AsyncDisposableStack()
      cleaning.defer(() => rm(folder, { recursive: true }))
      await mkdir(join(folder, 'canteen'))
      await Bun.write(join(folder, 'canteen', 'prices.txt'), 'A soup is three euros.')
      await Bun.write(join(folder, '.hidden.txt'), 'Nobody meant to import this.')
      await button(visitor.page, 'Import').click()
      const dialog = visitor.page.getByRole('dialog', { name: 'Import documents' })
      await dialog.getByLabel('Folder to import').setInputFiles(folder)
      await dialog.getByText(/canteen\/prices\.txt$/).waitFor()
      await dialog.getByLabel('Visible to').selectOption('Everyone on this server')
      await dialog.getByRole('button', { name: 'Import 1 file' }).click()
      await row(visitor.page, 'canteen/prices.txt').waitFor()
      expectNoComplaints(visitor)

      await using other = await signedIn(strangerEmail, '/documents')
      const { page } = other
      await row(page, 'canteen/prices.txt').getByRole('checkbox').check()
      await button(page, 'Delete 1 document').click()
      const asking = page.getByRole('dialog', { name: 'Delete 1 document?' })
      await asking.getByRole('button', { name: 'Delete 1 document' }).click()
      await asking
        .getByRole('alert')
        .getByText(/^Request id/)
        .waitFor()
      await other.requireAccessible('a refused deletion')
      await button(page, 'Cancel').click()
      expect(await row(page, 'canteen/prices.txt').count()).toBe(1)
      expectNoComplaints(other)
    }, 60_000)

    test('several documents are deleted at once, by their names, and no search finds them any more', async () => {
      await using visitor = await signedIn(userEmail, '/documents')
      const { page } = visitor
      await row(page, 'menu.txt').focus()
      await page.keyboard.press('Space')
      await page.getByLabel('Select handbook.md').check()
      await button(page, 'Delete 2 documents').click()
      const dialog = page.getByRole('dialog', { name: 'Delete 2 documents?' })
      await dialog.getByText('menu.txt').waitFor()
      await dialog.getByText('handbook.md').waitFor()
      await visitor.requireAccessible('deleting documents')
      await dialog.getByRole('button', { name: 'Delete 2 documents' }).click()
      await row(page, 'menu.txt').waitFor({ state: 'detached' })
      await row(page, 'handbook.md').waitFor({ state: 'detached' })
      expect([...(await idsOf(app.userKey)).keys()].sort()).toEqual([
        'minutes.txt',
        'slow.txt',
        expect.stringMatching(/prices/),
      ])
      const body = { query: 'dumplings', mode: 'keyword' }
      expect(
        (await app.call<{ data: object[] }>('POST', '//api/v1/search', { key: app.userKey, body })).body.data,
      ).toEqual([])
      await visitor.requireAccessible('documents')
      expectNoComplaints(visitor)
    }, 60_000)
  },
)
