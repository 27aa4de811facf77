/** GET /admin/api/v1/models/{id}/health: what the process that answers has seen of each upstream. */
import { expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

interface Health {
  readonly data: readonly { readonly model: string; readonly state: string; readonly failures_in_row: number }[]
}

interface Made {
  readonly id: string
}

/** A provider at whose address nothing listens. */
const nowhere = { name: 'nowhere', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' }

async function make(app: AdminApp, path: string, body: object): Promise<string> {
  const answer = await app.call<Made>('POST', path, { body })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body.id
}

async function statesOf(app: AdminApp, id: string): Promise<readonly (readonly [string, string])[]> {
  const { body } = await app.call<Health>('GET', `/models/${id}/health`)
  return body.data.map(({ model, state }) => [model, state] as const)
}

test('a component that fails is seen failing and then left out, while the other one answers', async () => {
  await using app = await startAdminApp({ set: ['health.failures_to_eject=2', 'health.ejection_seconds=3600'] })
  const practice = await make(app, '/providers', { name: 'practice', kind: 'demo' })
  const dead = await make(app, '/providers', nowhere)
  const well = await make(app, '/models', { name: 'well', provider_id: practice, upstream_name: 'demo-chat' })
  await make(app, '/models', { name: 'broken', provider_id: dead })
  await make(app, '/models', { name: 'spare', provider_id: practice, upstream_name: 'demo-chat' })
  const components = [
    { model: 'broken', priority: 0 },
    { model: 'well', priority: 1 },
    { model: 'spare', priority: 2, enabled: false },
  ]
  const both = await make(app, '/models', { name: 'both', composite: { strategy: 'priority', components } })
  const ask = async () =>
    (
      await app.call('POST', '//ai/v1/chat/completions', {
        body: { model: 'both', messages: [{ role: 'user', content: 'Hello' }] },
      })
    ).status

  expect(await statesOf(app, both)).toEqual([
    ['broken', 'unknown'],
    ['well', 'unknown'],
    ['spare', 'off'],
  ])
  expect(await ask()).toBe(200)
  expect(await statesOf(app, both)).toEqual([
    ['broken', 'failing'],
    ['well', 'healthy'],
    ['spare', 'off'],
  ])
  expect(await ask()).toBe(200)
  const { body } = await app.call<Health>('GET', `/models/${both}/health`)
  expect(body.data[0]).toMatchObject({ model: 'broken', provider: 'nowhere', state: 'out', failures_in_row: 2 })
  expect(await statesOf(app, well)).toEqual([['well', 'healthy']])

  await app.call('PATCH', `/providers/${practice}`, { body: { enabled: false } })
  expect(await statesOf(app, well)).toEqual([['well', 'off']])
})

test('an ordinary user is refused', async () => {
  await using app = await startAdminApp()
  const practice = await make(app, '/providers', { name: 'practice', kind: 'demo' })
  const model = await make(app, '/models', { name: 'well', provider_id: practice, upstream_name: 'demo-chat' })
  const { status, code } = await app.call('GET', `/models/${model}/health`, { key: app.userKey })
  expect([status, code]).toEqual([403, 'admin_required'])
})
