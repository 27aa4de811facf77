/** Accounts of programs: they have keys as a user has, and nobody signs in to them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface User {
  readonly id: string
  readonly email: string
  readonly kind: string
  readonly has_password: boolean
}

const password = 'correct horse'

let count = 0
async function add(fields: Readonly<Record<string, unknown>> = {}): Promise<User> {
  const body = { email: `program${(count += 1)}@example.org`, kind: 'service', ...fields }
  return (await app.call<User>('POST', '/users', { body })).body
}

async function keyOf(userId: string, key?: string): Promise<string> {
  const options = { body: { name: 'key' }, ...(key !== undefined && { key }) }
  return (await app.call<{ secret: string }>('POST', `/users/${userId}/keys`, options)).body.secret
}

function signIn(email: string) {
  return app.call('POST', '/session', { key: null, body: { email, password } })
}

test('a service account is made and used by key, and neither made with nor given a password', async () => {
  const program = await add()
  expect(program).toMatchObject({ kind: 'service', has_password: false })
  expect(await app.statusWith(await keyOf(program.id))).toBe(200)
  const made = await app.call('POST', '/users', { body: { email: 'p@example.org', kind: 'service', password } })
  expect([made.status, made.param]).toEqual([422, 'password'])
  for (const wanted of [password, null]) {
    const given = await app.call('POST', `/users/${program.id}/password`, { body: { password: wanted } })
    expect([given.status, given.code]).toEqual([409, 'conflict'])
  }
})

test('a list has the accounts of one kind, in pages too', async () => {
  await add()
  const all = await allItems<User>(app, '/users', 2)
  for (const kind of ['person', 'service']) {
    const wanted = all.filter((user) => user.kind === kind).map(({ id }) => id)
    expect(wanted.length).toBeGreaterThan(1)
    expect((await allItems<User>(app, `/users?kind=${kind}`, 1)).map(({ id }) => id)).toEqual(wanted)
  }
  const wrong = await app.call('GET', '/users?kind=robot')
  expect([wrong.status, wrong.param]).toEqual([400, 'kind'])
})

test('a person who becomes a service account is signed out at once, loses the password, and keeps the keys', async () => {
  const person = await add({ kind: 'person', password, temporary: false })
  const key = await keyOf(person.id)
  const cookie = ((await signIn(person.email)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const session = () => app.call('GET', '/session', { key: null, headers: { cookie } })
  expect((await session()).status).toBe(200)
  const changed = await app.call<User>('PATCH', `/users/${person.id}`, { body: { kind: 'service' } })
  expect(changed.body).toMatchObject({ kind: 'service', has_password: false })
  expect((await session()).status).toBe(401)
  expect((await signIn(person.email)).status).toBe(401)
  expect(await app.statusWith(key)).toBe(200)
  await app.call('PATCH', `/users/${person.id}`, { body: { kind: 'person' } })
  expect((await signIn(person.email)).status).toBe(401)
})

test('a service account goes on when the administrator who made it leaves', async () => {
  const creator = await add({ kind: 'person', role: 'admin' })
  const theirs = await keyOf(creator.id)
  const body = { email: 'nightly@example.org', kind: 'service' }
  const program = (await app.call<User>('POST', '/users', { key: theirs, body })).body
  const key = await keyOf(program.id, theirs)
  expect((await app.call('DELETE', `/users/${creator.id}`)).status).toBe(204)
  expect(await app.statusWith(theirs)).toBe(401)
  expect(await app.statusWith(key)).toBe(200)
})

test('the last administrator who is a person stays one, whatever a program may do', async () => {
  await using alone = await startAdminApp()
  await alone.call('POST', '/users', { body: { email: 'root@example.org', kind: 'service', role: 'admin' } })
  const path = `/users/${alone.adminId}`
  const attempts = [
    await alone.call('DELETE', path),
    await alone.call('PATCH', path, { body: { role: 'user' } }),
    await alone.call('PATCH', path, { body: { kind: 'service' } }),
  ]
  for (const { status, code } of attempts) expect([status, code]).toEqual([409, 'conflict'])
})
