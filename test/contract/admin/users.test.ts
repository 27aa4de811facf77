import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { adminEmail, allItems, startAdminApp, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface User {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly disabled: boolean
  readonly has_password: boolean
  readonly groups: readonly string[]
}

let count = 0
async function createUser(fields: Readonly<Record<string, unknown>> = {}): Promise<User> {
  const answer = await app.call<User>('POST', '/users', {
    body: { email: `person${(count += 1)}@example.org`, ...fields },
  })
  expect(answer.status).toBe(201)
  return answer.body
}

async function createKey(userId: string): Promise<string> {
  return (await app.call<{ secret: string }>('POST', `/users/${userId}/keys`, { body: { name: 'key' } })).body.secret
}

describe('users', () => {
  test('a new user is an ordinary one in the group everyone, and reads back the same', async () => {
    const user = await createUser({ email: 'New@Example.org', name: 'Neo' })
    expect(user).toMatchObject({
      email: 'new@example.org',
      role: 'user',
      disabled: false,
      has_password: false,
      groups: [everyoneGroupId],
    })
    expect((await app.call<User>('GET', `/users/${user.id}`)).body).toEqual(user)
  })

  test('a password is never in an answer', async () => {
    const answer = await app.call('POST', '/users', {
      body: { email: 'canary@example.org', password: 'canary-password' },
    })
    expect(answer.text).not.toContain('canary-password')
    expect(answer.text).not.toContain('argon2')
    expect(answer.body).toMatchObject({ has_password: true })
    const short = await app.call('POST', '/users', { body: { email: 'canary2@example.org', password: 'canary' } })
    expect([short.status, short.param, short.text.includes('"canary"')]).toEqual([422, 'password', false])
  })

  test('an address that is in use is 409 and named, in any case of letters', async () => {
    const answer = await app.call('POST', '/users', { body: { email: userEmail.toUpperCase() } })
    expect([answer.status, answer.code]).toEqual([409, 'conflict'])
    expect(answer.text).toContain(userEmail)
    const user = await createUser()
    expect((await app.call('PATCH', `/users/${user.id}`, { body: { email: userEmail } })).code).toBe('conflict')
  })

  test('what is no address, role or name is 422 with the field', async () => {
    const bodies = [
      [{ email: 'nobody' }, 'email'],
      [{}, 'email'],
      [{ email: 'a@b', role: 'root' }, 'role'],
      [{ email: 'a@b', name: 'two\nlines' }, 'name'],
      [{ email: 'a@b', disabled: 'no' }, 'disabled'],
      [{ email: 'a@b', admin: true }, 'admin'],
      [{ email: 'nul\u0000@b' }, 'email'],
    ] as const
    for (const [body, param] of bodies) {
      const answer = await app.call('POST', '/users', { body })
      expect([body, answer.status, answer.param]).toEqual([body, 422, param])
    }
  })

  test('a patch changes what it names and nothing else', async () => {
    const user = await createUser({ name: 'Before', role: 'admin' })
    const { body } = await app.call<User>('PATCH', `/users/${user.id}`, { body: { name: 'After' } })
    expect(body).toEqual({ ...user, name: 'After', etag: expect.any(String) } as User)
    expect((await app.call<User>('PATCH', `/users/${user.id}`, { body: {} })).body).toEqual(body)
  })

  test('the list can be searched by a part of the address, and a percent sign is just a character', async () => {
    await createUser({ email: 'findme@search.example' })
    const find = async (email: string) =>
      (await app.call<{ data: User[] }>('GET', `/users?email=${encodeURIComponent(email)}`)).body.data
    expect((await find('SEARCH.exam')).map((user) => user.email)).toEqual(['findme@search.example'])
    expect(await find('%')).toEqual([])
  })

  test('pages of any size give each user exactly once', async () => {
    for (let more = 0; more < 7; more += 1) await createUser()
    const everybody = (await app.store.users.all()).map((user) => user.id)
    for (const limit of [1, 2, 3, 200]) {
      expect((await allItems<User>(app, '/users', limit)).map((user) => user.id)).toEqual(everybody)
    }
  })

  test('a user that is created while a list is read is neither repeated nor missed', async () => {
    const first = await app.call<{ data: User[]; next_cursor: string }>('GET', '/users?limit=2')
    const late = await createUser()
    const rest = await allItems<User>(
      app,
      `/users?limit=2&cursor=${first.body.next_cursor}`.replace('limit=2&', ''),
      200,
    )
    const ids = [...first.body.data, ...rest].map((user) => user.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain(late.id)
  })
})

describe('disabling and deleting', () => {
  test('a disabled user’s keys are refused on the next request, and work again when enabled', async () => {
    const { id } = await createUser()
    const key = await createKey(id)
    expect(await app.statusWith(key)).toBe(200)
    await app.call('PATCH', `/users/${id}`, { body: { disabled: true } })
    expect(await app.statusWith(key)).toBe(401)
    await app.call('PATCH', `/users/${id}`, { body: { disabled: false } })
    expect(await app.statusWith(key)).toBe(200)
  })

  test('a deleted user’s keys are refused on the next request and are gone from the lists', async () => {
    const { id } = await createUser()
    const keys = [await createKey(id), await createKey(id)]
    expect((await app.call('DELETE', `/users/${id}`)).status).toBe(204)
    for (const key of keys) expect(await app.statusWith(key)).toBe(401)
    expect((await app.call('GET', `/users/${id}`)).status).toBe(404)
    expect((await app.call('GET', `/users/${id}/keys`)).status).toBe(404)
    expect((await app.call<{ data: unknown[] }>('GET', `/keys?user_id=${id}`)).body.data).toEqual([])
    expect((await app.call('DELETE', `/users/${id}`)).status).toBe(404)
  })

  test('a user who stops being an administrator is refused on the next request', async () => {
    const { id } = await createUser({ role: 'admin' })
    const key = await createKey(id)
    expect((await app.call('GET', '/users', { key })).status).toBe(200)
    await app.call('PATCH', `/users/${id}`, { body: { role: 'user' } })
    expect((await app.call('GET', '/users', { key })).code).toBe('admin_required')
  })

  test('the last enabled administrator can be neither deleted, disabled nor demoted', async () => {
    await using alone = await startAdminApp()
    const path = `/users/${alone.adminId}`
    const attempts = [
      await alone.call('DELETE', path),
      await alone.call('PATCH', path, { body: { disabled: true } }),
      await alone.call('PATCH', path, { body: { role: 'user' } }),
    ]
    for (const { status, code } of attempts) expect([status, code]).toEqual([409, 'conflict'])
    // A disabled administrator is none that could help.
    await alone.call('POST', '/users', { body: { email: 'second@example.org', role: 'admin', disabled: true } })
    expect((await alone.call('DELETE', path)).status).toBe(409)
    expect((await alone.call('PATCH', path, { body: { name: 'Still here', role: 'admin' } })).status).toBe(200)
  })

  test('of two administrators who are demoted at the same moment one stays', async () => {
    await using two = await startAdminApp()
    const second = await two.call<User>('POST', '/users', { body: { email: 'second@example.org', role: 'admin' } })
    const answers = await Promise.all(
      [two.adminId, second.body.id].map((id) => two.call('PATCH', `/users/${id}`, { body: { role: 'user' } })),
    )
    // The second may find that its own caller is no administrator any more.
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    const left = (await two.store.users.all()).filter((user) => user.role === 'admin')
    expect(left).toHaveLength(1)
  })

  test('a user who is declared in the configuration file is read-only', async () => {
    const id = crypto.randomUUID()
    const record = {
      id,
      email: 'declared@example.org',
      name: '',
      role: 'user',
      kind: 'person',
      disabled: false,
      hasPassword: false,
      declared: true,
      createdAt: 1,
    } as const
    await app.store.users.insert(record, null)
    for (const [method, body] of [
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await app.call(method, `/users/${id}`, { ...(body && { body }) })
      expect([answer.status, answer.code]).toEqual([403, 'declared_read_only'])
    }
    expect((await app.call<User>('GET', `/users/${id}`)).body).toMatchObject({ declared: true })
  })
})

describe('passwords', () => {
  test('an administrator sets and removes a password; a short one is 422', async () => {
    const { id } = await createUser()
    expect((await app.call('POST', `/users/${id}/password`, { body: { password: 'seven77' } })).param).toBe('password')
    expect((await app.call('POST', `/users/${id}/password`, { body: { password: 'now long enough' } })).status).toBe(
      204,
    )
    expect((await app.call<User>('GET', `/users/${id}`)).body.has_password).toBe(true)
    expect((await app.call('POST', `/users/${id}/password`, { body: { password: null } })).status).toBe(204)
    expect((await app.call<User>('GET', `/users/${id}`)).body.has_password).toBe(false)
  })
})

describe('memberships', () => {
  test('joining and leaving show in both lists', async () => {
    const { id, email } = await createUser()
    const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Crew' } })).body.id
    expect((await app.call('PUT', `/users/${id}/groups/${group}`)).status).toBe(204)
    expect((await app.call('PUT', `/users/${id}/groups/${group}`)).status).toBe(204)
    expect((await app.call<User>('GET', `/users/${id}`)).body.groups.toSorted()).toEqual(
      [everyoneGroupId, group].toSorted(),
    )
    const listed = (await app.call<{ data: User[] }>('GET', `/users?email=${email}`)).body.data
    expect(listed[0]?.groups).toContain(group)
    expect((await allItems<User>(app, `/groups/${group}/members`, 1)).map((user) => user.id)).toEqual([id])
    expect((await app.call('DELETE', `/users/${id}/groups/${group}`)).status).toBe(204)
    expect(await allItems<User>(app, `/groups/${group}/members`, 1)).toEqual([])
  })

  test('everyone has no membership to change, and what does not exist is 404', async () => {
    const { id } = await createUser()
    for (const method of ['PUT', 'DELETE']) {
      expect((await app.call(method, `/users/${id}/groups/${everyoneGroupId}`)).code).toBe('conflict')
      expect((await app.call(method, `/users/${id}/groups/${crypto.randomUUID()}`)).status).toBe(404)
      expect((await app.call(method, `/users/${crypto.randomUUID()}/groups/${everyoneGroupId}`)).status).toBe(404)
    }
  })

  test('all users are members of everyone', async () => {
    const members = await allItems<User>(app, `/groups/${everyoneGroupId}/members`, 3)
    expect(members.map((user) => user.email)).toContain(adminEmail)
    expect(members).toHaveLength((await app.store.users.all()).length)
  })
})
