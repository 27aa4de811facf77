/**
 * A hard budget on every endpoint that costs money: the most that a provider can bill for a request has to fit, or the
 * request is refused before anything is sent. The provider here bills as much as one can: a token for each byte.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'

const contextLength = 60
const [inputRate, outputRate, imageRate, requestRate] = [1, 3, 1000, 7]

let app: AdminApp
let upstream: Upstream
let providerId = ''
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
  const provider = await app.call<{ id: string }>('POST', '/providers', {
    body: { name: 'upstream', base_url: upstream.url },
  })
  providerId = provider.body.id
  await addModel('bounded', contextLength, { output: outputRate * 1_000_000 })
  await addModel('unbounded', null, { output: outputRate * 1_000_000 })
  await addModel('reader', contextLength, {})
  await addModel('painter', contextLength, { output: outputRate * 1_000_000, image: imageRate })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

async function addModel(name: string, length: number | null, more: Readonly<Record<string, number>>): Promise<void> {
  const body = { name, provider_id: providerId, ...(length !== null && { context_length: length }) }
  const model = await app.call<{ id: string }>('POST', '/models', { body })
  const rates = { input: inputRate * 1_000_000, request: requestRate, ...more }
  expect((await app.call('POST', `/models/${model.body.id}/prices`, { body: { rates } })).status).toBe(201)
}

/** What the provider bills. */
interface Bill {
  readonly input: number
  readonly output: number
  readonly images?: number
}

interface Row {
  readonly path: string
  readonly body: Record<string, unknown> | (() => FormData)
  readonly worst: Bill
  /** The answer without its usage. */
  readonly answer?: object
  /** Has no bound without a context length. */
  readonly needsLength?: boolean
}

const texts = ['x'.repeat(50), 'y'.repeat(40), 'z'.repeat(60)]
const messages = [{ role: 'user', content: 'Hello' }]
const embedded = { object: 'list', data: texts.map((_, index) => ({ index, embedding: [1] })) }
const pictures = { created: 1, data: [{ b64_json: 'aGk=' }] }

function imageForm(fields: Readonly<Record<string, string>>): () => FormData {
  return () => {
    const form = new FormData()
    form.append('image', new File(['a picture'], 'whale.png', { type: 'image/png' }))
    for (const [name, value] of Object.entries({ ...fields, model: 'painter', prompt: 'with a hat' }))
      form.append(name, value)
    return form
  }
}

const rows: Readonly<Record<string, Row>> = {
  'several answers, counted in a text': {
    path: 'chat/completions',
    body: { messages, n: '3', max_tokens: '20' },
    worst: { input: contextLength, output: 60 },
  },
  'the larger of two limits': {
    path: 'chat/completions',
    body: { messages, max_tokens: 5, max_completion_tokens: 30 },
    worst: { input: contextLength, output: 30 },
  },
  'a search of the provider': {
    path: 'chat/completions',
    body: { messages, max_tokens: 5, web_search_options: {} },
    worst: { input: contextLength, output: 5 },
    needsLength: true,
  },
  'several prompts': {
    path: 'completions',
    body: { prompt: texts, max_tokens: 20, n: 2 },
    worst: { input: 150, output: 120 },
    answer: { id: 'c', object: 'text_completion', choices: [] },
  },
  'several texts to embed': {
    path: 'embeddings',
    body: { model: 'reader', input: texts },
    worst: { input: 150, output: 0 },
    answer: embedded,
  },
  'several lists of tokens to embed': {
    path: 'embeddings',
    body: { model: 'reader', input: texts.map((text) => [...Buffer.from(text)]) },
    worst: { input: 150, output: 0 },
    answer: embedded,
  },
  'several texts to judge': {
    path: 'moderations',
    body: { model: 'reader', input: texts },
    worst: { input: 150, output: 0 },
    answer: { id: 'm', results: [] },
  },
  'a query that is read with each document': {
    path: 'rerank',
    body: {
      model: 'reader',
      query: 'q'.repeat(20),
      documents: ['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(20), 'd'.repeat(20)],
    },
    worst: { input: 160, output: 0 },
    answer: { results: [] },
  },
  'a response': {
    path: 'responses',
    body: { input: 'Hello', max_output_tokens: 20, store: false },
    worst: { input: contextLength, output: 20 },
  },
  'a message': {
    path: 'messages',
    body: { messages, max_tokens: 20 },
    worst: { input: contextLength, output: 20 },
  },
  'several images': {
    path: 'images/generations',
    body: { model: 'painter', prompt: 'a whale', n: 3 },
    worst: { input: contextLength, output: 3 * contextLength, images: 3 },
    answer: pictures,
  },
  'changed images': {
    path: 'images/edits',
    body: imageForm({ n: '2' }),
    worst: { input: contextLength, output: 2 * contextLength, images: 2 },
    answer: pictures,
  },
  'one changed image': {
    path: 'images/variations',
    body: imageForm({}),
    worst: { input: contextLength, output: contextLength, images: 1 },
    answer: pictures,
  },
}

function costOf({ input, output, images = 0 }: Bill): number {
  return input * inputRate + output * outputRate + images * imageRate + requestRate
}

async function ask({ path, body }: Row, model: string): Promise<Response> {
  const headers = { authorization: `Bearer ${app.userKey}` }
  const address = `${app.url}/ai/v1/${path}`
  if (typeof body === 'function') return fetch(address, { method: 'POST', headers, body: body() })
  const written = JSON.stringify({ model, ...body })
  return fetch(address, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: written })
}

async function withBudget<T>(amount: number, run: (spent: () => Promise<number>) => Promise<T>): Promise<T> {
  const body = { scope: 'user', scope_id: app.userId, period: 'total', amount }
  const { id } = (await app.call<{ id: string }>('POST', '/budgets', { body })).body
  try {
    return await run(async () => (await app.call<{ spent: number }>('GET', `/budgets/${id}`)).body.spent)
  } finally {
    await app.call('DELETE', `/budgets/${id}`)
  }
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code
}

describe.each(Object.entries(rows))('%s', (_name, row) => {
  const { answer = chatCompletion(), worst } = row

  test('is refused when the bill could be larger than what is left, and nothing is sent', async () => {
    await withBudget(costOf(worst) - 1, async () => {
      const before = upstream.requests.length
      const refused = await ask(row, 'bounded')
      expect([refused.status, upstream.requests.length]).toEqual([402, before])
      await refused.arrayBuffer()
    })
  })

  test('is charged with exactly what was billed', async () => {
    await withBudget(1_000_000, async (spent) => {
      const { input, output } = worst
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
      upstream.script(json({ ...answer, usage }))
      const response = await ask(row, 'bounded')
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
      await until(async () => (await spent()) > 0)
      expect(await spent()).toBe(costOf(worst))
      const proof = (await app.call<{ difference: number }>('GET', '/budgets-proof')).body
      expect(proof.difference).toBe(0)
    })
  })
})

test.each(Object.entries(rows).filter(([, { needsLength }]) => needsLength))(
  '%s: has no bound without a context length',
  async (_name, row) => {
    await withBudget(1_000_000_000, async () => {
      const refused = await ask(row, 'unbounded')
      expect([refused.status, await codeOf(refused)]).toEqual([400, 'cost_unbounded'])
    })
  },
)

test('no request has cost more than its bound', async () => {
  const metrics = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${app.adminKey}` } })
  expect(await metrics.text()).not.toMatch(/^sluice_budget_overruns_total.* [1-9]/m)
})
