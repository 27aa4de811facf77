/** 503: what the admin API answers while the database cannot be used. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminEmail, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
  await app.store.close()
})
// Stopping writes when keys were last used, and rejects when that cannot be.
afterAll(() => app[Symbol.asyncDispose]().then(null, () => {}))

describe('without a database', () => {
  test('reading and writing are 503 with Retry-After, and the answer tells nothing of the database', async () => {
    const answers = [
      await app.call('GET', '/users'),
      await app.call('POST', '/groups', { body: { name: 'x' } }),
      await app.call('DELETE', `/keys/${crypto.randomUUID()}`),
      await app.call('GET', '/me/keys', { key: app.userKey }),
      await app.call('POST', '/session', { key: null, body: { email: adminEmail, password: 'whatever' } }),
    ]
    for (const { status, code, headers, text } of answers) {
      expect([status, code, headers.get('retry-after')]).toEqual([503, 'store_unavailable', '1'])
      expect(text).not.toMatch(/sqlite|closed|sluice\.db/i)
    }
  })

  test('a session that cannot be looked up is 503, never 401', async () => {
    const answer = await app.call('GET', '/session', {
      key: null,
      headers: { cookie: `sluice_session=${'x'.repeat(43)}` },
    })
    expect([answer.status, answer.code]).toEqual([503, 'store_unavailable'])
  })

  test('who may not use the admin API is still told so, from memory', async () => {
    expect((await app.call('GET', '/users', { key: app.userKey })).code).toBe('admin_required')
    expect((await app.call('GET', '/users', { key: null })).code).toBe('missing_api_key')
  })
})
