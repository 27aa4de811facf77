/** Every page in windows from a phone's to a desktop's: nothing scrolls sideways, nothing to press is cut off. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'
import { fillConsole } from '#test/support/app/console-sample.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

const widths = [360, 600, 768, 900, 1024, 1100, 1440] as const

let browser: Browser
let app: AdminApp
let upstream: Upstream
let visitor: Visitor
if (journeysSkipped === null) {
  beforeAll(async () => {
    upstream = await startUpstream()
    app = await startConsoleApp(['documents.reader_processes=1'])
    await fillConsole(app, upstream.url)
    await fillRest()
    browser = await startBrowser()
    visitor = await visit(browser, app)
    await visitor.open('/account')
    await visitor.signIn('admin')
    await visitor.page.locator('#main').waitFor()
  }, 90_000)
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await app[Symbol.asyncDispose]()
    await upstream.close()
  })
}

/** What pages list beside that: a webhook, a file, a limit of an account. */
async function fillRest(): Promise<void> {
  const url = 'https://hooks.example.org/services/sluice/production/receiver'
  await app.call('POST', '/webhooks', { body: { url } })
  const model = await idOf('/models', 'claude-sonnet-4-5')
  const limit = await app.call('PUT', `/models/${model}/inflight-limits/${app.userId}`, { body: { limit: 3 } })
  expect(limit.status).toBe(200)
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob(['{}\n']), 'questions-about-contracts-of-the-last-quarter.jsonl')
  const headers = { authorization: `Bearer ${app.adminKey}` }
  expect((await fetch(`${app.url}/ai/v1/files`, { method: 'POST', headers, body: form })).status).toBe(200)
  form.set('purpose', 'assistants')
  form.set('file', new Blob(['You have thirty days of leave.\n']), 'leave.txt')
  const stored = await fetch(`${app.url}/ai/v1/files`, { method: 'POST', headers, body: form })
  const store = { name: 'handbooks of the whole company', file_ids: [((await stored.json()) as { id: string }).id] }
  expect((await app.call('POST', '//ai/v1/vector_stores', { body: store })).status).toBe(200)
}

async function newestRequest(): Promise<string> {
  const { data } = (await app.call<{ data: { request_id: string; at: string }[] }>('GET', '/requests?limit=1')).body
  return `/requests/${data[0]?.request_id}?at=${data[0]?.at}`
}

async function idOf(list: string, name: string): Promise<string> {
  const { data } = (await app.call<{ data: { id: string; name: string }[] }>('GET', list)).body
  return data.find((each) => each.name === name)?.id ?? ''
}

async function userIdOf(email: string): Promise<string> {
  const { data } = (await app.call<{ data: { id: string }[] }>('GET', `/users?q=${email}@`)).body
  return data[0]?.id ?? ''
}

interface Place {
  readonly path: string | (() => Promise<string>)
  /** A text that only the loaded page has. */
  readonly shown: string | RegExp
  /** What is opened on the page. */
  readonly open?: (page: Page) => Promise<void>
}

/** The pages of the navigation, and the account, by their addresses. */
const navigation: Readonly<Record<string, Place>> = {
  '/': { path: '/?span=day', shown: 'p95' },
  '/models': { path: '/models', shown: 'claude-sonnet-4-5' },
  '/playground': { path: '/playground', shown: 'Ask a model' },
  '/documents': { path: '/documents', shown: 'employee-handbook.md' },
  '/batches': { path: '/batches', shown: 'No batches yet' },
  '/vector-stores': { path: '/vector-stores', shown: 'handbooks of the whole company' },
  '/keys': { path: '/keys', shown: 'import of contracts' },
  '/usage': { path: '/usage', shown: 'gpt-5-mini' },
  '/cost': { path: '/cost', shown: 'Group research' },
  '/exports': { path: '/exports', shown: 'Nothing was exported yet' },
  '/requests': { path: '/requests', shown: 'Duration' },
  '/welcome': { path: '/welcome', shown: '4. Create an API key' },
  '/users': { path: '/users', shown: 'katherine@example.org' },
  '/sources': { path: '/sources', shown: 'No sources yet' },
  '/webhooks': { path: '/webhooks', shown: 'hooks.example.org' },
  '/audit': { path: '/audit', shown: 'Created a model' },
  '/groups': { path: '/groups', shown: 'research' },
  '/providers': { path: '/providers', shown: 'vllm-berlin' },
  '/settings': { path: '/settings', shown: 'gateway.idle_seconds' },
  '/account': { path: '/account', shown: 'Sign out everywhere' },
}

const click = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()

/** Tabs, details, editors and dialogs. */
const others: Readonly<Record<string, Place>> = {
  'a page that does not exist': { path: '/nothing', shown: 'Page not found' },
  'the page of a request': { path: newestRequest, shown: 'Timeline' },
  'the sign-in page': { path: '/sign-in', shown: 'E-mail' },
  'an invitation': { path: '/invitation', shown: 'This link does not work' },
  'models as a table': { path: '/models?view=table', shown: 'claude-sonnet-4-5' },
  'the page of a model': { path: '/models/about/gpt-5-mini', shown: 'Python' },
  'filtered models': { path: '/models?kind=chat&order=speed&context=32000', shown: 'Clear filters' },
  'a user': { path: async () => `/users/${await userIdOf('grace')}`, shown: 'claude-sonnet-4-5' },
  'the keys of a user': { path: async () => `/users/${await userIdOf('admin')}?tab=keys`, shown: 'nightly reports' },
  'the limits of a user': {
    path: async () => `/users/${await userIdOf('grace')}?tab=limits`,
    shown: '$5.00 each month',
  },
  'the sessions of a user': {
    path: async () => `/users/${await userIdOf('admin')}?tab=sessions`,
    shown: 'this browser',
  },
  'the dialog of invitations': { path: '/users', shown: 'grace@example.org', open: click('Invite people') },
  'the dialog of a key': {
    path: '/keys',
    shown: 'nightly reports',
    open: (page) => page.getByText('nightly reports', { exact: true }).click(),
  },
  'the usage of a group': {
    path: async () => `/groups/${await idOf('/groups', 'research')}?tab=usage`,
    shown: 'in 30 days',
  },
  'a row of the audit log': {
    path: '/audit',
    shown: 'Created a model',
    open: (page) => page.getByText('Created a model').first().click(),
  },
  'all models': { path: '/models?reach=all', shown: 'always-on' },
  'a new model': { path: '/models/new', shown: 'Reasoning efforts' },
  'a composite': { path: async () => `/models/${await idOf('/models', 'always-on')}`, shown: 'qwen3-32b' },
  'prices and budgets of a model': {
    path: async () => `/models/${await idOf('/models', 'gpt-5-mini')}?tab=cost`,
    shown: 'in effect',
  },
  'the dialog of a new price': {
    path: async () => `/models/${await idOf('/models', 'gpt-5-mini')}?tab=cost`,
    shown: 'in effect',
    open: click('Set a price'),
  },
  'the dialog of a new budget': {
    path: async () => `/models/${await idOf('/models', 'gpt-5-mini')}?tab=cost`,
    shown: 'in effect',
    open: click('Add budget'),
  },
  'costs by group in a custom range': {
    path: `/cost?by=group&span=custom&from=${new Date(Date.now() - 86_400_000).toISOString()}`,
    shown: 'research',
  },
  'the budgets of a key': { path: '/keys', shown: 'help desk bot', open: budgetsOfKey },
  'a document': {
    path: async () => {
      const { data } = (await app.call<{ data: { doc_id: string }[] }>('GET', '//api/v1/documents?name=handbook')).body
      return `/documents/${data[0]?.doc_id}?q=leave`
    },
    shown: 'SHA-256',
  },
  'a vector store': {
    path: async () => {
      const { data } = (await app.call<{ data: { id: string }[] }>('GET', '//ai/v1/vector_stores')).body
      return `/vector-stores/${data[0]?.id}?q=leave`
    },
    shown: 'Try a search',
  },
  'the metadata of a document': {
    path: async () => {
      const { data } = (await app.call<{ data: { doc_id: string }[] }>('GET', '//api/v1/documents?name=handbook')).body
      return `/documents/${data[0]?.doc_id}`
    },
    shown: 'Edit metadata',
    open: click('Edit metadata'),
  },
  'the vision tab': { path: '/playground?tab=vision', shown: 'Choose an image first.' },
  'the search tab': { path: '/playground?tab=search&q=parental%20leave', shown: 'Show more context' },
  'usage by user in a custom range': {
    path: `/usage?by=user&span=custom&from=${new Date(Date.now() - 86_400_000).toISOString()}`,
    shown: 'katherine@example.org',
  },
  'requests in a custom range': {
    path: `/requests?status=success&span=custom&from=${new Date(Date.now() - 86_400_000).toISOString()}`,
    shown: 'Clear filters',
  },
  'a request': { path: '/requests', shown: 'Duration', open: (page) => page.locator('tr button').first().click() },
  'settings read at start': { path: '/settings?tab=start', shown: 'server.port' },
  limits: { path: '/settings?tab=limits', shown: 'For single accounts' },
  'about the server': { path: '/settings?tab=about', shown: 'OpenAPI document' },
  'a group': { path: async () => `/groups/${await idOf('/groups', 'research')}`, shown: 'alan@example.org' },
  'the dialog of a new key': { path: '/keys', shown: 'nightly reports', open: click('Create API Key') },
  'the dialog of a new user': { path: '/users', shown: 'grace@example.org', open: click('Create user') },
  'the dialog of a new provider': { path: '/providers', shown: 'openai', open: click('Add provider') },
  'the dialog of an import': { path: '/documents', shown: 'onboarding.txt', open: click('Import') },
  'a question before deletion': { path: '/users', shown: 'grace@example.org', open: deleteFirst },
}

async function budgetsOfKey(page: Page): Promise<void> {
  await click('Actions for help desk bot')(page)
  await page.getByRole('menuitem', { name: 'Budgets and rates…' }).click()
  await page.getByText('$2.00 each month').waitFor()
}

async function deleteFirst(page: Page): Promise<void> {
  await click(/^Actions for grace/)(page)
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
}

/**
 * Runs in the page, whose types the tests do not have. Answers what sticks out: the page itself, and
 * what can be focused beyond an edge of the window or of a part that cuts it off, and headings of
 * columns that are too narrow for them. Inside a part that
 * scrolls sideways everything is reached by scrolling.
 */
const misplaced = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement
  const found = scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' px wide'] : []
  const isHidden = (element) =>
    element.closest('.visually-hidden, [data-base-ui-focus-guard], [aria-hidden=true], [inert]') !== null ||
    !element.checkVisibility({ visibilityProperty: true })
  const edgesOf = (element) => {
    let [left, right] = [0, clientWidth]
    for (let above = element.parentElement; above !== null; above = above.parentElement) {
      const { overflowX } = getComputedStyle(above)
      if (overflowX === 'visible') continue
      if (overflowX !== 'hidden' && overflowX !== 'clip' && above.scrollWidth > above.clientWidth) return null
      const box = above.getBoundingClientRect()
      left = Math.max(left, box.left)
      right = Math.min(right, box.right)
    }
    return { left, right }
  }
  for (const cell of document.querySelectorAll('th'))
    if (!isHidden(cell) && cell.scrollWidth > cell.clientWidth + 1) found.push('the heading ' + cell.textContent)
  const focusable = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
  for (const element of document.querySelectorAll(focusable)) {
    const box = element.getBoundingClientRect()
    const edges = isHidden(element) || box.width === 0 ? null : edgesOf(element)
    if (edges === null || (box.left >= edges.left - 1 && box.right <= edges.right + 1)) continue
    const name = element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)
    found.push(element.tagName + ' "' + name + '" from ' + Math.round(box.left) + ' to ' + Math.round(box.right))
  }
  return found
})()`

/** The pages with a table, by what names its rows. */
const lists: Readonly<Record<string, Place>> = {
  models: { path: '/models?view=table', shown: 'claude-sonnet-4-5' },
  'all models': { path: '/models?reach=all', shown: 'always-on' },
  documents: { path: '/documents', shown: 'employee-handbook.md' },
  'API keys': { path: '/keys', shown: 'import of contracts' },
  'API keys of all users': { path: '/keys?owner=anyone', shown: 'import of contracts' },
  'usage by model': { path: '/usage?span=week', shown: 'claude-sonnet-4-5' },
  'usage by user': { path: '/usage?by=user&span=week', shown: 'katherine@example.org' },
  'cost by key': { path: '/cost?by=key', shown: 'help desk bot' },
  requests: { path: '/requests', shown: 'gpt-5-mini' },
  users: { path: '/users', shown: 'katherine@example.org' },
  groups: { path: '/groups', shown: 'research' },
  providers: { path: '/providers', shown: 'vllm-berlin' },
  'the audit log': { path: '/audit', shown: 'Created a model' },
  webhooks: { path: '/webhooks', shown: 'hooks.example.org' },
  'files of batches': { path: '/batches?tab=files', shown: 'questions-about-contracts' },
  'limits of accounts': { path: '/settings?tab=limits', shown: 'user@example.org' },
}

interface TableView {
  readonly names: boolean
  readonly cut: readonly string[]
}

/**
 * Runs in the page. Answers names that are cut, and cells of which less than eight letters of a cut
 * text are left; and how many names there are, so that an empty page does not pass.
 */
const cutCells = `(() => {
  const cut = []
  const isCut = (each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 2
  const names = [...document.querySelectorAll('td [data-name]')]
  for (const name of names) if (name.clientWidth === 0 || isCut(name)) cut.push('the name ' + name.textContent)
  for (const cell of document.querySelectorAll('td, td *')) {
    if (cell.closest('.visually-hidden, [aria-hidden=true]') || getComputedStyle(cell).textOverflow !== 'ellipsis') continue
    if (cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth < 64) cut.push('the cell ' + cell.textContent)
  }
  const table = document.querySelector('table')
  if (table.offsetWidth > table.parentElement.clientWidth + 1) cut.push('the table scrolls sideways')
  return { names: names.length > 0, cut }
})()`

/** Parts that measure themselves have done so two frames later. */
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

describe.skipIf(journeysSkipped !== null)(
  `every page at every width${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    for (const [name, { path, shown, open }] of [...Object.entries(navigation), ...Object.entries(others)]) {
      test(`${name} fits`, async () => {
        const { page } = visitor
        await page.setViewportSize({ width: widths[0], height: 800 })
        await visitor.open(typeof path === 'string' ? path : await path())
        await page.getByText(shown).first().waitFor({ state: 'attached' })
        await open?.(page)
        if (open !== undefined) await page.getByRole('dialog').waitFor()
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 })
          await page.evaluate(twoFrames)
          expect({ width, misplaced: await page.evaluate(misplaced) }).toEqual({ width, misplaced: [] })
        }
      }, 60_000)
    }

    for (const [name, { path, shown }] of Object.entries(lists)) {
      test(`no name in the table of ${name} is cut off from 360 to 1,920 px`, async () => {
        const { page } = visitor
        await page.setViewportSize({ width: 1920, height: 800 })
        await visitor.open(typeof path === 'string' ? path : await path())
        await page.locator('td [data-name]').filter({ hasText: shown }).first().waitFor()
        for (let width = 360; width <= 1920; width += 60) {
          await page.setViewportSize({ width, height: 800 })
          await page.evaluate(twoFrames)
          expect({ width, ...(await page.evaluate<TableView>(cutCells)) }).toEqual({
            width,
            names: true,
            cut: [],
          })
        }
      }, 60_000)
    }

    test('a press on a header sorts, a click on a row opens it, and the table says how many rows it has', async () => {
      const { page } = visitor
      await page.setViewportSize({ width: 1440, height: 800 })
      await visitor.open('/providers')
      const rows = page.locator('tbody tr[data-index]')
      await page.getByText('4 rows', { exact: true }).waitFor()
      const names = () => rows.locator('[data-name]').allTextContents()
      const asListed = await names()
      const sorted = asListed.toSorted()
      const heading = page.getByRole('columnheader', { name: 'Name' })
      await heading.getByRole('button').press('Enter')
      expect([await names(), await heading.getAttribute('aria-sort')]).toEqual([sorted, 'ascending'])
      await visitor.requireAccessible('a sorted table')
      await heading.getByRole('button').click()
      expect([await names(), await heading.getAttribute('aria-sort')]).toEqual([sorted.toReversed(), 'descending'])
      await heading.getByRole('button').click()
      expect([await names(), await heading.getAttribute('aria-sort')]).toEqual([asListed, null])
      await rows.filter({ hasText: 'openai' }).locator('td').nth(1).click()
      await page.getByRole('dialog', { name: /openai/ }).waitFor()
      expect(await page.getByRole('dialog').count()).toBe(1)
    }, 60_000)

    test('no route is left out', async () => {
      const opened = [...Object.values(navigation), ...Object.values(others)].map(async ({ path }) =>
        typeof path === 'string' ? path : await path(),
      )
      const paths = (await Promise.all(opened)).map((path) => path.replace(/[?#].*/s, ''))
      const source = await readFile(join(import.meta.dir, '../../ui/src/router.tsx'), 'utf8')
      const routes = [...source.matchAll(/^  path: '(\/[^']*)',$/gm)].map(([, path = '']) => path)
      expect(routes.length).toBeGreaterThan(20)
      const missing = routes.filter((route) => {
        const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`)
        return !paths.some((path) => pattern.test(path))
      })
      expect(missing).toEqual([])
    })

    test('no page of the navigation is left out', async () => {
      await visitor.page.setViewportSize({ width: 1440, height: 800 })
      await visitor.open('/')
      const links = visitor.page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      await links.nth(1).waitFor()
      const paths = await links.evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
        all.map((each) => each.getAttribute('href') ?? ''),
      )
      const expected = Object.keys(navigation).filter((path) => path !== '/account')
      expect(paths.filter((path) => path !== '/docs').toSorted()).toEqual(expected.toSorted())
    }, 60_000)
  },
)
