/** The audit log in the console, and its words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { changedFields } from '../../ui/src/routes/audit/changed-fields-of.ts'
import { actionText, withoutBegun } from '../../ui/src/routes/audit/audit-words.ts'
import type { AuditRow } from '../../ui/src/api/schema.d.ts'
import { adminEmail, prefix, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { buildConsole, journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'

const aRow: AuditRow = {
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  action: 'PATCH /users/:id',
  outcome: 'done',
  source: 'session',
  actor: 'ada@example.org',
  actor_id: null,
  key_id: null,
  address: '127.0.0.1',
  request_id: 'req_1',
  record: '/users/1',
  details: {},
  hash: '',
}

describe('words', () => {
  test.each([
    ['PATCH /users/:id', 'Changed a user'],
    ['POST /models', 'Created a model'],
    ['PUT /settings/:name', 'Set a setting'],
    ['DELETE /keys/:id', 'Removed an API key'],
    ['DELETE /models/:id/prices/:priceId', 'Removed a price'],
    ['POST /users/:id/password', 'Set the password of a user'],
    ['sign-in', 'Signed in'],
    ['provider created', 'Provider created'],
  ])('%s: %s', (action, words) => expect(actionText({ action, outcome: 'done' })).toBe(words))

  test('a beginning whose end is in the list is left out, and one without is shown', () => {
    const rows = [
      { ...aRow, seq: 4, details: { begun: 3 } },
      { ...aRow, seq: 3, outcome: 'begun' as const },
      { ...aRow, seq: 2, outcome: 'begun' as const },
      { ...aRow, seq: 1, outcome: 'refused' as const },
    ]
    expect(withoutBegun(rows).map(({ seq }) => seq)).toEqual([4, 2, 1])
  })

  test('a change shows the fields that differ, whatever the order of their parts', () => {
    const before = { id: 'x', name: 'a', timeouts: { one: 1, two: 2 }, role: 'user', etag: '"1"' }
    const after = { id: 'x', name: 'b', timeouts: { two: 2, one: 1 }, role: 'user', etag: '"2"' }
    expect(changedFields({ before, after })).toEqual([{ field: 'name', before: 'a', after: 'b' }])
    expect(changedFields({ before: null, after }).map(({ field }) => field)).toEqual(['name', 'timeouts', 'role'])
    expect(changedFields({})).toEqual([])
  })
})

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    await buildConsole()
    app = await startConsoleApp()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const row = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words })

describe.skipIf(journeysSkipped !== null)(
  `the audit log${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('every operation of the API that changes something has words without a path in them', async () => {
      const document = await (await fetch(`${app.url}/openapi.json`)).json()
      const { paths } = document as { paths: Record<string, Record<string, unknown>> }
      const changing = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((method) => path.startsWith(prefix) && method !== 'get')
          .map((method) => `${method.toUpperCase()} ${path.slice(prefix.length).replaceAll(/\{(\w+)\}/g, ':$1')}`),
      )
      expect(changing.length).toBeGreaterThan(40)
      const words = changing.map((action) => [action, actionText({ action, outcome: 'done' })])
      expect(words.filter(([, text]) => !/^[A-Z][a-z]+( [A-Za-z-]+)+$/.test(text ?? ''))).toEqual([])
    })

    test('a change is found by person and record, and shows what was before and after', async () => {
      await app.call('PATCH', `/users/${app.userId}`, { body: { name: 'Ada Lovelace' } })
      await app.call('DELETE', `/users/${app.adminId}`)
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/audit' })
      const { page, complaints } = visitor
      await row(page, 'Changed a user').first().click()
      const details = page.getByRole('dialog', { name: 'Changed a user' })
      const cells = details.getByRole('row').filter({ hasText: 'Ada Lovelace' }).getByRole('cell')
      expect(await cells.last().textContent()).toBe('Ada Lovelace')
      await visitor.requireAccessible('a row of the audit log')
      await details.getByRole('button', { name: 'All of this record' }).click()
      await page.waitForURL(/record=/)
      expect(new URL(page.url()).searchParams.get('record')).toBe(`/users/${app.userId}`)
      await row(page, 'Changed a user').first().waitFor()
      expect(await row(page, 'Created a model').count()).toBe(0)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Outcome').selectOption('refused')
      await row(page, 'Removed a user').filter({ hasText: adminEmail }).first().waitFor()
      await page.getByRole('searchbox', { name: 'E-mail address' }).fill(userEmail)
      await page.getByText('No row matches').waitFor()
      await visitor.requireAccessible('the audit log')
      expect(complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('is not for ordinary users', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/audit' })
      await visitor.page.getByRole('heading', { name: /page not found/i }).waitFor()
      await visitor.open('/')
      await visitor.page.getByRole('navigation', { name: 'Pages' }).waitFor()
      expect(await visitor.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
      expect((await app.call('GET', '/audit', { key: app.userKey })).status).toBe(403)
    }, 60_000)
  },
)
