/** Requests that wait for a scarce model: who is served when, what the client sees, and that the provider never has too many. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startComposite } from '#test/support/app/composite-app.ts'
import { startGateway, type ChatOptions, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { gate, json, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'
import { until } from '#test/support/until.ts'

const held: Behaviour = [gate, ...json(chatCompletion())]
const waitingOn = 'sluice_queue_waiting{kind="model",name="plain"}'

let gateway: GatewayApp
beforeEach(async () => {
  gateway = await startGateway({ set: ['limits.queue.length=4'] })
  gateway.upstream.script(held)
})
afterEach(() => gateway[Symbol.asyncDispose]())

async function change(path: string, body: object): Promise<void> {
  expect((await gateway.operate('PATCH', path, body)).status).toBe(200)
}

/** The model `plain` takes this many at once. */
function capPlain(count: number | null): Promise<void> {
  return change(`/models/${gateway.models.plain.id}`, { max_concurrent: count })
}

function waiting(): Promise<number> {
  return gateway.metric(waitingOn)
}

interface Queued {
  readonly answer: Promise<Response>
}

/** A request by this name, which waits when it resolves. */
async function queued(name: string, options: ChatOptions = {}, fields: object = {}): Promise<Queued> {
  const before = await waiting()
  const answer = gateway.chat(fields, { ...options, headers: { ...options.headers, 'x-request-id': name } })
  answer.catch(() => undefined)
  await until(async () => (await waiting()) === before + 1)
  return { answer }
}

/** Takes all that the model has at once. */
async function occupy(count: number): Promise<{ readonly answers: readonly Promise<Response>[] }> {
  const answers = Array.from({ length: count }, () => gateway.chat())
  await until(() => gateway.upstream.requests.length === count)
  return { answers }
}

/** Lets the provider answer one request after another; the names of those that it got, in their order. */
async function served(count: number): Promise<readonly string[]> {
  const before = gateway.upstream.requests.length
  for (let each = 0; each < count; each += 1) {
    gateway.upstream.release()
    await until(() => gateway.upstream.requests.length === before + each + 1)
  }
  gateway.upstream.release()
  return gateway.upstream.requests.slice(before).map((request) => String(request.header('x-request-id')))
}

describe('a model with a cap', () => {
  test('has no more under way, and the next one is served when one has ended', async () => {
    await capPlain(2)
    const { answers: first } = await occupy(2)
    const { answer } = await queued('third')
    expect(gateway.upstream.requests.length).toBe(2)
    gateway.upstream.release(3)
    const third = await answer
    expect([third.status, third.headers.get('x-sluice-queue-position')]).toEqual([200, '1'])
    for (const each of first) expect((await each).headers.has('x-sluice-queue-position')).toBe(false)
    const { queueMs, durationMs } = await gateway.usageOf('third')
    expect(queueMs).toBeGreaterThanOrEqual(0)
    expect(queueMs).toBeLessThanOrEqual(durationMs)
    expect(await gateway.metric('sluice_queue_wait_seconds_count{model="plain"}')).toBe(1)
    expect((await gateway.usageRows()).filter((row) => row.queueMs !== null).length).toBe(1)
  })

  test('lets accounts take turns, and shares the place in a full queue between them', async () => {
    await capPlain(1)
    await occupy(1)
    const mine = [await queued('a1'), await queued('a2'), await queued('a3'), await queued('a4')]
    const theirs = gateway.chat({}, { key: gateway.keys.other, headers: { 'x-request-id': 'b1' } })
    await expectRefusal(await mine[3]!.answer, { status: 429, type: 'rate_limit_error', code: 'queue_full' })
    expect(await served(4)).toEqual(['a1', 'b1', 'a2', 'a3'])
    expect((await theirs).headers.get('x-sluice-queue-position')).toBe('4')
  })

  test('refuses the request that finds the queue full, and says when to come back', async () => {
    await capPlain(1)
    await occupy(1)
    for (const name of ['1', '2', '3', '4']) await queued(name)
    const refused = await gateway.chat({})
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(1000)
    await expectRefusal(refused, { status: 429, type: 'rate_limit_error', code: 'queue_full' })
    expect(await waiting()).toBe(4)
  })

  test('refuses what has waited too long; batch may wait longer', async () => {
    await capPlain(1)
    await occupy(1)
    const { answer } = await queued('late')
    await queued('batch', { headers: { 'x-sluice-priority': 'batch' } })
    gateway.advance(61_000)
    const refused = await answer
    expect(refused.headers.has('retry-after')).toBe(true)
    await expectRefusal(refused, { status: 429, type: 'rate_limit_error', code: 'queue_timeout' })
    expect((await gateway.usageOf('late')).queueMs).toBeGreaterThanOrEqual(60_000)
    expect(await served(1)).toEqual(['batch'])
  })

  test('serves live requests first, then those of the tier "flex", then batches', async () => {
    await capPlain(1)
    await occupy(1)
    await queued('batch', { headers: { 'x-sluice-priority': 'batch' } })
    await queued('flex', {}, { service_tier: 'flex' })
    await queued('live')
    expect(await served(3)).toEqual(['live', 'flex', 'batch'])
  })

  test('forgets a client that leaves while it waits', async () => {
    await capPlain(1)
    await occupy(1)
    const client = new AbortController()
    await queued('gone', { signal: client.signal })
    await queued('stays')
    client.abort()
    await until(async () => (await waiting()) === 1)
    expect(await served(1)).toEqual(['stays'])
    expect(await gateway.usageOf('gone')).toMatchObject({ status: 499, attempts: 0 })
  })

  test('serves those who wait when the cap is raised or taken away', async () => {
    await capPlain(1)
    await occupy(1)
    for (const name of ['1', '2', '3']) await queued(name)
    await capPlain(2)
    await until(() => gateway.upstream.requests.length === 2)
    await capPlain(null)
    await until(() => gateway.upstream.requests.length === 4)
  })

  test('ends those who wait when the server stops', async () => {
    await capPlain(1)
    await occupy(1)
    const { answer } = await queued('waits')
    const closing = gateway.app.close()
    await expectRefusal(await answer, { status: 503, type: 'api_error', code: 'shutting_down' })
    await closing
  })
})

describe('the class of a request', () => {
  test('is that of its key, which the header can lower and not raise', async () => {
    await change(`/keys/${gateway.keys.other.id}`, { priority: 'interactive' })
    await capPlain(1)
    await occupy(1)
    await queued('lowered', { headers: { 'x-sluice-priority': 'batch' } })
    await queued('not-raised', { headers: { 'x-sluice-priority': 'interactive' } })
    await queued('normal', { key: gateway.keys.admin })
    await queued('interactive', { key: gateway.keys.other })
    expect(await served(4)).toEqual(['interactive', 'not-raised', 'normal', 'lowered'])
  })

  test('can be raised where the settings allow it', async () => {
    const raised = await gateway.operate('PUT', '/settings/limits.queue.allow_raising', { value: true })
    expect(raised.status).toBe(200)
    await capPlain(1)
    await occupy(1)
    await queued('normal')
    await queued('raised', { headers: { 'x-sluice-priority': 'interactive' } })
    expect(await served(2)).toEqual(['raised', 'normal'])
  })

  test('is batch for a response in the background, whatever the class of its key', async () => {
    for (const [at, priority] of ['interactive', 'normal', 'batch'].entries()) {
      await using own = await startGateway()
      own.upstream.script(held)
      const patched = [
        await own.operate('PATCH', `/keys/${own.keys.main.id}`, { priority }),
        await own.operate('PATCH', `/models/${own.models.plain.id}`, { max_concurrent: 1 }),
      ]
      expect(patched.map(({ status }) => status)).toEqual([200, 200])
      const answers = [own.chat({}, { key: own.keys.admin })]
      await until(() => own.upstream.requests.length === 1)
      for (let each = 0; each <= at; each += 1)
        await makeResponse(own, { model: 'plain', input: 'in the background', background: true })
      await until(async () => (await own.metric(waitingOn)) === at + 1)
      answers.push(own.chat({}, { key: own.keys.other }))
      await until(async () => (await own.metric(waitingOn)) === at + 2)
      for (let each = 1; each <= at + 2; each += 1) {
        own.upstream.release()
        await until(() => own.upstream.requests.length === each + 1)
      }
      own.upstream.release()
      const isBackground = own.upstream.requests.map((request) =>
        JSON.stringify(request.json()).includes('in the background'),
      )
      expect(isBackground).toEqual([false, false, ...Array.from({ length: at + 1 }, () => true)])
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    }
  })

  test('of a key is made interactive by administrators only', async () => {
    const own = await gateway.request('POST', '/admin/api/v1/me/keys', {
      key: gateway.keys.main,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'mine', priority: 'interactive' }),
    })
    await expectRefusal(own, { status: 403, type: 'permission_error', code: 'scope_denied', param: 'priority' })
  })
})

test('a cap of a provider counts the requests of all its models together', async () => {
  await change(`/providers/${gateway.upProviderId}`, { max_concurrent: 1 })
  await occupy(1)
  const other = gateway.chat({ model: 'shared' })
  await until(async () => (await gateway.metric('sluice_queue_waiting{kind="provider",name="up"}')) === 1)
  expect(gateway.upstream.requests.length).toBe(1)
  const health = (await (await gateway.operate('GET', '/provider-health')).json()) as { data: { waiting: number }[] }
  expect(health.data.map((each) => each.waiting)).toContain(1)
  gateway.upstream.release(2)
  expect((await other).status).toBe(200)
})

test('administrators see how many wait now, and how long each request has waited', async () => {
  await capPlain(1)
  await occupy(1)
  await queued('a')
  await queued('b')
  const use = (await (await gateway.operate('GET', '/inflight')).json()) as {
    data: { model: string; waiting: number }[]
  }
  expect(use.data.filter((each) => each.waiting > 0)).toMatchObject([{ model: 'plain', waiting: 2 }])
  expect(await served(2)).toHaveLength(2)
  const waits = async (): Promise<readonly (number | null)[]> => {
    const page = (await (await gateway.operate('GET', '/requests?limit=10')).json()) as {
      data: { queue_ms: number | null }[]
    }
    return page.data.map(({ queue_ms: waited }) => waited)
  }
  await until(async () => (await waits()).length === 3)
  expect((await waits()).filter((waited) => waited !== null)).toHaveLength(2)
})

describe('a composite', () => {
  test('goes to the component that has room, and waits when none has', async () => {
    await using app = await startComposite({ components: 2 })
    for (const [index, server] of app.servers.entries()) {
      server.script(held)
      const models = (await (await app.gateway.operate('GET', `/models?limit=100`)).json()) as {
        data: { id: string; name: string }[]
      }
      const { id } = models.data.find(({ name }) => name === `component-${index}`)!
      expect((await app.gateway.operate('PATCH', `/models/${id}`, { max_concurrent: 1 })).status).toBe(200)
    }
    const answers = [app.chat()]
    await until(() => app.servers[0]!.requests.length === 1)
    answers.push(app.chat())
    await until(() => app.servers[1]!.requests.length === 1)
    answers.push(app.chat())
    await until(async () => (await app.gateway.metric('sluice_queue_waiting{kind="model",name="component-0"}')) === 1)
    for (const server of app.servers) server.release(2)
    const ended = await Promise.all(answers)
    expect(ended.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(ended.map(({ headers }) => headers.get('x-sluice-attempts'))).toEqual(['1', '1', '1'])
  })

  test('goes on when the rate of a provider is used up, and answers 429 when all are', async () => {
    const rates = ['provider:server-0 requests 1/hour', 'provider:server-1 requests 2/hour']
    await using app = await startComposite({ components: 2, set: [`limits.rates=${rates.join(', ')}`] })
    const answers: Response[] = []
    for (let each = 0; each < 4; each += 1) answers.push(await app.chat())
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(app.servers.map(({ requests }) => requests.length)).toEqual([1, 2])
    const error = await expectRefusal(answers[3]!, {
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
    })
    expect(error.message).toContain('provider:server-1')
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
