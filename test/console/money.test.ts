/** Journeys through costs, prices and budgets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

const unit = 1_000_000_000

let browser: Browser
let app: AdminApp
let modelId: string
let keyId: string
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    browser = await startBrowser()
    const provider_id = await made('/providers', { name: 'vendor', base_url: 'http://127.0.0.1:9/v1' })
    modelId = await made('/models', { name: 'dear', provider_id })
    await made('/models', { name: 'unpriced', provider_id })
    const components = [{ model: 'dear', priority: 0 }]
    await made('/models', { name: 'always-on', composite: { strategy: 'priority', components } })
    await made(`/models/${modelId}/prices`, { rates: { input: 2.5 * unit, output: 10 * unit } })
    keyId = await made(`/users/${app.userId}/keys`, { name: 'nightly' })
    await app.store.usage.insertMany([
      used({ modelServed: 'dear', userId: app.userId, keyId, cost: 2_500_000_000 }),
      used({ modelServed: 'dear', userId: app.adminId, cost: 1_250_000_001 }),
      used({ modelServed: 'unpriced', userId: app.adminId, cost: null }),
    ])
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

function used(fields: Parameters<typeof aUsage>[0]) {
  return aUsage({ at: Date.now() - 1000, ...fields })
}

async function made(path: string, body: object): Promise<string> {
  const answer = await app.call<{ id: string }>('POST', path, { body })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
  return answer.body.id
}

interface Budget {
  readonly id: string
  readonly starts_at: string
}

/** A budget of which this much is spent. */
async function spentBudget(fields: object, spent: number): Promise<Budget> {
  const { body } = await app.call<Budget>('POST', '/budgets', { body: { period: 'month', ...fields } })
  const counters = JSON.stringify([`${body.id}@${Date.parse(body.starts_at)}`])
  await app.store.usage.insertMany([used({ userId: null, cost: spent, counters })])
  return body
}

async function signedIn(who: 'admin' | 'user', path: string, width = 1280): Promise<Visitor> {
  return await visitAs(browser, app, { who, path, viewport: { width, height: 800 } })
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

describe.skipIf(journeysSkipped !== null)(
  `costs, prices and budgets${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('costs are shown by model, user, key and group, with what has no price, and as a file', async () => {
      await using visitor = await signedIn('admin', '/cost')
      const { page } = visitor
      const row = (name: string) => page.getByRole('row').filter({ hasText: name }).first()
      // What was used before comes with an answer of its own.
      await row('dear').getByText('$0.00').waitFor()
      expect((await row('dear').getByRole('cell').allTextContents()).slice(0, 4)).toEqual([
        'dear',
        '$3.75',
        '100%',
        '$0.00',
      ])
      await page.getByText('No price is known for these models').waitFor()
      expect((await row('unpriced').getByRole('cell').allTextContents())[1]).toBe('unknown')
      expect(await page.getByRole('link', { name: 'unpriced', exact: true }).count()).toBe(1)
      await visitor.requireAccessible('costs')
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download CSV' }).click()
      const [head = '', ...lines] = (await readFile(await (await downloading).path(), 'utf8')).trimEnd().split('\r\n')
      expect(head.split(',').slice(-2)).toEqual(['cost', 'currency'])
      expect(lines.map((line) => line.split(',').slice(-2).join(' ')).toSorted()).toEqual(['0 USD', '3.750000001 USD'])

      await page.getByLabel('Group by').selectOption('By user')
      await row(userEmail).waitFor()
      expect((await row(userEmail).getByRole('cell').allTextContents()).slice(0, 2)).toEqual([userEmail, '$2.50'])
      await page.getByLabel('Group by').selectOption('By API key')
      await row('nightly').waitFor()
      await page.getByLabel('Group by').selectOption('By group')
      await row('no group').waitFor()
      await page.getByLabel('Range', { exact: true }).selectOption('Last month')
      await page.getByText('No requests in this time range').waitFor()
      await visitor.requireAccessible('no costs')
      expectNoComplaints(visitor)
    }, 60_000)

    test('a budget is added, changed and deleted on the page of its model', async () => {
      await using visitor = await signedIn('admin', `/models/${modelId}?tab=cost`)
      const { page } = visitor
      await page.getByText('There is no budget on dear.').waitFor()
      await page.getByRole('button', { name: 'Add budget' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Amount in USD').fill('ten')
      await dialog.getByRole('button', { name: 'Add budget' }).click()
      await dialog.getByText('Enter an amount such as 12.50').waitFor()
      await visitor.requireAccessible('a budget with a mistake')
      await dialog.getByLabel('Amount in USD').fill('12.50')
      await dialog.getByLabel('Time zone').fill('Nowhere')
      await dialog.getByRole('button', { name: 'Add budget' }).click()
      await dialog.getByText('expected a time zone').waitFor()
      await dialog.getByLabel('Time zone').fill('Europe/Berlin')
      await dialog.getByLabel('Notify at (percent)').fill('50, 90')
      await dialog.getByRole('button', { name: 'Add budget' }).click()
      await page.getByText('notifies at 50%, 90%').waitFor()
      await page.getByText('$12.50 left').waitFor()
      await visitor.requireAccessible('a budget')

      await page.getByRole('button', { name: 'Change the budget of $12.50 each month' }).click()
      await dialog.getByLabel('Amount in USD').fill('20')
      await dialog.getByLabel('Refuse requests that could exceed it').click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('$20.00 each month', { exact: true }).waitFor()
      await page.getByText('soft', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Delete the budget of $20.00 each month' }).click()
      await dialog.getByRole('button', { name: 'Delete budget' }).click()
      await page.getByText('There is no budget on dear.').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('users, groups, keys and providers have their budgets where they are', async () => {
      const email = { scope: 'user', scope_id: app.userId, amount: 7 * unit, hard: false }
      await app.call('POST', '/budgets', { body: { ...email, period: 'week' } })
      await using visitor = await signedIn('admin', '/users')
      const { page } = visitor
      const dialog = page.getByRole('dialog')
      const openMenu = async (name: string | RegExp): Promise<void> => {
        await page.getByRole('button', { name }).first().click()
        await page.getByRole('menuitem', { name: 'Budgets and rates…' }).click()
        await dialog.getByRole('heading', { name: 'Budgets' }).waitFor()
      }
      await openMenu(`Actions for ${userEmail}`)
      await dialog.getByText('$7.00 each week').waitFor()
      await visitor.requireAccessible('the budgets of a user')
      await visitor.open('/keys?owner=anyone')
      await openMenu('Actions for nightly')
      await dialog.getByText('There is no budget on nightly').waitFor()
      await visitor.open('/providers')
      await openMenu('Actions for vendor')
      await dialog.getByText('There is no budget on vendor').waitFor()
      await visitor.open('/groups/00000000-0000-0000-0000-000000000000')
      await page.getByRole('tab', { name: 'Limits' }).click()
      await page.getByText('There is no budget on everyone').waitFor()
      await page.getByRole('button', { name: 'Add budget' }).click()
      const form = page.getByRole('dialog', { name: 'Add a budget' })
      await form.getByLabel('Amount in USD').fill('99')
      await form.getByRole('button', { name: 'Add budget' }).click()
      await form.waitFor({ state: 'detached' })
      await page.getByText('$99.00 each month', { exact: true }).waitFor()
      await visitor.requireAccessible('the budgets of a group')
      expectNoComplaints(visitor)
    }, 60_000)

    test('a price is set from a date on, shown with its history, and removed', async () => {
      await using visitor = await signedIn('admin', `/models/${modelId}?tab=cost`)
      const { page } = visitor
      const rates = page.getByRole('table', { name: 'Rates' })
      await rates.getByRole('row', { name: 'Input a million tokens $2.50' }).waitFor()
      await page.getByRole('button', { name: 'Set a price' }).click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.getByLabel('Output', { exact: true }).inputValue()).toBe('10')
      await dialog.getByLabel('Input', { exact: true }).fill('1,5')
      await dialog.getByRole('button', { name: 'Set price' }).click()
      await dialog.getByText('Enter an amount such as 2.50.').waitFor()
      await dialog.getByLabel('Input', { exact: true }).fill('1.5')
      await dialog.getByLabel('Valid from').fill('2999-01-01T00:00')
      await dialog.getByLabel('Note (optional)').fill('The new contract')
      await visitor.requireAccessible('a new price')
      await dialog.getByRole('button', { name: 'Set price' }).click()
      await page.getByText('to come').waitFor()
      await page.getByText('Set by an administrator: The new contract.').waitFor()
      expect(await rates.getByRole('row', { name: 'Input a million tokens $2.50' }).count()).toBe(1)
      await visitor.requireAccessible('prices')
      await page.getByRole('button', { name: /^Remove the price from Jan 1, 2999/ }).click()
      await dialog.getByRole('button', { name: 'Remove price' }).click()
      await page.getByText('to come').waitFor({ state: 'detached' })
      await page.getByText(/^replaced /).waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('other rates for long inputs are added, corrected and removed', async () => {
      const provider_id = await made('/providers', { name: 'tiered', base_url: 'http://127.0.0.1:9/v1' })
      const id = await made('/models', { name: 'long', provider_id })
      const given = { above: 1000, rates: { input: 3 * unit, request: 7 } }
      await made(`/models/${id}/prices`, { rates: { input: 2 * unit }, tiers: [given] })
      await using visitor = await signedIn('admin', `/models/${id}?tab=cost`)
      const { page } = visitor
      const dialog = page.getByRole('dialog')
      const tier = (place: number) => dialog.getByRole('listitem', { name: `Tier ${place}` })
      const submit = () => dialog.getByRole('button', { name: 'Set price' }).click()
      await page.getByRole('button', { name: 'Set a price' }).click()
      expect(await tier(1).getByLabel('More tokens of input than').inputValue()).toBe('1000')
      expect(await tier(1).getByLabel('Input', { exact: true }).inputValue()).toBe('3')
      await dialog.getByRole('button', { name: 'Add a tier' }).click()
      await tier(2).getByLabel('Output', { exact: true }).fill('much')
      await submit()
      await tier(2).getByText('Enter a number of tokens.').waitFor()
      await tier(2).getByText('Enter an amount such as 2.50.').waitFor()
      await tier(2).getByLabel('Output', { exact: true }).fill('12')
      await tier(2).getByLabel('More tokens of input than').fill('1000')
      await submit()
      await tier(2).getByText('Expected more than in the tier before').waitFor()
      expect(await tier(1).getByText('Expected').count()).toBe(0)
      await visitor.requireAccessible('a tier with a mistake')
      await tier(2).getByLabel('More tokens of input than').fill('200000')
      await submit()
      const table = page.getByRole('table', { name: 'Rates above 200,000 tokens' })
      await table.getByRole('row', { name: 'Output a million tokens $12.00' }).waitFor()

      await page.getByRole('button', { name: 'Set a price' }).click()
      await dialog.getByRole('button', { name: 'Remove tier 1' }).click()
      expect(await tier(1).getByLabel('More tokens of input than').inputValue()).toBe('200000')
      await submit()
      await page.getByRole('table', { name: 'Rates above 1,000 tokens' }).waitFor({ state: 'detached' })
      await table.waitFor()
      const { body } = await app.call<{ price: { tiers: unknown } }>('GET', `/models/${id}/prices`)
      expect(body.price.tiers).toEqual([{ above: 200_000, rates: { output: 12 * unit } }])
      expectNoComplaints(visitor)
    }, 60_000)

    test('an unknown price is said plainly, and a composite has none of its own', async () => {
      await using visitor = await signedIn('admin', '/cost')
      const { page } = visitor
      await page.getByRole('link', { name: 'unpriced', exact: true }).click()
      await page.getByText('The price is not known.').waitFor()
      await visitor.requireAccessible('an unknown price')
      await page.getByRole('tab', { name: 'Model', exact: true }).click()
      await page.getByLabel('Name', { exact: true }).waitFor()
      const { data } = (await app.call<{ data: { id: string; name: string }[] }>('GET', '/models')).body
      await visitor.open(`/models/${data.find(({ name }) => name === 'always-on')?.id}?tab=cost`)
      await page.getByText('A composite has no price of its own').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)

    test('the overview names budgets that have reached a threshold, until they are deleted', async () => {
      await using visitor = await signedIn('admin', '/')
      const { page } = visitor
      await page.locator('h1', { hasText: 'Overview' }).waitFor()
      const user = { scope: 'user', scope_id: app.userId, hard: true, thresholds: [80] }
      const { id } = await spentBudget({ ...user, amount: 100 * unit }, 85 * unit)
      await visitor.open('/')
      await page.getByText(`User ${userEmail}: 85% of $100.00 each month spent`).waitFor()
      await visitor.requireAccessible('a budget that has reached a threshold')
      await page.getByRole('link', { name: 'Costs and budgets' }).click()
      const bar = page.getByRole('img', { name: '$85.00 spent, $0.00 reserved, $15.00 left' })
      await bar.waitFor()
      await app.call('DELETE', `/budgets/${id}`)
      await visitor.open('/')
      await page
        .getByText(/^(?:Duration|Time to first token)/)
        .first()
        .waitFor()
      expect(await page.getByText('reached a threshold').count()).toBe(0)
      expectNoComplaints(visitor)
    }, 60_000)

    test('an ordinary user sees the own costs and budgets, and none of others', async () => {
      await spentBudget({ scope: 'key', scope_id: keyId, amount: 10 * unit, thresholds: [50] }, 6 * unit)
      await spentBudget({ scope: 'user', scope_id: app.adminId, amount: 1000 * unit, thresholds: [50] }, 600 * unit)
      await using visitor = await signedIn('user', '/cost?by=user', 360)
      const { page } = visitor
      await page.getByRole('row').filter({ hasText: 'dear' }).first().waitFor()
      await page.getByText('API key nightly').waitFor()
      await page.getByRole('img', { name: '$6.00 spent, $0.00 reserved, $4.00 left' }).waitFor()
      expect(await page.getByText('$1,000.00').count()).toBe(0)
      expect(await page.getByText('unpriced').count()).toBe(0)
      expect(await page.getByRole('option', { name: 'By user' }).count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await visitor.requireAccessible('own costs')
      await visitor.open('/')
      await page.getByText('API key nightly: 60% of $10.00 each month spent').waitFor()
      expectNoComplaints(visitor)
    }, 60_000)
  },
)
