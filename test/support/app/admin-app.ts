/**
 * The real app on a free port with a fresh database, one administrator and one ordinary user, and a
 * clock that tests can put forward. Every answer that goes through `call` is held against the OpenAPI document.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminRoutes } from '#admin/routes.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import type { ConsoleFiles } from '#console/console-files.ts'
import { LocalInflightLimiter } from '#limits/inflight.ts'
import { LiveRequests } from '#gateway/usage/live-requests.ts'
import { UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import type { Route } from '#http/route.ts'
import { createKeySecret } from '#identity/api-key.ts'
import type { Caller, KeyScopes, Role } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { sealer } from '#lib/seal.ts'
import { Ticker } from '#lib/ticker.ts'
import { createLogger } from '#observe/log.ts'
import { ProviderPool } from '#providers/registry.ts'
import { LocalFeed } from '#replica/change-feed.ts'
import { openApp } from '#src/app.ts'
import { openStore, type Store } from '#store/store.ts'
import { WebhookSender } from '#webhooks/webhook-sender.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { Documented } from '../contract/documented.ts'
import { unwatchedFetch, watchFetch } from '../contract/watched-fetch.ts'

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; what it holds is the test's own claim. */
  readonly body: T
  /** Code of the error; null for a success. */
  readonly code: string | null
  /** Field that the error names. */
  readonly param: string | null
}

export interface CallOptions {
  /** The administrator's key when left out; null sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, a string as it is. */
  readonly body?: unknown
  /** Aborted when the client leaves. */
  readonly signal?: AbortSignal
}

export interface AdminApp extends AsyncDisposable {
  readonly url: string
  readonly store: Store
  readonly routes: readonly Route<Caller>[]
  readonly adminId: string
  readonly userId: string
  readonly adminKey: string
  readonly userKey: string
  /** Everything that was logged. */
  readonly log: () => string
  /** Moves the app's clock. */
  advance(ms: number): void
  /** The server's time. */
  now(): number
  /** @param path below /admin/api/v1, or from the root when it begins with `//` */
  call<T = unknown>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>
  /** The same as the control socket would have it. */
  asOperator<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>>
  /** What a request with this key to the gateway answers. */
  statusWith(key: string): Promise<number>
  /** The usage rows once there are this many: they are written behind. */
  usageRows(count: number): Promise<readonly UsageRecord[]>
}

const testSettings = ['server.port=0', 'server.drain_seconds=0', 'usage.flush_milliseconds=1']

export const prefix = '/admin/api/v1'

export const adminEmail = 'admin@example.org'
export const userEmail = 'user@example.org'

export interface AdminAppOptions {
  /** Settings as on the command line: `name=value`. */
  readonly set?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The built console; none when left out. */
  readonly consoleFiles?: ConsoleFiles
}

export async function startAdminApp({
  set = [],
  environment = {},
  consoleFiles,
}: AdminAppOptions = {}): Promise<AdminApp> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-admin-'))
  opening.defer(() => rm(directory, { recursive: true }))
  const config = loadConfig({ environment, directory, overrides: [...testSettings, `data_dir=${directory}`, ...set] })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const settings = new LiveSettings(config.settings, config.sources)
  const seals = sealer(new Uint8Array(32).fill(7))
  const store = await openStore({ url: `sqlite:${join(directory, 'sluice.db')}`, sealer: seals })

  const adminId = await addUser(store, adminEmail, 'admin')
  const userId = await addUser(store, userEmail, 'user')
  const adminKey = await addKey(store, adminId)
  const userKey = await addKey(store, userId)

  const lines: string[] = []
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() + ahead }
  const logger = createLogger({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  const app = await openApp({
    settings,
    store,
    clock,
    logger,
    version: '0.0.0',
    sealer: seals,
    ...(consoleFiles && { consoleFiles }),
  })
  opening.defer(() => app.close())
  const { state } = app
  // The same rows as the app's own, for their documentation; nothing is served from these.
  const routes = adminRoutes({
    store,
    state,
    feed: new LocalFeed(state),
    providers: new ProviderPool(opening.use(new Http1Client({ clock, ticker: opening.use(new Ticker()) }))),
    inflight: new LocalInflightLimiter(),
    caps: { waiting: () => [] },
    health: new UpstreamHealth(() => ({ failuresToEject: 1, ejectionMs: 1, ejectionMaxMs: 1 }), clock),
    live: new LiveRequests({ recorder: { watch: () => ({ [Symbol.dispose]: () => undefined }) }, channel: null }),
    callerNow: (caller) => caller,
    draining: () => false,
    sources: { dryRun: async () => [] },
    webhooks: {
      sender: opening.use(new WebhookSender({ settings, clock, ticker: opening.use(new Ticker()) })),
      now: async () => clock.now(),
      wake: () => undefined,
    },
    settings,
    clock,
    version: '0.0.0',
    logger,
    openExportFile: () => Promise.reject(new Error('nothing is served from these')),
    sealer: seals,
  })
  const documented = await Documented.of(app)
  const url = `http://127.0.0.1:${app.listen().port}`
  opening.use(watchFetch(url, documented))

  const call = async <T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> => {
    const target = path.startsWith('//') ? path.slice(1) : prefix + path
    const { key = adminKey, headers = {}, body, signal = null } = options
    const request = requestOf(url + target, method, body)
    if (key !== null) request.headers.set('authorization', `Bearer ${key}`)
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    return answerOf(documented, request, await unwatchedFetch(request, { signal }))
  }

  const resources = opening.move()
  return {
    url,
    store,
    routes: routes.filter(({ path }) => path.startsWith(prefix)),
    adminId,
    userId,
    adminKey,
    userKey,
    log: () => lines.join(''),
    advance: (ms) => void (ahead += ms),
    now: () => clock.now(),
    call,
    async asOperator(method, path, body) {
      const request = requestOf(`http://localhost${prefix}${path}`, method, body)
      return answerOf(documented, request, await app.handleTrusted(request))
    },
    async usageRows(count) {
      for (;;) {
        const { items } = await store.usage.list({ from: 0, to: clock.now() + 1, limit: count })
        if (items.length >= count) return items
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    statusWith: async (key) => (await call('GET', '//ai/v1/models', { key })).status,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A user in the store, before the app has read it. */
async function addUser(store: Store, email: string, role: Role): Promise<string> {
  const id = crypto.randomUUID()
  await store.users.insert(
    {
      id,
      email,
      name: '',
      role,
      kind: 'person',
      disabled: false,
      hasPassword: false,
      declared: false,
      createdAt: Date.now(),
    },
    null,
  )
  return id
}

/** A key in the store, before the app has read it. */
async function addKey(
  store: Store,
  userId: string,
  scopes: KeyScopes = { modelIds: null, areas: null },
): Promise<string> {
  const { secret, publicId, digest } = createKeySecret()
  const times = { createdAt: Date.now(), lastUsedAt: null, expiresAt: null }
  await store.keys.insert({
    id: crypto.randomUUID(),
    publicId,
    digest,
    previous: null,
    name: 'test',
    description: '',
    userId,
    ...times,
    scopes,
    priority: 'normal',
  })
  return secret
}

function requestOf(url: string, method: string, body: unknown): Request {
  return new Request(url, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

async function answerOf<T>(documented: Documented, request: Request, response: Response): Promise<Answer<T>> {
  const text = await documented.check(request.method, request.url, response).text()
  const parsed = parse(text)
  const { status, headers } = response
  const error = (parsed as { error?: { code: string; param: string | null } } | null)?.error
  return { status, headers, text, body: parsed as T, code: error?.code ?? null, param: error?.param ?? null }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** All items of a paged list, in pages of this size. */
export async function allItems<Item>(
  app: AdminApp,
  path: string,
  limit: number,
  options?: CallOptions,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const query: string = new URLSearchParams({ limit: String(limit), ...(cursor !== null && { cursor }) }).toString()
    const page: Answer<{ data: Item[]; next_cursor: string | null }> = await app.call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}${query}`,
      options,
    )
    if (page.status !== 200) throw new Error(page.text)
    items.push(...page.body.data)
    cursor = page.body.next_cursor
  } while (cursor !== null)
  return items
}
