/**
 * Real processes of Sluice on one PostgreSQL and one hard budget, clients that ask any of them, and a provider whose
 * bill is the truth.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeySecret } from '#identity/api-key.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import { sealer } from '#lib/seal.ts'
import { openStore, type Store } from '#store/store.ts'
import { sluiceProgram } from '../../cli/sluice.ts'
import { freePort } from '../network/free-port.ts'
import { makePostgresSchema } from '../store/postgres-schema.ts'
import { aKey, aModel, aProvider, aUser } from '../store/store-records.ts'
import { until } from '../until.ts'

const secretKey = new Uint8Array(32).fill(7)

/** What a token costs, in 10^-9. */
const rate = 3
const tokensMax = 100

interface SluiceProcess {
  readonly port: number
  /** Its data directory, which the next process takes over. */
  readonly data: string
  readonly child: Bun.Subprocess
}

export class BudgetArena implements AsyncDisposable {
  /** What the provider has answered for, whether anybody saw it or not. */
  billed = 0
  /** Answers by status; `failed` are broken connections. */
  readonly statuses = new Map<string, number>()
  readonly processes: SluiceProcess[] = []
  readonly budgetId = crypto.randomUUID()
  readonly store: Store
  readonly #resources: AsyncDisposableStack
  readonly #folder: string
  readonly #databaseUrl: string
  #key = ''
  readonly #leftData: string[] = []
  #isOver = false

  static async open(postgresUrl: string, amount: number): Promise<BudgetArena> {
    await using opening = new AsyncDisposableStack()
    const folder = mkdtempSync(join(tmpdir(), 'sluice-budget-'))
    opening.defer(() => rmSync(folder, { recursive: true, force: true }))
    const schema = await makePostgresSchema(postgresUrl)
    opening.defer(() => schema.drop())
    const store = await openStore({ url: schema.url, sealer: sealer(secretKey) })
    opening.defer(() => store.close())
    const arena = new BudgetArena({ store, folder, databaseUrl: schema.url, resources: opening.move() })
    await arena.#fill(amount)
    return arena
  }

  private constructor(parts: {
    readonly store: Store
    readonly folder: string
    readonly databaseUrl: string
    readonly resources: AsyncDisposableStack
  }) {
    this.store = parts.store
    this.#folder = parts.folder
    this.#databaseUrl = parts.databaseUrl
    this.#resources = parts.resources
  }

  async startProcess(): Promise<void> {
    const port = await freePort()
    const data = this.#leftData.pop() ?? join(this.#folder, `data-${port}`)
    const child = Bun.spawn([sluiceProgram, 'start'], {
      cwd: this.#folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        SLUICE_DATA_DIR: data,
        SLUICE_SERVER_PORT: String(port),
        SLUICE_SERVER_DRAIN_SECONDS: '5',
        SLUICE_DISCOVERY_ENABLED: 'false',
        SLUICE_DATABASE_URL: this.#databaseUrl,
        SLUICE_DATABASE_POOL_MAX: '3',
        SLUICE_SECURITY_SECRET_KEY: Buffer.from(secretKey).toString('base64'),
        BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(this.#folder, `${port}.log`)),
    })
    await until(async () => {
      if (child.exitCode !== null) throw new Error(await Bun.file(join(this.#folder, `${port}.log`)).text())
      await Bun.sleep(20)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    })
    this.processes.push({ port, data, child })
  }

  /** Ends the oldest process: `SIGKILL` as a crash does, `SIGTERM` as an operator does. */
  async endProcess(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const oldest = this.processes.shift()
    oldest?.child.kill(signal)
    await oldest?.child.exited
    if (oldest !== undefined) this.#leftData.push(oldest.data)
  }

  /** So many clients, each with one request at a time, until the arena closes. */
  load(clients: number): void {
    const running = Array.from({ length: clients }, () => this.#client())
    this.#resources.defer(async () => {
      this.#isOver = true
      await Promise.all(running)
    })
  }

  /** What requests are charged with whose process was killed before they ended. */
  async costOfUnseen(): Promise<number> {
    let sum = 0
    const status = { first: 500, last: 500 }
    for (let cursor: string | null = null; ;) {
      const page = await this.store.usage.list({ from: 0, to: Number.MAX_SAFE_INTEGER, status, limit: 200, cursor })
      for (const { code, cost } of page.items) if (code === 'interrupted') sum += cost ?? 0
      if (page.nextCursor === null) return sum
      cursor = page.nextCursor
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    while (this.processes.length > 0) await this.endProcess('SIGKILL')
    await this.#resources.disposeAsync()
  }

  async #fill(amount: number): Promise<void> {
    const provider = this.#serveProvider()
    this.#resources.defer(() => provider.stop(true))
    const { store } = this
    const user = aUser()
    await store.users.insert(user, null)
    const { secret, publicId, digest } = createKeySecret()
    await store.keys.insert(aKey(user.id, { publicId, digest }))
    const baseUrl = `http://127.0.0.1:${provider.port}/v1`
    const record = aProvider({ baseUrl, credential: new Secret('none'), headers: {} })
    await store.providers.insert(record)
    const model = aModel(record.id, { name: 'arena', groupIds: [everyoneGroupId] })
    await store.models.insert(model)
    const rates = { output: rate * 1_000_000 }
    const price = { id: 'p', modelId: model.id, source: 'manual', upstream: null, rates, tiers: [], note: '' } as const
    await store.prices.set({ ...price, validFrom: 0, createdAt: 0, replacedAt: null })
    const scope = { scope: 'user', scopeId: user.id, period: 'total', timeZone: 'UTC' } as const
    const budget = { ...scope, id: this.budgetId, amount, hard: true, thresholds: [], declared: false, createdAt: 0 }
    await store.budgets.insert(budget)
    this.#key = secret
  }

  #serveProvider(): Bun.Server<undefined> {
    return Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { max_tokens: most } = (await request.json()) as { max_tokens: number }
        const tokens = Math.floor(Math.random() * (most + 1))
        this.billed += tokens * rate
        await Bun.sleep(Math.random() * 50)
        const usage = { prompt_tokens: 1, completion_tokens: tokens }
        return Response.json({ id: 'x', object: 'chat.completion', choices: [], usage })
      },
    })
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const asked = this.processes[Math.floor(Math.random() * this.processes.length)]
      const status = asked === undefined ? 'none' : await this.#ask(asked).then(String, () => 'failed')
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (status !== '200') await Bun.sleep(20 + Math.random() * 50)
    }
  }

  async #ask({ port }: SluiceProcess): Promise<number> {
    const tokens = Math.ceil(Math.random() * tokensMax)
    const response = await fetch(`http://127.0.0.1:${port}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'arena', max_tokens: tokens, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await response.arrayBuffer()
    return response.status
  }
}
