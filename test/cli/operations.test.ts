/**
 * What the console does, a script can do: each operation of the admin API is called by a command, or is named below with
 * the reason why it needs none. `sluice api` sends any of them.
 */
import { expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

/** Operations without a command of their own. `sluice api` reaches those that a script may want. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  'A browser signs in; a script has a key.': [
    'POST /session',
    'GET /session',
    'DELETE /session',
    'GET /session/options',
    'GET /session/oidc',
    'GET /session/oidc/callback',
    'GET /session/oidc/{issuer}',
    'GET /session/oidc/{issuer}/callback',
    'POST /session/invitation',
    'POST /session/invitation/look',
  ],
  'It is for the person at the console; an administrator has a command for everybody.': [
    'GET /me',
    'GET /me/models',
    'POST /me/password',
    'GET /me/models/performance',
    'GET /me/sessions',
    'DELETE /me/sessions',
    'DELETE /me/sessions/{sessionId}',
    'GET /me/keys',
    'POST /me/keys',
    'GET /me/keys/{id}',
    'PATCH /me/keys/{id}',
    'DELETE /me/keys/{id}',
    'POST /me/keys/{id}/rotate',
    'POST /me/keys/delete',
    'GET /me/usage',
    'GET /me/usage/series',
    'GET /me/usage/activity',
    'GET /me/requests',
    'GET /me/requests/{id}',
    'GET /me/live/requests',
    'GET /me/guide',
    'PUT /me/guide',
    'GET /providers/found',
    'POST /oidc/test',
    'POST /oidc/test-sign-in',
    'POST /composite-simulations',
  ],
  'The list has the same, and `sluice api` prints one.': [
    'GET /users/{id}',
    'GET /groups/{id}',
    'GET /keys/{id}',
    'GET /users/{id}/keys',
    'GET /providers/{id}',
    'GET /models/{id}',
    'GET /budgets/{id}',
    'GET /webhooks/{id}',
    'GET /sources/{id}',
  ],
  'A report for people, or for a program that reads JSON: `sluice api` prints it.': [
    'GET /usage',
    'GET /usage/series',
    'GET /usage/activity',
    'GET /usage/latency',
    'GET /users/{id}/sessions',
    'GET /requests',
    'GET /requests/{id}',
    'GET /live/requests',
    'GET /inflight',
    'GET /provider-health',
    'GET /models/{id}/health',
    'GET /about',
    'GET /provider-kinds',
    'GET /provider-presets',
  ],
  'Its command needs an export, and so the end of a day: test/cli/exports.test.ts runs it.': [
    'GET /exports/{id}',
    'POST /exports/{id}/restate',
    'GET /exports/{id}/files/{format}',
  ],
  'Its command needs another place for vectors: test/cli/move-index.test.ts runs it.': ['POST /vector-index/move'],
  'A script calls the commands of one user for each.': ['POST /users/bulk'],
  'Rare, and one call: `sluice api` sends it.': [
    'GET /content-logs',
    'GET /content-logs/{id}',
    'GET /content-logs-export',
    'POST /content-logs/remove',
    'PATCH /keys/{id}',
    'DELETE /users/{id}/sessions/{sessionId}',
    'DELETE /keys/{id}',
    'PATCH /webhooks/{id}',
    'PATCH /sources/{id}',
    'GET /models/{id}/inflight-limits',
  ],
}

interface Recorder extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request to the admin API, below its prefix. */
  readonly seen: readonly string[]
}

const prefix = '/admin/api/v1'

/** Passes requests on to a server and writes down which they were. */
function recorderOf(address: string): Recorder {
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname.startsWith(prefix)) seen.push(`${request.method} ${pathname.slice(prefix.length)}`)
      const body = await request.arrayBuffer()
      return fetch(address + pathname + search, {
        method: request.method,
        headers: { ...request.headers.toJSON(), 'accept-encoding': 'identity' },
        ...(body.byteLength > 0 && { body }),
      })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A provider with one model. */
function upstream(): AsyncDisposable & { readonly url: string } {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ object: 'list', data: [{ id: 'alpha' }] }),
  })
  return { url: `http://127.0.0.1:${server.port}/v1`, [Symbol.asyncDispose]: () => server.stop(true) }
}

interface Identified {
  readonly id: string
}

/** Every command about data, once. */
async function runAll(sluice: Installation, providerUrl: string): Promise<void> {
  const run = (line: string): Promise<unknown> => sluice.json(line.split(' '))
  for (const line of [
    `providers add mine --base-url ${providerUrl}`,
    'providers list',
    'providers test mine',
    'providers set mine --timeout idle_seconds=30',
    'models add beta --provider mine',
    'models list',
    'models set beta --max-concurrent 3',
    'models disable beta',
    'models enable beta',
    'users add ada@example.org --no-password',
    'users list',
    'users set ada@example.org --name Ada',
    'limits set-in-flight ada@example.org beta 3',
    'limits in-flight',
    'limits set-in-flight ada@example.org beta model',
    'users invite ada@example.org --hours 5',
    'users withdraw-invitation ada@example.org',
    'users reset-password ada@example.org',
    'users sign-out ada@example.org',
    'groups add readers',
    'groups list',
    'groups set readers --description people',
    'groups add-members readers ada@example.org',
    'groups members readers',
    'groups remove-members readers ada@example.org',
    'groups remove readers',
    'exports list',
    'settings list',
    'settings set gateway.idle_seconds 50',
    'settings reset gateway.idle_seconds',
    'prices import',
    'prices list',
    'prices set beta input=1',
  ])
    await run(line)
  await sluice.json(['limits', 'add', 'user:* requests 60/minute'])
  await run('limits list')
  const prices = (await run('prices history beta')) as { readonly items: readonly Identified[] } | Identified[]
  const [price] = Array.isArray(prices) ? prices : prices.items
  await run(`prices remove beta ${price!.id}`)
  await run('prices recompute --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z')
  const budget = (await run('budgets add user ada@example.org 50')) as Identified
  for (const line of ['list', `set ${budget.id} 60`, 'verify', `reconcile ${budget.id}`, `remove ${budget.id}`])
    await run(`budgets ${line}`)
  const key = (await run('keys create script --user ada@example.org')) as Identified
  for (const line of ['list', `rotate ${key.id}`, `delete ${key.id}`]) await run(`keys ${line}`)
  const hook = (await run(`webhooks add ${providerUrl}`)) as Identified
  await run('webhooks list')
  await run(`webhooks test ${hook.id}`)
  await run(`webhooks deliveries ${hook.id}`)
  // Nothing was delivered yet, so this is refused, by the operation that it calls.
  expect((await sluice.run(['webhooks', 'replay', hook.id, 'none'])).code).toBe(1)
  await run(`webhooks replay ${hook.id} --since 2026-01-01T00:00:00Z`)
  await run(`webhooks rotate ${hook.id}`)
  await run(`webhooks remove ${hook.id}`)
  const source = (await run(
    `sources add docs --kind sitemap --address ${providerUrl} --user ada@example.org`,
  )) as Identified
  await run('sources list')
  // The address is private, so the server does not go there.
  expect((await sluice.run(['sources', 'dry-run', source.id])).code).toBe(1)
  for (const line of ['run', 'remove']) await run(`sources ${line} ${source.id}`)
  for (const line of [
    'users disable ada@example.org',
    'users remove ada@example.org',
    'models remove beta',
    'providers remove mine --cascade',
    'audit list --action sign-in',
    'audit verify',
  ])
    await run(line)
}

test('each operation of the admin API has a command, or a reason', async () => {
  await using provider = upstream()
  await using sluice = new Installation({ SLUICE_WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const server = await sluice.start(['--json'])
  const admin = await sluice.json<{ secret: string }>(['keys', 'create', 'a', '--user', 'admin@localhost', '--admin'])
  await using recorder = recorderOf(server.address)
  const remote = new Installation({ SLUICE_URL: recorder.url, SLUICE_API_KEY: admin.secret })
  await using _removed = remote
  await runAll(remote, provider.url)
  const { paths } = await remote.json<{ paths: Record<string, Record<string, unknown>> }>(['openapi'])
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith(prefix)
      ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(prefix.length)}`)
      : [],
  )
  expect(operations.length).toBeGreaterThan(80)
  const isOf = (operation: string) => {
    const pattern = new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return (request: string): boolean => pattern.test(request)
  }
  const excused = Object.values(reasons).flat()
  // A literal path comes before one with a parameter, as in the router.
  const called = new Set(
    recorder.seen.map(
      (request) => operations.find((each) => each === request) ?? operations.find((each) => isOf(each)(request)),
    ),
  )
  expect(operations.filter((each) => !called.has(each) && !excused.includes(each))).toEqual([])
  expect(excused.filter((each) => !operations.includes(each))).toEqual([])
  expect(excused.filter((each) => called.has(each))).toEqual([])
  const { stdout } = await remote.run(['audit', 'export', '--json'])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { action: string; outcome: string })
  const recorded = new Set(rows.filter(({ outcome }) => outcome === 'begun').map(({ action }) => action))
  const changes = [...called].filter((each) => each !== undefined && !each.startsWith('GET '))
  expect(changes.length).toBeGreaterThan(30)
  expect(changes.filter((each) => !recorded.has(each!.replaceAll(/\{(\w+)\}/g, ':$1')))).toEqual([])
}, 120_000)
