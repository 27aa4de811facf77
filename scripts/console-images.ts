/**
 * Takes the pictures of docs/console.md: `bun scripts/console-images.ts [directory]`. The real app with
 * made-up data in Chromium; the providers are one scripted upstream, which answers at a provider's pace.
 * With ImageMagick (`convert`) the files are reduced to 256 colours.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { startConsoleApp, visit, type Visitor } from '#test/support/app/console-app.ts'
import { fillConsole } from '#test/support/app/console-sample.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'
import { stream, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type ReceivedRequest, type Upstream } from '#test/support/upstream/upstream.ts'

const directory = resolve(process.argv[2] ?? join(import.meta.dir, '../docs/images'))

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }
const tokenMs = 12
const firstTokenMs = 320

const question = 'How do I add a currency column to a busy PostgreSQL table without locking it?'

const answers: Readonly<Record<string, string>> = {
  'gpt-5-mini': `Add the column **without a default first**, then fill it in batches:

\`\`\`sql
ALTER TABLE invoice ADD COLUMN currency text;

UPDATE invoice SET currency = 'EUR'
 WHERE id BETWEEN 1 AND 10000 AND currency IS NULL;
\`\`\`

1. The first statement returns at once.
2. Each batch holds its row locks for a moment.
3. Then add a \`CHECK … NOT VALID\` and validate it.`,
  'qwen3-32b': `From PostgreSQL 11 on, a constant default is cheap:

\`\`\`sql
ALTER TABLE invoice
  ADD COLUMN currency text NOT NULL DEFAULT 'EUR';
\`\`\`

The value is kept in the catalogue, so **no row is rewritten**. Set a \`lock_timeout\` first: the statement still waits for running transactions, and others queue behind it.`,
}

/** Answers word by word, each behind a gate; vectors wait until they are released. */
function script(request: ReceivedRequest): Behaviour {
  if (request.path.endsWith('/embeddings')) return embedsWhenReleased(request)
  const model = String(request.json()['model'])
  const pieces = answers[model]?.split(/(?<= )/) ?? ['Good.']
  const usage = { prompt_tokens: 24, completion_tokens: pieces.length, total_tokens: 24 + pieces.length }
  const chunks = chatChunks({ model, pieces, usage: 'last' }).map((chunk) =>
    'usage' in chunk ? { ...chunk, usage } : chunk,
  )
  return stream([...chunks, doneEvent], 'every')
}

/** Lets the answers to these requests come, at a provider's pace, up to this many events each. */
async function play(requests: readonly ReceivedRequest[], events: number): Promise<void> {
  await Bun.sleep(firstTokenMs)
  for (let event = 0; event < events; event += 1) {
    for (const request of requests) request.release()
    await Bun.sleep(tokenMs)
  }
}

async function untilAsked(upstream: Upstream, count: number): Promise<readonly ReceivedRequest[]> {
  while (upstream.requests.length < count) await Bun.sleep(5)
  return upstream.requests.slice(-count)
}

async function main(): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await using upstream = closing(await startUpstream())
  await using app = await startConsoleApp(['limits.realtime_inflight.enforce=true', 'documents.reader_processes=1'])
  await fillConsole(app, upstream.it.url)
  await using browser = await startBrowser()
  upstream.it.script(script)
  await takePlayground(browser, app, upstream.it)
  await takePages(browser, app)
  console.log(`The pictures are in ${directory}.`)
}

function closing(it: Upstream): AsyncDisposable & { readonly it: Upstream } {
  return { it, [Symbol.asyncDispose]: () => it.close() }
}

async function takePlayground(browser: Browser, app: AdminApp, upstream: Upstream): Promise<void> {
  await using visitor = await visit(browser, app, { viewport: wide })
  const { page } = visitor
  await visitor.open('/playground?model=gpt-5-mini')
  await visitor.signIn('admin')
  const message = page.getByLabel('Your message')
  await page.getByLabel('System prompt').fill('Answer briefly. Name the version that something needs.')
  await message.fill(question)
  await message.press('Enter')
  const streamed = await untilAsked(upstream, 1)
  await play(streamed, 60)
  await page.getByText('Each batch').waitFor()
  await take(page, 'playground')
  for (const request of streamed) request.release(1000)
  await page.getByText('tokens out').waitFor()

  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'Compare with another model' }).click()
  await page.getByRole('combobox', { name: 'Second model', exact: true }).click()
  await page.getByRole('option', { name: 'qwen3-32b' }).click()
  await message.fill(question)
  await message.press('Enter')
  await play((await untilAsked(upstream, 3)).slice(-2), 110)
  await page.getByText('tokens out').nth(1).waitFor()
  await take(page, 'compare')
}

/** Documents in every state: one waits for its vectors, one cannot be read. */
async function importSlowly(app: AdminApp): Promise<void> {
  const { data } = (await app.call<{ data: { id: string; name: string }[] }>('GET', '/providers')).body
  const provider_id = data.find(({ name }) => name === 'openai')?.id
  const capabilities = { endpoints: ['embeddings'], input: ['text'] }
  await app.call('POST', '/models', { body: { name: 'text-embedding-3-small', provider_id, capabilities } })
  const clauses = Array.from({ length: 400 }, (_, index) => `# Clause ${index}\n\nBoth sides agree on point ${index}.`)
  const send = (name: string, text: string, more: object = {}): Promise<unknown> =>
    app.call('POST', '//api/v1/documents', {
      headers: { 'content-type': 'application/json' },
      body: { files: [{ name, bytes: text, encoding: 'utf-8', category: 'contracts', owners: 'everyone' }], ...more },
    })
  await send('scan-of-1998.pdf', '%PDF-1.7 and nothing that a PDF needs', { wait_for_completion: true })
  await send('framework-agreement.md', clauses.join('\n\n'), { embedder: 'text-embedding-3-small', chunk_units: 24 })
}

async function takePages(browser: Browser, app: AdminApp): Promise<void> {
  const running = new AbortController()
  const models = ['gpt-5-mini', 'gpt-5-mini', 'gpt-5-mini', 'claude-sonnet-4-5', 'qwen3-32b', 'qwen3-32b']
  const held = models.map((model) => ask(app, model, running.signal))
  {
    await using visitor = await visit(browser, app, { viewport: wide })
    const { page } = visitor
    await visitor.open('/')
    await visitor.signIn('admin')
    await page.getByRole('table', { name: 'Requests in flight' }).waitFor()
    await take(page, 'overview')
    await visitor.open('/models')
    await page.getByRole('heading', { name: 'qwen3-32b' }).waitFor()
    await take(page, 'models')
    await visitor.open('/models/about/gpt-5-mini')
    await page.getByRole('list', { name: 'Uptime by hour' }).waitFor()
    await take(page, 'model')
    await takeComposite(visitor, app)
    await visitor.open('/users?q=grace')
    await page.getByRole('link', { name: 'grace@example.org' }).click()
    await page.getByRole('img', { name: /^Cost/ }).waitFor()
    await take(page, 'user')
    await visitor.open('/cost')
    await page.getByText('Group research').waitFor()
    await take(page, 'cost')
    await visitor.open('/requests')
    await page.locator('tr[data-index="8"]').waitFor()
    await take(page, 'requests')
    await importSlowly(app)
    await visitor.open('/documents')
    await page.getByRole('progressbar').waitFor()
    await take(page, 'documents')
    await visitor.open('/keys')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    await page.getByLabel('Name').fill('build server')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByTestId('secret').waitFor()
    await take(page, 'key-secret')
  }
  for (const [name, viewport, path] of [
    ['overview-dark', wide, '/'],
    ['narrow', narrow, '/models'],
    ['narrow-dark', narrow, '/'],
  ] as const) {
    const colorScheme = name.endsWith('dark') ? 'dark' : 'light'
    await using visitor = await visit(browser, app, { viewport, colorScheme })
    await visitor.open(path === '/' ? '/?span=day' : path)
    await visitor.signIn('admin')
    await visitor.page.locator('h1', { hasText: path === '/' ? 'Overview' : 'Models' }).waitFor()
    await visitor.page.waitForLoadState('networkidle')
    await take(visitor.page, name)
  }
  running.abort()
  await Promise.allSettled(held)
}

/** A composite with a component down. */
async function takeComposite(visitor: Visitor, app: AdminApp): Promise<void> {
  const { data } = (await app.call<{ data: { id: string; name: string }[] }>('GET', '/models')).body
  const { page } = visitor
  await visitor.open(`/models/${data.find(({ name }) => name === 'always-on')?.id}`)
  await page.getByLabel('Strategy').selectOption({ index: 0 })
  await page.getByRole('slider', { name: /^Weight of qwen3-32b/ }).fill('3')
  await page
    .getByText(/% of requests$/)
    .first()
    .waitFor()
  await page.waitForLoadState('networkidle')
  await page
    .getByRole('region', { name: 'Components' })
    .evaluate((part) => (part as unknown as { scrollIntoView(): void }).scrollIntoView())
  await page.evaluate('scrollBy(0, -80)')
  await take(page, 'composite')
}

/** A request that is not answered until it is given up. */
async function ask({ url, adminKey }: AdminApp, model: string, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  await fetch(`${url}/ai/v1/chat/completions`, { method: 'POST', headers, body, signal })
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(directory, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  if (Bun.which('convert') === null) return
  const reducing = Bun.spawn(['convert', path, '-strip', '+dither', '-colors', '256', `PNG8:${path}`])
  if ((await reducing.exited) !== 0) throw new Error(`${path} cannot be reduced`)
}

await main()
