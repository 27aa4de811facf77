/** What holds for every row of the admin API's table, whichever rows there are. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createKeySecret } from '#identity/api-key.ts'
import { prefix, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const unknownId = 'b7e0a0f4-5f0e-4a55-9d6b-000000000000'

/** The address with every parameter filled in, below the prefix. */
function address(path: string): string {
  return path.replace(prefix, '').replaceAll(/:\w+/g, unknownId)
}

describe('every route of the admin API', () => {
  test('without a key or a session a guarded route answers 401', async () => {
    const guarded = app.routes.filter((route) => route.access !== 'public')
    expect(guarded.length).toBeGreaterThan(50)
    for (const { method, path } of guarded) {
      const { status, code } = await app.call(method, address(path), { key: null })
      expect([method, path, status, code]).toEqual([method, path, 401, 'missing_api_key'])
    }
  })

  test('a key that is not known gets 401 from every guarded route', async () => {
    const { secret } = createKeySecret()
    for (const { method, path } of app.routes.filter((route) => route.access !== 'public')) {
      const { status, code } = await app.call(method, address(path), { key: secret })
      expect([method, path, status, code]).toEqual([method, path, 401, 'invalid_api_key'])
    }
  })

  test('an ordinary user gets 403 from every route that is not about the own account', async () => {
    const others = app.routes.filter(({ path, access }) => access !== 'public' && !/\/(me|session)(\/|$)/.test(path))
    for (const { method, path } of others) {
      const { status, code } = await app.call(method, address(path), { key: app.userKey })
      expect([method, path, status, code]).toEqual([method, path, 403, 'admin_required'])
    }
  })

  test('an address below the prefix that does not exist is 401 to a stranger and 404 to a user', async () => {
    expect((await app.call('GET', '/nothing', { key: null })).status).toBe(401)
    expect((await app.call('GET', '/nothing', { key: app.userKey })).status).toBe(404)
  })

  test('something that does not exist is 404, whatever else is wrong with the request', async () => {
    const readers = app.routes.filter(
      ({ method, path, access }) =>
        access !== 'public' && path.includes(':') && (method === 'GET' || method === 'DELETE'),
    )
    expect(readers.length).toBeGreaterThan(10)
    for (const { method, path } of readers) {
      const { status, code } = await app.call(method, address(path))
      expect([method, path, status, code]).toEqual([method, path, 404, 'not_found'])
    }
  })

  test('an id that could harm a database is 404', async () => {
    for (const id of ['%00', 'a%20b', `${'x'.repeat(201)}`, '%27%3B--', '..%2F..%2Fetc']) {
      const { status, text } = await app.call('GET', `/users/${id}`)
      // Not "no such user": the database was not asked.
      expect([status, text.includes('nothing at this address')]).toEqual([404, true])
    }
  })

  test('a body that is not JSON is 400 where a body is read', async () => {
    for (const { method, path } of withBody()) {
      for (const body of ['{"a":', '', '"\\ud800', '[1,]']) {
        const { status, code } = await app.call(method, address(path), { body })
        expect([method, path, body, status, code]).toEqual([method, path, body, 400, 'invalid_json'])
      }
    }
  })

  test('a JSON body that is no object is 422', async () => {
    for (const { method, path } of withBody()) {
      for (const body of ['null', '[]', '3', '"text"']) {
        const { status, code, param } = await app.call(method, address(path), { body })
        expect([method, path, body, status, code, param]).toEqual([method, path, body, 422, 'validation_failed', null])
      }
    }
  })

  test('a body of more than 1 MB is 413', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
    for (const { method, path } of withBody()) {
      const { status, code } = await app.call(method, address(path), { body })
      expect([method, path, status, code]).toEqual([method, path, 413, 'request_too_large'])
    }
  })

  test('nesting of 100,000 levels is refused and the server lives on', async () => {
    const body = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const { status } = await app.call('POST', '/groups', { body })
    expect([400, 422]).toContain(status)
    expect((await app.call('GET', '/groups')).status).toBe(200)
  })

  test('a query parameter that does not exist, or comes twice, is 400 and named', async () => {
    // What an issuer adds when it leads a browser back is its own affair.
    const ours = app.routes.filter(
      ({ path }) => path.startsWith(prefix) && !/\/session\/oidc\/(:issuer\/)?callback$/.test(path),
    )
    for (const { path } of ours.filter(({ method }) => method === 'GET')) {
      const unknown = await app.call('GET', `${address(path)}?nonsense=1`)
      expect([path, unknown.status, unknown.code, unknown.param]).toEqual([
        path,
        400,
        'invalid_query_parameter',
        'nonsense',
      ])
    }
    const twice = await app.call('GET', '/users?limit=1&limit=2')
    expect([twice.status, twice.code, twice.param]).toEqual([400, 'invalid_query_parameter', 'limit'])
  })

  test('a limit outside 1 to 200 and a cursor of one’s own are 400', async () => {
    for (const { path, docs } of app.routes.filter(({ docs: { query } }) => query && 'cursor' in query.shape)) {
      expect(docs.errors).toContain('invalid_cursor')
      // Lists below an id that does not exist are 404 first.
      const list = address(path.replace(':id', app.userId))
      for (const limit of ['0', '201', '1.5', 'x', '-1']) {
        expect([path, limit, (await app.call('GET', `${list}?limit=${limit}`)).code]).toEqual([
          path,
          limit,
          'invalid_query_parameter',
        ])
      }
      if (path.includes('/groups/:id')) continue
      const { status, code } = await app.call('GET', `${list}?cursor=bm9uc2Vuc2U`)
      expect([path, status, code]).toEqual([path, 400, 'invalid_cursor'])
    }
  })

  test('no answer may be kept by a cache, and each carries a request id', async () => {
    const { headers } = await app.call('GET', '/users')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).not.toBeNull()
  })

  function withBody() {
    return app.routes.filter(
      (route) => route.docs.body !== undefined && route.access !== 'public' && !route.path.includes(':'),
    )
  }
})
