/** What the pages of users and keys ask: searches and orders, sessions, invitations, many at once, use day by day. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import {
  adminEmail,
  allItems,
  startAdminApp,
  userEmail,
  type AdminApp,
  type Answer,
} from '#test/support/app/admin-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface User {
  readonly id: string
  readonly email: string
  readonly groups: readonly string[]
  readonly disabled: boolean
  readonly has_password: boolean
  readonly last_seen_at: string | null
  readonly invited_until: string | null
}

interface Session {
  readonly id: string
  readonly agent: string | null
  readonly current: boolean
}

const password = 'a password of some length'
const dayMs = 86_400_000

let count = 0
async function addUser(fields: Readonly<Record<string, unknown>> = {}): Promise<User> {
  const body = { email: `someone${(count += 1)}@people.example`, ...fields }
  const answer = await app.call<User>('POST', '/users', { body })
  expect(answer.status).toBe(201)
  return answer.body
}

async function readUser({ id }: User): Promise<User> {
  return (await app.call<User>('GET', `/users/${id}`)).body
}

function cookieOf(answer: Answer<unknown>): string {
  return /sluice_session=[^;]+/.exec(answer.headers.getSetCookie().join(' '))?.[0] ?? ''
}

function signIn(email: string, plain = password, agent = 'a browser'): Promise<Answer<unknown>> {
  const headers = { 'user-agent': agent }
  return app.call('POST', '/session', { key: null, headers, body: { email, password: plain } })
}

function as(cookie: string, method: string, path: string): Promise<Answer<{ data: Session[] }>> {
  return app.call(method, path, { key: null, headers: { cookie } })
}

describe('lists', () => {
  test('users are found by name, sorted by what is asked, in pages that are one list', async () => {
    for (const name of ['Zoë Ångström', 'Adam Berg', 'berg zoë']) await addUser({ name })
    const emails = async (query: string, limit = 200) =>
      (await allItems<User>(app, `/users?${query}`, limit)).map(({ email }) => email)
    expect(await emails('q=ZO%C3%8B')).toHaveLength(2)
    expect(await emails('q=people.example')).toHaveLength(3)
    const sorted = await emails('sort=email&order=desc', 2)
    expect(sorted).toEqual(sorted.toSorted().toReversed())
    const wrong = await app.call('GET', '/users?sort=password')
    expect([wrong.status, wrong.param]).toEqual([400, 'sort'])
    const byName = await app.call<{ next_cursor: string }>('GET', '/users?sort=name&limit=1')
    const mixed = await app.call('GET', `/users?sort=last_seen&cursor=${byName.body.next_cursor}`)
    expect([mixed.status, mixed.code]).toEqual([400, 'invalid_cursor'])
  })

  test('keys are found by name, by what is displayed, and for administrators by their user', async () => {
    const { id } = await addUser({ name: 'Keeper' })
    const body = { name: 'reports', description: 'of the night' }
    const key = (await app.call<{ id: string; prefix: string }>('POST', `/users/${id}/keys`, { body })).body
    const found = async (path: string) => (await allItems<{ id: string }>(app, path, 200)).map((each) => each.id)
    for (const text of ['REPORTS', 'night', key.prefix, 'keeper'])
      expect(await found(`/keys?q=${encodeURIComponent(text)}&sort=name`)).toContain(key.id)
    expect(await found(`/users/${id}/keys?q=nothing`)).toEqual([])
    expect(await found('/me/keys?q=reports')).toEqual([])
  })

  test('each key of a list tells what it was used on each day', async () => {
    const [used, unused] = [crypto.randomUUID(), crypto.randomUUID()]
    const now = app.now()
    const rows = [now, now, now - dayMs, now - 29 * dayMs, now - 31 * dayMs].map((at) =>
      aUsage({ at, userId: app.userId, keyId: used, cost: 7, status: at === now ? 200 : 500 }),
    )
    await app.store.usage.insertMany([...rows, aUsage({ at: now, keyId: crypto.randomUUID() })])
    interface Activity {
      readonly data: {
        readonly id: string
        readonly requests: number[]
        readonly errors: number
        readonly cost: number
      }[]
    }
    const query = `activity?of=key&ids=${used},${unused}`
    const { data } = (await app.call<Activity>('GET', `/usage/${query}`)).body
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ id: used, errors: 2, cost: 28 })
    expect(data[0]?.requests).toHaveLength(30)
    expect(data[0]?.requests.at(-1)).toBe(2)
    expect(data[0]?.requests.reduce((sum, each) => sum + each)).toBe(4)
    expect((await app.call<Activity>('GET', `/me/usage/${query}`, { key: app.userKey })).body.data).toHaveLength(1)
    expect((await app.call<Activity>('GET', `/me/usage/${query}`)).body.data).toEqual([])
    const many = Array.from({ length: 101 }, () => used).join(',')
    const refused = await app.call('GET', `/usage/activity?of=key&ids=${many}`)
    expect([refused.status, refused.param]).toEqual([400, 'ids'])
  })
})

describe('sessions', () => {
  test('are listed with their browser, and end one by one or all', async () => {
    const user = await addUser({ password, temporary: false })
    expect(user.last_seen_at).toBeNull()
    const [first, second] = [await signIn(user.email), await signIn(user.email, password, 'Firefox on a phone')]
    const [firstCookie, secondCookie] = [cookieOf(first), cookieOf(second)]
    expect((await readUser(user)).last_seen_at).not.toBeNull()
    const own = (await as(firstCookie, 'GET', '/me/sessions')).body.data
    expect(own.filter(({ current }) => current)).toHaveLength(1)
    expect(own).toHaveLength(2)
    const listed = (await app.call<{ data: Session[] }>('GET', `/users/${user.id}/sessions`)).body.data
    expect(new Set(listed.map(({ agent }) => agent))).toEqual(new Set(['Firefox on a phone', 'a browser']))
    expect(listed.map(({ current }) => current)).toEqual([false, false])
    const phone = listed.find(({ agent }) => agent === 'Firefox on a phone')
    const otherUser = await app.call('DELETE', `/users/${app.userId}/sessions/${phone?.id}`)
    expect(otherUser.status).toBe(404)
    expect((await app.call('DELETE', `/users/${user.id}/sessions/${phone?.id}`)).status).toBe(204)
    expect((await as(secondCookie, 'GET', '/me')).status).toBe(401)
    expect((await as(firstCookie, 'GET', '/me')).status).toBe(200)
    expect((await app.call('DELETE', `/users/${user.id}/sessions`)).status).toBe(204)
    expect((await as(firstCookie, 'GET', '/me')).status).toBe(401)
  })

  test('are noted as seen once a minute, and people end their own', async () => {
    const user = await addUser({ password, temporary: false })
    const cookie = cookieOf(await signIn(user.email))
    const before = (await readUser(user)).last_seen_at
    app.advance(30_000)
    await as(cookie, 'GET', '/me')
    expect((await readUser(user)).last_seen_at).toBe(before)
    app.advance(31_000)
    await as(cookie, 'GET', '/me')
    expect(Date.parse((await readUser(user)).last_seen_at ?? '')).toBeGreaterThan(Date.parse(before ?? '') + 60_000)
    const [session] = (await as(cookie, 'GET', '/me/sessions')).body.data
    expect((await as(cookie, 'DELETE', `/me/sessions/${session?.id}`)).status).toBe(204)
    expect((await as(cookie, 'GET', '/me')).status).toBe(401)
  })
})

describe('invitations', () => {
  interface Invitation {
    readonly path: string
  }

  async function invite(user: User, body: object = {}): Promise<string> {
    const { body: made } = await app.call<Invitation>('POST', `/users/${user.id}/invitation`, { body })
    return made.path.slice(made.path.indexOf('#') + 1)
  }

  const look = (token: string) =>
    app.call<{ email: string }>('POST', '/session/invitation/look', { key: null, body: { token } })
  const accept = (token: string, plain = password) =>
    app.call('POST', '/session/invitation', { key: null, body: { token, password: plain } })

  test('a link lets the user choose a password, signs in, and works once', async () => {
    const user = await addUser({ name: 'Grace' })
    const token = await invite(user)
    expect((await look(token)).body).toMatchObject({ email: user.email, name: 'Grace' })
    expect((await readUser(user)).invited_until).not.toBeNull()
    const weak = await accept(token, 'password')
    expect([weak.status, weak.param]).toEqual([422, 'password'])
    const answer = await accept(token)
    expect([answer.status, (await as(cookieOf(answer), 'GET', '/me')).status]).toEqual([200, 200])
    expect(await readUser(user)).toMatchObject({ has_password: true, invited_until: null })
    for (const again of [await accept(token, `${password} again`), await look(token)])
      expect([again.status, again.code]).toEqual([404, 'not_found'])
    expect((await signIn(user.email)).status).toBe(200)
  })

  test('of many who use one link at once, one gets in', async () => {
    const token = await invite(await addUser())
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => accept(token, `${password} ${index}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(5)
  })

  test('a link ends with its time, by another one, by a new password, when withdrawn, and with the user', async () => {
    const user = await addUser()
    const late = await invite(user, { hours: 1 })
    app.advance(3_600_001)
    const replaced = await invite(user)
    const overtaken = await invite(user)
    expect((await look(overtaken)).status).toBe(200)
    await app.call('POST', `/users/${user.id}/password`, { body: { password } })
    const withdrawn = await invite(user)
    expect((await app.call('DELETE', `/users/${user.id}/invitation`)).status).toBe(204)
    const ofDisabled = await invite(user)
    await app.call('PATCH', `/users/${user.id}`, { body: { disabled: true } })
    for (const token of [late, replaced, overtaken, withdrawn, ofDisabled, 'nothing'])
      expect((await accept(token)).code).toBe('not_found')
    const refused = await app.call('POST', `/users/${user.id}/invitation`, { body: {} })
    expect([refused.status, refused.code]).toEqual([409, 'conflict'])
    const service = await addUser({ kind: 'service' })
    expect((await app.call('POST', `/users/${service.id}/invitation`, { body: {} })).status).toBe(409)
  })

  test('a link of another web site is refused, and no answer but the first has the token', async () => {
    const user = await addUser()
    const token = await invite(user)
    const headers = { origin: 'https://elsewhere.example' }
    const crossed = await app.call('POST', '/session/invitation', { key: null, headers, body: { token, password } })
    expect([crossed.status, crossed.code]).toEqual([403, 'origin_denied'])
    for (const path of [`/users/${user.id}`, '/users?limit=200', '/audit?limit=200'])
      expect((await app.call('GET', path)).text).not.toContain(token)
    expect(app.log()).not.toContain(token)
  })
})

describe('many users at once', () => {
  interface Result {
    readonly done: string[]
    readonly refused: { readonly id: string; readonly message: string }[]
  }

  const change = (body: object) => app.call<Result>('POST', '/users/bulk', { body })

  test('are disabled, enabled, moved between groups and deleted, each as by itself', async () => {
    const users = [await addUser({ password, temporary: false }), await addUser(), await addUser()]
    const ids = users.map(({ id }) => id)
    const cookie = cookieOf(await signIn(users[0]!.email))
    const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'many' } })).body.id
    expect((await change({ ids, action: 'join', group_id: group })).body).toEqual({ done: ids, refused: [] })
    expect((await allItems<User>(app, `/users?group_id=${group}`, 200)).map(({ id }) => id)).toEqual(ids)
    expect((await change({ ids: ids.slice(1), action: 'leave', group_id: group })).body.done).toHaveLength(2)
    expect((await readUser(users[0]!)).groups.toSorted()).toEqual([everyoneGroupId, group].toSorted())
    await change({ ids, action: 'disable' })
    expect((await as(cookie, 'GET', '/me')).status).toBe(401)
    await change({ ids, action: 'enable' })
    expect((await readUser(users[0]!)).disabled).toBe(false)
    const unknown = crypto.randomUUID()
    const deleted = (await change({ ids: [...ids, unknown, ids[0]], action: 'delete' })).body
    expect(deleted.done).toEqual(ids)
    expect(deleted.refused.map(({ id }) => id)).toEqual([unknown])
    expect((await app.call('GET', `/users/${ids[0]}`)).status).toBe(404)
  })

  test('keep the last administrator, and say so', async () => {
    for (const action of ['disable', 'delete']) {
      const { body } = await change({ ids: [app.adminId], action })
      expect(body.done).toEqual([])
      expect(body.refused[0]?.message).toContain('administrator')
    }
    const all = await allItems<User>(app, '/users', 200)
    expect(all.filter(({ email }) => [adminEmail, userEmail].includes(email))).toHaveLength(2)
  })

  test('a group is named where it counts, exists, and is not everyone', async () => {
    const ids = [app.userId]
    expect((await change({ ids, action: 'join' })).param).toBe('group_id')
    expect((await change({ ids, action: 'enable', group_id: everyoneGroupId })).param).toBe('group_id')
    expect((await change({ ids, action: 'join', group_id: everyoneGroupId })).code).toBe('conflict')
    expect((await change({ ids, action: 'join', group_id: crypto.randomUUID() })).code).toBe('not_found')
  })
})
