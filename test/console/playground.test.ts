/**
 * The playground in a real browser, on the real app with the practice models: chat, compare, stop,
 * answers over documents, one image with many prompts, search. Each journey ends with axe finding
 * nothing and no complaint of the browser.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { pngFile } from '#test/support/documents/png-file.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    const { body: providers } = await app.call<{ data: { id: string }[] }>('GET', '/providers')
    const capabilities = { endpoints: ['chat/completions'], input: ['text'] }
    const provider_id = providers.data[0]?.id
    const model = { provider_id, upstream_name: 'demo-chat', capabilities }
    await app.call('POST', '/models', { body: { name: 'demo-other', ...model } })
    await app.call('POST', '/models', {
      body: { name: 'demo-thinker', ...model, reasoning: thinking },
    })
    await importHandbook()
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const thinking = {
  efforts: ['low', 'high'],
  writes: [{ pointer: '/reasoning_effort', values: { low: 'low', high: 'high' } }],
}

const passage = 'Up to five vacation days may be carried over to the next year.'

async function importHandbook(): Promise<void> {
  const rules = ['Travel is by train.', 'Meals are paid up to thirty euros.', 'Hotels need an approval in writing.']
  const text = `# Leave, and everything else that the agreement of the works council of 2019 says about days off\n\n${passage}\n\n${rules.map((rule, at) => `# Rule ${at}\n\n${rule}`).join('\n\n')}\n`
  const { status } = await app.call('POST', '//api/v1/documents', {
    key: app.userKey,
    headers: { 'content-type': 'application/json' },
    body: {
      files: [{ bytes: text, encoding: 'utf-8', name: 'handbook.md', category: 'handbooks' }],
      chunk_units: 24,
      wait_for_completion: true,
    },
  })
  expect(status).toBe(202)
}

/** The user at an address of the playground, signed in. */
async function atPlayground(query = '', viewport = { width: 1280, height: 800 }): Promise<Visitor> {
  const visitor = await visitAs(browser, app, { who: 'user', path: `/playground${query}`, viewport })
  await visitor.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  return visitor
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const answersOf = (page: Page, model: string) => page.getByRole('article', { name: `Answer of ${model}` })

/** Runs in the page: the sources that stick out of the card of their answer. */
const sourcesOutside = `[...document.querySelectorAll('article [aria-label=Sources] button')]
  .filter((each) => {
    const box = each.getBoundingClientRect()
    const card = each.closest('article').getBoundingClientRect()
    return box.left < card.left || box.right > card.right || card.right > innerWidth
  })
  .map((each) => each.textContent)`

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.getByLabel('Your message').press('Enter')
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

describe.skipIf(journeysSkipped !== null)(
  `the playground${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a question is answered as a stream with its figures, edited, asked again, and outlives a reload', async () => {
      await using visitor = await atPlayground()
      const { page } = visitor
      await visitor.requireAccessible('before the first question')
      await page.getByLabel('System prompt').fill('Be brief.')
      await ask(page, 'Say **this** and `that`')
      const answer = answersOf(page, 'demo-chat')
      await answer.getByText(/first token after .* tokens in · \d+ tokens out/).waitFor()
      await answer.getByText('The system prompt has 9 characters').waitFor()
      expect(await answer.locator('strong').textContent()).toBe('this')
      expect(await answer.locator('code').textContent()).toBe('that')
      await visitor.requireAccessible('an answer')

      await button(page, 'Edit the last question').click()
      await page.getByRole('textbox', { name: 'Your question' }).fill('Say something else')
      await button(page, 'Ask again').click()
      await answer.getByText('Your text was: "Say something else"').waitFor()
      await button(page, 'Regenerate the answer of demo-chat').click()
      await answer.getByText(/tokens out/).waitFor()
      expect(await answersOf(page, 'demo-chat').count()).toBe(1)

      await page.reload()
      await answer.getByText('Your text was: "Say something else"').waitFor()
      expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.')
      // A reply that was cut says so.
      await page.getByLabel('Max tokens').fill('3')
      await button(page, 'Regenerate the answer of demo-chat').click()
      await answer.getByText('stopped at max tokens', { exact: true }).waitFor()
      await page.getByLabel('Max tokens').fill('')
      await button(page, 'Regenerate the answer of demo-chat').click()
      await answer.getByText('Your text was: "Say something else"').waitFor()
      await button(page, 'New').click()
      await page.getByRole('heading', { name: 'Ask a model' }).waitFor()
      await page.getByLabel('Your message').fill('Not sent yet')
      await page.reload()
      await page.getByRole('heading', { name: 'Ask a model' }).waitFor()
      expect(await page.getByLabel('Your message').inputValue()).toBe('Not sent yet')

      await button(page, 'Conversations').click()
      const list = page.getByRole('dialog')
      await list.getByRole('button', { name: 'Rename Say something else' }).click()
      await list.getByLabel('Name').fill('First words')
      await page.keyboard.press('Enter')
      await list.getByLabel('Search the conversations').fill('your text was')
      await visitor.requireAccessible('conversations')
      await list.getByRole('button', { name: /^First words/ }).click()
      await answer.getByText('Your text was: "Say something else"').waitFor()
      await button(page, 'Conversations').click()
      await list.getByRole('button', { name: 'Delete First words' }).click()
      await list.getByRole('button', { name: 'Really delete First words' }).click()
      await list.getByText('No conversations found.').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'Ask a model' }).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('stopping ends the request at once and keeps what had come, marked as stopped', async () => {
      await using visitor = await atPlayground()
      const { page } = visitor
      await ask(page, '/long 5000 /pace 20')
      const answer = answersOf(page, 'demo-chat')
      await answer.getByText('This line is filler').nth(2).waitFor()
      await page.getByLabel('Your message').fill('written meanwhile')
      await button(page, 'Stop').click()
      await answer.getByText('stopped', { exact: true }).waitFor()
      const kept = await answer.locator('li').count()
      expect(kept).toBeGreaterThanOrEqual(3)
      // The server has seen the end of the request: it is counted no longer.
      await expectInflight(0)
      expect(await answer.locator('li').count()).toBe(kept)
      expect(await page.getByLabel('Your message').inputValue()).toBe('written meanwhile')
      await visitor.requireAccessible('a stopped answer')
      await ask(page, 'And now?')
      await answersOf(page, 'demo-chat').nth(1).getByText('You sent 3 messages').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('two models answer the same question beside each other, each as its own stream', async () => {
      await using visitor = await atPlayground()
      const { page } = visitor
      await button(page, 'Compare with another model').click()
      await page.getByRole('combobox', { name: 'Second model' }).click()
      await page.getByRole('combobox', { name: 'Search: Second model' }).fill('other')
      await visitor.requireAccessible('choosing a model')
      await page.keyboard.press('Enter')
      await ask(page, '/long 3000 /pace 20')
      const answers = [answersOf(page, 'demo-chat'), answersOf(page, 'demo-other')]
      for (const answer of answers) await answer.getByText('This line is filler').nth(1).waitFor()
      await button(page, 'Stop').click()
      for (const answer of answers) await answer.getByText('stopped', { exact: true }).waitFor()
      const [left, right] = await Promise.all(answers.map((answer) => answer.boundingBox()))
      expect(left?.y).toBe(right?.y)
      expect(left?.x).toBeLessThan(right?.x ?? 0)
      await visitor.requireAccessible('two answers')
      expectNoComplaints(visitor)
    }, 60_000)

    test('a refusal is shown with the server’s message and the request id, and can be tried again', async () => {
      await using visitor = await atPlayground()
      const { page } = visitor
      await ask(page, '/error 400')
      const answer = answersOf(page, 'demo-chat')
      const alert = answer.getByRole('alert')
      await alert.getByText('Request id').waitFor()
      const id = (await alert.locator('code').textContent()) ?? ''
      const row = (await app.usageRows(1)).find(({ requestId }) => requestId === id)
      expect(row?.status).toBe(400)
      await visitor.requireAccessible('a refusal')
      await button(page, 'Edit the last question').click()
      await page.getByRole('textbox', { name: 'Your question' }).fill('/cut 3 hello')
      await button(page, 'Ask again').click()
      await answer.getByText('failed', { exact: true }).waitFor()
      await answer.getByText('Request id').waitFor()
      // What had come before the break is still there.
      expect(await answer.textContent()).toContain('I am')
      await visitor.requireAccessible('a broken answer')
      expectNoComplaints(visitor)
    }, 60_000)

    test('an answer over documents names its sources, which open, and the request is shown as code', async () => {
      await using visitor = await atPlayground('?model=demo-thinker')
      const { page } = visitor
      await page.getByLabel('Answer from documents').check()
      await page.getByRole('combobox', { name: 'Category' }).fill('handbooks')
      await page.getByLabel('Maximum sources').fill('2')
      await page.getByLabel('Reasoning effort').selectOption('high')
      await page.getByLabel('Temperature').fill('0.5')
      await page.locator('input[aria-label=Images]').setInputFiles(image)
      await ask(page, 'How many vacation days can be carried over? [1]')
      const answer = answersOf(page, 'demo-thinker')
      await answer.getByRole('group', { name: 'Sources' }).getByRole('button').nth(1).waitFor()
      await answer.getByText('Picture 1 is a PNG of 8 × 8 pixels').waitFor()
      expect(await answer.getByRole('group', { name: 'Sources' }).getByRole('button').count()).toBe(2)
      await visitor.requireAccessible('sources')
      const wide = page.viewportSize()
      for (const width of [360, 1024]) {
        await page.setViewportSize({ width, height: 800 })
        expect({ width, outside: await page.evaluate(sourcesOutside) }).toEqual({ width, outside: [] })
      }
      if (wide !== null) await page.setViewportSize(wide)
      // Beside the answer, at its passage, in a wide window; over it in a narrow one.
      await answer.getByRole('button', { name: 'Source 1', exact: true }).click()
      const source = page.getByRole('region', { name: 'Source' })
      await source.locator('mark').getByText(passage).waitFor()
      expect(await source.getByText('Travel is by train.').count()).toBe(1)
      expect(await source.getByRole('link', { name: 'Open the document' }).getAttribute('href')).toMatch(
        /^\/documents\/[0-9a-f-]{36}$/,
      )
      const [left, right] = [await answer.boundingBox(), await source.boundingBox()]
      expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0)
      await visitor.requireAccessible('a source')
      await page.keyboard.press('Escape')
      await source.waitFor({ state: 'detached' })
      await page.setViewportSize({ width: 390, height: 800 })
      await answer.getByRole('button', { name: 'Source 1', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('mark').getByText(passage).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      await page.keyboard.press('Escape')
      if (wide !== null) await page.setViewportSize(wide)
      await button(page, 'Code').click()
      await dialog.getByRole('tab', { name: 'Python' }).click()
      const code = (await dialog.getByRole('region', { name: 'Python code' }).textContent()) ?? ''
      for (const part of [`${app.url}/ai/v1`, 'temperature=0.5', 'reasoning_effort="high"', '"category": "handbooks"'])
        expect(code).toContain(part)
      expect(code).toContain('open("red.png", "rb")')
      await visitor.requireAccessible('the request as code')
      expectNoComplaints(visitor)
    }, 60_000)

    test('three prompts about one image are answered at the same time; stop ends all of them', async () => {
      await using visitor = await atPlayground('?tab=vision')
      const { page } = visitor
      await page.getByText('Choose an image first.').waitFor()
      await visitor.requireAccessible('before an image')
      await page.locator('input[aria-label=Image]').setInputFiles(image)
      await page.getByRole('img', { name: 'Preview of red.png' }).waitFor()
      await button(page, 'Run 3 prompts').click()
      const answers = page.getByRole('list', { name: 'Answers' }).getByRole('listitem')
      for (const at of [0, 1, 2]) {
        await answers.nth(at).getByText('done', { exact: true }).waitFor()
        await answers.nth(at).getByText('Picture 1 is a PNG of 8 × 8 pixels').waitFor()
        await answers
          .nth(at)
          .getByText(/first token after/)
          .waitFor()
      }
      await visitor.requireAccessible('three answers')

      await page.getByRole('textbox', { name: 'Prompt 3' }).press('Enter')
      await page.getByRole('textbox', { name: 'Prompt 4' }).fill('/long 3000 /pace 20')
      await page.getByLabel('Max new tokens').fill('4')
      await button(page, 'Run 4 prompts').click()
      // A reply that was cut says so.
      await answers.nth(0).getByText('stopped at max tokens', { exact: true }).waitFor()
      expect(await answers.getByText('done', { exact: true }).count()).toBe(0)
      await page.getByLabel('Max new tokens').fill('4000')
      await button(page, 'Run 4 prompts').click()
      await answers.nth(3).getByText('This line is filler').first().waitFor()
      await button(page, 'Stop all').click()
      await answers.nth(3).getByText('stopped', { exact: true }).waitFor()
      await expectInflight(0)
      await button(page, 'Remove prompt 4').click()
      await button(page, 'Run 3 prompts').waitFor()
      await visitor.requireAccessible('stopped prompts')
      expectNoComplaints(visitor)
    }, 60_000)

    test('passages are found with the words of the query marked, and their neighbours shown', async () => {
      await using visitor = await atPlayground('?tab=search')
      const { page } = visitor
      await page.getByLabel('Search the documents').fill('How many vacation days?')
      await page.getByLabel('Search by').selectOption('words')
      await page.keyboard.press('Enter')
      await button(page, 'Search').click()
      const hit = page.getByRole('list', { name: 'Passages' }).getByRole('listitem').first()
      await hit.getByRole('link', { name: 'handbook.md' }).waitFor()
      expect(await hit.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['vacation', 'days']))
      await hit.getByText(/no match by meaning · words [\d.]+ \(rank 1\)/).waitFor()
      expect(new URL(page.url()).searchParams.get('q')).toBe('How many vacation days?')
      expect(await hit.textContent()).not.toContain('Travel is by train.')
      await hit.getByRole('button', { name: /^Show more context/ }).click()
      await hit.getByText('Travel is by train.').waitFor()
      await visitor.requireAccessible('hits')
      await hit.getByRole('button', { name: /^Show in the text/ }).click()
      await page.getByRole('dialog').locator('mark').getByText(passage).waitFor()
      await visitor.requireAccessible('a hit in its text')
      await page.keyboard.press('Escape')
      await page.getByLabel('Search the documents').fill('zebra')
      await button(page, 'Search').click()
      await page.getByRole('heading', { name: 'No passages found' }).waitFor()
      await visitor.requireAccessible('no hits')
      expectNoComplaints(visitor)
    }, 60_000)

    test('every tab is readable at 360 px, dark too', async () => {
      await using visitor = await atPlayground('', { width: 360, height: 740 })
      const { page } = visitor
      await page.emulateMedia({ colorScheme: 'dark' })
      await ask(page, '/long 60')
      await answersOf(page, 'demo-chat')
        .getByText(/in total/)
        .waitFor()
      await button(page, 'Settings').click()
      await button(page, 'Compare with another model').click()
      for (const tab of ['Chat', 'Vision', 'Images', 'Audio', 'Embeddings', 'Rerank', 'Search']) {
        await page.getByRole('tab', { name: tab }).click()
        expect([tab, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([tab, 360])
        await visitor.requireAccessible(`${tab} at 360 px`)
      }
      expectNoComplaints(visitor)
    }, 60_000)
  },
)

const image = {
  name: 'red.png',
  mimeType: 'image/png',
  buffer: pngFile({
    width: 8,
    height: 8,
    colourType: 2,
    samples: Uint8Array.from({ length: 8 * 8 * 3 }, (_, at) => (at % 3 === 0 ? 220 : 30)),
  }),
}

/** Comes true once the server holds this many requests of the user; the test's own time limit is the end of waiting. */
async function expectInflight(count: number): Promise<void> {
  for (;;) {
    const { body } = await app.call<{ data: { in_use: number }[] }>('GET', '/inflight')
    if (body.data.reduce((sum, row) => sum + row.in_use, 0) === count) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
