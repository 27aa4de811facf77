import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isWellFormedKey } from '#identity/api-key.ts'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
  const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
  await app.call('POST', `/providers/${provider.body.id}/import-models`, { body: {} })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Key {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly user_id: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly scopes: { readonly models: readonly string[] | null; readonly areas: readonly string[] | null }
}

interface Created extends Key {
  readonly secret: string
}

async function createKey(fields: Readonly<Record<string, unknown>> = {}, key = app.adminKey): Promise<Created> {
  const answer = await app.call<Created>('POST', `/users/${app.userId}/keys`, { key, body: { name: 'key', ...fields } })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body
}

async function modelsWith(key: string): Promise<readonly string[]> {
  const answer = await app.call<{ data: { id: string }[] }>('GET', '//ai/v1/models', { key })
  return answer.body.data.map((model) => model.id)
}

describe('creating a key', () => {
  test('a created key works on the next request and belongs to its user', async () => {
    const { secret, prefix, user_id: userId, last_used_at: lastUsed } = await createKey()
    expect([isWellFormedKey(secret), secret.startsWith(`${prefix}_`), userId, lastUsed]).toEqual([
      true,
      true,
      app.userId,
      null,
    ])
    expect(await app.statusWith(secret)).toBe(200)
  })

  test('the secret is in the answer to its creation and nowhere again', async () => {
    const { id, secret } = await createKey({ name: 'shown once' })
    const random = secret.slice(secret.indexOf('_') + 1)
    const digest = Bun.SHA256.hash(secret, 'base64')
    const answers = [
      await app.call('GET', `/keys/${id}`),
      await app.call('GET', '/keys?limit=200'),
      await app.call('GET', `/users/${app.userId}/keys?limit=200`),
      await app.call('PATCH', `/keys/${id}`, { body: { description: 'changed' } }),
      await app.call('GET', '/me/keys', { key: secret }),
      await app.call('GET', '/session', { key: secret }),
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).toContain('shown once')
      expect([text.includes(random), text.includes(digest)]).toEqual([false, false])
    }
    expect(app.log()).not.toContain(random)
  })

  test('two keys never have the same secret or id', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKey()))
    expect(new Set(keys.flatMap(({ id, secret, prefix }) => [id, secret, prefix])).size).toBe(15)
  })

  test('a key without a name, or with a field that does not exist, is 422', async () => {
    const bodies = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
      [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'x', scopes: { areas: ['everything'] } }, 'scopes.areas.0'],
      [{ name: 'x', scopes: { areas: [] } }, 'scopes.areas'],
      [{ name: 'x', scopes: { models: ['no-such-model'] } }, 'scopes.models.0'],
      [{ name: 'x', scopes: { models: ['demo-chat', 7] } }, 'scopes.models.1'],
      [{ name: 'x', secret: 'mine' }, 'secret'],
    ] as const
    for (const [body, param] of bodies) {
      const answer = await app.call('POST', `/users/${app.userId}/keys`, { body })
      expect([body, answer.status, answer.param]).toEqual([body, 422, param])
    }
  })

  test('a key for a user who does not exist is 404', async () => {
    expect((await app.call('POST', `/users/${crypto.randomUUID()}/keys`, { body: { name: 'x' } })).status).toBe(404)
  })
})

describe('expiry', () => {
  test('a key is refused from the moment at which it expires, and works again when that is put off', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    await using own = await startAdminApp()
    const { body } = await own.call<Created>('POST', `/users/${own.userId}/keys`, {
      body: { name: 'x', expires_at: inAnHour },
    })
    expect(body.expires_at).toBe(inAnHour)
    expect(await own.statusWith(body.secret)).toBe(200)
    own.advance(3_600_000)
    expect(await own.statusWith(body.secret)).toBe(401)
    await own.call('PATCH', `/keys/${body.id}`, { body: { expires_at: null } })
    expect(await own.statusWith(body.secret)).toBe(200)
  })
})

describe('scopes', () => {
  test('a key for some models lists and calls only those, by name or alias', async () => {
    const { secret, scopes } = await createKey({ scopes: { models: ['demo-chat', 'demo-chat'] } })
    expect(scopes).toEqual({ models: ['demo-chat'], areas: null })
    expect(await modelsWith(secret)).toEqual(['demo-chat'])
    const call = (model: string) =>
      app.call('POST', '//ai/v1/chat/completions', {
        key: secret,
        body: { model, messages: [{ role: 'user', content: 'Hello' }] },
      })
    expect((await call('demo-chat')).status).toBe(200)
    expect((await call('demo-vision')).code).toBe('model_access_denied')
  })

  test('a key for one area is 403 in the others', async () => {
    const inference = await createKey({ scopes: { areas: ['inference'] } })
    expect(await app.statusWith(inference.secret)).toBe(200)
    expect((await app.call('GET', '/me', { key: inference.secret })).code).toBe('scope_denied')
    const admin = await createKey({ scopes: { areas: ['admin'] } })
    expect((await app.call('GET', '/me', { key: admin.secret })).status).toBe(200)
    expect(await app.statusWith(admin.secret)).toBe(403)
  })

  test('a changed scope holds for the next request, and what a patch does not name stays', async () => {
    const { id, secret } = await createKey({ scopes: { models: ['demo-chat'], areas: ['inference'] } })
    const patched = await app.call<Key>('PATCH', `/keys/${id}`, { body: { scopes: { models: ['demo-vision'] } } })
    expect(patched.body.scopes).toEqual({ models: ['demo-vision'], areas: ['inference'] })
    expect(await modelsWith(secret)).toEqual(['demo-vision'])
    await app.call('PATCH', `/keys/${id}`, { body: { scopes: { models: null } } })
    expect((await modelsWith(secret)).length).toBeGreaterThan(1)
  })

  test('a scope keeps to its models when they are renamed, and to nothing when they are deleted', async () => {
    const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'other', kind: 'demo' } })
    const model = await app.call<{ id: string }>('POST', '/models', {
      body: { name: 'short-lived', provider_id: provider.body.id, upstream_name: 'demo-chat' },
    })
    const { id, secret } = await createKey({ scopes: { models: ['short-lived'] } })
    await app.call('PATCH', `/models/${model.body.id}`, { body: { name: 'renamed' } })
    expect(await modelsWith(secret)).toEqual(['renamed'])
    await app.call('DELETE', `/models/${model.body.id}`)
    expect(await modelsWith(secret)).toEqual([])
    expect((await app.call<Key>('GET', `/keys/${id}`)).body.scopes.models).toEqual([])
  })

  test('a key made or changed through another key gets no more than that key has', async () => {
    const limits = { models: ['demo-chat'], areas: ['admin', 'inference'] }
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const maker = await app.call<Created>('POST', `/users/${app.adminId}/keys`, {
      body: { name: 'maker', scopes: limits, expires_at: until },
    })
    const make = (fields: object) =>
      app.call<Created>('POST', `/users/${app.userId}/keys`, {
        key: maker.body.secret,
        body: { name: 'made', ...fields },
      })

    const all = await make({})
    expect([all.body.scopes, all.body.expires_at]).toEqual([limits, until])
    const less = await make({ scopes: { areas: ['inference'] } })
    expect(less.body.scopes).toEqual({ models: ['demo-chat'], areas: ['inference'] })
    const later = new Date(Date.now() + 7_200_000).toISOString()
    for (const more of [
      { scopes: { areas: ['documents'] } },
      { scopes: { models: ['demo-chat', 'demo-vision'] } },
      { expires_at: later },
    ]) {
      const answer = await make(more)
      expect([more, answer.status, answer.code]).toEqual([more, 403, 'scope_denied'])
    }
    const self = `/keys/${maker.body.id}`
    for (const more of [
      { scopes: { areas: ['documents'] } },
      { scopes: { models: ['demo-vision'] } },
      { expires_at: later },
    ]) {
      expect((await app.call('PATCH', self, { key: maker.body.secret, body: more })).code).toBe('scope_denied')
    }
    const wished = await app.call<Key>('PATCH', self, {
      key: maker.body.secret,
      body: { scopes: { models: null, areas: null }, expires_at: null },
    })
    expect([wished.body.scopes, wished.body.expires_at]).toEqual([limits, until])
  })
})

describe('changing a key', () => {
  test('name and description change, everything else stays', async () => {
    const { secret: _secret, ...key } = await createKey({ name: 'before' })
    const patched = await app.call<Key>('PATCH', `/keys/${key.id}`, { body: { name: 'after', description: 'why' } })
    expect(patched.body).toEqual({ ...key, name: 'after', description: 'why', etag: expect.any(String) } as Key)
  })

  test('secret, user and prefix cannot be changed', async () => {
    const { id } = await createKey()
    for (const field of ['secret', 'user_id', 'prefix', 'digest', 'id']) {
      expect((await app.call('PATCH', `/keys/${id}`, { body: { [field]: 'x' } })).param).toBe(field)
    }
  })
})

describe('deleting keys', () => {
  test('a deleted key is refused on its next request', async () => {
    const { id, secret } = await createKey()
    expect(await app.statusWith(secret)).toBe(200)
    expect((await app.call('DELETE', `/keys/${id}`)).status).toBe(204)
    expect(await app.statusWith(secret)).toBe(401)
    expect((await app.call('DELETE', `/keys/${id}`)).status).toBe(404)
  })

  test('several deleted keys are refused on their next requests, others live on', async () => {
    const gone = await Promise.all([createKey(), createKey(), createKey()])
    const kept = await createKey()
    const ids = gone.map((key) => key.id)
    const answer = await app.call<{ deleted: string[] }>('POST', '/keys/delete', {
      body: { ids: [...ids, ids[0], crypto.randomUUID()] },
    })
    expect(answer.body.deleted.toSorted()).toEqual(ids.toSorted())
    for (const { secret } of gone) expect(await app.statusWith(secret)).toBe(401)
    expect(await app.statusWith(kept.secret)).toBe(200)
  })

  test('an empty list and one of more than 1000 ids are 422', async () => {
    for (const ids of [[], Array.from({ length: 1001 }, () => 'x')]) {
      expect((await app.call('POST', '/keys/delete', { body: { ids } })).param).toBe('ids')
    }
  })

  test('many requests at the moment of the deletion are served or refused, and none is served after it', async () => {
    const { id, secret } = await createKey()
    const deletion = app.call('DELETE', `/keys/${id}`)
    const during = await Promise.all(Array.from({ length: 50 }, () => app.statusWith(secret)))
    expect((await deletion).status).toBe(204)
    expect(new Set(during).difference(new Set([200, 401])).size).toBe(0)
    expect(await app.statusWith(secret)).toBe(401)
  })
})

describe('lists of keys', () => {
  test('pages of any size give each key exactly once', async () => {
    const all = (await app.store.keys.all()).map((key) => key.id)
    expect(all.length).toBeGreaterThan(10)
    for (const limit of [1, 3, 200])
      expect((await allItems<Key>(app, '/keys', limit)).map((key) => key.id)).toEqual(all)
    const ofUser = (await app.store.keys.all()).filter((key) => key.userId === app.userId).map((key) => key.id)
    for (const path of [`/keys?user_id=${app.userId}`, `/users/${app.userId}/keys`]) {
      expect((await allItems<Key>(app, path, 4)).map((key) => key.id)).toEqual(ofUser)
    }
  })
})
