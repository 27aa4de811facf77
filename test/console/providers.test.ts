/** Journeys through the providers in a real browser, against a scripted one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'
import { htmlBadGateway, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, modelList } from '#test/support/upstream/upstream-samples.ts'
import { refusingUrl, startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let browser: Browser
let app: AdminApp
let upstream: Upstream
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['health.failures_to_eject=1'])
    upstream = await startUpstream()
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await upstream.close()
  })
}

interface Provider {
  readonly id: string
  readonly name: string
  readonly has_credential: boolean
  readonly header_names: readonly string[]
  readonly timeouts: object
  readonly options: object
  readonly enabled: boolean
}

const canary = 'canary-credential-2210'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
// Not by its role, which it does not have below an open dialog.
const row = (page: Page, name: string) => page.locator('tr', { hasText: name })

async function choose(page: Page, whose: string, action: string): Promise<void> {
  await button(page, `Actions for ${whose}`).click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function providers(): Promise<readonly Provider[]> {
  return (await app.call<{ data: Provider[] }>('GET', '/providers')).body.data
}

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

async function asAdmin(viewport = { width: 1280, height: 800 }): Promise<Visitor> {
  const visitor = await visitAs(browser, app, 'admin', '/providers', { viewport })
  await visitor.page.getByRole('table', { name: 'Providers' }).waitFor()
  return visitor
}

describe.skipIf(journeysSkipped !== null)(
  `providers in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('one is added by a preset and tested, and two of its models are imported and called', async () => {
      await using visitor = await asAdmin()
      const { page } = visitor
      await visitor.requireAccessible('providers')
      await button(page, 'Add provider').click()
      await page.getByRole('button', { name: /^OpenAI/ }).waitFor()
      await visitor.requireAccessible('presets')
      await page.getByRole('button', { name: /^Groq/ }).click()
      expect(await page.getByLabel('Base URL').inputValue()).toBe('https://api.groq.com/openai/v1')
      await page.getByRole('textbox', { name: 'Name' }).fill('fast')
      await page.getByLabel('Base URL').fill(refusingUrl)
      await page.getByLabel('API key').fill(canary)
      await button(page, 'Test connection').click()
      await page.getByRole('alert').getByText('Nothing can be reached at the base URL.').waitFor()
      await visitor.requireAccessible('a failed test')

      upstream.script(json(modelList('alpha', 'beta', 'demo-chat', 'gamma')))
      await page.getByLabel('Base URL').fill(upstream.url)
      await button(page, 'Test connection').click()
      await page.getByText('offers 4 models').waitFor()
      expect(await providers()).toHaveLength(1)
      await button(page, 'Add').click()

      await page.getByRole('dialog', { name: 'Models of fast' }).waitFor()
      expect(await page.getByLabel('demo-chat').isDisabled()).toBe(true)
      await page.getByLabel('alpha').check()
      await page.getByLabel('gamma').check()
      await visitor.requireAccessible('picking models')
      await button(page, 'Import 2 models').click()
      await page.getByText('Imported 2 models').waitFor()
      await row(page, 'fast').getByText('2', { exact: true }).waitFor()
      expect(await page.content()).not.toContain(canary)

      upstream.script(json(chatCompletion()))
      const body = { model: 'gamma', messages: [{ role: 'user', content: 'Hello' }] }
      expect((await app.call('POST', '//ai/v1/chat/completions', { key: app.userKey, body })).status).toBe(200)
      expect(upstream.requests.at(-1)?.header('authorization')).toBe(`Bearer ${canary}`)
      await visitor.open('/providers')
      await row(page, 'fast').getByText('healthy').waitFor()
      expectNoComplaints(visitor)
    }, 30_000)

    test('what is not touched stays: credential and header values outlive an edit', async () => {
      const options = { region: 'eu', session_token: canary }
      const created = await app.call<Provider>('POST', '/providers', {
        body: {
          name: 'kept',
          base_url: upstream.url,
          credential: canary,
          headers: { 'X-One': '1', 'X-Two': '2' },
          options,
        },
      })
      await using visitor = await asAdmin()
      const { page } = visitor
      await button(page, 'kept').click()
      await page.getByText('Advanced').click()
      await button(page, 'Remove header X-One').click()
      await button(page, 'Add header').click()
      await page.getByLabel('Name of header 2').fill('X-Three')
      await page.getByLabel('Value of header 2').fill('3')
      await page.getByLabel('First token').fill('7.5')
      await page.getByLabel('Options').fill('not JSON')
      await button(page, 'Save').click()
      await page.getByRole('alert').getByText('The options must be a JSON object').waitFor()
      await page.getByLabel('Options').fill('{"region": "us", "session_token": "[secret]"}')
      await visitor.requireAccessible('editing')
      await button(page, 'Save').click()
      await page.getByText('Saved kept').waitFor()
      const { credential, headers, timeouts, options: after } = (await app.store.providers.get(created.body.id)) ?? {}
      expect(credential?.reveal()).toBe(canary)
      expect({ headers, timeouts, after }).toEqual({
        headers: { 'X-Two': '2', 'X-Three': '3' },
        timeouts: { firstTokenSeconds: 7.5 },
        after: { region: 'us', session_token: canary },
      })
      expectNoComplaints(visitor)
    }, 30_000)

    test('one is switched off and on by keyboard, shows what fails, and goes with its models by name', async () => {
      const { id } = (await app.call<Provider>('POST', '/providers', { body: { name: 'old', base_url: upstream.url } }))
        .body
      await app.call('POST', '/models', { body: { name: 'old-model', provider_id: id } })
      upstream.script(htmlBadGateway())
      const body = { model: 'old-model', messages: [{ role: 'user', content: 'Hello' }] }
      await app.call('POST', '//ai/v1/chat/completions', { body })
      await using visitor = await asAdmin({ width: 360, height: 740 })
      const { page } = visitor
      await row(page, 'old').getByText('1 model ejected').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      const isOn = page.getByLabel('old is on')
      for (const enabled of [false, true]) {
        await isOn.focus()
        const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
        await page.keyboard.press('Space')
        if (!enabled) {
          const asked = page.getByRole('dialog', { name: 'Switch old off?' })
          await asked.getByText('Model old-model').waitFor()
          expect((await providers()).find((each) => each.id === id)?.enabled).toBe(true)
          await asked.getByRole('button', { name: 'Switch off' }).click()
        }
        await page.getByRole('switch', { name: 'old is on', checked: enabled }).waitFor()
        expect((await saved).status()).toBe(200)
        expect((await providers()).find((each) => each.id === id)?.enabled).toBe(enabled)
      }
      await choose(page, 'old', 'Delete…')
      const dialog = page.getByRole('dialog', { name: 'Delete the provider old?' })
      await dialog.getByText('Model old-model').waitFor()
      await visitor.requireAccessible('deleting a provider')
      await button(page, 'Delete provider and 1 model').click()
      await button(page, 'Actions for old').waitFor({ state: 'detached' })
      expect((await app.call('GET', `/providers/${id}`)).status).toBe(404)
      await visitor.requireAccessible('providers at 360 px')
      expectNoComplaints(visitor)
    }, 30_000)
  },
)
