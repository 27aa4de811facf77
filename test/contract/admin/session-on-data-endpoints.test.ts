/** The console's session on the endpoints of the data APIs: the same rights as a key of that user, from our own pages only. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, userEmail, type AdminApp, type Answer, type CallOptions } from '#test/support/app/admin-app.ts'

const password = 'correct horse'
const dataRoutes = [
  ['GET', '//ai/v1/models'],
  ['POST', '//ai/v1/chat/completions'],
  ['POST', '//generate'],
  ['POST', '//generate_stream'],
  ['POST', '//image_generate'],
] as const

let app: AdminApp
let cookie: string
beforeAll(async () => {
  app = await startAdminApp()
  const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
  const group = await app.call<{ id: string }>('POST', '/groups', { body: { name: 'Inner circle' } })
  const model = (name: string, fields: object = {}): Promise<unknown> =>
    app.call('POST', '/models', {
      body: { name, provider_id: provider.body.id, upstream_name: 'demo-chat', ...fields },
    })
  await model('open')
  await model('hidden', { groups: [group.body.id] })
  await app.call('POST', `/users/${app.userId}/password`, { body: { password, temporary: false } })
  cookie = await signedIn()
})
afterAll(() => app[Symbol.asyncDispose]())

async function signedIn(): Promise<string> {
  const answer = await app.call('POST', '/session', { key: null, body: { email: userEmail, password } })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** A request with the cookie and without a key. */
function withCookie<T>(method: string, path: string, { headers = {}, ...rest }: CallOptions = {}): Promise<Answer<T>> {
  return app.call<T>(method, path, { key: null, headers: { cookie, ...headers }, ...rest })
}

const chat = (model: string): object => ({ model, messages: [{ role: 'user', content: 'Hello' }] })

describe('a session', () => {
  test('lists and calls the models of its user, and no others', async () => {
    const listed = await withCookie<{ data: { id: string }[] }>('GET', '//ai/v1/models')
    expect(listed.body.data.map(({ id }) => id)).toEqual(['open'])
    const called = await withCookie('POST', '//ai/v1/chat/completions', { body: chat('open') })
    expect(called.status).toBe(200)
    const denied = await withCookie('POST', '//ai/v1/chat/completions', { body: chat('hidden') })
    expect([denied.status, denied.code]).toEqual([403, 'model_access_denied'])
  })

  test('is recorded for its user, without a key', async () => {
    await withCookie('POST', '//ai/v1/chat/completions', { body: chat('open') })
    const [row] = await app.usageRows(1)
    expect([row?.userId, row?.keyId]).toEqual([app.userId, null])
  })

  test('reaches the generation endpoints', async () => {
    const { status, body } = await withCookie<{ text: string }>('POST', '//generate', {
      body: { text: 'Hello', consumer_group: 'open' },
    })
    expect([status, typeof body.text]).toEqual([200, 'string'])
  })

  test('on a request that another web site makes the browser send is refused before anything is read', async () => {
    for (const [method, path] of dataRoutes.filter(([each]) => each === 'POST')) {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const { status, code } = await withCookie(method, path, { headers, body: chat('open') })
        expect([path, status, code]).toEqual([path, 403, 'origin_denied'])
      }
    }
  })

  test('that has ended is 401 and says so', async () => {
    const ended = await signedIn()
    await app.call('DELETE', '/session', { key: null, headers: { cookie: ended } })
    for (const [method, path] of dataRoutes) {
      const { status, code } = await app.call(method, path, { key: null, headers: { cookie: ended } })
      expect([path, status, code]).toEqual([path, 401, 'invalid_session'])
    }
  })

  test('does not help a key that is not valid', async () => {
    const { status, code } = await app.call('GET', '//ai/v1/models', { key: 'sk-slu-wrong', headers: { cookie } })
    expect([status, code]).toEqual([401, 'invalid_api_key'])
  })
})

describe('without a session', () => {
  test('a request without a key is 401 missing_api_key, whatever other cookies it carries', async () => {
    for (const [method, path] of dataRoutes) {
      for (const headers of [{}, { cookie: 'theme=dark; other_session=abc' }, { cookie: 'sluice_session=' }]) {
        const { status, code } = await app.call(method, path, { key: null, headers })
        expect([path, status, code]).toEqual([path, 401, 'missing_api_key'])
      }
    }
  })
})
