import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { prefix, startAdminApp, userEmail, type AdminApp, type CallOptions } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
  const provider = (await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } }))
    .body.id
  const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Inner circle' } })).body.id
  const model = (name: string, fields: object = {}) =>
    app.call('POST', '/models', { body: { name, provider_id: provider, upstream_name: 'demo-chat', ...fields } })
  await model('open', { aliases: ['public'], description: 'For all' })
  await model('hidden', { groups: [group] })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Key {
  readonly id: string
  readonly user_id: string
  readonly secret: string
}

function asUser<T>(method: string, path: string, options: CallOptions = {}) {
  return app.call<T>(method, path, { key: app.userKey, ...options })
}

describe('the own account', () => {
  test('an ordinary user sees who they are and by which key', async () => {
    const { body } = await asUser('GET', '/me')
    expect(body).toMatchObject({
      user: { id: app.userId, email: userEmail, role: 'user' },
      groups: [{ name: 'everyone' }],
      key: { user_id: app.userId },
    })
  })

  test('only models that the caller can use are listed', async () => {
    const { body } = await asUser<{ data: unknown[] }>('GET', '/me/models')
    const [open] = body.data as { id: string }[]
    expect(body.data).toEqual([
      {
        id: open?.id,
        name: 'open',
        aliases: ['public'],
        description: 'For all',
        provider: 'practice',
        provider_kind: 'demo',
        context_length: null,
        capabilities: {},
        rates: {},
        in_flight_limit: null,
        groups: [everyoneGroupId],
      },
    ])
  })

  test('the operator on the control socket has no account of its own', async () => {
    // The socket hands requests to the same routes; a route of /me answers the trusted caller with a sentence.
    const own = app.routes.filter((route) => route.path.startsWith(`${prefix}/me`))
    expect(own.length).toBeGreaterThan(8)
    for (const { method, path } of own) {
      const body = sampleBody(method, path)
      const answer = await app.asOperator(method, path.replace(prefix, '').replace(/:\w+/, crypto.randomUUID()), body)
      expect([method, path, answer.status]).toEqual([method, path, 404])
      expect(answer.text).toContain('operator')
    }
  })
})

/** A body that passes the schema, so that what is refused is the operator. */
function sampleBody(method: string, path: string): unknown {
  if (path.endsWith('/password')) return { current: 'x', new: 'now long enough' }
  if (path.endsWith('/delete')) return { ids: ['x'] }
  if (path.endsWith('/rotate')) return {}
  if (path.endsWith('/guide')) return { hidden: true }
  if (method === 'POST') return { name: 'x' }
  return method === 'PATCH' ? {} : undefined
}

describe('the own keys', () => {
  test('a user creates, changes and deletes keys without being an administrator', async () => {
    const created = await asUser<Key>('POST', '/me/keys', { body: { name: 'my app' } })
    expect([created.status, created.body.user_id]).toEqual([201, app.userId])
    expect(await app.statusWith(created.body.secret)).toBe(200)
    const path = `/me/keys/${created.body.id}`
    expect((await asUser('PATCH', path, { body: { name: 'renamed' } })).body).toMatchObject({ name: 'renamed' })
    expect((await asUser('GET', path)).body).toMatchObject({ name: 'renamed' })
    expect((await asUser('DELETE', path)).status).toBe(204)
    expect(await app.statusWith(created.body.secret)).toBe(401)
    expect((await asUser('GET', path)).status).toBe(404)
  })

  test('other users’ keys are neither listed nor found, and cannot be changed or deleted', async () => {
    const other = (await app.call<Key>('POST', `/users/${app.adminId}/keys`, { body: { name: 'not yours' } })).body
    const listed = await asUser<{ data: Key[] }>('GET', '/me/keys?limit=200')
    expect(new Set(listed.body.data.map((key) => key.user_id))).toEqual(new Set([app.userId]))
    const path = `/me/keys/${other.id}`
    expect((await asUser('GET', path)).status).toBe(404)
    expect((await asUser('PATCH', path, { body: { name: 'mine now' } })).status).toBe(404)
    expect((await asUser('DELETE', path)).status).toBe(404)
    expect(
      (await asUser<{ deleted: string[] }>('POST', '/me/keys/delete', { body: { ids: [other.id] } })).body.deleted,
    ).toEqual([])
    expect(await app.statusWith(other.secret)).toBe(200)
  })

  test('an administrator too sees only own keys there', async () => {
    const listed = await app.call<{ data: Key[] }>('GET', '/me/keys?limit=200')
    expect(new Set(listed.body.data.map((key) => key.user_id))).toEqual(new Set([app.adminId]))
  })

  test('several own keys can be deleted at once', async () => {
    const make = async () => (await asUser<Key>('POST', '/me/keys', { body: { name: 'x' } })).body
    const keys = [await make(), await make()]
    const answer = await asUser<{ deleted: string[] }>('POST', '/me/keys/delete', {
      body: { ids: keys.map((key) => key.id) },
    })
    expect(answer.body.deleted).toHaveLength(2)
    for (const { secret } of keys) expect(await app.statusWith(secret)).toBe(401)
  })

  test('a scope tells nothing of models that the user cannot use', async () => {
    const messages: string[] = []
    for (const name of ['hidden', 'no-such-model']) {
      const answer = await asUser<{ error: { message: string } }>('POST', '/me/keys', {
        body: { name: 'x', scopes: { models: [name] } },
      })
      expect([answer.status, answer.param]).toEqual([422, 'scopes.models.0'])
      messages.push(answer.body.error.message)
    }
    expect(messages[0]).toBe(messages[1] ?? '')
    const alias = await asUser<{ scopes: unknown }>('POST', '/me/keys', {
      body: { name: 'x', scopes: { models: ['public'] } },
    })
    expect(alias.body.scopes).toEqual({ models: ['open'], areas: null })
  })
})

describe('the own usage', () => {
  test('only the own requests are counted', async () => {
    const chat = (key: string) =>
      app.call('POST', '//ai/v1/chat/completions', {
        key,
        body: { model: 'open', messages: [{ role: 'user', content: 'Hi' }] },
      })
    await chat(app.userKey)
    await chat(app.adminKey)
    const rows = await app.usageRows(2)
    expect(new Set(rows.map((row) => row.userId))).toEqual(new Set([app.userId, app.adminId]))
    const totals = await asUser('GET', '/me/usage')
    expect(totals.body).toMatchObject({ requests: 1, errors: 0 })
    const series = await asUser<{ data: unknown[] }>('GET', '/me/usage/series?group_by=model&bucket=day')
    expect(series.body.data).toMatchObject([{ group: 'open', requests: 1 }])
    expect((await asUser('GET', `/me/usage?user_id=${app.adminId}`)).param).toBe('user_id')
    expect((await asUser('GET', '/me/usage/series?group_by=user')).param).toBe('group_by')
  })

  test('only the own requests are listed, whatever is asked for', async () => {
    const own = await asUser<{ data: { user_id: string; model: string }[] }>('GET', '/me/requests')
    expect(own.body.data.map(({ user_id, model }) => [user_id, model])).toEqual([[app.userId, 'open']])
    expect((await asUser<{ data: unknown[] }>('GET', '/me/requests?status=error')).body.data).toEqual([])
    expect((await asUser('GET', `/me/requests?user_id=${app.adminId}`)).param).toBe('user_id')
  })
})

describe('the own password', () => {
  test('it changes only with the current one', async () => {
    await app.call('POST', `/users/${app.userId}/password`, { body: { password: 'first password', temporary: false } })
    const wrong = await asUser('POST', '/me/password', { body: { current: 'second password', new: 'third password' } })
    expect([wrong.status, wrong.param]).toEqual([422, 'current'])
    expect((await asUser('POST', '/me/password', { body: { current: 'first password', new: 'short' } })).param).toBe(
      'new',
    )
    expect(
      (await asUser('POST', '/me/password', { body: { current: 'first password', new: 'third password' } })).status,
    ).toBe(204)
    const signIn = await app.call('POST', '/session', {
      key: null,
      body: { email: userEmail, password: 'third password' },
    })
    expect(signIn.status).toBe(200)
  })
})
