/** POST …/keys/{id}/rotate: another secret for the same key, and how long the old one works on. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { isWellFormedKey } from '#identity/api-key.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => void (app = await startAdminApp()))
afterAll(() => app[Symbol.asyncDispose]())

interface Key {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly secret: string
  readonly previous: { readonly prefix: string; readonly until: string } | null
  readonly scopes: object
}

async function created(fields: object = {}): Promise<Key> {
  return (await app.call<Key>('POST', `/users/${app.userId}/keys`, { body: { name: 'rotated', ...fields } })).body
}

const rotate = (id: string, body: object, key = app.adminKey) =>
  app.call<Key>('POST', `/keys/${id}/rotate`, { key, body: { ...body } })
const both = async (one: Key, other: Key) => [await app.statusWith(one.secret), await app.statusWith(other.secret)]

test('the key gets another secret and keeps all else; the old one works as long as was said', async () => {
  const before = await created({ description: 'for the night', scopes: { areas: ['inference'] } })
  const answer = await rotate(before.id, { overlap_hours: 1 })
  const { secret, prefix, previous, ...rest } = answer.body
  expect([answer.status, isWellFormedKey(secret), secret.startsWith(`${prefix}_`)]).toEqual([200, true, true])
  const { secret: _, prefix: oldPrefix, previous: __, ...restBefore } = before
  expect(rest).toEqual(restBefore)
  expect(previous).toMatchObject({ prefix: oldPrefix })
  expect(await both(before, answer.body)).toEqual([200, 200])
  app.advance(3_601_000)
  expect(await both(before, answer.body)).toEqual([401, 200])
})

test('without an overlap the old secret ends at once; an older one ends with the next rotation', async () => {
  const first = await created()
  const second = (await rotate(first.id, { overlap_hours: 0 })).body
  expect([second.previous, ...(await both(first, second))]).toEqual([null, 401, 200])
  const third = (await rotate(first.id, {})).body
  expect(await both(second, third)).toEqual([200, 200])
  const fourth = (await rotate(first.id, {})).body
  expect([await app.statusWith(second.secret), ...(await both(third, fourth))]).toEqual([401, 200, 200])
})

test('deleting the key ends both secrets', async () => {
  const before = await created()
  const after = (await rotate(before.id, {})).body
  expect((await app.call('DELETE', `/keys/${before.id}`)).status).toBe(204)
  expect(await both(before, after)).toEqual([401, 401])
})

test('of many rotations at once each answered secret works or was told of the conflict', async () => {
  const before = await created()
  const answers = await Promise.all(Array.from({ length: 12 }, () => rotate(before.id, {})))
  const won = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  expect(answers.every(({ status, code }) => status === 200 || code === 'conflict')).toBe(true)
  const statuses = await Promise.all(won.map(({ secret }) => app.statusWith(secret)))
  expect(statuses.filter((status) => status === 200).length).toBe(Math.min(won.length, 2))
})

test('users rotate their own keys, not those of others; a key rotates only what may do no more than it', async () => {
  const own = await created()
  const others = (await app.call<Key>('POST', `/users/${app.adminId}/keys`, { body: { name: 'others' } })).body
  const mine = (id: string, key: string) =>
    app.call<Key>('POST', `/me/keys/${id}/rotate`, { key, body: { overlap_hours: 0 } })
  expect((await mine(others.id, app.userKey)).status).toBe(404)
  const limited = await created({ scopes: { areas: ['admin'] } })
  const refused = await mine(own.id, limited.secret)
  expect([refused.status, refused.code]).toEqual([403, 'scope_denied'])
  const brief = await created({ expires_at: new Date(Date.now() + 3_600_000 * 24 * 365).toISOString() })
  expect((await mine(own.id, brief.secret)).code).toBe('scope_denied')
  // It may always rotate itself. 403 is the answer to a key without the area of the models.
  const itself = await mine(limited.id, limited.secret)
  expect([itself.status, ...(await both(limited, itself.body))]).toEqual([200, 401, 403])
  expect((await mine(own.id, app.userKey)).status).toBe(200)
})

test.each([-1, 720.1, '60'])('an overlap of %p is 422', async (overlap) => {
  const { id } = await created()
  const answer = await rotate(id, { overlap_hours: overlap })
  expect([answer.status, answer.param]).toEqual([422, 'overlap_hours'])
})

test('an expired key is not rotated', async () => {
  const { id } = await created({ expires_at: new Date(app.now() + 1000).toISOString() })
  app.advance(2000)
  const answer = await rotate(id, {})
  expect([answer.status, answer.code]).toEqual([409, 'conflict'])
})
