import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { gate, hang, json, reset } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'

interface Budget {
  readonly id: string
  readonly spent: number
  readonly held: number
  readonly left: number
}

let app: AdminApp
let upstream: Upstream
let modelId = ''
let providerId = ''
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
  const provider = await app.call<{ id: string }>('POST', '/providers', {
    body: { name: 'upstream', base_url: upstream.url },
  })
  providerId = provider.body.id
  modelId = await addModel('priced')
  await addModel('unpriced')
  // 1 unit for a token of output, and nothing for input.
  await app.call('POST', `/models/${modelId}/prices`, { body: { rates: { output: 1_000_000 } } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

afterEach(async () => {
  const { body } = await app.call<{ data: Budget[] }>('GET', '/budgets')
  for (const { id } of body.data) await app.call('DELETE', `/budgets/${id}`)
})

async function addModel(name: string): Promise<string> {
  return (await app.call<{ id: string }>('POST', '/models', { body: { name, provider_id: providerId } })).body.id
}

async function addBudget(amount: number, more: Record<string, unknown> = {}): Promise<string> {
  const body = { scope: 'user', scope_id: app.userId, period: 'month', amount, ...more }
  const made = await app.call<Budget>('POST', '/budgets', { body })
  expect(made.status).toBe(201)
  return made.body.id
}

async function stateOf(id: string): Promise<Budget> {
  return (await app.call<Budget>('GET', `/budgets/${id}`)).body
}

function chat(tokens: number | null, model = 'priced', more: Record<string, unknown> = {}, signal?: AbortSignal) {
  return app.call('POST', '//ai/v1/chat/completions', {
    key: app.userKey,
    ...(signal !== undefined && { signal }),
    body: {
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      ...(tokens !== null && { max_tokens: tokens }),
      ...more,
    },
  })
}

/** The next answer costs this. */
function answerOf(tokens: number): void {
  const usage = { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 }
  upstream.script(json({ ...chatCompletion(), usage }))
}

async function proof(): Promise<unknown> {
  return (await app.call<{ difference: number }>('GET', '/budgets-proof')).body.difference
}

describe('a hard budget', () => {
  test('is spent to the last unit and not further; the refusal says what is left and when it renews', async () => {
    const id = await addBudget(100)
    answerOf(60)
    expect((await chat(60)).status).toBe(200)
    await until(async () => (await stateOf(id)).spent === 60)
    const refused = await chat(41)
    expect([refused.status, refused.code]).toEqual([402, 'budget_exceeded'])
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(refused.headers.get('x-sluice-budget-left')).toBe('40')
    expect(Date.parse(refused.headers.get('x-sluice-budget-renews') ?? '')).toBeGreaterThan(Date.now())
    answerOf(40)
    expect((await chat(40)).status).toBe(200)
    expect((await chat(1)).code).toBe('budget_exceeded')
    await until(async () => (await stateOf(id)).spent === 100)
    expect(await stateOf(id)).toMatchObject({ spent: 100, left: 0 })
    expect(await proof()).toBe(0)
  })

  test('has what running requests can cost reserved, and gets back what they did not cost', async () => {
    const id = await addBudget(100)
    upstream.script([
      gate,
      ...json({ ...chatCompletion(), usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 } }),
    ])
    const before = upstream.requests.length
    const running = chat(100)
    await until(() => upstream.requests.length > before)
    expect((await chat(1)).code).toBe('budget_exceeded')
    upstream.release(1)
    expect((await running).status).toBe(200)
    answerOf(90)
    expect((await chat(90)).status).toBe(200)
    await until(async () => (await stateOf(id)).spent === 100)
  })

  test('costs nothing when the provider refuses, and the bound when nobody says what was used', async () => {
    const id = await addBudget(100)
    upstream.script(json({ error: { message: 'no', type: 'invalid_request_error' } }, 400))
    expect((await chat(100)).status).toBe(400)
    upstream.script(json({ ...chatCompletion(), usage: undefined }))
    expect((await chat(30)).status).toBe(200)
    await until(async () => (await stateOf(id)).spent === 30)
    expect(await proof()).toBe(0)
  })

  test('costs what was reserved when the client leaves before the answer begins: the provider may have made it', async () => {
    const id = await addBudget(100)
    for (const stream of [false, true]) {
      upstream.script([hang])
      const leaving = new AbortController()
      const before = upstream.requests.length
      const left = chat(30, 'priced', { stream }, leaving.signal)
      await until(() => upstream.requests.length > before)
      leaving.abort()
      expect(await left.catch(() => 'gone')).toBe('gone')
    }
    await until(async () => (await stateOf(id)).spent === 60)
    upstream.script([reset])
    expect((await chat(40)).status).toBe(502)
    await until(async () => (await stateOf(id)).left === 40)
    expect(await proof()).toBe(0)
  })

  test('refuses what has no bound or no price, and lets pass what has', async () => {
    await addBudget(1_000_000)
    expect((await chat(null)).code).toBe('cost_unbounded')
    expect((await chat(10, 'unpriced')).code).toBe('price_unknown')
    expect((await chat(10, 'unpriced')).status).toBe(402)
    await app.call('PATCH', `/models/${modelId}`, { body: { context_length: 1000 } })
    answerOf(1)
    expect((await chat(null)).status).toBe(200)
    await app.call('PATCH', `/models/${modelId}`, { body: { context_length: null } })
  })

  test('holds for many requests at once: their costs are never more than it', async () => {
    const id = await addBudget(1000)
    upstream.script(json({ ...chatCompletion(), usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } }))
    const answers = await Promise.all(Array.from({ length: 200 }, () => chat(10)))
    const ok = answers.filter(({ status }) => status === 200).length
    expect(answers.every(({ status }) => status === 200 || status === 402)).toBe(true)
    expect(ok).toBeGreaterThanOrEqual(100)
    expect(ok * 7).toBeLessThanOrEqual(1000)
    await until(async () => (await stateOf(id)).spent === ok * 7)
    expect(await proof()).toBe(0)
  })

  test.each([
    ['provider', (): string => providerId],
    ['model', (): string => modelId],
    ['group', (): string => everyoneGroupId],
  ] as const)('can be on a %s', async (scope, idOf) => {
    const made = await app.call<Budget>('POST', '/budgets', {
      body: { scope, scope_id: idOf(), period: 'day', amount: 5 },
    })
    expect(made.status).toBe(201)
    expect((await chat(6)).code).toBe('budget_exceeded')
    answerOf(5)
    expect((await chat(5)).status).toBe(200)
    expect((await chat(1)).code).toBe('budget_exceeded')
  })
})

test('an application can ask what it has used and what is left', async () => {
  await addBudget(500)
  answerOf(100)
  await chat(100)
  await until(async () => (await ownUsage()).budgets[0]?.spent === 100)
  const own = await ownUsage()
  expect(own.budgets).toMatchObject([
    { scope: 'user', period: 'month', hard: true, amount: 500, spent: 100, left: 400 },
  ])
  expect(own.cost).toBeGreaterThanOrEqual(100)
})

async function ownUsage() {
  interface OwnUsage {
    readonly cost: number
    readonly budgets: readonly Budget[]
  }
  return (await app.call<OwnUsage>('GET', '//ai/v1/usage/me', { key: app.userKey })).body
}

test('a threshold is told once, in the log and as a metric', async () => {
  // No other test has these percentages: what was reached in one may be told in the next.
  const id = await addBudget(100, { thresholds: [47, 93] })
  answerOf(60)
  await chat(60)
  const told = (): number =>
    app
      .log()
      .split('\n')
      .filter((line) => line.includes('a budget has reached a threshold') && line.includes(id)).length
  await until(() => told() === 1)
  answerOf(35)
  await chat(35)
  await until(() => told() === 2)
  const metrics = await (
    await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${app.adminKey}` } })
  ).text()
  expect(metrics).toContain('sluice_budget_thresholds_total{scope="user",percent="47"} 1')
  expect(metrics).toContain('sluice_budget_thresholds_total{scope="user",percent="93"} 1')
})

describe('a soft budget', () => {
  test('counts and refuses nothing', async () => {
    const id = await addBudget(10, { hard: false })
    answerOf(50)
    expect((await chat(50)).status).toBe(200)
    expect((await chat(null)).status).toBe(200)
    await until(async () => (await stateOf(id)).spent === 100)
    expect(await stateOf(id)).toMatchObject({ spent: 100, held: 0, left: 0 })
    expect(await proof()).toBe(0)
  })
})
