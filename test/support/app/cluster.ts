/** Several real apps on one PostgreSQL schema, and an administrator who speaks to any of them. */
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import { createKeySecret } from '#identity/api-key.ts'
import type { Clock } from '#lib/clock.ts'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { openApp, type App } from '#src/app.ts'
import type { MigrateOptions } from '#store/migrate.ts'
import { openStore, type Store } from '#store/store.ts'
import { Documented } from '../contract/documented.ts'
import { watchFetch } from '../contract/watched-fetch.ts'
import { makePostgresSchema, type PostgresSchema } from '../store/postgres-schema.ts'
import { aKey, aUser } from '../store/store-records.ts'

/** The key that every process of the tests has: 32 bytes of value 7. */
const secretKey = new Uint8Array(32).fill(7)
export const secretKeyText = Buffer.from(secretKey).toString('base64')

export interface TestReplica {
  readonly app: App
  readonly url: string
  /** Everything that was logged. */
  log(): string
  /** Puts this process's clock forward, as sleep does. */
  advance(ms: number): void
  /** The admin API with the administrator's key; throws when it does not succeed. */
  admin<T = unknown>(method: string, path: string, body?: object): Promise<T>
  /** Status of GET /ai/v1/models with this key. */
  statusWith(secret: string): Promise<number>
  /** Names of the models that this key can use. */
  modelsOf(secret: string): Promise<readonly string[]>
}

export interface NewKey {
  readonly id: string
  readonly secret: string
}

export interface Cluster extends AsyncDisposable {
  readonly schema: PostgresSchema
  readonly adminKey: string
  /** An ordinary user, and a key that nobody deletes. */
  readonly userId: string
  readonly userKey: string
  /**
   * Starts one more process.
   * @param databaseUrl instead of the schema's own, for one with a line of its own
   * @param set settings as on the command line
   * @param schema migrations of another version of Sluice, for example
   */
  start(databaseUrl?: string, set?: readonly string[], schema?: Partial<MigrateOptions>): Promise<TestReplica>
  /** Ids of the processes that are registered. */
  registered(): Promise<readonly string[]>
  /** Makes a key of the user on this process. */
  makeKey(on: TestReplica): Promise<NewKey>
}

/**
 * A schema with an administrator and a user, and no process yet. Disposing stops those that were started.
 * @param timeoutSeconds after which a silent process counts as gone
 */
export async function makeCluster(serverUrl: string, timeoutSeconds: number): Promise<Cluster> {
  await using opening = new AsyncDisposableStack()
  const schema = await makePostgresSchema(serverUrl)
  opening.defer(() => schema.drop())
  const store = await openStore({ url: schema.url, sealer: sealer(secretKey) })
  const [admin, user] = [aUser({ role: 'admin' }), aUser()]
  for (const each of [admin, user]) await store.users.insert(each, null)
  const adminKey = await addKey(store, admin.id)
  const userKey = await addKey(store, user.id)
  await store.close()

  const resources = opening.move()
  return {
    schema,
    adminKey,
    userId: user.id,
    userKey,
    async start(databaseUrl = schema.url, set = [], migrating = {}) {
      const replica = await startReplica({ databaseUrl, adminKey, timeoutSeconds, set, migrating })
      resources.use(watchFetch(replica.url, await Documented.of(replica.app)))
      resources.defer(() => replica.app.close())
      return replica
    },
    async registered() {
      return (await schema.run('select id from replicas order by id')).map((row) => String(row['id']))
    },
    makeKey: (on) => on.admin<NewKey>('POST', `/users/${user.id}/keys`, { name: 'test' }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function addKey(store: Store, userId: string): Promise<string> {
  const { secret, publicId, digest } = createKeySecret()
  await store.keys.insert(aKey(userId, { publicId, digest }))
  return secret
}

async function startReplica({
  databaseUrl,
  adminKey,
  timeoutSeconds,
  set,
  migrating,
}: {
  readonly databaseUrl: string
  readonly adminKey: string
  readonly timeoutSeconds: number
  readonly set: readonly string[]
  readonly migrating: Partial<MigrateOptions>
}): Promise<TestReplica> {
  const config = loadConfig({
    environment: {},
    directory: '/',
    overrides: ['server.port=0', 'server.drain_seconds=0', `cluster.replica_timeout_seconds=${timeoutSeconds}`, ...set],
  })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const lines: string[] = []
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() + ahead }
  const app = await openApp({
    settings: new LiveSettings(config.settings, config.sources),
    store: await openStore({
      url: databaseUrl,
      poolMax: config.settings['database.pool_max'],
      reportPoolMax: config.settings['database.report_pool_max'],
      sealer: sealer(secretKey),
      ...migrating,
    }),
    clock,
    logger: createLogger({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) }),
    version: '0.0.0',
    sealer: sealer(secretKey),
  })
  const url = `http://127.0.0.1:${app.listen().port}`
  const models = (secret: string): Promise<Response> =>
    fetch(`${url}/ai/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
  return {
    app,
    url,
    log: () => lines.join(''),
    advance: (ms) => void (ahead += ms),
    async admin<T>(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/admin/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
    async statusWith(secret) {
      const answer = await models(secret)
      await answer.arrayBuffer()
      return answer.status
    },
    async modelsOf(secret) {
      const { data } = (await (await models(secret)).json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    },
  }
}
