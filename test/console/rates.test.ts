/** Rates on the pages of users, keys, groups, models and providers: rules of one setting. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { newRate, ratesOn, ruleOf } from '../../ui/src/routes/budgets/rates.ts'
import { readRateRule } from '#config/settings/rate-rule.ts'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { buildConsole, journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'

const target = { scope: 'group', id: 'g1', name: 'night shift' } as const

describe('rules', () => {
  test('about a record are found by its name, its id and those for each one; all others are left out', () => {
    const rules = [
      'group:"night shift" requests 60/minute',
      'group:g1 model:gpt-4o tokens 100000/hour burst 20000',
      'key:* group:* requests 5/10s',
      'group:other requests 1/day',
      'user:* requests 1/day',
    ]
    const { own, common } = ratesOn(rules, target)
    expect(own.map(({ words, also }) => [words, also])).toEqual([
      ['60 requests a minute', ''],
      ['100,000 tokens an hour, 20,000 at once', 'model gpt-4o'],
    ])
    expect(common.map(({ words, also }) => [words, also])).toEqual([['5 requests in 10 seconds', 'each key apart']])
  })

  test('that are made here are read by the server, and found again', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', 'b', 'C', 'D', ' ', '-', '_', '.', '@', '/', 'é'), minLength: 1 })
      .filter((text) => text.trim() === text && !text.includes('  '))
    const count = fc.integer({ min: 1, max: 999_999_999_999 }).map(String)
    const draft = fc.record({
      unit: fc.constantFrom('requests' as const, 'tokens' as const),
      amount: count,
      window: fc.constantFrom('second' as const, 'minute' as const, 'hour' as const, 'day' as const),
      burst: fc.oneof(fc.constant(''), count),
    })
    const scope = fc.constantFrom(
      'user' as const,
      'key' as const,
      'group' as const,
      'model' as const,
      'provider' as const,
    )
    fc.assert(
      fc.property(draft, scope, name, (each, kind, called) => {
        const on = { scope: kind, id: crypto.randomUUID(), name: called }
        const text = ruleOf(each, on)
        const read = readRateRule(text)
        expect([read?.unit, read?.amount]).toEqual([each.unit, Number(each.amount)])
        expect(read?.burst).toBe(Number(each.burst || each.amount))
        expect([...(read?.subjects ?? [])]).toEqual([[kind, kind === 'key' ? on.id : called]])
        expect(ratesOn([text], on).own).toHaveLength(1)
      }),
    )
    expect(readRateRule(ruleOf(newRate, target))).toBeNull()
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

describe.skipIf(journeysSkipped !== null)(`rates${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`, () => {
  test('a rate of a user is added and deleted where the user is, and holds from the next request on', async () => {
    await using visitor = await visitAs(browser, app, { who: 'admin', path: '/users' })
    const { page, complaints } = visitor
    const body = { model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }
    const ask = async (): Promise<number> =>
      (await app.call('POST', '//ai/v1/chat/completions', { key: app.userKey, body })).status
    await page.getByRole('button', { name: `Actions for ${userEmail}` }).click()
    await page.getByRole('menuitem', { name: 'Budgets and rates…' }).click()
    await page.getByText(`There is no limit of requests or tokens in a time on ${userEmail}.`).waitFor()
    await page.getByRole('button', { name: 'Add rate' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a rate' })
    await dialog.getByLabel('How many').fill('2')
    await dialog.getByLabel('In a').selectOption('day')
    await visitor.requireAccessible('the dialog of a rate')
    await dialog.getByRole('button', { name: 'Add rate' }).click()
    await page.getByText('2 requests a day').waitFor()
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    await page.getByRole('button', { name: 'Delete the rate of 2 requests a day' }).click()
    await page.getByRole('button', { name: 'Delete rate', exact: true }).click()
    await page.getByText('There is no limit of requests').waitFor()
    expect(await ask()).toBe(200)
    expect(complaints).toEqual({ errors: [], foreign: [] })
  }, 60_000)
})
