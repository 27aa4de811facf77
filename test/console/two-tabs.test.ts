/** Two windows change one record: the second save undoes nothing in silence, and its person chooses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { until } from '#test/support/until.ts'
import { journeysSkipped, startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'
import { titleOfSetting } from '../../ui/src/routes/settings/setting-titles.ts'

let browser: Browser
let app: AdminApp
let visitor: Visitor
let other: Page
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    browser = await startBrowser()
    // Ten dialogs open and close: without their movement that takes half the time.
    visitor = await visit(browser, app, { reducedMotion: 'reduce' })
    await visitor.open('/')
    await visitor.signIn('admin')
    await visitor.page.locator('#main').waitFor()
    other = await visitor.page.context().newPage()
  }, 60_000)
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** A form of the console for a record that was made for it. */
interface Form {
  /** Opens the form and returns the field that the test changes. */
  readonly open: (page: Page) => Promise<Locator>
  /** The name of that field in the question. */
  readonly label: string
  /** The value that is stored. */
  readonly stored: () => Promise<string>
  /** Changes it without the console. */
  readonly change: (value: string) => Promise<unknown>
  /** What is entered, all different. */
  readonly values: readonly [theirs: string, mine: string, third: string]
}

async function made(path: string, body: object): Promise<string> {
  return `${path}/${(await app.call<{ id: string }>('POST', path, { body })).body.id}`
}

const values = ['what they wrote', 'what I wrote', 'a third value'] as const
const name = (): string => `n-${crypto.randomUUID().slice(0, 8)}`

/** The field of a record as the API has it. */
function field(path: string, of: string): Pick<Form, 'stored' | 'change'> {
  return {
    stored: async () => String((await app.call<Record<string, unknown>>('GET', path)).body[of]),
    change: (value) => app.call('PATCH', path, { body: { [of]: value } }),
  }
}

/** A form that the menu of a row opens. */
function byMenu(path: string, row: string, label: string): Form['open'] {
  return async (page) => {
    if (!page.url().endsWith(path)) await page.goto(app.url + path)
    await button(page, `Actions for ${row}`).click()
    await page.getByRole('menuitem', { name: 'Edit…', exact: true }).click()
    return page.getByRole('dialog').getByLabel(label, { exact: true })
  }
}

async function modelForm(body: object): Promise<Form> {
  const path = await made('/models', { name: name(), ...body })
  return {
    async open(page) {
      if (!page.url().endsWith(path)) await page.goto(app.url + path)
      return page.getByLabel('Description', { exact: true })
    },
    label: 'Description',
    ...field(path, 'description'),
    values,
  }
}

const forms: Readonly<Record<string, () => Promise<Form>>> = {
  async user() {
    const email = `${name()}@example.org`
    const path = await made('/users', { email })
    return { open: byMenu('/users', email, 'Name (optional)'), label: 'Name', ...field(path, 'name'), values }
  },
  async provider() {
    const provider = name()
    const path = await made('/providers', { name: provider, base_url: 'http://127.0.0.1:9/v1' })
    return {
      open: byMenu('/providers', provider, 'Base URL'),
      label: 'Base URL',
      ...field(path, 'base_url'),
      values: ['http://127.0.0.1:9/theirs', 'http://127.0.0.1:9/mine', 'http://127.0.0.1:9/third'],
    }
  },
  composite: () => modelForm({ composite: { components: [{ model: 'demo-chat' }, { model: 'demo-embed' }] } }),
  async setting() {
    const setting = 'failover.max_attempts'
    return {
      async open(page) {
        if (!page.url().endsWith('/settings')) await page.goto(`${app.url}/settings`)
        await button(page, `Edit ${titleOfSetting(setting)}`).click()
        return page.getByLabel('Value in attempts')
      },
      label: 'Value',
      async stored() {
        const { body } = await app.call<{ data: { name: string; value: unknown }[] }>('GET', '/settings')
        return String(body.data.find((each) => each.name === setting)?.value)
      },
      change: (value) => app.call('PUT', `/settings/${setting}`, { body: { value: Number(value) } }),
      values: ['4', '5', '6'],
    }
  },
}

const save = (page: Page): Promise<void> => button(page, 'Save').click()
const question = (page: Page) => page.getByRole('dialog', { name: 'Another change was saved first' })

/** Both windows open the form; the other one saves first, then this one. */
async function collide({ open, values: [theirs, mine], stored }: Form): Promise<Page> {
  const { page } = visitor
  const own = await open(page)
  await own.waitFor()
  const others = await open(other)
  await others.fill(theirs)
  await save(other)
  await other.getByText(/^Saved/).waitFor()
  expect(await stored()).toBe(theirs)
  await own.fill(mine)
  await save(page)
  await question(page).waitFor()
  expect(await stored()).toBe(theirs)
  return page
}

describe.skipIf(journeysSkipped !== null)(
  `two windows${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test.each(Object.entries(forms))(
      'that save one %s ask whose change stays, field by field, and keep to the answer',
      async (_kind, make) => {
        const form = await make()
        const [theirs, mine, third] = form.values
        const page = await collide(form)
        const row = question(page).getByRole('row', { name: new RegExp(`^${form.label} `) })
        expect((await row.getByRole('cell').allTextContents()).slice(1)).toEqual([theirs, mine])
        await button(page, 'Take theirs').click()
        await question(page).waitFor({ state: 'detached' })
        expect(await form.stored()).toBe(theirs)
        await page.getByRole('dialog').waitFor({ state: 'detached' })

        const again = await form.open(page)
        await until(async () => (await again.inputValue()) === theirs)
        await form.change(third)
        await again.fill(mine)
        await save(page)
        await button(page, 'Keep mine').click()
        await page.getByText(/^Saved/).waitFor()
        expect(await form.stored()).toBe(mine)
      },
      60_000,
    )

    test('keep what each has changed when that is not the same field', async () => {
      const path = await made('/models', { name: name(), composite: { components: [{ model: 'demo-chat' }] } })
      const { page } = visitor
      await page.goto(app.url + path)
      const description = page.getByLabel('Description', { exact: true })
      await description.fill('mine')
      await app.call('PATCH', path, { body: { active: false, context_length: 99 } })
      await save(page)
      await question(page).getByRole('row', { name: 'Active Yes No not changed' }).waitFor()
      await button(page, 'Keep mine').click()
      await page.getByText(/^Saved/).waitFor()
      const { body } = await app.call<object>('GET', path)
      expect(body).toMatchObject({ description: 'mine', active: false, context_length: 99 })
    }, 60_000)

    test('close the question and the form still has what was entered; a third change asks again', async () => {
      const form = await forms['user']!()
      const page = await collide(form)
      await visitor.requireAccessible('the question')
      await page.keyboard.press('Escape')
      await page.getByText('Not saved: another person has changed this since you opened it.').waitFor()
      expect(await page.getByRole('dialog').getByLabel('Name (optional)', { exact: true }).inputValue()).toBe(
        'what I wrote',
      )
      await save(page)
      await question(page).waitFor()
      await form.change('a third value')
      await button(page, 'Keep mine').click()
      await question(page).getByText('a third').waitFor()
      await button(page, 'Keep mine').click()
      await page.getByText(/^Saved/).waitFor()
      expect(await form.stored()).toBe('what I wrote')
    }, 60_000)

    test('do not delete what has changed without a question', async () => {
      const group = name()
      const path = await made('/groups', { name: group })
      const { page } = visitor
      await page.goto(`${app.url}/groups`)
      await button(page, `Actions for ${group}`).click()
      await page.getByRole('menuitem', { name: /^Delete/ }).click()
      await app.call('PATCH', path, { body: { description: 'still needed' } })
      await button(page, 'Delete group').click()
      const asked = page.getByRole('dialog', { name: 'It has changed since you opened it' })
      await asked.getByText('still needed').waitFor()
      await button(page, 'Keep it').click()
      await asked.waitFor({ state: 'detached' })
      expect((await app.call('GET', path)).status).toBe(200)
    }, 60_000)
  },
)
