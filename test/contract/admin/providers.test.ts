import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { hang, htmlBadGateway, json, redirect } from '#test/support/upstream/upstream-behaviours.ts'
import { modelList } from '#test/support/upstream/upstream-samples.ts'
import { refusingUrl, startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let upstream: Upstream
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

interface Provider {
  readonly id: string
  readonly name: string
  readonly base_url: string
  readonly has_credential: boolean
  readonly header_names: readonly string[]
}

interface ProviderTest {
  readonly ok: boolean
  readonly models: readonly { readonly id: string; readonly context_length: number | null }[]
  readonly latency_ms: number
  readonly error?: string
}

const canary = 'canary-credential-4711'
const headerCanary = 'canary-header-4712'

let count = 0
async function createProvider(fields: object = {}): Promise<Provider> {
  const answer = await app.call<Provider>('POST', '/providers', {
    body: { name: `provider-${(count += 1)}`, base_url: upstream.url, ...fields },
  })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body
}

describe('provider presets', () => {
  test('each names a kind that exists and an address that a provider can be created with', async () => {
    interface Preset {
      readonly name: string
      readonly kind: string
      readonly base_url: string
      readonly headers: Readonly<Record<string, string>>
    }
    const presets = (await app.call<{ data: Preset[] }>('GET', '/provider-presets')).body.data
    expect(presets.map(({ name }) => name)).toContain('ollama')
    expect(presets.find(({ name }) => name === 'anthropic')?.headers).toEqual({ 'anthropic-version': '2023-06-01' })
    for (const { name, kind, base_url, headers } of presets) {
      const provider = await createProvider({ name, kind, base_url, headers })
      expect(provider).toMatchObject({ name, base_url, header_names: Object.keys(headers) })
      await app.call('DELETE', `/providers/${provider.id}`)
    }
  })
})

describe('provider records', () => {
  test('a provider can be created, read, changed and deleted', async () => {
    const provider = await createProvider({ base_url: 'HTTP://Example.org:8080/v1//', timeouts: { idle_seconds: 5 } })
    expect(provider).toMatchObject({
      kind: 'openai',
      base_url: 'http://example.org:8080/v1',
      has_credential: false,
      enabled: true,
      timeouts: { idle_seconds: 5 },
    })
    const path = `/providers/${provider.id}`
    expect((await app.call<Provider>('GET', path)).body).toEqual(provider)
    const changed = await app.call<Provider>('PATCH', path, { body: { enabled: false, timeouts: {} } })
    expect(changed.body).toEqual({ ...provider, enabled: false, timeouts: {}, etag: expect.any(String) } as Provider)
    expect((await app.call('DELETE', path)).status).toBe(204)
    expect((await app.call('GET', path)).status).toBe(404)
  })

  test('a credential and the values of headers are in no answer and no log line, but reach the provider', async () => {
    const provider = await createProvider({ credential: canary, headers: { 'X-Team': headerCanary } })
    expect(provider).toMatchObject({ has_credential: true, header_names: ['X-Team'] })
    const path = `/providers/${provider.id}`
    upstream.script(json(modelList('m1')))
    const answers = [
      await app.call('GET', path),
      await app.call('GET', '/providers?limit=200'),
      await app.call('PATCH', path, { body: { name: 'with-secrets' } }),
      await app.call('POST', `${path}/test`),
      await app.call('POST', `/providers/${provider.id}/import-models`, { body: {} }),
      await app.call('POST', '/providers', {
        body: { name: 'with-secrets', base_url: upstream.url, credential: canary },
      }),
      await app.call('POST', '/providers', {
        body: { name: 'bad', base_url: upstream.url, credential: `${canary}\n` },
      }),
      await app.call('POST', '/providers', {
        body: { name: 'bad', base_url: upstream.url, headers: { 'X-Team': `${headerCanary}\n` } },
      }),
      await app.call('DELETE', path),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 409, 422, 422, 409])
    for (const { text } of answers) expect(text).not.toContain('canary')
    expect(app.log()).not.toContain('canary')
    const received = upstream.requests.at(-1)
    expect([received?.header('authorization'), received?.header('x-team')]).toEqual([`Bearer ${canary}`, headerCanary])
  })

  test('a patch keeps a credential that it does not name, null removes it, and headers change one by one', async () => {
    const { id } = await createProvider({ credential: canary, headers: { 'X-One': '1', 'X-Two': '2' } })
    const patch = async (body: object) => (await app.call<Provider>('PATCH', `/providers/${id}`, { body })).body
    expect(await patch({ enabled: true })).toMatchObject({ has_credential: true, header_names: ['X-One', 'X-Two'] })
    expect(await patch({ headers: { 'x-one': null, 'X-Three': '3' } })).toMatchObject({
      header_names: ['X-Three', 'X-Two'],
    })
    expect(await patch({ credential: null })).toMatchObject({ has_credential: false })
    expect((await app.store.providers.get(id))?.headers).toEqual({ 'X-Two': '2', 'X-Three': '3' })
    expect((await app.store.providers.get(id))?.credential).toBeNull()
  })

  test('options come back but for the secrets among them, change one by one, and reach the store whole', async () => {
    const settings = {
      baseURL: 'http://x',
      headers: { Authorization: canary, 'X-Team': 'a' },
      list: [{ apiKey: canary }],
    }
    const provider = await createProvider({
      options: { region: 'eu-central-1', access_key_id: 'AKI', session_token: canary, settings },
    })
    const shown = {
      region: 'eu-central-1',
      access_key_id: 'AKI',
      session_token: '[secret]',
      settings: { ...settings, headers: { Authorization: '[secret]', 'X-Team': 'a' }, list: [{ apiKey: '[secret]' }] },
    }
    expect(provider).toMatchObject({ options: shown })
    const path = `/providers/${provider.id}`
    const changed = await app.call('PATCH', path, { body: { options: { region: 'us-east-1', settings: null } } })
    const { settings: _, ...kept } = shown
    expect(changed.body).toMatchObject({ options: { ...kept, region: 'us-east-1' } })
    expect((await app.store.providers.get(provider.id))?.options).toEqual({
      region: 'us-east-1',
      access_key_id: 'AKI',
      session_token: canary,
    })
    expect(app.log()).not.toContain(canary)
    const masked = await app.call('PATCH', path, { body: { options: { session_token: '[secret]' } } })
    expect([masked.status, masked.param]).toEqual([422, 'options.session_token'])
  })

  test('no secret goes to another server than it was given for: each is given again or removed', async () => {
    const elsewhere = await startUpstream()
    elsewhere.script(json(modelList('m')))
    const secrets = { credential: canary, headers: { 'X-Team': headerCanary }, options: { session_token: canary } }
    const { id } = await createProvider(secrets)
    const patch = (body: object) => app.call<Provider>('PATCH', `/providers/${id}`, { body })
    const moved = { base_url: elsewhere.url }
    const refusals = [
      [moved, 'credential'],
      [{ base_url: upstream.url.replace('127.0.0.1', 'localhost') }, 'credential'],
      [{ kind: 'ai-sdk' }, 'credential'],
      [{ servers: { urls: [elsewhere.url] } }, 'credential'],
      [{ servers: { dns: 'srv' } }, 'credential'],
      [{ ...moved, credential: null }, 'headers.X-Team'],
      [{ ...moved, credential: null, headers: { 'x-team': null } }, 'options.session_token'],
    ] as const
    for (const [body, param] of refusals) {
      const answer = await patch(body)
      expect([body, answer.status, answer.param, answer.text.includes('canary')]).toEqual([body, 422, param, false])
    }
    expect(await app.store.providers.get(id)).toMatchObject({ baseUrl: upstream.url, headers: secrets.headers })

    expect((await patch({ base_url: `${upstream.url}/below` })).body).toMatchObject({ has_credential: true })
    const same = { servers: { urls: [`${upstream.url}/beside`], dns: 'a', strategy: 'affinity' } }
    expect((await patch(same)).body).toMatchObject({ ...same, has_credential: true })
    expect((await patch({ servers: null })).body).toMatchObject({ servers: null, has_credential: true })
    const given = { credential: 'another', headers: { 'x-team': null }, options: { session_token: null } }
    expect((await patch({ ...moved, ...given })).status).toBe(200)
    await app.call('POST', `/providers/${id}/test`)
    expect(JSON.stringify(elsewhere.requests.map(({ headers }) => headers))).not.toContain('canary')
    expect(elsewhere.requests.at(-1)?.header('authorization')).toBe('Bearer another')
    await elsewhere.close()
  })

  test('options that lead to another server count as its address', async () => {
    const bedrock = await createProvider({ kind: 'bedrock', credential: canary, options: { region: 'eu-central-1' } })
    const settings = { apiVersion: '1' }
    const sdk = await createProvider({
      kind: 'ai-sdk',
      credential: canary,
      options: { package: '@ai-sdk/x', settings },
    })
    const statusOf = async (id: string, options: object) =>
      (await app.call('PATCH', `/providers/${id}`, { body: { options } })).status
    expect([
      await statusOf(bedrock.id, { region: 'us-east-1' }),
      await statusOf(bedrock.id, { region: 'x.evil.example/' }),
      await statusOf(sdk.id, { namespace: 'x' }),
      await statusOf(sdk.id, { settings: { baseURL: 'https://evil.example' } }),
      await statusOf(sdk.id, { package: 'evil' }),
    ]).toEqual([200, 422, 200, 422, 422])
  })

  test('what is no address, kind, name or header is 422 with the field', async () => {
    const bodies = [
      [{ base_url: 'ftp://example.org' }, 'base_url'],
      [{ base_url: 'http://user:secret@example.org' }, 'base_url'],
      [{ base_url: 'http://example.org/v1?key=secret' }, 'base_url'],
      [{ base_url: '' }, 'base_url'],
      [{ kind: 'telepathy' }, 'kind'],
      [{ kind: 'demo', servers: {} }, 'servers'],
      [{ servers: { urls: ['http://example.org', 'http://user:secret@example.org'] } }, 'servers.urls.1'],
      [{ servers: { urls: Array(101).fill('http://example.org') } }, 'servers.urls'],
      [{ servers: { dns: 'mx' } }, 'servers.dns'],
      [{ servers: { strategy: 'priority' } }, 'servers.strategy'],
      [{ name: 'two words' }, 'name'],
      [{ headers: { 'bad name': 'x' } }, 'headers.bad name'],
      [{ timeouts: { idle_seconds: 0 } }, 'timeouts.idle_seconds'],
      [{ timeouts: { idel_seconds: 1 } }, 'timeouts.idel_seconds'],
    ] as const
    for (const [fields, param] of bodies) {
      const answer = await app.call('POST', '/providers', {
        body: { name: 'x', base_url: 'http://example.org', ...fields },
      })
      expect([fields, answer.status, answer.param, answer.text.includes('secret')]).toEqual([fields, 422, param, false])
    }
  })

  test('a patch cannot leave a provider that needs an address without one', async () => {
    const { id } = await createProvider({ kind: 'demo', base_url: '' })
    expect((await app.call('PATCH', `/providers/${id}`, { body: { kind: 'openai' } })).param).toBe('base_url')
    expect(
      (await app.call('PATCH', `/providers/${id}`, { body: { kind: 'openai', base_url: upstream.url } })).status,
    ).toBe(200)
  })

  test('a name that is in use is 409', async () => {
    const { name } = await createProvider()
    expect((await app.call('POST', '/providers', { body: { name, kind: 'demo' } })).code).toBe('conflict')
  })

  test('a declared provider is read-only', async () => {
    const id = crypto.randomUUID()
    const record = {
      id,
      name: 'declared',
      kind: 'demo',
      baseUrl: '',
      credential: null,
      headers: {},
      timeouts: {},
      options: {},
      reasoning: null,
      maxConcurrent: null,
      servers: null,
      enabled: true,
      declared: true,
      createdAt: 1,
    }
    await app.store.providers.insert(record)
    expect((await app.call('PATCH', `/providers/${id}`, { body: { enabled: false } })).code).toBe('declared_read_only')
    expect((await app.call('DELETE', `/providers/${id}`)).code).toBe('declared_read_only')
  })

  test('pages of any size give each provider exactly once', async () => {
    const all = (await app.store.providers.all()).map((provider) => provider.id)
    for (const limit of [1, 2, 200])
      expect((await allItems<Provider>(app, '/providers', limit)).map((provider) => provider.id)).toEqual(all)
  })

  test('every kind is described', async () => {
    const { body } = await app.call<{ data: { kind: string; description: string; needs_base_url: boolean }[] }>(
      'GET',
      '/provider-kinds',
    )
    const needing = body.data.filter((kind) => kind.needs_base_url).map(({ kind }) => kind)
    expect([needing, body.data.map(({ kind }) => kind)]).toEqual([
      ['openai', 'takeoff'],
      expect.arrayContaining(['demo', 'google']),
    ])
    for (const { description } of body.data) expect(description).toMatch(/^[A-Z].{5}/)
  })
})

describe('deleting a provider', () => {
  test('one with models is 409 with their names, until the models may go too', async () => {
    const { id } = await createProvider({ kind: 'demo' })
    await app.call('POST', '/models', { body: { name: 'doomed', provider_id: id } })
    const refused = await app.call('DELETE', `/providers/${id}`)
    expect([refused.status, refused.text.includes('doomed')]).toEqual([409, true])
    expect((await app.call('DELETE', `/providers/${id}?cascade=perhaps`)).param).toBe('cascade')
    expect((await app.call('DELETE', `/providers/${id}?cascade=true`)).status).toBe(204)
    expect(
      (await app.call<{ data: { id: string }[] }>('GET', '//ai/v1/models')).body.data.map((model) => model.id),
    ).not.toContain('doomed')
  })
})

describe('deleting a provider with a declared model', () => {
  test('is 403 and deletes none of its models', async () => {
    const { id } = await createProvider({ kind: 'demo' })
    for (const name of ['first-of-two', 'second-of-two'])
      await app.call('POST', '/models', { body: { name, provider_id: id } })
    const declared = await app.store.models.byName('second-of-two')
    await app.store.models.update(declared?.id ?? '', { declared: true })
    expect((await app.call('DELETE', `/providers/${id}?cascade=true`)).code).toBe('declared_read_only')
    expect(await app.store.models.byName('first-of-two')).not.toBeNull()
  })
})

describe('testing a connection', () => {
  const attempt = async (fields: object = {}) =>
    (
      await app.call<ProviderTest>('POST', '/providers/test', {
        body: { name: 'x', base_url: upstream.url, ...fields },
      })
    ).body

  test('a provider that answers shows its models, and nothing is saved', async () => {
    const before = (await app.store.providers.all()).length
    upstream.script(json({ object: 'list', data: [{ id: 'm1', max_model_len: 4096 }, { id: 'm2' }] }))
    const result = await attempt()
    expect(result).toMatchObject({
      ok: true,
      models: [
        { id: 'm1', context_length: 4096 },
        { id: 'm2', context_length: null },
      ],
    })
    expect(result.latency_ms).toBeGreaterThanOrEqual(0)
    expect(await app.store.providers.all()).toHaveLength(before)
    expect((await attempt({ kind: 'demo', base_url: '' })).ok).toBe(true)
  })

  test('a saved provider is asked with its own credential', async () => {
    const { id } = await createProvider({ credential: 'sk-saved' })
    upstream.script(json(modelList('m1')))
    expect((await app.call<ProviderTest>('POST', `/providers/${id}/test`)).body.ok).toBe(true)
    expect(upstream.requests.at(-1)?.header('authorization')).toBe('Bearer sk-saved')
  })

  test('each way to fail is told in a sentence of its own', async () => {
    const sentences = new Set<string>()
    const fails = async (pattern: RegExp, fields: object = {}) => {
      const { ok, models, error = '' } = await attempt(fields)
      expect([ok, models]).toEqual([false, []])
      expect(error).toMatch(pattern)
      sentences.add(error)
    }
    await fails(/Nothing can be reached/, { base_url: refusingUrl })
    upstream.script(json({ error: {} }, 401))
    await fails(/401: the credential was refused/)
    upstream.script(htmlBadGateway())
    await fails(/answered 502/)
    upstream.script(redirect('http://127.0.0.1:1/'))
    await fails(/answered 30[1278]/)
    upstream.script(json({ models: [] }))
    await fails(/does not list models/)
    upstream.script(json('not a list'))
    await fails(/does not list models/)
    expect(sentences.size).toBe(5)
  })

  test('when the administrator goes away the provider is no longer asked', async () => {
    await using silent = await startUpstream()
    silent.script([hang])
    const leaving = new AbortController()
    const asked = fetch(`${app.url}/admin/api/v1/providers/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}` },
      body: JSON.stringify({ name: 'x', base_url: silent.url }),
      signal: leaving.signal,
    }).catch((error: unknown) => error)
    const request = await silent.nextRequest()
    leaving.abort()
    expect(await asked).toBeInstanceOf(Error)
    await request.closed
    expect(request.aborted).toBe(true)
  })
})
