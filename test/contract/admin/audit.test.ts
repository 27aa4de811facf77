/** What the audit log has of changes and sign-ins, and that no secret is in it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { adminEmail, startAdminApp, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'

interface Row {
  readonly seq: number
  readonly action: string
  readonly outcome: string
  readonly source: string
  readonly actor: string
  readonly key_id: string | null
  readonly record: string
  readonly request_id: string
  readonly details: {
    readonly begun?: number
    readonly code?: string
    readonly unwritten?: number
    readonly fields?: readonly string[]
    readonly before?: unknown
    readonly after?: unknown
  }
}

interface Identified {
  readonly id: string
  readonly secret?: string
}

let app: AdminApp
beforeEach(async () => {
  app = await startAdminApp({ set: ['auth.sign_in_attempts=3'] })
})
afterEach(() => app[Symbol.asyncDispose]())

async function rows(query = ''): Promise<readonly Row[]> {
  const { body } = await app.call<{ data: readonly Row[] }>('GET', `/audit?limit=200${query}`)
  return body.data
}

test('a record that is made, changed and removed has each state before and after, as its own address shows it', async () => {
  const kinds: readonly (readonly [string, object, object])[] = [
    ['/users', { email: 'ada@example.org', name: 'Ada', role: 'user' }, { name: 'Ada L.' }],
    ['/groups', { name: 'readers' }, { description: 'people' }],
    [
      '/providers',
      {
        name: 'p',
        kind: 'openai',
        base_url: 'http://127.0.0.1:1/v1',
        credential: 'SECRET-1',
        headers: { 'x-a': 'SECRET-2' },
      },
      { credential: 'SECRET-3' },
    ],
    ['/webhooks', { url: 'https://hooks.example.org/' }, { description: 'more' }],
  ]
  const secrets = ['SECRET-']
  for (const [path, made, change] of kinds) {
    const { body } = await app.call<Identified>('POST', path, { body: made })
    if (body.secret !== undefined) secrets.push(body.secret)
    const address = `${path}/${body.id}`
    const first = (await app.call('GET', address)).body
    await app.call('PATCH', address, { body: change })
    const second = (await app.call('GET', address)).body
    await app.call('DELETE', address)
    const [removed, changed] = await rows(`&outcome=done&record=${address}`)
    const [created] = await rows(`&outcome=done&record=${path}`)
    expect(created?.details.after).toEqual(first)
    expect([changed?.details.before, changed?.details.after]).toEqual([first, second])
    expect([removed?.details.before, removed?.details.after]).toEqual([second, null])
    expect(changed?.details.fields).toEqual(Object.keys(change))
  }
  const setting = 'gateway.idle_seconds'
  await app.call('PUT', `/settings/${setting}`, { body: { value: 50 } })
  const [put] = await rows(`&outcome=done&record=/settings/${setting}`)
  expect(put?.details.before).toMatchObject({ name: setting })
  expect(put?.details.after).toMatchObject({ name: setting, value: 50 })
  const { body: key } = await app.call<Identified>('POST', `/users/${app.userId}/keys`, { body: { name: 'k' } })
  secrets.push(key.secret!)
  expect((await rows('&outcome=done'))[0]?.details.after).toMatchObject({ id: key.id, name: 'k' })
  await app.call('POST', `/users/${app.userId}/password`, { body: { password: 'SECRET-phrase-4', temporary: false } })
  const all = JSON.stringify(await rows())
  expect(secrets.length).toBe(3)
  for (const secret of secrets) expect(all).not.toContain(secret)
  expect((await app.call<{ broken_at: null }>('GET', '/audit-proof')).body.broken_at).toBeNull()
})

test('each change has a row of its beginning and one of its end, with who did it and from where', async () => {
  const headers = { 'x-request-id': 'mine-1' }
  await app.call('POST', '/groups', { headers, body: { name: 'a' } })
  await app.call('POST', '/groups', { body: { name: 'a' } })
  await app.call('POST', '/me/keys', { key: app.userKey, body: { name: 'own' } })
  await app.asOperator('POST', '/groups', { name: 'b' })
  const told = (await rows()).map(({ action, outcome, source, actor, details }) => [
    action,
    outcome,
    details.code ?? '',
    source,
    actor,
  ])
  expect(told.toReversed()).toEqual([
    ['POST /groups', 'begun', '', 'key', adminEmail],
    ['POST /groups', 'done', '', 'key', adminEmail],
    ['POST /groups', 'begun', '', 'key', adminEmail],
    ['POST /groups', 'refused', 'conflict', 'key', adminEmail],
    ['POST /me/keys', 'begun', '', 'key', userEmail],
    ['POST /me/keys', 'done', '', 'key', userEmail],
    ['POST /groups', 'begun', '', 'operator', 'operator@localhost'],
    ['POST /groups', 'done', '', 'operator', 'operator@localhost'],
  ])
  const [, done] = (await rows()).toReversed()
  expect([done?.request_id, done?.details.begun]).toEqual(['mine-1', 1])
  expect(done?.key_id).not.toBeNull()
})

test('reading writes no row', async () => {
  const readers = app.routes.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/admin/') && !/[:*]/.test(path),
  )
  expect(readers.length).toBeGreaterThan(20)
  // An export of logged content is a look at it, which has a row.
  const ours = readers.filter(({ path }) => !/\/oidc|\/content-logs-export$|\/live\//.test(path))
  for (const { path } of ours) await app.call('GET', path.replace('/admin/api/v1', ''))
  expect(await rows()).toEqual([])
})

test('sign-ins have a row, and a flood of refused ones no more than 60 in a minute', async () => {
  await app.call('POST', `/users/${app.adminId}/password`, { body: { password: 'correct horse', temporary: false } })
  const signIn = (email: string, password: string) =>
    app.call('POST', '/session', { key: null, body: { email, password } })
  expect((await signIn(adminEmail, 'correct horse')).status).toBe(200)
  expect((await rows('&action=sign-in'))[0]).toMatchObject({ outcome: 'done', actor: adminEmail })
  const refusals = async () => (await rows('&action=sign-in&outcome=refused')).length
  for (let n = 0; n < 100; n += 1) await signIn('guessed@example.org', 'wrong SECRET phrase')
  const written = await refusals()
  // The flood can reach into a second minute.
  expect(written).toBeLessThanOrEqual(120)
  app.advance(60_000)
  await signIn('guessed@example.org', 'wrong SECRET phrase')
  const [newest] = await rows('&action=sign-in')
  expect(newest).toMatchObject({ outcome: 'refused', actor: 'guessed@example.org' })
  expect(written + (newest?.details.unwritten ?? 0)).toBe(100)
  expect(JSON.stringify(await rows())).not.toContain('SECRET')
})
