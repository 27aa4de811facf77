/** "Getting started": what is done is known to the server, for each user alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp({ set: ['discovery.enabled=false'] })
})
afterAll(() => app[Symbol.asyncDispose]())

const guide = async (key: string) => (await app.call<Record<string, unknown>>('GET', '/me/guide', { key })).body

test('a user is told of the own account only, an administrator of the server too', async () => {
  const own = { hidden: false, own_password: true, answered: false, has_key: true }
  expect(await guide(app.userKey)).toEqual({ ...own, has_provider: null, has_colleague: null })
  expect(await guide(app.adminKey)).toEqual({ ...own, has_provider: false, has_colleague: true })
  await app.call('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
  expect((await guide(app.adminKey))['has_provider']).toBe(false)
  await app.call('POST', '/providers', { body: { name: 'own', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' } })
  expect((await guide(app.adminKey))['has_provider']).toBe(true)
})

test('what one user puts away stays for the others', async () => {
  expect((await app.call('PUT', '/me/guide', { key: app.userKey, body: { hidden: true } })).status).toBe(200)
  expect((await guide(app.userKey))['hidden']).toBe(true)
  expect((await guide(app.adminKey))['hidden']).toBe(false)
  await app.call('PUT', '/me/guide', { key: app.userKey, body: { hidden: false } })
  expect((await guide(app.userKey))['hidden']).toBe(false)
})

test('the operator on the control socket has no guide, and nothing is looked for where that is off', async () => {
  expect((await app.asOperator('GET', '/me/guide')).status).toBe(404)
  expect((await app.call('GET', '/providers/found')).body).toEqual({ data: [] })
})
