import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { htmlBadGateway, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let upstream: Upstream
beforeAll(async () => {
  app = await startAdminApp({ set: ['health.failures_to_eject=1', 'failover.max_attempts=1'] })
  upstream = await startUpstream()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

interface Health {
  readonly provider_id: string
  readonly states: Readonly<Record<string, number>>
  readonly in_flight: number
  readonly waiting: number
  readonly servers: readonly object[]
}

test('each provider tells how many of its active models answer, fail, or were not asked yet', async () => {
  const create = async (path: string, body: object) => (await app.call<{ id: string }>('POST', path, { body })).body.id
  const provider_id = await create('/providers', { name: 'one', base_url: upstream.url })
  const idle = await create('/providers', { name: 'idle', base_url: upstream.url })
  for (const name of ['good', 'bad', 'unasked']) await create('/models', { name, provider_id })
  await create('/models', { name: 'off', provider_id, active: false })
  const chat = (model: string) =>
    app.call('POST', '//ai/v1/chat/completions', {
      key: app.userKey,
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
    })
  upstream.script(json(chatCompletion()))
  expect((await chat('good')).status).toBe(200)
  upstream.script(htmlBadGateway())
  expect((await chat('bad')).status).toBe(502)

  const { data } = (await app.call<{ data: readonly Health[] }>('GET', '/provider-health')).body
  const none = { unknown: 0, healthy: 0, failing: 0, out: 0, resting: 0 }
  expect(data).toEqual([
    { provider_id, states: { ...none, healthy: 1, out: 1, unknown: 1 }, in_flight: 0, waiting: 0, servers: [] },
    { provider_id: idle, states: none, in_flight: 0, waiting: 0, servers: [] },
  ])
})

test('an ordinary user learns nothing of providers', async () => {
  expect((await app.call('GET', '/provider-health', { key: app.userKey })).code).toBe('admin_required')
})
