/**
 * Real processes of Sluice on one PostgreSQL, with a Valkey (or Redis) of their own that can be killed, a provider that
 * counts what it has in flight, and clients that ask all processes as fast as they are answered.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { createKeySecret } from '#identity/api-key.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { sluiceProgram } from '../../cli/sluice.ts'
import { freePort } from '../network/free-port.ts'
import { makePostgresSchema } from '../store/postgres-schema.ts'
import { aKey, aModel, aProvider, aUser } from '../store/store-records.ts'
import { until } from '../until.ts'

const secretKey = new Uint8Array(32).fill(7)

/** The program of a Valkey or Redis server on this machine; null when there is none. */
export const valkeyServer = Bun.which('valkey-server') ?? Bun.which('redis-server')

export interface ArenaOptions {
  readonly postgresUrl: string
  readonly shared: 'valkey' | 'postgres'
  /** Of the one account on the one model. */
  readonly limit: number
  /** What the limit is of: requests in flight of the account (when left out), or the model's cap, for which requests wait. */
  readonly kind?: 'inflight' | 'cap'
  /** How long the provider takes, in milliseconds. */
  readonly holdMs: () => number
}

/** What the provider has seen. */
export interface Sightings {
  inFlight: number
  most: number
  answered: number
}

export class Arena implements AsyncDisposable {
  readonly seen: Sightings = { inFlight: 0, most: 0, answered: 0 }
  /** Answers of Sluice by status; `failed` are broken connections. */
  readonly statuses = new Map<string, number>()
  readonly processes: SluiceProcess[] = []
  readonly #options: ArenaOptions
  readonly #resources = new AsyncDisposableStack()
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-arena-'))
  #databaseUrl = ''
  #key = ''
  #valkeyPort = 0
  #valkey: Bun.Subprocess | null = null
  #isOver = false

  static async open(options: ArenaOptions): Promise<Arena> {
    const arena = new Arena(options)
    try {
      await arena.#open()
    } catch (thrown) {
      await arena[Symbol.asyncDispose]()
      throw thrown
    }
    return arena
  }

  private constructor(options: ArenaOptions) {
    this.#options = options
  }

  /** Starts one more process and resolves when it answers. */
  async startProcess(): Promise<SluiceProcess> {
    const port = await freePort()
    const child = Bun.spawn([sluiceProgram, 'start'], {
      cwd: this.#folder,
      env: this.#environment(port),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(this.#folder, `${port}.log`)),
    })
    const started = { port, child }
    await until(async () => {
      if (child.exitCode !== null) throw new Error(await Bun.file(join(this.#folder, `${port}.log`)).text())
      await Bun.sleep(20)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    })
    this.processes.push(started)
    return started
  }

  /** Kills a process as `kill -9` does. */
  async killProcess(started: SluiceProcess): Promise<void> {
    this.processes.splice(this.processes.indexOf(started), 1)
    started.child.kill('SIGKILL')
    await started.child.exited
  }

  async startValkey(): Promise<void> {
    if (this.#options.shared !== 'valkey') return
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
    if (this.#options.shared !== 'valkey') return
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
    const response = await fetch(`http://127.0.0.1:${port}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: '{"model":"arena","messages":[{"role":"user","content":"Hi"}]}',
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
    await Promise.all(this.processes.slice().map((started) => this.killProcess(started)))
    await this.killValkey()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #open(): Promise<void> {
    const schema = await makePostgresSchema(this.#options.postgresUrl)
    this.#resources.defer(() => schema.drop())
    // Dropped last: until then processes use it.
    this.#resources.defer(async () => {
      await Promise.all(this.processes.slice().map((started) => this.killProcess(started)))
    })
    this.#databaseUrl = schema.url
    const provider = this.#serveProvider()
    this.#resources.defer(() => provider.stop(true))
    await this.#fill(`http://127.0.0.1:${provider.port}/v1`)
    this.#valkeyPort = await freePort()
    await this.startValkey()
  }

  async #fill(baseUrl: string): Promise<void> {
    const store = await openStore({ url: this.#databaseUrl, sealer: sealer(secretKey) })
    const user = aUser()
    await store.users.insert(user, null)
    const { secret, publicId, digest } = createKeySecret()
    await store.keys.insert(aKey(user.id, { publicId, digest }))
    const provider = aProvider({ baseUrl, credential: new Secret('none'), headers: {} })
    await store.providers.insert(provider)
    const { limit, kind = 'inflight' } = this.#options
    const limited = kind === 'cap' ? { maxConcurrent: limit } : { inflightLimit: limit }
    await store.models.insert(aModel(provider.id, { name: 'arena', groupIds: [everyoneGroupId], ...limited }))
    await store.close()
    this.#key = secret
  }

  #serveProvider(): Bun.Server<undefined> {
    const { seen } = this
    const { holdMs } = this.#options
    return Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 60,
      async fetch(request) {
        await request.arrayBuffer()
        seen.inFlight += 1
        seen.most = Math.max(seen.most, seen.inFlight)
        const gone = new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()))
        await Promise.race([Bun.sleep(holdMs()), gone])
        seen.inFlight -= 1
        seen.answered += 1
        return Response.json({
          id: 'x',
          object: 'chat.completion',
          choices: [],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        })
      },
    })
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const started = this.processes[Math.floor(Math.random() * this.processes.length)]
      const status = started === undefined ? 'none' : await this.ask(started).then(String, () => 'failed')
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      // Refused clients wait, or they would use up the machine.
      if (status !== '200') await Bun.sleep(100 + Math.random() * 200)
    }
  }

  #environment(port: number): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      SLUICE_DATA_DIR: join(this.#folder, `data-${port}`),
      SLUICE_SERVER_PORT: String(port),
      SLUICE_SERVER_DRAIN_SECONDS: '5',
      SLUICE_DISCOVERY_ENABLED: 'false',
      SLUICE_DATABASE_URL: this.#databaseUrl,
      SLUICE_DATABASE_POOL_MAX: '3',
      SLUICE_SECURITY_SECRET_KEY: Buffer.from(secretKey).toString('base64'),
      SLUICE_LIMITS_REALTIME_INFLIGHT_ENFORCE: String(this.#options.kind !== 'cap'),
      SLUICE_LIMITS_SHARED: this.#options.shared,
      ...(this.#options.shared === 'valkey' && { SLUICE_LIMITS_VALKEY_URL: `redis://127.0.0.1:${this.#valkeyPort}` }),
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    }
  }
}

export interface SluiceProcess {
  readonly port: number
  readonly child: Bun.Subprocess
}
