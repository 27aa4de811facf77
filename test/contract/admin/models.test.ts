import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { refusingUrl, startUpstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let providerId: string
beforeAll(async () => {
  app = await startAdminApp()
  providerId = await createProvider({ name: 'practice', kind: 'demo' })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Model {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly groups: readonly string[]
}

async function createProvider(body: object): Promise<string> {
  return (await app.call<{ id: string }>('POST', '/providers', { body })).body.id
}

let count = 0
async function createModel(fields: object = {}): Promise<Model> {
  const answer = await app.call<Model>('POST', '/models', {
    body: { name: `model-${(count += 1)}`, provider_id: providerId, upstream_name: 'demo-chat', ...fields },
  })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body
}

async function listedFor(key: string): Promise<readonly string[]> {
  return (await app.call<{ data: { id: string }[] }>('GET', '//ai/v1/models', { key })).body.data.map(
    (model) => model.id,
  )
}

function chat(model: string, key = app.userKey) {
  return app.call('POST', '//ai/v1/chat/completions', {
    key,
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  })
}

describe('models', () => {
  test('a created model answers the next request, by its name and its aliases', async () => {
    const model = await createModel({ name: 'fresh', aliases: ['fresh-alias', 'vendor/fresh'] })
    expect(model).toMatchObject({
      groups: [everyoneGroupId],
      active: true,
      upstream_name: 'demo-chat',
      inflight_limit: null,
    })
    expect(await listedFor(app.userKey)).toContain('fresh')
    for (const name of ['fresh', 'fresh-alias', 'vendor/fresh']) expect((await chat(name)).status).toBe(200)
    expect((await app.call<Model>('GET', `/models/${model.id}`)).body).toEqual(model)
  })

  test('the provider’s name of a model is its own unless another is given', async () => {
    const answer = await app.call('POST', '/models', { body: { name: 'demo-chat', provider_id: providerId } })
    expect(answer.body).toMatchObject({ upstream_name: 'demo-chat' })
  })

  test('everything that can be sent comes back', async () => {
    const fields = {
      description: 'Reads pictures',
      active: false,
      context_length: 8192,
      capabilities: {
        endpoints: ['chat/completions'],
        input: ['text', 'image'],
        tools: true,
        json_schema: false,
        reasoning: true,
      },
      inflight_limit: 3,
      timeouts: { connect_seconds: 1, first_token_seconds: 2.5, idle_seconds: 3, total_seconds: 4 },
      groups: [],
    }
    expect(await createModel(fields)).toMatchObject(fields)
  })

  test('renaming and re-aliasing hold for the next request', async () => {
    const { id } = await createModel({ name: 'old-name', aliases: ['old-alias'] })
    const patched = await app.call<Model>('PATCH', `/models/${id}`, {
      body: { name: 'new-name', aliases: ['old-name'] },
    })
    expect(patched.body).toMatchObject({ name: 'new-name', aliases: ['old-name'] })
    expect([(await chat('new-name')).status, (await chat('old-name')).status, (await chat('old-alias')).code]).toEqual([
      200,
      200,
      'model_not_found',
    ])
  })

  test('a name and an alias can change places', async () => {
    const { id } = await createModel({ name: 'left', aliases: ['right'] })
    expect(
      (await app.call('PATCH', `/models/${id}`, { body: { name: 'right', aliases: ['left'] } })).body,
    ).toMatchObject({ name: 'right', aliases: ['left'] })
  })

  test('a deactivated model is gone from the next request, and so is a deleted one', async () => {
    const { id, name } = await createModel()
    expect((await chat(name)).status).toBe(200)
    await app.call('PATCH', `/models/${id}`, { body: { active: false } })
    expect((await chat(name)).code).toBe('model_not_found')
    await app.call('PATCH', `/models/${id}`, { body: { active: true } })
    expect((await app.call('DELETE', `/models/${id}`)).status).toBe(204)
    expect((await chat(name)).code).toBe('model_not_found')
    expect((await app.call('GET', `/models/${id}`)).status).toBe(404)
  })

  test('a declared model is read-only', async () => {
    const { id } = await createModel()
    await app.store.models.update(id, { declared: true })
    expect((await app.call('PATCH', `/models/${id}`, { body: { description: 'x' } })).code).toBe('declared_read_only')
    expect((await app.call('DELETE', `/models/${id}`)).code).toBe('declared_read_only')
  })

  test('what cannot be is 422 with the field', async () => {
    const bodies = [
      [{ name: 'two words' }, 'name'],
      [{ name: '' }, 'name'],
      [{ provider_id: crypto.randomUUID() }, 'provider_id'],
      [{ provider_id: 'practice' }, 'provider_id'],
      [{ groups: [everyoneGroupId, crypto.randomUUID()] }, 'groups.1'],
      [{ groups: 'everyone' }, 'groups'],
      [{ aliases: ['ok', 'not ok'] }, 'aliases.1'],
      [{ inflight_limit: 0 }, 'inflight_limit'],
      [{ context_length: 1.5 }, 'context_length'],
      [{ capabilities: { smell: true } }, 'capabilities.smell'],
      [{ owned_by: 'me' }, 'owned_by'],
    ] as const
    const { id } = await createModel()
    for (const [fields, param] of bodies) {
      const created = await app.call('POST', '/models', { body: { name: 'never', provider_id: providerId, ...fields } })
      expect([fields, created.status, created.param]).toEqual([fields, 422, param])
      const changed = await app.call('PATCH', `/models/${id}`, { body: fields })
      expect([fields, changed.status, changed.param]).toEqual([fields, 422, param])
    }
    expect(await app.store.models.byName('never')).toBeNull()
  })

  test('pages of any size give each model exactly once', async () => {
    const all = (await app.store.models.all()).map((model) => model.id)
    for (const limit of [1, 4, 200]) {
      expect((await allItems<Model>(app, '/models', limit)).map((model) => model.id)).toEqual(all)
      expect((await allItems<Model>(app, `/models?provider_id=${providerId}`, limit)).map((model) => model.id)).toEqual(
        all,
      )
    }
    expect(await allItems<Model>(app, `/models?provider_id=${crypto.randomUUID()}`, 10)).toEqual([])
  })
})

describe('the one namespace of names and aliases', () => {
  test('a name or alias that any model has is 409 and named, and nothing of the change is kept', async () => {
    const first = await createModel({ name: 'clash', aliases: ['clash-alias'] })
    const second = await createModel({ name: 'innocent', aliases: ['innocent-alias'] })
    const attempts = [
      [await app.call('POST', '/models', { body: { name: 'clash', provider_id: providerId } }), 'clash'],
      [await app.call('POST', '/models', { body: { name: 'clash-alias', provider_id: providerId } }), 'clash-alias'],
      [
        await app.call('POST', '/models', { body: { name: 'brand-new', aliases: ['clash'], provider_id: providerId } }),
        'clash',
      ],
      [
        await app.call('POST', '/models', { body: { name: 'twice', aliases: ['twice'], provider_id: providerId } }),
        'twice',
      ],
      [await app.call('PATCH', `/models/${second.id}`, { body: { name: 'clash-alias' } }), 'clash-alias'],
      [
        await app.call('PATCH', `/models/${second.id}`, { body: { description: 'half done', aliases: ['clash'] } }),
        'clash',
      ],
    ] as const
    for (const [answer, name] of attempts)
      expect([answer.status, answer.code, answer.text.includes(`\\"${name}\\"`)]).toEqual([409, 'conflict', true])
    expect((await app.call<Model>('GET', `/models/${second.id}`)).body).toEqual(second)
    expect((await app.call<Model>('GET', `/models/${first.id}`)).body).toEqual(first)
    expect(await app.store.models.byName('brand-new')).toBeNull()
  })

  test('names are case-sensitive', async () => {
    await createModel({ name: 'Case' })
    expect((await createModel({ name: 'case' })).name).toBe('case')
  })
})

describe('groups of a model', () => {
  test('a model is reached through a common group only, from the next request on', async () => {
    const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Insiders' } })).body.id
    const { id, name } = await createModel({ groups: [group] })
    expect([(await chat(name)).code, (await listedFor(app.userKey)).includes(name)]).toEqual([
      'model_access_denied',
      false,
    ])
    // Administration gives no access to models.
    expect((await chat(name, app.adminKey)).code).toBe('model_access_denied')
    await app.call('PUT', `/users/${app.userId}/groups/${group}`)
    expect([(await chat(name)).status, (await listedFor(app.userKey)).includes(name)]).toEqual([200, true])
    await app.call('DELETE', `/users/${app.userId}/groups/${group}`)
    expect((await chat(name)).code).toBe('model_access_denied')
    await app.call('PATCH', `/models/${id}`, { body: { groups: [everyoneGroupId] } })
    expect((await chat(name)).status).toBe(200)
  })

  test('deleting a group takes away what only it gave', async () => {
    const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Short-lived' } })).body.id
    const { id, name } = await createModel({ groups: [group] })
    await app.call('PUT', `/users/${app.userId}/groups/${group}`)
    expect((await chat(name)).status).toBe(200)
    await app.call('DELETE', `/groups/${group}`)
    expect((await chat(name)).code).toBe('model_access_denied')
    expect((await app.call<Model>('GET', `/models/${id}`)).body.groups).toEqual([])
  })
})

describe('importing models of a provider', () => {
  interface Imported {
    readonly imported: readonly Model[]
    readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  }

  test('all that is offered is made at once; what is taken or cannot be a name is skipped and told', async () => {
    await using upstream = await startUpstream()
    const data = [
      { id: 'import-a', max_model_len: 4096 },
      { id: 'vendor/import-b' },
      { id: 'import taken' },
      { id: 'taken-name' },
    ]
    upstream.script((request) => (request.path === '/v1/models' ? json({ object: 'list', data }) : json({}, 500)))
    await createModel({ name: 'taken-name', aliases: ['import-c'] })
    data.push({ id: 'import-c' })
    const provider = await createProvider({ name: 'upstream', base_url: upstream.url })
    const { body } = await app.call<Imported>('POST', `/providers/${provider}/import-models`, { body: {} })
    expect(body.imported).toMatchObject([
      { name: 'import-a', upstream_name: 'import-a', context_length: 4096, groups: [everyoneGroupId] },
      { name: 'vendor/import-b', context_length: null },
    ])
    expect(body.skipped).toEqual([
      { id: 'import taken', reason: 'invalid_name' },
      { id: 'taken-name', reason: 'name_taken' },
      { id: 'import-c', reason: 'name_taken' },
    ])
    expect(await listedFor(app.userKey)).toContain('vendor/import-b')
    const again = await app.call<Imported>('POST', `/providers/${provider}/import-models`, { body: {} })
    expect([again.body.imported, again.body.skipped.length]).toEqual([[], 5])
  })

  test('only what is asked for is made, for the groups that are named', async () => {
    await using upstream = await startUpstream()
    const provider = await createProvider({ name: 'picky', base_url: upstream.url })
    const group = (await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Importers' } })).body.id
    const body = { ids: ['vendor/other-model', 'no-such-model'], groups: [group] }
    const answer = await app.call<Imported>('POST', `/providers/${provider}/import-models`, { body })
    expect(answer.body.imported).toMatchObject([{ name: 'vendor/other-model', groups: [group] }])
    expect(answer.body.skipped).toEqual([{ id: 'no-such-model', reason: 'not_offered' }])
    const unknown = await app.call('POST', `/providers/${provider}/import-models`, {
      body: { groups: [crypto.randomUUID()] },
    })
    expect([unknown.status, unknown.param]).toEqual([422, 'groups.0'])
  })

  test('a provider that does not tell its models is 502', async () => {
    const provider = await createProvider({ name: 'silent', base_url: refusingUrl })
    const answer = await app.call('POST', `/providers/${provider}/import-models`, { body: {} })
    expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
  })
})
