/** The catalogue of models: what its filters leave, and a journey from the list to a first request. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { journeysSkipped, startConsoleApp, visitAs } from '#test/support/app/console-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import type { UsableModel } from '../../ui/src/api/schema.d.ts'
import { kindOf, vendorOf } from '../../ui/src/routes/models/catalogue-facts.ts'
import { findModels, type CatalogueModel } from '../../ui/src/routes/models/find-models.ts'
import type { ModelsSearch } from '../../ui/src/routes/search.ts'

const plain: UsableModel = {
  id: 'id',
  name: 'plain',
  aliases: [],
  description: '',
  provider: 'hosted',
  provider_kind: 'openai',
  context_length: null,
  capabilities: {},
  rates: null,
  in_flight_limit: null,
  groups: [],
}

function each(fields: Partial<UsableModel>, done: Partial<CatalogueModel['performance']> = {}): CatalogueModel {
  const model = { ...plain, ...fields }
  const idle = {
    model: model.name,
    requests: null,
    uptime: null,
    first_token_ms: null,
    first_token_p50_ms: null,
    first_token_p95_ms: null,
    duration_p50_ms: null,
    duration_p95_ms: null,
    tokens_per_second: null,
  }
  return { model, performance: done === null ? null : { ...idle, ...done } }
}

const models = [
  each(
    {
      name: 'claude-sonnet',
      context_length: 200_000,
      capabilities: { endpoints: ['messages'], tools: true, input: ['text', 'image'] },
      rates: { input: 3_000_000_000, output: 15_000_000_000 },
    },
    { first_token_ms: 700, tokens_per_second: 60, requests: 5 },
  ),
  each(
    {
      name: 'bge-m3',
      provider: 'local',
      context_length: 8192,
      capabilities: { endpoints: ['embeddings'] },
      rates: {},
    },
    { requests: 900 },
  ),
  each({ name: 'mystery', aliases: ['sonnet-like'] }),
]

const found = (search: ModelsSearch) => findModels(models, search).map(({ model }) => model.name)

describe('filters of the catalogue', () => {
  const cases: readonly (readonly [string, ModelsSearch, readonly string[]])[] = [
    ['nothing leaves all', {}, ['claude-sonnet', 'bge-m3', 'mystery']],
    ['a text is found in names and aliases', { q: 'SONNET' }, ['claude-sonnet', 'mystery']],
    ['a text is found in the vendor', { q: 'anthropic' }, ['claude-sonnet']],
    ['kind', { kind: 'chat' }, ['claude-sonnet']],
    ['provider', { provider: 'local' }, ['bge-m3']],
    ['context, of which what is unknown has none', { context: 8000 }, ['claude-sonnet', 'bge-m3']],
    ['free of charge', { price: 0 }, ['bge-m3']],
    ['price, without those whose price is unknown', { price: 5 }, ['claude-sonnet', 'bge-m3']],
    ['capability', { can: 'image' }, ['claude-sonnet']],
    ['all at once', { kind: 'chat', can: 'tools', price: 0.5 }, []],
    ['the cheapest first, unknown last', { order: 'price' }, ['bge-m3', 'claude-sonnet', 'mystery']],
    ['the most used first', { order: 'use' }, ['bge-m3', 'claude-sonnet', 'mystery']],
    ['the quickest first', { order: 'latency' }, ['claude-sonnet', 'bge-m3', 'mystery']],
  ]
  test.each(cases)('%s', (_, search, names) => {
    expect(found(search)).toEqual([...names])
  })

  test('a kind is told by endpoints, a vendor by the name, and what tells nothing by its provider', () => {
    const kinds = ['chat/completions', 'embeddings', 'rerank', 'audio/speech', 'moderations'].map((endpoint) =>
      kindOf({ capabilities: { endpoints: [endpoint] } }),
    )
    expect(kinds).toEqual(['chat', 'embedding', 'rerank', 'speech', 'moderation'])
    expect([kindOf({ capabilities: {} }), kindOf({ capabilities: { endpoints: ['other'] } })]).toEqual([null, null])
    const names = ['gpt-5', 'meta/llama-4', 'qwen3:32b', 'text-embedding-3-small', 'in-house']
    expect(names.map((name) => vendorOf({ name, provider: 'own racks' }).name)).toEqual([
      'OpenAI',
      'Meta',
      'Alibaba',
      'OpenAI',
      'own racks',
    ])
    expect(vendorOf({ name: 'in-house', provider: '-' }).letters).toBe('?')
  })
})

let browser: Browser
let app: AdminApp
if (journeysSkipped === null) {
  beforeAll(async () => {
    app = await startConsoleApp(['limits.realtime_inflight.enforce=true'])
    const provider = (await app.call<{ data: { id: string }[] }>('GET', '/providers')).body.data[0]
    const body = { name: 'team/slashed', provider_id: provider?.id, upstream_name: 'demo-chat' }
    await app.call('POST', '/models', { body })
    const stream = { streamed: true, firstTokenMs: 240, durationMs: 1240, completionTokens: 80 }
    await app.store.usage.insertMany([
      aUsage({ at: Date.now() - 1000, modelServed: 'demo-chat', ...stream }),
      aUsage({ at: Date.now() - 1000, modelServed: 'demo-chat', status: 503 }),
    ])
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
}

describe.skipIf(journeysSkipped !== null)(
  `the catalogue in the console${journeysSkipped === null ? '' : ` (${journeysSkipped})`}`,
  () => {
    test('filters stay in the address, and a model has a page with speed, samples, price, limits and groups', async () => {
      await using visitor = await visitAs(browser, app, { who: 'user', path: '/models' })
      const { page } = visitor
      const card = page.getByRole('listitem').filter({ hasText: 'demo-chat' }).first()
      for (const text of ['244 ms', '80 tokens/s', '50%', 'free']) await card.getByText(text, { exact: true }).waitFor()
      await page.getByLabel('Kind').selectOption('Embeddings')
      await page.getByRole('heading', { name: 'demo-chat' }).waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('heading', { name: 'demo-embed' }).waitFor()
      expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1)
      await visitor.requireAccessible('a filtered catalogue')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('link', { name: 'demo-chat' }).click()

      await page.getByRole('heading', { level: 1, name: 'demo-chat' }).waitFor()
      await page.getByText('50%').first().waitFor()
      expect(await page.getByRole('list', { name: 'Uptime by hour' }).getByRole('listitem').count()).toBe(24)
      for (const sdk of ['curl', 'Python', 'TypeScript', 'Anthropic', 'AI SDK', 'LangChain'])
        await page.getByRole('tab', { name: sdk, exact: true }).click()
      await page.getByRole('region', { name: 'LangChain code' }).getByText('"demo-chat"').waitFor()
      await page.getByRole('region', { name: 'About' }).getByText('14').waitFor()
      await page.getByRole('region', { name: 'Who may use it' }).getByText('everyone').waitFor()
      // How much others use it is not shown.
      expect(await page.getByText('of all users').count()).toBe(0)
      await visitor.requireAccessible('the page of a model')
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)

    test('the address of a model takes an alias and a name with a slash, and says what is unknown', async () => {
      await using visitor = await visitAs(browser, app, { who: 'admin', path: '/models/about/gpt-small' })
      const { page } = visitor
      await page.getByRole('heading', { level: 1, name: 'demo-chat' }).waitFor()
      await page.getByText('in 24 hours, of all users').waitFor()
      await visitor.open('/models?view=table')
      await page.getByRole('link', { name: 'team/slashed' }).click()
      await page.getByRole('heading', { level: 1, name: 'team/slashed' }).waitFor()
      await page.reload()
      await page.getByText('Nobody has used it in the last 24 hours.').waitFor()
      await visitor.open('/models/about/nothing')
      await page.getByText('You cannot use a model of this name').waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Models' }).click()
      await page.getByRole('tab', { name: 'Administration' }).click()
      await page.getByRole('table', { name: 'All models' }).waitFor()
      expect(visitor.complaints).toEqual({ errors: [], foreign: [] })
    }, 60_000)
  },
)
