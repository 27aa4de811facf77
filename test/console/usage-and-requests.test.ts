/** Journeys through what was used and through single requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { until } from '#test/support/until.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['health.failures_to_eject=1000'])
    browser = await startBrowser()
    const provider = await made('/providers', { name: 'nowhere', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' })
    await made('/models', { name: 'broken', provider_id: provider })
    const components = [
      { model: 'broken', priority: 0 },
      { model: 'demo-chat', priority: 1 },
    ]
    await made('/models', { name: 'always-on', composite: { strategy: 'priority', components } })
    for (const [model, key] of [
      ['assistant', app.userKey],
      ['always-on', app.userKey],
      ['demo-chat', app.adminKey],
      ['broken', app.adminKey],
    ] as const)
      await chat(model, key)
    await app.usageRows(4)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

async function made(path: string, body: object): Promise<string> {
  return (await app.call<{ id: string }>('POST', path, { body })).body.id
}

async function chat(model: string, key: string): Promise<void> {
  const body = { model, messages: [{ role: 'user', content: 'A secret of mine' }] }
  await app.call('POST', '//ai/v1/chat/completions', { key, body })
}

async function signedIn(who: 'admin' | 'user', path: string, width = 1280): Promise<Visitor> {
  return await visitAs(browser, app, { who, path, viewport: { width, height: 800 } })
}

/** The texts of a row, cell by cell. */
async function cellsOf(page: Page, name: string): Promise<readonly string[]> {
  const row = page
    .getByRole('table', { name: /^Usage by/ })
    .getByRole('row')
    .filter({ hasText: name })
    .first()
  await row.waitFor()
  return row.getByRole('cell').allTextContents()
}

/** The rows of the table of requests, without its head. */
function requestRows(page: Page): Locator {
  return page
    .getByRole('table', { name: 'Requests' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
}

/** The buttons of the open dialog that lie under a message; a message has to be there. */
async function coveredButtons(page: Page): Promise<readonly string[]> {
  const message = page.getByRole('button', { name: 'Close the message' }).locator('..')
  const over = await message.boundingBox()
  if (over === null) throw new Error('no message is shown')
  const covered: string[] = []
  for (const button of await page.getByRole('dialog').getByRole('button').all()) {
    const box = await button.boundingBox()
    if (box === null) continue
    const isBeside = box.x >= over.x + over.width || box.x + box.width <= over.x
    const isAboveOrBelow = box.y >= over.y + over.height || box.y + box.height <= over.y
    if (!isBeside && !isAboveOrBelow) covered.push((await button.textContent()) ?? '')
  }
  return covered
}

/** The timeline has the call that failed, with its sentence, and the one that served. */
async function expectFailedOver(shown: Locator): Promise<void> {
  const timeline = shown.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('2 attempts').waitFor()
  const lines = await timeline.getByRole('listitem').allTextContents()
  expect(lines.find((line) => line.startsWith('failed'))).toMatch(
    /^failednowherebroken.*The model provider cannot be reached\.$/,
  )
  expect(lines.find((line) => line.startsWith('served'))).toMatch(/^servedpracticedemo-chatstatus 200\d+ ms$/)
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

describe.skipIf(journeysSkipped !== null)(
  `usage and requests${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('the overview names who asked most and what failed, and each figure leads to the requests behind it', async () => {
      // A day ago there was one request, that failed.
      const before = Date.now() - 30 * 3_600_000
      await app.store.usage.insertMany([aUsage({ at: before, requestId: 'of-yesterday', status: 502 })])
      await using visitor = await signedIn('admin', '/')
      const { page } = visitor
      const panel = (name: string) => page.getByRole('region', { name, exact: true })
      await page.getByText('300% more than the day before').waitFor()
      await page.getByText('25%, 100% before').waitFor()
      expect(await panel('Models').getByRole('listitem').allTextContents()).toEqual([
        'demo-chat2',
        'always-on1',
        'broken1 · 1 error',
      ])
      await panel('Users').getByText(userEmail).waitFor()
      await panel('API keys').getByText('test (sk-slu-').first().waitFor()
      await panel('Providers').getByText('nowhere').waitFor()
      expect(await panel('Providers').getByRole('listitem').first().textContent()).toBe('nowherefailing')
      // Half of all answers, and 95 of 100, took no longer; the same over time, and of each provider.
      const percentiles = page.getByText(/^Duration, p50/).locator('../..')
      expect(await percentiles.textContent()).toMatch(/^Duration, p50 · p95[\d.,]+ m?s · [\d.,]+ m?s/)
      await panel('Duration').getByText('p95').first().waitFor()
      await panel('Providers')
        .getByText(/^3 answered · duration [\d.,]+ m?s, p95 [\d.,]+ m?s$/)
        .waitFor()
      await visitor.requireAccessible('the overview')

      await panel('Providers').getByRole('link', { name: 'practice' }).click()
      await page.waitForURL(/\/requests\?.*provider=practice/)
      await requestRows(page).nth(2).waitFor()
      expect(await requestRows(page).count()).toBe(3)
      await page.goBack()
      await panel('Latest errors').getByRole('link').filter({ hasText: 'upstream_' }).click()
      await page.waitForURL(/\/requests\/req_/)
      await page.goBack()
      await panel('Models').getByRole('link', { name: 'demo-chat' }).click()
      await page.waitForURL(/\/requests\?.*model=demo-chat/)
      await requestRows(page).first().waitFor()
      expect(await requestRows(page).count()).toBe(2)
      await page.goBack()
      await page.getByRole('link', { name: 'Errors', exact: true }).click()
      await page.waitForURL(/\/requests\?.*status=error/)
      await requestRows(page).first().waitFor()
      expect(await requestRows(page).count()).toBe(1)
      expectNoComplaints(visitor)
    })

    test('the overview of a user has nothing of others', async () => {
      await using visitor = await signedIn('user', '/')
      const { page } = visitor
      const panel = (name: string) => page.getByRole('region', { name, exact: true })
      await panel('Models').getByText('always-on').waitFor()
      expect(await panel('Models').getByRole('listitem').count()).toBe(2)
      await panel('Latest errors').getByText('No request failed.').waitFor()
      for (const name of ['Users', 'Providers', 'In flight now']) expect(await panel(name).count()).toBe(0)
      expectNoComplaints(visitor)
    })

    test('usage shows what was asked, by model, user and key, as chart, table and file', async () => {
      await using visitor = await signedIn('admin', '/usage')
      const { page } = visitor
      expect((await cellsOf(page, 'demo-chat')).slice(0, 4)).toEqual(['demo-chat', '2', '50%', '0'])
      expect((await cellsOf(page, 'broken')).slice(0, 4)).toEqual(['broken', '1', '25%', '1'])
      await visitor.requireAccessible('usage')
      await page.getByRole('button', { name: 'Requests as a table' }).click()
      await page.getByRole('region', { name: 'Requests, table' }).waitFor()
      await visitor.requireAccessible('usage as a table')
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download CSV' }).click()
      const file = await readFile(await (await downloading).path(), 'utf8')
      const [head, ...lines] = file.trimEnd().split('\r\n')
      expect(head).toStartWith('time,model,model_name,requests,errors,')
      const requests = lines.reduce((sum, line) => sum + Number(line.split(',')[3]), 0)
      expect(requests).toBe(4)

      await page.getByLabel('Group by').selectOption('By user')
      expect((await cellsOf(page, userEmail)).slice(0, 2)).toEqual([userEmail, '2'])
      await page.getByLabel('Group by').selectOption('By API key')
      await page.getByRole('row').filter({ hasText: 'test (sk-slu-' }).first().waitFor()
      await page.getByLabel('Range', { exact: true }).selectOption('Custom…')
      await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00')
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00')
      await page.keyboard.press('Enter')
      await page.getByText('No requests in this time range').waitFor()
      await visitor.requireAccessible('no usage')
      expectNoComplaints(visitor)
    }, 60_000)

    test('an ordinary user sees the own usage and nobody else’s', async () => {
      await using visitor = await signedIn('user', '/usage?by=user', 360)
      const { page } = visitor
      expect((await cellsOf(page, 'always-on')).slice(0, 2)).toEqual(['always-on', '1'])
      expect(await page.getByRole('row').filter({ hasText: 'broken' }).count()).toBe(0)
      expect(await page.getByRole('option', { name: 'By user' }).count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await visitor.requireAccessible('own usage')
      expectNoComplaints(visitor)
    }, 60_000)

    test('the attempts of a request that failed over are all there, and nothing of what was said', async () => {
      await using visitor = await signedIn('admin', '/requests')
      const { page } = visitor
      const row = page.getByRole('row').filter({ hasText: 'always-on' })
      await row.waitFor()
      await row.getByText('2×').waitFor()
      await visitor.requireAccessible('requests')
      await row.focus()
      await page.keyboard.press('Enter')
      const panel = page.getByRole('dialog')
      await expectFailedOver(panel)
      await panel.getByText(userEmail).waitFor()
      expect(await page.content()).not.toContain('A secret of mine')
      await visitor.requireAccessible('a request')
      await panel.getByRole('link', { name: 'Open its page' }).click()
      await panel.waitFor({ state: 'detached' })
      await expectFailedOver(page.getByRole('main'))
      await page.getByText(userEmail).waitFor()
      await visitor.requireAccessible('the page of a request')
      const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
      expect(id).toMatch(/^req_/)

      await page.getByRole('link', { name: 'Requests', exact: true }).first().click()
      await page.getByRole('searchbox', { name: 'Request id' }).fill(` ${id} `)
      await page.keyboard.press('Enter')
      await expectFailedOver(page.getByRole('main'))
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find', exact: true }).fill('trace-of-7')
      await page.getByRole('option', { name: /^trace-of-7/ }).click()
      await page.getByRole('heading', { name: 'Request not found' }).waitFor()
      await visitor.requireAccessible('a request that does not exist')
      // The browser writes down each answer that is an error.
      visitor.complaints.errors.splice(0)
      expectNoComplaints(visitor)
    }, 60_000)

    test('requests are narrowed by outcome, model and user, and the address keeps it', async () => {
      await using visitor = await signedIn('admin', '/requests?status=server_error')
      const { page } = visitor
      await page.getByRole('row').filter({ hasText: 'broken' }).waitFor()
      const rows = page.locator('tr[data-index]')
      expect(await rows.count()).toBe(1)
      await page.getByLabel('Outcome').selectOption('All outcomes')
      await rows.nth(3).waitFor()
      await page.getByRole('combobox', { name: 'User', exact: true }).click()
      await page.getByRole('combobox', { name: 'Search: User' }).fill('user@')
      await page.getByRole('option', { name: userEmail }).click()
      await rows.nth(2).waitFor({ state: 'detached' })
      // While they are read again there is none.
      await rows.nth(1).waitFor()
      expect(await rows.count()).toBe(2)
      await page.getByRole('combobox', { name: 'Model', exact: true }).click()
      await page.getByRole('option', { name: 'broken' }).click()
      await page.getByText('No request matches').waitFor()
      await visitor.requireAccessible('no request')
      expect(new URL(page.url()).searchParams.get('model')).toBe('broken')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await rows.nth(3).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('an ordinary user sees the own requests only', async () => {
      await using visitor = await signedIn('user', '/requests', 360)
      const { page } = visitor
      const rows = page.locator('tr[data-index]')
      await rows.nth(1).waitFor()
      expect(await rows.count()).toBe(2)
      expect(await page.getByRole('combobox', { name: 'User', exact: true }).count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await visitor.requireAccessible('own requests')
      await rows.first().focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Copy request id' }).click()
      expect(await coveredButtons(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('switch', { name: 'Live' }).click()
      await page.getByText(/^Live: the 100 newest/).waitFor()
      await chat('demo-chat', app.userKey)
      await rows.nth(2).waitFor()
      await visitor.requireAccessible('live requests')
      await page.getByRole('switch', { name: 'Live' }).click()
      await rows.nth(2).waitFor()

      const idsOf = async (path: string, key: string) => {
        const { body } = await app.call<{ data: { request_id: string }[] }>('GET', path, { key })
        return body.data.map(({ request_id: id }) => id)
      }
      const own = await idsOf('/me/requests', app.userKey)
      const other = (await idsOf('/requests', app.adminKey)).find((id) => !own.includes(id))
      await visitor.open(`/requests/${other}`)
      await page.getByRole('heading', { name: 'Request not found' }).waitFor()
      await visitor.open(`/requests/${own[0]}`)
      await page.getByRole('region', { name: 'Timeline' }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await visitor.requireAccessible('the page of an own request')
      visitor.complaints.errors.splice(0)
      expectNoComplaints(visitor)
    }, 60_000)

    test('the time to the first token is of the chosen span, whatever came last', async () => {
      const dayMs = 86_400_000
      const stream = (daysAgo: number, firstTokenMs: number) =>
        aUsage({ at: Date.now() - daysAgo * dayMs, streamed: true, firstTokenMs, durationMs: firstTokenMs + 100 })
      const whole = Array.from({ length: 210 }, () => aUsage({ at: Date.now() - 1000, firstTokenMs: 70_000 }))
      await app.store.usage.insertMany([stream(3, 9000), stream(0.5, 900), stream(0.5, 1500), ...whole])
      await using visitor = await signedIn('admin', '/')
      const { page } = visitor
      const tile = page.locator('dl').filter({ hasText: 'First token, p50 · p95' })
      await tile.getByText('912 ms · 1.5 s', { exact: true }).waitFor()
      await page.getByLabel('Time range').selectOption('Last 7 days')
      await tile.getByText('1.5 s · 9.0 s', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Time to first token as a table' }).click()
      await page.getByRole('region', { name: 'Time to first token, table' }).getByText('9.0 s').first().waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a whole answer has no speed, a dialog begins at a field, and the header stays where it is', async () => {
      // Two tokens in a millisecond after a second: as a stream it would have had 2,000 tokens a second.
      const whole = aUsage({
        at: Date.now() - 500,
        requestId: 'whole',
        firstTokenMs: 1000,
        durationMs: 1001,
        completionTokens: 2,
      })
      const streamed = { ...whole, requestId: 'streamed', streamed: true, durationMs: 3000 }
      await app.store.usage.insertMany([whole, streamed])
      await using visitor = await signedIn('admin', `/requests/streamed`)
      const { page } = visitor
      const figures = page.getByRole('region', { name: 'Timing, tokens and cost' })
      await figures.getByText(/tokens\/s/).waitFor()
      await visitor.open('/requests/whole')
      await figures.getByText('1.0 s').first().waitFor()
      expect(await figures.getByText(/tokens\/s/).count()).toBe(0)

      await visitor.open('/groups')
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('dialog').getByLabel('Name').waitFor()
      await until(async () => (await page.evaluate('document.activeElement?.tagName')) === 'INPUT')
      await page.keyboard.press('Escape')
      const account = page.getByRole('button', { name: /^Account of/ })
      const places: unknown[] = []
      for (const path of ['/account', '/settings?tab=start', '/requests', '/groups']) {
        await visitor.open(path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        places.push(await account.boundingBox())
      }
      expect(new Set(places.map((each) => JSON.stringify(each))).size).toBe(1)
      expectNoComplaints(visitor)
    }, 60_000)

    test('logged content is shown to an administrator who asks for it, and can be tried again', async () => {
      for (const [name, value] of [
        ['enabled', true],
        ['models', ['demo-chat']],
      ] as const)
        await app.call('PUT', `/settings/content_log.${name}`, { body: { value } })
      await chat('demo-chat', app.userKey)
      const logged = async () =>
        (await app.call<{ data: readonly { request_id: string }[] }>('GET', '/content-logs')).body.data[0]?.request_id
      await until(async () => (await logged()) !== undefined)
      const id = await logged()
      await until(async () => (await app.call('GET', `/requests/${id}`)).status === 200)
      await using visitor = await signedIn('admin', `/requests/${id}`)
      const { page } = visitor
      const content = page.getByRole('region', { name: 'Content' })
      const show = content.getByRole('button', { name: 'Show the content' })
      await show.waitFor()
      expect(await page.content()).not.toContain('A secret of mine')
      await show.click()
      await content.getByText('A secret of mine').first().waitFor()
      await visitor.requireAccessible('logged content')
      await content.getByRole('button', { name: 'Try it again in the playground' }).click()
      await page.waitForURL(/\/playground\?model=demo-chat/)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('A secret of mine')
      expectNoComplaints(visitor)
    }, 60_000)
  },
)
