import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface About {
  readonly version: string
  readonly database: string
  readonly started_at: string
  readonly uptime_seconds: number
}

test('an administrator learns version, database and how long the server has been up', async () => {
  const before = (await app.call<About>('GET', '/about')).body
  expect(before).toMatchObject({ version: '0.0.0', database: 'sqlite' })
  app.advance(3_600_000)
  const after = (await app.call<About>('GET', '/about')).body
  expect(after.started_at).toBe(before.started_at)
  expect(after.uptime_seconds - before.uptime_seconds).toBeGreaterThanOrEqual(3600)
})

test('an ordinary user does not', async () => {
  expect((await app.call('GET', '/about', { key: app.userKey })).code).toBe('admin_required')
})
