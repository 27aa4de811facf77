/**
 * What else the playground has, in a real browser on the real app: tools and schemas, presets, comparison, cited pages of a PDF,
 * and a tab for each other kind of model, whose provider is a scripted server. One server and one browser for all.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import { kinds, picture, silence, everyKind } from '#test/support/upstream/every-kind.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let browser: Browser
let app: AdminApp
let upstream: Upstream
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['documents.reader_processes=1'])
    upstream = await startUpstream()
    upstream.script(everyKind)
    await addModels()
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await upstream.close()
  })
}

async function addModels(): Promise<void> {
  const { body } = await app.call<{ id: string }>('POST', '/providers', {
    body: { name: 'scripted', kind: 'openai', base_url: upstream.url },
  })
  for (const [name, endpoints] of Object.entries(kinds)) {
    const fields = { name, provider_id: body.id, capabilities: { endpoints, input: ['text'] } }
    const { body: model } = await app.call<{ id: string }>('POST', '/models', { body: fields })
    const rates = { input: 1_000_000_000_000, output: 2_000_000_000_000 }
    if (name === 'writer')
      await app.call('POST', `/models/${model.id}/prices`, { body: { rates, valid_from: '2026-01-01T00:00:00Z' } })
  }
}

async function at(query: string, viewport = { width: 1440, height: 900 }): Promise<Visitor> {
  const visitor = await visitAs(browser, app, { who: 'user', path: `/playground${query}`, viewport })
  await visitor.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  return visitor
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const answersOf = (page: Page, model: string) => page.getByRole('article', { name: `Answer of ${model}` })

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.getByLabel('Your message').press('Enter')
}

/** Runs in the page: until no colour changes any more. */
const changing = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished),
)`

/** Both themes: colours that are readable in one may not be in the other. */
async function requireAccessible(visitor: Visitor, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await visitor.page.emulateMedia({ colorScheme })
    // Buttons change their colours slowly.
    await visitor.page.evaluate(changing)
    await visitor.requireAccessible(`${where}, ${colorScheme}`)
  }
  await visitor.page.emulateMedia({ colorScheme: 'light' })
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

describe.skipIf(journeysSkipped !== null)(
  `more of the playground${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a model calls a tool, a person types what it answers, and the model goes on; a set answer is sent by itself', async () => {
      await using visitor = await at('?model=demo-chat')
      const { page } = visitor
      await button(page, 'Add a tool').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('get weather')
      await dialog.getByText('Up to 64 letters').waitFor()
      await dialog.getByLabel('Name').fill('get_weather')
      await dialog.getByLabel('Parameters (JSON schema)').fill('{')
      await dialog.getByText(/This is not JSON/).waitFor()
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog
        .getByLabel('Parameters (JSON schema)')
        .fill('{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}')
      await requireAccessible(visitor, 'a tool')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('list', { name: 'Tools' }).getByText('get_weather').waitFor()

      await ask(page, 'What is the weather? /tool')
      const answer = answersOf(page, 'demo-chat')
      await answer.getByText('waits for results', { exact: true }).waitFor()
      await answer.getByText('the arguments follow the schema').waitFor()
      await requireAccessible(visitor, 'a call')
      await answer.getByLabel('What get_weather answers').fill('{"temperature": 21}')
      await button(page, 'Send the result').click()
      await answer.getByText(/tokens out/).waitFor()
      await answer.getByText('{"temperature": 21}').first().waitFor()
      expect(await answer.getByLabel('What get_weather answers').count()).toBe(0)

      await button(page, 'Edit the tool get_weather').click()
      await dialog.getByLabel('Answer of every call (optional)').fill('It rains.')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await ask(page, 'And now? /tool')
      const next = answer.nth(1)
      await next.getByText('It rains.').first().waitFor()
      await next.getByText(/tokens out/).waitFor()
      // What came of the calls is part of what is sent, and outlives a reload.
      await page.reload()
      await answer.nth(1).getByText('It rains.').first().waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('an answer is checked against its schema: one that follows, one that does not; several models are compared with their cost', async () => {
      await using visitor = await at('?model=demo-chat')
      const { page } = visitor
      await page.getByLabel('Format of the answer').selectOption('json_schema')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('JSON schema').waitFor()
      await requireAccessible(visitor, 'a schema')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await button(page, 'Compare with another model').click()
      await page.getByRole('combobox', { name: 'Second model' }).click()
      await page.getByRole('combobox', { name: 'Search: Second model' }).fill('writer')
      await page.keyboard.press('Enter')
      await ask(page, 'Rate it')
      await answersOf(page, 'demo-chat').getByText('the answer follows the schema').waitFor()
      const wrong = answersOf(page, 'writer')
      await wrong.getByText('the answer does not follow the schema').waitFor()
      await wrong.getByText('/summary').waitFor()
      // 1000 tokens at $1000 a million, 500 at $2000.
      await wrong.getByText(/\$2\.00/).waitFor()
      const table = page.getByRole('group', { name: 'Comparison' })
      await table.getByRole('rowheader', { name: 'writer' }).waitFor()
      expect(await table.getByRole('row').count()).toBe(3)
      expect(await table.getByText('$2.00').count()).toBe(1)
      await button(page, 'Compare with another model').click()
      await button(page, 'Compare with another model').click()
      expect(await button(page, 'Compare with another model').count()).toBe(0)
      await requireAccessible(visitor, 'a comparison')
      await page.setViewportSize({ width: 390, height: 800 })
      expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(390)
      expectNoComplaints(visitor)
    }, 60_000)

    test('presets keep the settings under a name, are exported and imported; a sign-out deletes what is kept when asked to', async () => {
      await using visitor = await at('?model=demo-chat')
      const { page } = visitor
      await page.getByLabel('System prompt').fill('Be brief.')
      await button(page, 'Presets').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name of the settings now').fill('Brief')
      await page.keyboard.press('Enter')
      await dialog.getByText('Saved as “Brief”.').waitFor()
      await requireAccessible(visitor, 'presets')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Export' }).click(),
      ])
      await dialog.getByRole('button', { name: 'Delete Brief' }).click()
      await dialog.getByRole('button', { name: 'Really delete Brief' }).click()
      await dialog.getByLabel('File of presets').setInputFiles(await file.path())
      await dialog.getByText('Added 1 preset.').waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('System prompt').fill('Be long.')
      await button(page, 'Presets').click()
      await dialog.getByRole('button', { name: /^Brief/ }).click()
      expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.')

      // The keyboard: "?" lists the keys, "/" goes to the message.
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('?')
      await dialog.getByText('Send the form of a tab of the playground').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('/')
      await page.keyboard.type('Typed after the slash')
      expect(await page.getByLabel('Your message').inputValue()).toBe('Typed after the slash')
      await page.keyboard.press('Enter')
      await answersOf(page, 'demo-chat')
        .getByText(/tokens out/)
        .waitFor()

      const kept = () =>
        page.evaluate(
          `[localStorage, sessionStorage].flatMap((each) => Object.keys(each)).filter((key) => /conversation|preset|playground/.test(key)).length`,
        )
      expect(await kept()).toBeGreaterThan(2)
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await dialog.getByText('1 conversation and 1 preset').waitFor()
      await requireAccessible(visitor, 'signing out')
      await button(page, 'Delete them and sign out').click()
      await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor()
      expect(await kept()).toBe(0)
      expectNoComplaints(visitor)
    }, 60_000)

    test('a cited page of a PDF is shown beside the answer with its passage marked, with the pages around it', async () => {
      const bytes = writePdf({
        pages: [
          { texts: column(['Chapter one', 'Travel is by train.']) },
          { texts: column(['Chapter two', 'The zebra allowance is forty euros a month.']) },
        ],
      })
      const file = {
        bytes: Buffer.from(bytes).toString('base64'),
        encoding: 'base64',
        name: 'rules.pdf',
        category: 'pdf',
      }
      await app.call('POST', '//api/v1/documents', {
        key: app.userKey,
        headers: { 'content-type': 'application/json' },
        body: { files: [file], chunker: 'page', wait_for_completion: true },
      })
      await using visitor = await at('?model=demo-chat')
      const { page } = visitor
      await page.getByLabel('Answer from documents').check()
      await page.getByRole('combobox', { name: 'Category' }).fill('pdf')
      await ask(page, 'How much is the zebra allowance?')
      await answersOf(page, 'demo-chat').getByRole('group', { name: 'Sources' }).getByRole('button').first().click()
      const source = page.getByRole('region', { name: 'Source' })
      const image = source.getByRole('img', { name: 'Page 2 of rules.pdf with the passage marked' })
      await image.waitFor()
      expect(await image.getAttribute('src')).toMatch(/\/pages\/2\/image\?start=\d+&end=\d+$/)
      await source.locator('[aria-busy=false]').waitFor()
      await requireAccessible(visitor, 'a page')
      await source.getByRole('button', { name: 'Show the text' }).click()
      await source.locator('mark').getByText('The zebra allowance is forty euros').waitFor()
      await source.getByRole('button', { name: 'The page before' }).click()
      await source.getByText('Travel is by train.').waitFor()
      expect(await source.locator('mark').count()).toBe(0)
      await source.getByRole('button', { name: 'Back to the passage' }).click()
      await source.locator('mark').waitFor()
      await source.getByRole('button', { name: 'Close the source' }).click()
      expectNoComplaints(visitor)
    }, 60_000)

    test('what a model writes stays text: no element, no address, no script of it acts', async () => {
      await using visitor = await at('?model=hostile')
      const { page } = visitor
      await ask(page, 'Go')
      const answer = answersOf(page, 'hostile')
      await answer.getByText(/tokens out/).waitFor()
      await answer.locator('math mfrac').waitFor()
      await answer.locator('pre span').first().waitFor()
      expect(await answer.locator('img, script, a[href^="javascript"], math [href]').count()).toBe(0)
      expect(await answer.getByRole('checkbox').count()).toBe(2)
      expect(await answer.locator('table del').textContent()).toBe('no')
      expect(await page.title()).not.toBe('taken')
      await requireAccessible(visitor, 'a hostile answer')
      expectNoComplaints(visitor)
    }, 60_000)

    test('a reply of a megabyte is shown in parts: the page stays small, and all of it can be copied', async () => {
      await using visitor = await at('?model=hostile')
      const { page } = visitor
      await ask(page, 'a megabyte')
      const answer = answersOf(page, 'hostile')
      await answer.getByText(/tokens out/).waitFor()
      const more = button(page, 'Show more of this long answer')
      const elements = async () => Number(await page.evaluate(`document.querySelectorAll('article *').length`))
      await more.waitFor()
      const first = await elements()
      expect(first).toBeLessThan(6000)
      await more.click()
      await page.waitForFunction(`document.querySelectorAll('article *').length > ${first}`)
      expect(await elements()).toBeLessThan(2 * first)
      await button(page, 'Copy answer of hostile').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('images are made, appear while they are made, and are changed; others than pictures are not shown', async () => {
      await using visitor = await at('?tab=images')
      const { page } = visitor
      await page.getByText('Describe the image first.').waitFor()
      await requireAccessible(visitor, 'no image')
      await page.getByLabel('Prompt').fill('A grey square')
      await page.getByLabel('Prompt').press('Control+Enter')
      const images = page.getByRole('list', { name: 'Images' })
      await images.getByRole('img').waitFor()
      await page.getByText(/^after /).waitFor()
      await requireAccessible(visitor, 'an image')
      await page.getByLabel(/Show the image while it is made/).check()
      await button(page, 'Make the image').click()
      await page.getByText(/^after /).waitFor()
      expect(await images.getByRole('img').getAttribute('src')).toStartWith('data:image/png;base64,')
      await page.getByLabel('Images to change').setInputFiles({
        name: 'before.png',
        mimeType: 'image/png',
        buffer: Buffer.from(picture, 'base64'),
      })
      await button(page, 'Change the image').click()
      await page.getByText(/^after /).waitFor()
      const edit = upstream.requests.findLast(({ path }) => path.endsWith('/images/edits'))
      expect(Buffer.from(edit?.body ?? []).toString('latin1')).toContain('before.png')
      await button(page, 'Remove before.png').click()
      await page.getByLabel(/Show the image while it is made/).uncheck()
      await page.getByLabel('Prompt').fill('elsewhere')
      await button(page, 'Make the image').click()
      const link = page.getByRole('link', { name: 'Open at the provider' })
      await link.waitFor()
      expect(await images.getByRole('img').count()).toBe(0)
      await page.getByLabel('Prompt').fill('drawing')
      await button(page, 'Make the image').click()
      await page.getByText('The model answered without an image that can be shown').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a text is read aloud, and a recording is written down', async () => {
      await using visitor = await at('?tab=audio')
      const { page } = visitor
      await page.getByLabel('File format').selectOption('wav')
      await button(page, 'Read aloud').click()
      const audio = page.locator('audio')
      await audio.waitFor()
      // The page may play it: its Content-Security-Policy allows sound of its own memory.
      await page.waitForFunction(`document.querySelector('audio').readyState > 0`)
      await page.getByLabel('Sound', { exact: true }).setInputFiles({
        name: 'hello.wav',
        mimeType: 'audio/wav',
        buffer: Buffer.from(silence()),
      })
      await button(page, 'Write it down').click()
      await page.getByText('Hello from the recording.').waitFor()
      await page.getByLabel('Write', { exact: true }).selectOption('translations')
      await button(page, 'Write it down').click()
      await page.getByText('Hello in English.').waitFor()
      await requireAccessible(visitor, 'audio')
      expectNoComplaints(visitor)
    }, 60_000)

    test('texts become vectors that are compared, and documents are ranked', async () => {
      await using visitor = await at('?tab=embeddings&model=demo-embed')
      const { page } = visitor
      await button(page, 'Embed 3 texts').click()
      await page
        .getByRole('list', { name: 'Vectors' })
        .getByText(/dimensions · length/)
        .nth(2)
        .waitFor()
      const matrix = page.getByRole('group', { name: 'Similarity of the texts' })
      expect((await matrix.getByRole('cell').allTextContents()).filter((text) => text === '1.000').length).toBe(3)
      await requireAccessible(visitor, 'vectors')
      await page.getByRole('tab', { name: 'Rerank' }).click()
      await button(page, 'Rank 3 documents').click()
      const ranking = page.getByRole('list', { name: 'Ranking' }).getByRole('listitem')
      await ranking.nth(2).waitFor()
      expect((await ranking.allTextContents()).map((text) => /was (\d)/.exec(text)?.[1])).toEqual(['3', '2', '1'])
      await requireAccessible(visitor, 'a ranking')
      // What runs goes on while another tab is open, and a refusal says why.
      await page.getByRole('tab', { name: 'Embeddings' }).click()
      await matrix.waitFor()
      await page.getByLabel('Dimensions').fill('5000000')
      await button(page, 'Embed 3 texts').click()
      await page.getByRole('alert').waitFor()
      await requireAccessible(visitor, 'a refusal')
      await page.setViewportSize({ width: 390, height: 800 })
      await visitor.open('/playground?tab=search')
      const tab = await page.getByRole('tab', { name: 'Search' }).boundingBox()
      expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(390)
      for (const width of [390, 1024]) {
        await page.setViewportSize({ width, height: 800 })
        expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width)
      }
      // The browser reports the refused request.
      expect(visitor.complaints.foreign).toEqual([])
    }, 60_000)
  },
)
