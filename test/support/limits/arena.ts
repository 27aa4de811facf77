/**
 * Real processes of Sluice on one PostgreSQL, with a Valkey (or Redis) of their own that can be killed, a provider, and
 * clients that ask all processes as fast as they are answered. What is limited, and what the provider counts, is up to
 * the arena of each kind of limit.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { createKeySecret } from '#identity/api-key.ts'
import type { User } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'
import { sluiceProgram } from '../../cli/sluice.ts'
import { freePort } from '../network/free-port.ts'
import { makePostgresSchema } from '../store/postgres-schema.ts'
import { aKey, aProvider, aUser } from '../store/store-records.ts'
import { until } from '../until.ts'

const secretKey = new Uint8Array(32).fill(7)

/** The program of a Valkey or Redis server on this machine; null when there is none. */
export const valkeyServer = Bun.which('valkey-server') ?? Bun.which('redis-server')

export interface SluiceProcess {
  readonly port: number
  /** Its data directory. A process that is started later takes over that of one that has ended. */
  readonly data: string
  readonly child: Bun.Subprocess
}

export interface ArenaSite {
  readonly postgresUrl: string
  readonly shared: 'valkey' | 'postgres'
}

/** What a kind of limit needs. */
export interface Scene {
  /** Adds what is asked for and how it is limited. */
  readonly fill: (store: Store, user: User, providerId: string) => Promise<void>
  /** Answers as the provider. */
  readonly serve: (request: Request) => Promise<Response>
  /** What a client asks for. */
  readonly body: () => string
  /** A client leaves after this many milliseconds; `Infinity`, and when left out: it stays. */
  readonly leavesMs?: () => number
  /** A refused client waits for this many milliseconds, or clients would use up the machine. */
  readonly restMs: () => number
  readonly environment?: Readonly<Record<string, string>>
}

export class Arena implements AsyncDisposable {
  /** Answers of Sluice by status; `failed` are broken connections. */
  readonly statuses = new Map<string, number>()
  readonly processes: SluiceProcess[] = []
  readonly #site: ArenaSite
  readonly #scene: Scene
  readonly #resources = new AsyncDisposableStack()
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-arena-'))
  readonly #leftData: string[] = []
  #store: Store | null = null
  #databaseUrl = ''
  #key = ''
  #valkeyPort = 0
  #valkey: Bun.Subprocess | null = null
  #isOver = false

  static async open(site: ArenaSite, scene: Scene): Promise<Arena> {
    const arena = new Arena(site, scene)
    try {
      await arena.#open()
    } catch (thrown) {
      await arena[Symbol.asyncDispose]()
      throw thrown
    }
    return arena
  }

  private constructor(site: ArenaSite, scene: Scene) {
    this.#site = site
    this.#scene = scene
  }

  /** The database that all processes use. */
  get store(): Store {
    if (this.#store === null) throw new Error('the arena is not open')
    return this.#store
  }

  /** Starts one more process and resolves when it answers. */
  async startProcess(): Promise<SluiceProcess> {
    const port = await freePort()
    const data = this.#leftData.pop() ?? join(this.#folder, `data-${port}`)
    const child = Bun.spawn([sluiceProgram, 'start'], {
      cwd: this.#folder,
      env: { ...this.#environment(data), SLUICE_SERVER_PORT: String(port) },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(`${data}.log`),
    })
    const started = { port, data, child }
    await until(async () => {
      if (child.exitCode !== null) throw new Error(await Bun.file(`${data}.log`).text())
      await Bun.sleep(20)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    })
    this.processes.push(started)
    return started
  }

  /** Ends a process: `SIGKILL` as a crash does, `SIGTERM` as an operator does. */
  async endProcess(started: SluiceProcess, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.processes.splice(this.processes.indexOf(started), 1)
    started.child.kill(signal)
    await started.child.exited
    this.#leftData.push(started.data)
  }

  /** Runs a command on the machine of a process, which must succeed; what it answers with `--json`. */
  async command<T>({ data }: SluiceProcess, args: readonly string[]): Promise<T> {
    const child = Bun.spawn([sluiceProgram, ...args, '--json'], {
      cwd: this.#folder,
      env: this.#environment(data),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${code}: ${problem}${text}`)
    return JSON.parse(text) as T
  }

  async startValkey(): Promise<void> {
    if (this.#site.shared !== 'valkey') return
    const args = ['--port', String(this.#valkeyPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    this.#valkey = Bun.spawn([String(valkeyServer), ...args], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
  }

  async killValkey(): Promise<void> {
    this.#valkey?.kill('SIGKILL')
    await this.#valkey?.exited
    this.#valkey = null
  }

  /** Ends all connections to Valkey, as a network does; it keeps its state. */
  async cutValkey(): Promise<void> {
    if (this.#site.shared !== 'valkey') return
    const client = new RedisClient(`redis://127.0.0.1:${this.#valkeyPort}`)
    for (const type of ['normal', 'pubsub']) await client.send('CLIENT', ['KILL', 'TYPE', type])
    client.close()
  }

  /** So many clients, each with one request at a time, to any process, until the arena closes. */
  load(clients: number): void {
    const running = Array.from({ length: clients }, () => this.#client())
    this.#resources.defer(async () => {
      this.#isOver = true
      await Promise.all(running)
    })
  }

  /** One request, and how it was answered. */
  async ask({ port }: SluiceProcess): Promise<number> {
    const leavesMs = this.#scene.leavesMs?.() ?? Infinity
    const response = await fetch(`http://127.0.0.1:${port}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: this.#scene.body(),
      ...(leavesMs !== Infinity && { signal: AbortSignal.timeout(leavesMs) }),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** A client that asks this process until it is answered, or the arena closes. Never rejects. */
  async insist(started: SluiceProcess): Promise<void> {
    while (!this.#isOver && (await this.ask(started).catch(() => 0)) !== 200) await Bun.sleep(50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#resources.disposeAsync()
    await this.#killAll()
    await this.killValkey()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #open(): Promise<void> {
    const schema = await makePostgresSchema(this.#site.postgresUrl)
    this.#resources.defer(() => schema.drop())
    // Dropped last: until then processes use it.
    this.#resources.defer(() => this.#killAll())
    this.#databaseUrl = schema.url
    const store = await openStore({ url: schema.url, sealer: sealer(secretKey) })
    this.#resources.defer(() => store.close())
    this.#store = store
    const provider = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: this.#scene.serve })
    this.#resources.defer(() => provider.stop(true))
    await this.#fill(store, `http://127.0.0.1:${provider.port}/v1`)
    this.#valkeyPort = await freePort()
    await this.startValkey()
  }

  async #fill(store: Store, baseUrl: string): Promise<void> {
    const user = aUser()
    await store.users.insert(user, null)
    const { secret, publicId, digest } = createKeySecret()
    await store.keys.insert(aKey(user.id, { publicId, digest }))
    const provider = aProvider({ baseUrl, credential: new Secret('none'), headers: {} })
    await store.providers.insert(provider)
    await this.#scene.fill(store, user, provider.id)
    this.#key = secret
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const started = this.processes[Math.floor(Math.random() * this.processes.length)]
      const status = started === undefined ? 'none' : await this.ask(started).then(String, () => 'failed')
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (status !== '200') await Bun.sleep(this.#scene.restMs())
    }
  }

  async #killAll(): Promise<void> {
    await Promise.all(this.processes.slice().map((started) => this.endProcess(started)))
  }

  #environment(data: string): Record<string, string> {
    const { shared } = this.#site
    return {
      PATH: process.env['PATH'] ?? '',
      SLUICE_DATA_DIR: data,
      SLUICE_SERVER_DRAIN_SECONDS: '5',
      SLUICE_DISCOVERY_ENABLED: 'false',
      SLUICE_DATABASE_URL: this.#databaseUrl,
      SLUICE_DATABASE_POOL_MAX: '3',
      SLUICE_SECURITY_SECRET_KEY: Buffer.from(secretKey).toString('base64'),
      SLUICE_LIMITS_SHARED: shared,
      ...(shared === 'valkey' && { SLUICE_LIMITS_VALKEY_URL: `redis://127.0.0.1:${this.#valkeyPort}` }),
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      ...this.#scene.environment,
    }
  }
}
