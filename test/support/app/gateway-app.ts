/**
 * The real app on a free port, with its own database and a scripted upstream behind its models, and
 * a client that speaks to it. Time goes on by itself, and further when a test says so.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import type { Clock } from '#lib/clock.ts'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { Documented } from '../contract/documented.ts'
import { unwatchedFetch, watchFetch } from '../contract/watched-fetch.ts'
import { openApp, type App } from '#src/app.ts'
import { openStore, type Store } from '#store/store.ts'
import type { Names } from '#gateway/upstreams/find-servers.ts'
import type { StoredUsage } from '#store/usage/usage-record.ts'
import { stockGateway, type Stock, type StockKey } from './gateway-catalog.ts'
import { until } from '../until.ts'
import { startUpstream, type ReceivedRequest, type Upstream } from '../upstream/upstream.ts'

export interface GatewayOptions {
  /** Settings as on the command line: `name=value`. */
  readonly set?: readonly string[]
  /** Settings by their environment names, for what the command line does not take. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where names of hosts lead; the machine's own name servers when left out. */
  readonly names?: Names
  /** Where the data directory is made; that of temporary files when left out. */
  readonly folder?: string
}

export interface ChatOptions {
  /** The main user's key when left out; null sends none. */
  readonly key?: StockKey | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The provider answers what no document describes, and it is passed on as it is. */
  readonly nonsense?: boolean
}

export interface GatewayApp extends AsyncDisposable, Stock {
  /** Without a path. */
  readonly url: string
  readonly port: number
  /** Its data directory. */
  readonly directory: string
  readonly app: App
  readonly store: Store
  /** The same database once more, also after the app has closed its own; the caller closes it. */
  openStoreAgain(): Promise<Store>
  /** The provider `up`. */
  readonly upstream: Upstream
  /** Everything that was logged. */
  log(): string
  /** Puts the app's clock forward. */
  advance(ms: number): void
  /** Any request with a key. */
  request(method: string, path: string, options?: ChatOptions & { readonly body?: Bun.BodyInit }): Promise<Response>
  /** POST /ai/v1/chat/completions: fields over those of a small valid request, or a body as it is. */
  chat(fields?: object | string | Uint8Array<ArrayBuffer>, options?: ChatOptions): Promise<Response>
  /** The same, streamed. */
  stream(fields?: object, options?: ChatOptions): Promise<Response>
  /** Answers as the operator on the control socket would get. */
  operate(method: string, path: string, body?: object): Promise<Response>
  /** What the upstream received for this request, its last try, once it has arrived. */
  received(requestId: string): Promise<ReceivedRequest>
  /** The usage row of a request, once it is written. */
  usageOf(requestId: string): Promise<StoredUsage>
  /** Every usage row so far. */
  usageRows(): Promise<readonly StoredUsage[]>
  /** A sample of /metrics, for example `sluice_inflight_requests{model="plain"}`; 0 when there is none. */
  metric(sample: string): Promise<number>
}

const testSettings = ['server.port=0', 'server.drain_seconds=0', 'usage.flush_milliseconds=1']
const chatPath = '/ai/v1/chat/completions'

/** The messages of a request that says nothing else. */
export const messages = [{ role: 'user', content: 'Say hello.' }] as const

/** Opens everything; disposing closes it. */
export async function startGateway({
  set = [],
  environment = {},
  folder = tmpdir(),
  names,
}: GatewayOptions = {}): Promise<GatewayApp> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(folder, 'sluice-gateway-'))
  opening.defer(() => rm(directory, { recursive: true }))
  const config = loadConfig({
    environment,
    directory,
    overrides: [...testSettings, `data_dir=${directory}`, ...set],
  })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const upstream = opening.use(await startUpstream())
  const openStoreAgain = (): Promise<Store> =>
    openStore({ url: `sqlite:${join(directory, 'sluice.db')}`, sealer: sealer(new Uint8Array(32).fill(7)) })
  const store = await openStoreAgain()
  const stock = await stockGateway(store, upstream.url)

  const lines: string[] = []
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() + ahead }
  const logger = createLogger({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  const settings = new LiveSettings(config.settings, config.sources)
  const app = await openApp({ settings, store, clock, logger, version: '0.0.0', ...(names && { names }) })
  opening.defer(() => app.close())
  const { port } = app.listen()
  const documented = await Documented.of(app)
  opening.use(watchFetch(`http://127.0.0.1:${port}`, documented))

  const resources = opening.move()
  return {
    ...stock,
    ...clientOf(app, documented, `http://127.0.0.1:${port}`, stock),
    ...usageOfStore(store, clock),
    port,
    directory,
    app,
    store,
    openStoreAgain,
    upstream,
    log: () => lines.join(''),
    async received(requestId) {
      const find = () => upstream.requests.findLast((each) => each.header('x-request-id') === requestId)
      await until(() => find() !== undefined)
      return find()!
    },
    advance: (ms) => void (ahead += ms),
    async [Symbol.asyncDispose]() {
      // Ends what a failed test left running, so that its failure is not hidden behind a long drain.
      await upstream.close()
      await resources.disposeAsync()
    },
  }
}

type Client = Pick<GatewayApp, 'url' | 'request' | 'chat' | 'stream' | 'operate' | 'metric'>

function clientOf(app: App, documented: Documented, url: string, { keys }: Stock): Client {
  const request: Client['request'] = async (
    method,
    path,
    { key = keys.main, headers = {}, signal, body, nonsense = false } = {},
  ) => {
    const response = await unwatchedFetch(url + path, {
      method,
      headers: { ...(key !== null && { authorization: `Bearer ${key.secret}` }), ...headers },
      redirect: 'manual',
      ...(signal !== undefined && { signal }),
      ...(body !== undefined && { body }),
    })
    return nonsense ? response : documented.check(method, path, response)
  }
  const chat: Client['chat'] = (fields = {}, options = {}) => {
    const asIs = typeof fields === 'string' || fields instanceof Uint8Array
    const body = asIs ? fields : JSON.stringify({ model: 'plain', messages, ...fields })
    const headers = { 'content-type': 'application/json', ...options.headers }
    return request('POST', chatPath, { ...options, headers, body })
  }
  return {
    url,
    request,
    chat,
    stream: (fields, options) => chat({ stream: true, ...fields }, options),
    operate: (method, path, body) =>
      app.handleTrusted(
        new Request(`http://localhost/admin/api/v1${path}`, { method, ...(body && { body: JSON.stringify(body) }) }),
      ),
    async metric(sample) {
      const text = await (await fetch(`${url}/metrics`)).text()
      const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
      return line === undefined ? 0 : Number(line.slice(sample.length + 1))
    },
  }
}

function usageOfStore(store: Store, clock: Clock): Pick<GatewayApp, 'usageOf' | 'usageRows'> {
  const usageRows = async (): Promise<readonly StoredUsage[]> => {
    const rows: StoredUsage[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Store['usage']['list']>> = await store.usage.list({
        from: 0,
        to: clock.now() + 1000,
        limit: 1000,
        ...(cursor !== null && { cursor }),
      })
      rows.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    return rows
  }
  return {
    usageRows,
    async usageOf(requestId) {
      let row: StoredUsage | undefined
      await until(async () => {
        row = (await usageRows()).find((each) => each.requestId === requestId)
        return row !== undefined
      })
      return row!
    },
  }
}
