import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '#errors/api-error.ts'
import { goodKey, startTestServer, undocumented, type TestServer } from '#test/support/app/test-server.ts'
import { until } from '#test/support/until.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

const started = Promise.withResolvers<void>()
const gate = Promise.withResolvers<void>()
const abandoned = Promise.withResolvers<AbortSignal>()
/** Told when a request to /left waits. */
let waiting: (() => void) | undefined

const open = (path: string, handle: (context: RequestContext) => Response | Promise<Response>): Route<string> => {
  return { method: 'GET', path, access: 'public', docs: undocumented, handle }
}

/** What a handler sees of its request. */
function seen({ path, params, query, trusted, remoteAddress }: RequestContext): Response {
  return Response.json({ path, params, query: query.toString(), trusted, remoteAddress })
}

const routes: readonly Route<string>[] = [
  open('/seen', seen),
  open('/seen/*path', seen),
  open('/made', (context) => {
    context.addHeader('x-added', 'yes')
    return context.respond('made', { status: 201, headers: { 'x-own': '1' } })
  }),
  open('/plain', (context) => {
    context.addHeader('x-added', 'yes')
    return new Response('plain', { headers: { 'x-own': '1' } })
  }),
  open('/page', () => new Response('page', { headers: { 'content-security-policy': "script-src 'self'" } })),
  open('/throws', () => {
    throw new TypeError('the cause, with a path /etc/secret')
  }),
  open('/rejects', () => Promise.reject(new Error('outer', { cause: new Error('inner cause') }))),
  open('/throws-nothing', () => {
    // oxlint-disable-next-line typescript/only-throw-error -- what a careless library may do
    throw undefined
  }),
  open('/refuses', () => {
    throw new ApiError('conflict', { message: 'Taken.', param: 'name', internal: 'for the log' })
  }),
  open('/held', async () => {
    started.resolve()
    await gate.promise
    return new Response('held')
  }),
  open('/abandoned', ({ signal }) => {
    abandoned.resolve(signal)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(new Response()), { once: true }))
  }),
  open('/left', async ({ signal, query }) => {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      waiting?.()
    })
    if (query.has('bug')) throw new TypeError('not because of the client')
    signal.throwIfAborted()
    return new Response()
  }),
  { ...open('/health', () => new Response('fine')), duringDrain: true },
  {
    method: 'GET',
    path: '/private/thing',
    access: 'user',
    docs: undocumented,
    handle: (_, caller) => new Response(caller),
  },
  { method: 'POST', path: '/private/thing', access: 'user', docs: undocumented, handle: () => new Response('posted') },
]

let server: TestServer
beforeAll(() => void (server = startTestServer(routes)))
afterAll(() => server[Symbol.asyncDispose]())

const authorization = `Bearer ${goodKey}`

interface Refusal {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string
}

/** Status and error of an answer in the shape that all refusals have. */
async function refusal(response: Response): Promise<readonly [number, Refusal]> {
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toBeString()
  const body = (await response.json()) as { readonly error: Refusal }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  return [response.status, body.error]
}

async function code(path: string, init?: RequestInit): Promise<string> {
  const [status, error] = await refusal(await fetch(server.url + path, init))
  return `${status} ${error.code}`
}

describe('access', () => {
  test('below a guarded prefix nothing is told without a key, not even that it does not exist', async () => {
    for (const path of ['/private/thing', '/private/nothing', '/private/thing/more']) {
      expect(await code(path)).toBe('401 invalid_api_key')
      expect(await code(path, { method: 'DELETE' })).toBe('401 invalid_api_key')
    }
  })

  test('with a key an unknown path is 404, a wrong method 405 with those that are right', async () => {
    const headers = { authorization }
    expect(await code('/private/nothing', { headers })).toBe('404 not_found')
    const refused = await fetch(`${server.url}/private/thing`, { method: 'DELETE', headers })
    expect(refused.headers.get('allow')).toBe('GET, POST, HEAD')
    expect((await refusal(refused))[1].code).toBe('method_not_allowed')
    expect(await (await fetch(`${server.url}/private/thing`, { headers })).text()).toBe('caller')
  })

  test('elsewhere an unknown path is 404 for everybody', async () => {
    for (const path of ['/nothing', '/seen/', '/SEEN', '/%73een', '/private'])
      expect(await code(path)).toBe('404 not_found')
    expect(await code('/seen', { method: 'POST' })).toBe('405 method_not_allowed')
  })
})

describe('failures', () => {
  test('an unexpected exception is a 500 that tells nothing, and the log has its cause', async () => {
    for (const [path, cause] of Object.entries({
      '/throws': '/etc/secret',
      '/rejects': 'inner cause',
      '/throws-nothing': '',
    })) {
      const logged = server.log.length
      const response = await fetch(server.url + path)
      const [status, error] = await refusal(response)
      expect([status, error.code, error.type]).toEqual([500, 'internal_error', 'api_error'])
      expect(JSON.stringify(error)).not.toMatch(/secret|cause|outer|server\.test|at /)
      const [record, ...more] = server.log.slice(logged)
      expect(more).toEqual([])
      expect(record).toMatchObject({ level: 'error', requestId: response.headers.get('x-request-id'), path })
      expect(JSON.stringify(record)).toContain(cause)
    }
  })

  test('what fails because the client has left is not an error of the server, and a bug stays one', async () => {
    const logged = server.log.length
    for (const query of ['', '?bug']) {
      const leaving = new AbortController()
      const isWaiting = new Promise<void>((resolve) => (waiting = resolve))
      const answer = fetch(`${server.url}/left${query}`, { signal: leaving.signal }).catch(() => null)
      await isWaiting
      leaving.abort()
      expect(await answer).toBeNull()
    }
    await until(() => server.log.length > logged)
    const failures = server.log.slice(logged).map(({ path, code: failure }) => [path, failure])
    expect(failures).toEqual([['/left', 'internal_error']])
    expect(JSON.stringify(server.log.slice(logged))).toContain('not because of the client')
  })

  test('a refusal is answered as it was thrown, and what is for the log stays out', async () => {
    const [status, error] = await refusal(await fetch(`${server.url}/refuses`))
    expect([status, error]).toEqual([
      409,
      { message: 'Taken.', type: 'invalid_request_error', param: 'name', code: 'conflict' },
    ])
  })
})

describe('the request id', () => {
  async function idFor(sent: string | null, path = '/plain'): Promise<string | null> {
    const response = await fetch(server.url + path, { headers: sent === null ? {} : { 'x-request-id': sent } })
    return response.headers.get('x-request-id')
  }

  test("is the caller's own when it can do no harm", async () => {
    for (const id of ['a', 'req-1.2:3_x', 'x'.repeat(128)]) {
      for (const path of ['/plain', '/made', '/refuses', '/nothing']) expect(await idFor(id, path)).toBe(id)
    }
  })

  test('is a new one when there is none or it could do harm', async () => {
    const ids = await Promise.all([null, '', 'a b', 'a"b', 'é', '{}', 'x'.repeat(129)].map((id) => idFor(id)))
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('headers that a handle adds are on the answer, whichever code made it', async () => {
  for (const path of ['/made', '/plain']) {
    const { headers } = await fetch(server.url + path)
    expect([headers.get('x-added'), headers.get('x-own')]).toEqual(['yes', '1'])
  }
})

describe('the headers of an answer', () => {
  const policy = "default-src 'none'; sandbox; frame-ancestors 'none'"

  test('let a browser run nothing of it, whichever code made it', async () => {
    for (const path of ['/made', '/plain', '/seen', '/nothing', '/throws', '/refuses', '/private/thing']) {
      const { headers } = await fetch(server.url + path)
      expect([path, headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
        path,
        policy,
        'nosniff',
      ])
    }
  })

  test('are those of the page where it has a policy of its own', async () => {
    const { headers } = await fetch(`${server.url}/page`)
    expect(headers.get('content-security-policy')).toBe("script-src 'self'")
  })
})

describe('a connection', () => {
  test.concurrent('stays open for its next request longer than one that has asked nothing', async () => {
    await using patient = startTestServer(routes, { idleSeconds: 1, keepAliveSeconds: 255 })
    using answered = patient.client()
    answered.write('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n')
    await answered.untilText('\r\n\r\nplain')
    using silent = patient.client()
    await silent.closed
    expect(answered.isClosed).toBe(false)
    answered.write('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n')
    await answered.untilText('\r\n\r\nplain', 2)
  })

  test.concurrent('is not kept open by a head that comes byte by byte, neither its first nor its next one', async () => {
    await using impatient = startTestServer(routes, { idleSeconds: 1, keepAliveSeconds: 1 })
    using fresh = impatient.client()
    using used = impatient.client()
    used.write('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n')
    await used.untilText('\r\n\r\nplain')
    for (const client of [fresh, used]) client.write('GET /plain HTTP/1.1\r\nHost: h\r\nX: ')
    const dribbling = setInterval(() => {
      for (const client of [fresh, used]) client.write('a')
    }, 100)
    await Promise.all([fresh.closed, used.closed])
    clearInterval(dribbling)
  })
})

describe('the protocol', () => {
  test('HEAD is answered like GET, without a body', async () => {
    const response = await fetch(`${server.url}/plain`, { method: 'HEAD' })
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([200, '1', ''])
  })

  test('pipelined requests are answered in their order', async () => {
    using client = server.client()
    const ids = ['one', 'two', 'three', 'four']
    const paths = ['/seen', '/nothing', '/throws', '/plain']
    client.write(
      ids.map((id, index) => `GET ${paths[index]} HTTP/1.1\r\nHost: h\r\nX-Request-Id: ${id}\r\n\r\n`).join(''),
    )
    await client.untilText('\r\n\r\nplain')
    expect([...(client.text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [])]).toEqual(['200', '404', '500', '200'])
    expect([...(client.text.match(/(?<=x-request-id: ).+/gi) ?? [])]).toEqual(ids)
  })

  test('a request sent before the answer to the last one ends its own connection, and no other', async () => {
    using other = server.client()
    other.write('GET /seen HTTP/1.1\r\nHost: h\r\n')
    using client = server.client()
    client.write('GET /abandoned HTTP/1.1\r\nHost: h\r\n\r\n')
    const signal = await abandoned.promise
    client.write('GET /seen HTTP/1.1\r\nHost: h\r\n\r\n')
    await client.closed
    await until(() => signal.aborted)
    other.write('\r\n')
    await other.untilText('"path":"/seen"')
  })

  const malformed: Readonly<Record<string, string>> = {
    'no HTTP at all': 'HELLO\r\n\r\n',
    'a space in a header name': 'GET /seen HTTP/1.1\r\nHost: h\r\nBad Name: x\r\n\r\n',
    'a length that is not a number': 'POST /seen HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\na',
    'two lengths': 'POST /seen HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'a length and chunks':
      'POST /seen HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a version of tomorrow': 'GET /seen HTTP/9.9\r\nHost: h\r\n\r\n',
  }
  for (const [what, bytes] of Object.entries(malformed)) {
    test(`${what} gets an answer and the end of its connection, and disturbs nobody`, async () => {
      using other = server.client()
      other.write('GET /seen HTTP/1.1\r\nHost: h\r\n')
      using client = server.client()
      client.write(bytes)
      await client.untilText('\r\n\r\n')
      expect(client.text).toMatch(/^HTTP\/1\.1 (400|505) /)
      await client.closed
      other.write('\r\n')
      await other.untilText('"path":"/seen"')
    })
  }
})

describe('the control socket', () => {
  test('makes its caller trusted, and no other way does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-socket-'))
    const unix = join(folder, 'control.sock')
    server.server.listenOnSocket(unix)
    const trusted = async (answer: Promise<Response>) => ((await (await answer).json()) as { trusted: boolean }).trusted
    expect(await trusted(fetch('http://localhost/seen', { unix }))).toBe(true)
    expect(await trusted(server.server.handleTrusted(new Request('http://localhost/seen')))).toBe(true)
    expect(await trusted(fetch(`${server.url}/seen`, { headers: { host: 'localhost' } }))).toBe(false)
    rmSync(folder, { recursive: true })
  })
})

describe('draining', () => {
  test('lets what runs finish, and answers 503 to everything new but health', async () => {
    using running = server.client()
    running.write('GET /held HTTP/1.1\r\nHost: h\r\n\r\n')
    await started.promise
    expect(server.server.underWay).toBe(1)

    server.server.drain()
    server.server.drain()
    expect(server.server.stopping).toBe(true)
    using health = server.client()
    health.write('GET /health HTTP/1.1\r\nHost: h\r\n\r\n')
    await health.untilText('\r\n\r\nfine')
    using late = server.client()
    late.write('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n')
    await late.untilText('"code":"shutting_down"')
    expect(late.text).toContain('HTTP/1.1 503')

    gate.resolve()
    await running.untilText('\r\n\r\nheld')
    await until(() => server.server.underWay === 0)
    await server.server.close()
    await server.server.close()
  })
})
