/** What the record of a request says about the limits that counted it, and about the one that refused it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import type { AppliedLimit } from '#store/usage/usage-record.ts'
import { gate, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

let gateway: GatewayApp
let names = 0
beforeAll(async () => {
  gateway = await startGateway()
})
afterEach(async () => {
  await change('PUT', '/settings/limits.rates', { value: [] })
  await change('PUT', '/settings/limits.realtime_inflight.enforce', { value: false })
  await change('PATCH', `/models/${gateway.models.plain.id}`, { max_concurrent: null })
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function change(method: string, path: string, body: object): Promise<string> {
  const answer = await gateway.operate(method, path, body)
  expect(answer.status).toBeLessThan(300)
  return ((await answer.json()) as { id: string }).id
}

interface Ended {
  readonly status: number
  readonly limits: readonly AppliedLimit[] | null
}

/** A request with a small answer, and what its record says about limits. */
async function asked(fields: object = {}): Promise<Ended> {
  const id = `limited-${++names}`
  const { status } = await gateway.chat(fields, { headers: { 'x-request-id': id } })
  return { status, limits: (await gateway.usageOf(id)).limits }
}

describe('the record of a request', () => {
  test('has no limits where none is set', async () => {
    expect(await asked()).toEqual({ status: 200, limits: null })
  })

  test('has each rate that counted it with what was left, and the one that refused it', async () => {
    const rates = ['user:* requests 2/day', 'model:plain requests 5/day']
    await change('PUT', '/settings/limits.rates', { value: rates })
    const rate = (name: string, limit: number, left: number, refused = false): AppliedLimit => ({
      kind: 'rate',
      name,
      unit: 'requests',
      limit,
      left,
      refused,
    })
    const [own = '', all = ''] = rates
    expect((await asked()).limits).toEqual([rate(own, 2, 1), rate(all, 5, 4)])
    expect((await asked()).limits).toEqual([rate(own, 2, 0), rate(all, 5, 3)])
    expect(await asked()).toEqual({ status: 429, limits: [rate(own, 2, 0, true), rate(all, 5, 3)] })
  })

  test('has the in-flight limit with its free slots, and says which request had none', async () => {
    await change('PUT', '/settings/limits.realtime_inflight.enforce', { value: true })
    await change('PATCH', `/models/${gateway.models.plain.id}`, { inflight_limit: 1 })
    const inflight = (left: number, refused: boolean): AppliedLimit[] => [
      { kind: 'inflight', name: 'plain', unit: 'requests', limit: 1, left, refused },
    ]
    gateway.upstream.scriptNext([gate, ...json(chatCompletion())])
    const first = asked()
    await until(async () => (await gateway.metric('sluice_inflight_requests{model="plain"}')) === 1)
    expect(await asked()).toEqual({ status: 429, limits: inflight(0, true) })
    gateway.upstream.release()
    expect(await first).toEqual({ status: 200, limits: inflight(0, false) })
  })

  test('has the cap of the model, and says who waited for it until the client left', async () => {
    await change('PATCH', `/models/${gateway.models.plain.id}`, { max_concurrent: 1 })
    const cap = (refused: boolean, left: number | null): AppliedLimit[] => [
      { kind: 'queue', name: 'model plain', unit: 'requests', limit: 1, left, refused },
    ]
    gateway.upstream.scriptNext([gate, ...json(chatCompletion())])
    const before = gateway.upstream.requests.length
    const first = asked()
    await until(() => gateway.upstream.requests.length > before)
    const leaving = new AbortController()
    const second = gateway.chat({}, { headers: { 'x-request-id': 'limited-left' }, signal: leaving.signal })
    second.catch(() => undefined)
    await until(async () => (await gateway.metric('sluice_queue_waiting{kind="model",name="plain"}')) === 1)
    leaving.abort()
    expect((await gateway.usageOf('limited-left')).limits).toEqual(cap(true, 0))
    gateway.upstream.release()
    expect((await first).limits).toEqual(cap(false, null))
  })

  test('has each budget, of a hard one with what is left, and the one that refused it', async () => {
    const { id } = gateway.models.plain
    await change('POST', `/models/${id}/prices`, { rates: { output: 1_000_000 } })
    const budget = { scope: 'model', scope_id: id, amount: 100 }
    const budgets = [
      await change('POST', '/budgets', { ...budget, period: 'month' }),
      await change('POST', '/budgets', { ...budget, period: 'day', hard: false }),
    ]
    const of = (period: string, left: number | null, refused = false): AppliedLimit => ({
      kind: 'budget',
      name: `${period} budget of the model`,
      unit: 'money',
      limit: 100,
      left,
      refused,
    })
    expect(await asked({ max_tokens: 30 })).toEqual({ status: 200, limits: [of('monthly', 70), of('daily', null)] })
    const { status, limits } = await asked({ max_tokens: 101 })
    expect(status).toBe(402)
    expect(limits).toEqual([of('monthly', expect.any(Number) as number, true)])
    for (const each of budgets) await gateway.operate('DELETE', `/budgets/${each}`)
  })
})
