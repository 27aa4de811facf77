import { describe, expect, test } from 'bun:test'
import type { Method, Route } from './route.ts'
import { Router } from './router.ts'

function route(address: string): Route<never> {
  const [method, path] = address.split(' ') as [Method, string]
  return { method, path, access: 'public', docs: { tag: '', summary: '' }, handle: () => new Response(address) }
}

const router = new Router(
  [
    'GET /keys',
    'POST /keys',
    'GET /keys/:id',
    'DELETE /keys/:id',
    'POST /keys/delete',
    'POST /keys/:id/rotate',
    'GET /models/:provider/raw',
    'GET /models/*name',
    'GET /models',
    'GET /a/:x/c',
    'GET /a/:x/:y',
    'GET /',
  ].map(route),
)

/** What is found, in one line: the route with its parameters, the methods that are allowed, or nothing. */
function found(method: string, path: string): string {
  const match = router.match(method, path)
  if (match.kind === 'none') return 'none'
  if (match.kind === 'wrong-method') return `only ${match.allowed.join(' ')}`
  const params = Object.entries(match.params).map(([name, value]) => `${name}=${value}`)
  return [match.route.method, match.route.path, ...params].join(' ')
}

test('another address of a route is found as the route, with the parameters of that address', () => {
  const named = { ...route('POST /ai/v1/chat'), aliases: ['/deployments/:deployment/chat', '/v2/chat'] }
  const aliased = new Router([named, route('GET /ai/v1/chat')])
  expect(aliased.match('POST', '/deployments/a%2Fb/chat')).toEqual({
    kind: 'route',
    route: named,
    params: { deployment: 'a/b' },
  })
  expect(aliased.match('POST', '/v2/chat')).toEqual({ kind: 'route', route: named, params: {} })
  expect(aliased.match('GET', '/v2/chat')).toEqual({ kind: 'wrong-method', allowed: ['POST'], route: named })
  expect([...aliased.literalPaths]).toEqual(['/ai/v1/chat', '/v2/chat'])
  expect(() => new Router([named, route('POST /v2/chat')])).toThrow('two routes for POST /v2/chat')
})

describe('a path', () => {
  test('is found by its method', () => {
    expect(found('GET', '/keys')).toBe('GET /keys')
    expect(found('POST', '/keys')).toBe('POST /keys')
    expect(found('GET', '/')).toBe('GET /')
  })

  test('written out is found before one with parameters', () => {
    expect(found('POST', '/keys/delete')).toBe('POST /keys/delete')
    expect(found('DELETE', '/keys/k1')).toBe('DELETE /keys/:id id=k1')
    expect(found('GET', '/a/b/c')).toBe('GET /a/:x/c x=b')
    expect(found('GET', '/a/b/d')).toBe('GET /a/:x/:y x=b y=d')
    expect(found('GET', '/models/openai/raw')).toBe('GET /models/:provider/raw provider=openai')
  })

  test('gives its decoded parameters', () => {
    expect(found('GET', '/keys/a%20b%2Fc%C3%A9')).toBe('GET /keys/:id id=a b/cé')
    expect(found('POST', '/keys/%2e%2e/rotate')).toBe('POST /keys/:id/rotate id=..')
  })

  test('gives its whole rest to a star, with slashes, encoded or not', () => {
    expect(found('GET', '/models/meta/llama-3')).toBe('GET /models/*name name=meta/llama-3')
    expect(found('GET', '/models/meta%2Fllama-3')).toBe('GET /models/*name name=meta/llama-3')
    expect(found('GET', '/models/a//b/')).toBe('GET /models/*name name=a//b/')
  })

  test('is not found when it is another: case, a slash at the end, empty segments, dots, more or less segments', () => {
    const others = ['/Keys', '/keys/', '//keys', '/keys//', '/keys//rotate', '/./keys', '/keys/k1/', '/keys/k1/other']
    const more = [
      '',
      'keys',
      '/key',
      '/models/',
      '/keys/k1/rotate/x',
      '/%6beys',
      '/constructor',
      '/__proto__',
      '/keys?x',
    ]
    for (const path of [...others, ...more]) expect(`${path} ${found('GET', path)}`).toBe(`${path} none`)
  })

  test('with broken percent-encoding is not found, and raises nothing', () => {
    for (const path of ['/keys/%', '/keys/%zz', '/keys/%ff', '/models/%c3', '/keys/%E0%A4%A/rotate']) {
      expect(found('GET', path)).toBe('none')
    }
  })
})

describe('a method', () => {
  test('that a path does not take is distinguished from a path that does not exist', () => {
    expect(found('PUT', '/keys')).toBe('only GET POST')
    expect(found('PATCH', '/keys/k1')).toBe('only GET DELETE')
    expect(found('get', '/keys')).toBe('only GET POST')
    expect(found('OPTIONS', '/models')).toBe('only GET')
  })

  test('HEAD is answered by GET, and by nothing else', () => {
    expect(found('HEAD', '/keys/k1')).toBe('GET /keys/:id id=k1')
    expect(found('HEAD', '/keys/delete')).toBe('only POST')
  })

  test('may not be given twice for one path', () => {
    expect(() => new Router(['GET /x', 'POST /x', 'GET /x'].map(route))).toThrow('two routes for GET /x')
  })
})
