import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp({
    set: ['gateway.idle_seconds=7'],
    environment: { SLUICE_SECURITY_SECRET_KEY: 'ab'.repeat(32) },
  })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Setting {
  readonly name: string
  readonly value: unknown
  readonly default: unknown
  readonly source: string
  readonly editable: boolean
}

async function read(name: string): Promise<Setting | undefined> {
  const { body } = await app.call<{ data: Setting[] }>('GET', '/settings')
  return body.data.find((setting) => setting.name === name)
}

const name = 'limits.realtime_inflight.default'

describe('settings', () => {
  test('a stored value holds at once and shows where it comes from; removing it brings the default back', async () => {
    expect(await read(name)).toMatchObject({ value: 14, source: 'default', editable: true })
    const stored = await app.call<Setting>('PUT', `/settings/${name}`, { body: { value: 3 } })
    expect(stored.body).toMatchObject({ value: 3, default: 14, source: 'admin page', editable: true })
    expect(await read(name)).toEqual(stored.body)
    const removed = await app.call<Setting>('DELETE', `/settings/${name}`)
    expect(removed.body).toMatchObject({ value: 14, source: 'default' })
    expect((await app.call('DELETE', `/settings/${name}`)).status).toBe(200)
  })

  test('a list of numbers is stored as one, sent as a list or as text', async () => {
    const path = '/settings/failover.statuses'
    for (const value of [[429, 500], '429,500']) {
      const stored = await app.call<Setting>('PUT', path, { body: { value } })
      expect(stored.body).toMatchObject({ value: [429, 500], default: [500, 502, 503, 504, 529] })
    }
    for (const value of [[200], ['x'], 500, [500.5]])
      expect((await app.call('PUT', path, { body: { value } })).status).toBe(422)
    expect((await app.call<Setting>('DELETE', path)).body.value).toEqual([500, 502, 503, 504, 529])
  })

  test('secrets are never readable', async () => {
    expect(await read('security.secret_key')).toMatchObject({ value: '[secret]', editable: false })
    const { text } = await app.call('GET', '/settings')
    expect(text).not.toContain('abab')
    expect(text).not.toContain(Buffer.from('ab'.repeat(32), 'hex').toString('base64').slice(0, 12))
  })

  test('a setting that is read at start only, or that the command line fixes, is 409 with what to do', async () => {
    for (const fixed of ['server.port', 'gateway.idle_seconds']) {
      const answer = await app.call('PUT', `/settings/${fixed}`, { body: { value: 9 } })
      expect([fixed, answer.status, answer.code]).toEqual([fixed, 409, 'conflict'])
      expect(answer.text).toContain('restart')
    }
    expect(await read('gateway.idle_seconds')).toMatchObject({ value: 7 })
  })

  test('a value of the wrong kind or out of range is 422, and an unknown setting 404 with the nearest name', async () => {
    for (const value of ['many', 0, 1.5, true, []]) {
      const answer = await app.call('PUT', `/settings/${name}`, { body: { value } })
      expect([value, answer.status, answer.param]).toEqual([value, 422, 'value'])
    }
    expect((await app.call('PUT', `/settings/${name}`, { body: {} })).status).toBe(422)
    const unknown = await app.call('PUT', '/settings/limits.realtime_inflight.defualt', { body: { value: 3 } })
    expect([unknown.status, unknown.text.includes(name)]).toEqual([404, true])
    expect((await app.call('DELETE', '/settings/no.such')).status).toBe(404)
    expect(await app.store.settings.all()).toEqual(new Map())
  })
})
