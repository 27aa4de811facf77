/** Journeys of an administrator through models: composites made by keyboard, health, groups, and what stands in the way. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { until } from '#test/support/until.ts'
import { journeysSkipped, startConsoleApp, visitAs, type Visitor } from '#test/support/app/console-app.ts'

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['health.failures_to_eject=1', 'health.ejection_seconds=3600'])
    browser = await startBrowser()
    const provider = await made('/providers', { name: 'nowhere', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' })
    await made('/models', { name: 'broken', provider_id: provider })
    await made('/groups', { name: 'Research' })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

interface Model {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly groups: readonly string[]
  readonly composite: { readonly strategy: string; readonly components: readonly object[] } | null
  readonly rules: object
  readonly reasoning: object | null
  readonly timeouts: object
}

async function made(path: string, body: object): Promise<string> {
  return (await app.call<{ id: string }>('POST', path, { body })).body.id
}

async function modelNamed(name: string): Promise<Model | undefined> {
  const { body } = await app.call<{ data: Model[] }>('GET', '/models?limit=200')
  return body.data.find((model) => model.name === name)
}

async function chat(model: string, key = app.adminKey) {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
  return app.call('POST', '//ai/v1/chat/completions', { key, body })
}

async function signedIn(path: string, who: 'admin' | 'user' = 'admin', width = 1280): Promise<Visitor> {
  return await visitAs(browser, app, { who, path, viewport: { width, height: 800 } })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual({ errors: [], foreign: [] })
}

/** Chooses from a list with a search field, by keyboard only. */
async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: `Search: ${label}` }).fill(name)
  await page.getByRole('option', { name }).first().waitFor()
  await page.keyboard.press('Enter')
}

describe.skipIf(journeysSkipped !== null)(
  `administering models${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('a composite made by keyboard answers although a component is dead, and shows which one', async () => {
      await using visitor = await signedIn('/models')
      const { page } = visitor
      await page.getByRole('button', { name: 'Create model' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: 'Composite of several models' }).waitFor()
      const highlighted = page.locator('[role=menuitem][data-highlighted]')
      await highlighted.getByText('Model of a provider').waitFor()
      await page.keyboard.press('ArrowDown')
      await highlighted.getByText('Composite of several models').waitFor()
      await page.keyboard.press('Enter')
      await heading(page, 'New model').waitFor()
      await page.getByLabel('Name', { exact: true }).focus()
      await page.keyboard.type('always-on')
      await page.getByLabel('Strategy').focus()
      await page.keyboard.type('Pri')
      await page.getByRole('button', { name: 'Create the model' }).press('Enter')
      await page
        .getByRole('group', { name: 'Components' })
        .getByText('Expected at least one component.', { exact: true })
        .waitFor()
      expect(await page.getByText('composite.components').count()).toBe(0)
      await choose(page, 'Add a component', 'demo-chat')
      await choose(page, 'Add a component', 'broken')
      const second = page.getByRole('listitem', { name: '2 of 2: broken' })
      await second.waitFor()
      await visitor.requireAccessible('a new composite')
      await page.getByRole('button', { name: 'Move broken up' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('broken is now number 1 of 2').waitFor()
      expect(await page.getByLabel('Priority of broken').inputValue()).toBe('0')
      expect(await page.getByLabel('Priority of demo-chat').inputValue()).toBe('1')
      await page.getByRole('button', { name: 'Create the model' }).focus()
      await page.keyboard.press('Enter')
      await heading(page, 'always-on').waitFor()
      await page.getByText('no requests yet').first().waitFor()

      expect((await chat('always-on')).status).toBe(200)
      const panel = page.getByRole('region', { name: 'Health' })
      await panel.getByRole('listitem').filter({ hasText: 'broken' }).getByText('ejected').waitFor()
      await panel.getByRole('listitem').filter({ hasText: 'demo-chat' }).getByText('healthy').waitFor()
      await visitor.requireAccessible('the health of a composite')
      expectNoComplaints(visitor)
    }, 60_000)

    test('components are reordered by dragging, and places keep their priorities', async () => {
      const components = [
        { model: 'demo-chat', priority: 0 },
        { model: 'demo-embed', priority: 5 },
      ]
      const id = await made('/models', { name: 'dragged', composite: { strategy: 'priority', components } })
      await using visitor = await signedIn(`/models/${id}`)
      const { page } = visitor
      const first = page.getByRole('listitem', { name: '1 of 2: demo-chat' })
      await first
        .getByTitle('Drag, or use the arrow keys')
        .dragTo(page.getByRole('listitem', { name: '2 of 2: demo-embed' }))
      await page.getByRole('listitem', { name: '1 of 2: demo-embed' }).waitFor()
      expect(await page.getByLabel('Priority of demo-embed').inputValue()).toBe('0')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved dragged').waitFor()
      const saved = await modelNamed('dragged')
      expect(saved?.composite?.components).toMatchObject([{ priority: 0 }, { priority: 5 }])
      expectNoComplaints(visitor)
    }, 60_000)

    test('order and weights are changed by keys, and where requests go if a component is down is shown at once', async () => {
      const components = ['demo-chat', 'demo-embed'].map((model) => ({ model, weight: 1 }))
      const id = await made('/models', { name: 'forecast', composite: { strategy: 'weighted', components } })
      await using visitor = await signedIn(`/models/${id}`)
      const { page } = visitor
      const row = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first()
      const share = async (): Promise<number> => {
        const text = row('demo-chat').getByText(/^[\d.]+% of requests$/)
        return Number.parseFloat((await text.textContent()) ?? '')
      }
      await page.getByText(/^All requests are answered\./).waitFor()
      const before = await share()
      await page.getByRole('slider', { name: 'Weight of demo-chat, by drag' }).focus()
      for (const _ of [2, 3]) await page.keyboard.press('ArrowRight')
      expect(await page.getByLabel('Weight of demo-chat', { exact: true }).inputValue()).toBe('3')
      await until(async () => (await share()) > before + 10)
      await page.getByRole('checkbox', { name: 'If demo-chat is down' }).focus()
      await page.keyboard.press('Space')
      await page.getByText(/^With demo-chat down, all requests are answered; a request loses at most/).waitFor()
      await row('demo-embed')
        .getByText(/^100% of requests · \d+ of them after another failed$/)
        .waitFor()
      await row('demo-chat')
        .getByText(/^0% of requests · \d+ failed calls?$/)
        .waitFor()
      await visitor.requireAccessible('the forecast of a composite')
      await page.getByRole('checkbox', { name: 'If demo-embed is down' }).check()
      await page.getByText('With demo-chat and demo-embed down, no request is answered.').waitFor()

      await page.getByRole('button', { name: 'Order of demo-chat: 1 of 2' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.getByRole('listitem', { name: '2 of 2: demo-chat' }).waitFor()
      expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe(
        'Order of demo-chat: 2 of 2',
      )
      expect(await page.locator('svg path[stroke-width]').first().getAttribute('d')).toMatch(/^M0 [1-9]\d+/)
      expectNoComplaints(visitor)
    }, 60_000)

    test('a model published to a group answers its member and nobody else', async () => {
      const research = (await app.call<{ data: { id: string; name: string }[] }>('GET', '/groups')).body.data.find(
        ({ name }) => name === 'Research',
      )
      const memberId = await made('/users', { email: 'member@example.org' })
      await app.call('PUT', `/users/${memberId}/groups/${research?.id}`)
      const memberKey = (
        await app.call<{ secret: string }>('POST', `/users/${memberId}/keys`, { body: { name: 'test' } })
      ).body.secret
      await using visitor = await signedIn('/models/new')
      const { page } = visitor
      await page.getByLabel('Name', { exact: true }).fill('lab-chat')
      await page.getByLabel('Provider', { exact: true }).selectOption('practice')
      await page.getByText(/suggestions from the provider/).waitFor()
      await page.getByLabel('The provider’s name of the model').fill('demo-chat')
      await page.getByRole('checkbox', { name: 'everyone' }).uncheck()
      await page.getByText('nobody can use the model').waitFor()
      await page.getByRole('checkbox', { name: 'Research' }).check()
      await visitor.requireAccessible('a new model')
      await page.getByRole('button', { name: 'Create the model' }).click()
      await heading(page, 'lab-chat').waitFor()
      expect((await modelNamed('lab-chat'))?.groups).toEqual([research?.id ?? ''])
      expect((await chat('lab-chat', memberKey)).status).toBe(200)
      expect((await chat('lab-chat', app.userKey)).status).toBe(403)
      expectNoComplaints(visitor)
    }, 60_000)

    test('everything that is typed is kept: aliases, rules, time-outs, reasoning; and comes back in the form', async () => {
      const provider = await made('/providers', { name: 'second', kind: 'demo' })
      const id = await made('/models', { name: 'detailed', provider_id: provider, upstream_name: 'demo-chat' })
      await using visitor = await signedIn(`/models/${id}`)
      const { page } = visitor
      await page.getByLabel('Aliases').fill('one')
      await page.keyboard.press('Enter')
      await page.keyboard.type('two,')
      await page.getByLabel('Batch requests', { exact: true }).selectOption('Redirect to another model')
      await choose(page, 'Redirect batch requests to', 'demo-chat')
      await page.getByLabel('Total (s)').fill('90')
      await page.getByLabel('Reasoning efforts').selectOption('Custom…')
      await page.getByRole('checkbox', { name: 'low', exact: true }).check()
      await page.getByRole('checkbox', { name: 'high', exact: true }).check()
      await page.getByLabel('high', { exact: true }).last().fill('8000')
      await page.getByLabel('Field 1', { exact: true }).fill('/thinking/budget')
      await visitor.requireAccessible('a model')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved detailed').waitFor()
      const saved = await modelNamed('detailed')
      const target = await modelNamed('demo-chat')
      expect(saved).toMatchObject({
        aliases: ['one', 'two'],
        rules: { batch: { action: 'redirect', model: target?.id } },
        timeouts: { total_seconds: 90 },
        reasoning: {
          efforts: ['low', 'high'],
          writes: [{ pointer: '/thinking/budget', values: { low: 'low', high: 8000 } }],
        },
      })
      await visitor.open(`/models/${id}`)
      await page.getByRole('button', { name: 'Remove the alias two' }).click()
      expect(await page.getByLabel('Total (s)').inputValue()).toBe('90')
      await page.getByLabel('Name', { exact: true }).fill('demo-embed')
      await page.getByRole('button', { name: 'Save' }).click()
      const alert = page.getByRole('alert')
      await alert.getByText(/demo-embed/).waitFor()
      expect(await alert.getByRole('button', { name: 'Copy request id' }).count()).toBe(1)
      expect((await modelNamed('detailed'))?.aliases).toEqual(['one', 'two'])
      expectNoComplaints(visitor)
    }, 60_000)

    test('deleting names aliases and composites; one that is used is refused, a copy is deleted', async () => {
      await using visitor = await signedIn('/models?reach=all')
      const { page } = visitor
      await page.getByRole('table', { name: 'All models' }).waitFor()
      await visitor.requireAccessible('all models')
      await page.getByRole('button', { name: 'Actions for demo-chat' }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete demo-chat?' })
      await dialog.getByText('assistant (alias)').waitFor()
      await dialog.getByText(/the composite always-on/).waitFor()
      await dialog.getByRole('button', { name: 'Delete the model' }).click()
      await dialog
        .getByRole('alert')
        .getByText(/is a component of/)
        .waitFor()
      await visitor.requireAccessible('a refused deletion')
      await dialog.getByRole('button', { name: 'Cancel' }).click()

      await page.getByRole('button', { name: 'Actions for demo-embed' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate' }).click()
      await heading(page, 'Copy of demo-embed').waitFor()
      await page.getByRole('button', { name: 'Create the model' }).click()
      await heading(page, 'demo-embed-copy').waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete the model' }).click()
      await page.getByText('Deleted demo-embed-copy').waitFor()
      expect(await modelNamed('demo-embed-copy')).toBeUndefined()
      expectNoComplaints(visitor)
    }, 60_000)

    test('a model that the configuration file declares is shown with its health, and cannot be changed', async () => {
      const stored = await app.store.models.get((await modelNamed('demo-chat'))?.id ?? '')
      if (stored === null) throw new Error('demo-chat is gone')
      const id = crypto.randomUUID()
      await app.store.models.insert({ ...stored, id, name: 'declared-chat', aliases: [], declared: true })
      await using visitor = await signedIn(`/models/${id}`)
      const { page } = visitor
      await page.getByText(/The configuration file declares this model/).waitFor()
      await page.getByRole('region', { name: 'Health' }).getByText('no requests yet').waitFor()
      expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: /^(Save|Delete)$/ }).count()).toBe(0)
      await visitor.requireAccessible('a declared model')
      const { status, code } = await app.call('PATCH', `/models/${id}`, { body: { description: 'x' } })
      expect([status, code]).toEqual([403, 'declared_read_only'])
      expectNoComplaints(visitor)
    }, 60_000)

    test('an ordinary user finds neither the administration nor the editor', async () => {
      await using visitor = await signedIn('/models?reach=all', 'user', 360)
      const { page } = visitor
      await page.getByRole('heading', { name: 'demo-chat' }).waitFor()
      expect(await page.getByRole('button', { name: 'Create model' }).count()).toBe(0)
      expect(await page.getByRole('tab', { name: 'Administration' }).count()).toBe(0)
      for (const path of ['/models/new', `/models/${(await modelNamed('demo-chat'))?.id}`]) {
        await visitor.open(path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect([path, await page.getByRole('button', { name: /^(Create the model|Save)$/ }).count()]).toEqual([path, 0])
      }
      const { status } = await app.call('GET', '/models', { key: app.userKey })
      expect(status).toBe(403)
      expectNoComplaints(visitor)
    }, 60_000)
  },
)
