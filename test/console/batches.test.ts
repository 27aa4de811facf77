/** A journey through batches in a real browser: begun from files, followed, saved, cancelled, and their files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visit } from '#test/support/app/console-app.ts'
import { hang, json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let browser: Browser
let app: AdminApp
let upstream: Upstream
const folder = mkdtempSync(join(tmpdir(), 'sluice-batches-'))
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp()
    upstream = await startUpstream()
    const body = { name: 'slow-provider', kind: 'openai', base_url: upstream.url }
    const { id } = (await app.call<{ id: string }>('POST', '/providers', { body })).body
    const model = (await app.call<{ id: string }>('POST', '/models', { body: { name: 'slow', provider_id: id } })).body
    const rates = { input: 2_000_000_000, output: 10_000_000_000 }
    expect((await app.call('POST', `/models/${model.id}/prices`, { body: { rates } })).status).toBe(201)
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await upstream.close()
    rmSync(folder, { recursive: true })
  })
}

function fileOf(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, lines.join('\n'))
  return path
}

function request(at: number, body: object): string {
  return JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url: '/v1/chat/completions', body })
}

describe.skipIf(journeysSkipped !== null)(
  `batches in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('one is begun, followed to its end and saved; another is cancelled; a broken file says which line', async () => {
      await using visitor = await visit(browser, app, { viewport: { width: 1280, height: 800 } })
      const { page } = visitor
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const details = page.getByRole('dialog')
      const begin = async (path: string, fill: () => Promise<unknown>): Promise<void> => {
        await button('New batch').click()
        await page.getByLabel('File', { exact: true }).setInputFiles(path)
        await fill()
        await button('Begin').click()
      }
      const asked = (content: string) => ({ model: 'slow', messages: [{ role: 'user', content }] })

      await visitor.open('/batches')
      await visitor.signIn('admin')
      await page.getByText('No batches yet').waitFor()
      await visitor.requireAccessible('no batches')

      await begin(fileOf('prompts.txt', ['Why?', '', 'How?']), async () => {
        await page.getByLabel('The file has').selectOption('prompts')
        await page.getByLabel('Model').selectOption('slow')
        await visitor.requireAccessible('a new batch')
      })
      await details.getByText('2 of 2 (100%)').waitFor()
      await details.getByText('completed', { exact: true }).waitFor()
      await details.getByText(/^\$0\.0/).waitFor()
      await visitor.requireAccessible('a batch')
      const saving = page.waitForEvent('download')
      await details.getByRole('link', { name: 'Output' }).click()
      const saved = await saving
      expect(saved.suggestedFilename()).toBe('prompts.output.jsonl')
      const lines = (await Bun.file(await saved.path()).text()).trim().split('\n')
      expect(lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).toEqual(['line-1', 'line-3'])
      await button('Close').click()

      const broken = [request(1, asked('x')), '{"custom_id"', request(3, { ...asked('x'), model: 'nobody' })]
      await begin(fileOf('broken.jsonl', broken), () => Promise.resolve())
      await details.getByText('Line 2:').waitFor()
      await details.getByText('Line 3:').waitFor()
      await button('Close').click()

      upstream.scriptNext(json(errorObject('too long'), 400), [hang])
      const refused = [request(1, asked('first'))]
      await begin(fileOf('refused.jsonl', refused), () => Promise.resolve())
      await details.getByText('Failures by reason').waitFor()
      await details.getByText(/ 1 line$/).waitFor()
      await details.getByRole('link', { name: 'Errors' }).waitFor()
      await button('Close').click()

      await begin(fileOf('endless.jsonl', [request(1, asked('hang'))]), () => Promise.resolve())
      await details.getByText('0 of 1 (0%)').waitFor()
      await button('Cancel batch').click()
      await visitor.requireAccessible('cancelling a batch')
      await button('Cancel batch').click()
      await page.getByText('The batch is cancelled').waitFor()
      await details.getByText('batch_cancelled').waitFor()
      await button('Close').click()
      await page.getByRole('table', { name: 'Batches' }).waitFor()
      await visitor.requireAccessible('batches')

      await page.getByRole('tab', { name: 'Files' }).click()
      await page.getByRole('table', { name: 'Files' }).getByText('broken.jsonl').waitFor()
      await visitor.requireAccessible('files')
      await button('Actions for broken.jsonl').click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await button('Delete file').click()
      await page.getByText('Deleted the file').waitFor()
      await page.getByRole('table', { name: 'Files' }).getByText('broken.jsonl').waitFor({ state: 'detached' })
    }, 60_000)
  },
)
