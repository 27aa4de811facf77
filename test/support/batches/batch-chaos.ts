/**
 * A real batch on real processes that are killed again and again, and what its files hold in the end. The model server
 * answers the same for the same text, so a batch that was disturbed must make what an undisturbed one makes.
 */
import { Installation, type RunningServer } from '#test/cli/sluice.ts'
import { makePostgresSchema } from '../store/postgres-schema.ts'
import { until } from '../until.ts'

export interface ChaosPlan {
  readonly lines: number
  readonly kills: number
  /** They are asked to stop instead, and do. */
  readonly isGentle?: boolean
  /** Processes on one PostgreSQL; one on SQLite when left out. */
  readonly postgres?: { readonly url: string; readonly processes: number }
  readonly seed: number
  /** Longest time between two kills, from when all processes run. */
  readonly lifeMsMax: number
  /** How long the model takes. */
  readonly callMs: number
  readonly onKill?: (kill: number, done: number) => void
}

export interface ChaosReport {
  /** The lines of both files by their `custom_id`, without the ids that are made for each answer. */
  readonly results: ReadonlyMap<string, unknown>
  /** Lines in both files, of whatever id. */
  readonly linesWritten: number
  readonly counts: unknown
  readonly status: string
  /** Requests that the model received. */
  readonly asked: number
  /** Kills that met the batch under way. */
  readonly killsUnderWay: number
  readonly tookMs: number
}

interface BatchOnWire {
  readonly status: string
  readonly output_file_id: string | null
  readonly error_file_id: string | null
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number }
}

const endpoint = '/v1/embeddings'
const settings = { SLUICE_BATCHES_LEASE_SECONDS: '1', SLUICE_LOG_LEVEL: 'error' }

/** Runs a batch with the kills of the plan, or undisturbed with none. */
export async function runBatch(plan: ChaosPlan): Promise<ChaosReport> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(startModel(plan.callMs))
  const fleet = stack.use(await Fleet.start(plan, model.url))
  const random = randomOf(plan.seed)
  const fileId = await fleet.upload(inputOf(plan.lines))
  const startedAt = performance.now()
  const { id } = await fleet.call<{ id: string }>('POST', '/batches', {
    input_file_id: fileId,
    endpoint,
    completion_window: '24h',
  })
  const batch = (): Promise<BatchOnWire> => fleet.call('GET', `/batches/${id}`)
  let killsUnderWay = 0
  for (let kill = 0; kill < plan.kills; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, random() * plan.lifeMsMax))
    const { status, request_counts: counts } = await batch()
    plan.onKill?.(kill + 1, counts.completed + counts.failed)
    if (status !== 'completed') killsUnderWay += 1
    await fleet.replaceOne(random, plan.isGentle)
  }
  let last = await batch()
  await until(async () => (last = await batch()).status === 'completed')
  const tookMs = performance.now() - startedAt
  const texts = [await fleet.content(last.output_file_id), await fleet.content(last.error_file_id)]
  const lines = texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
  const results = new Map<string, unknown>()
  for (const line of lines) {
    const { custom_id: customId, response, error } = JSON.parse(line) as Line
    results.set(customId, { status: response?.status_code, body: response?.body, error })
  }
  const { status, request_counts: counts } = last
  return { results, linesWritten: lines.length, counts, status, asked: model.asked(), killsUnderWay, tookMs }
}

interface Line {
  readonly custom_id: string
  readonly response: { readonly status_code: number; readonly body: unknown } | null
  readonly error: unknown
}

/** Every hundredth line is one that the model refuses. */
function inputOf(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const input = at % 100 === 99 ? `refused ${at}` : `text ${at}`
    return JSON.stringify({ custom_id: `id-${at}`, method: 'POST', url: endpoint, body: { model: 'embed', input } })
  })
  return lines.join('\n')
}

interface Model extends Disposable {
  readonly url: string
  asked(): number
}

/** Vectors that depend on the text alone, after a while. */
function startModel(callMs: number): Model {
  let asked = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: 'embed', object: 'model' }] })
      const { input } = (await request.json()) as { readonly input: string | readonly string[] }
      const texts = typeof input === 'string' ? [input] : input
      asked += texts.length
      await Bun.sleep(callMs)
      if (texts.some((text) => text.startsWith('refused')))
        return Response.json({ error: { message: 'no', type: 'invalid_request_error', code: 'no' } }, { status: 400 })
      const data = texts.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: [text.length, Number(text.slice(5))],
      }))
      return Response.json({
        object: 'list',
        model: 'embed',
        data,
        usage: { prompt_tokens: texts.length, total_tokens: texts.length },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    asked: () => asked,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** The processes, of which any answers; one that was killed is started again. */
class Fleet implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack
  readonly #installations: readonly Installation[]
  readonly #servers: RunningServer[]
  readonly #key: string

  static async start({ postgres }: ChaosPlan, modelUrl: string): Promise<Fleet> {
    await using stack = new AsyncDisposableStack()
    const environment: Record<string, string> = { ...settings }
    if (postgres !== undefined) {
      const schema = await makePostgresSchema(postgres.url)
      stack.defer(() => schema.drop())
      environment['SLUICE_DATABASE_URL'] = schema.url
      environment['SLUICE_SECURITY_SECRET_KEY'] = Buffer.from(new Uint8Array(32).fill(7)).toString('base64')
      environment['SLUICE_CLUSTER_REPLICA_TIMEOUT_SECONDS'] = '2'
    }
    const installations = Array.from({ length: postgres?.processes ?? 1 }, () =>
      stack.use(new Installation(environment)),
    )
    const servers: RunningServer[] = []
    for (const installation of installations) servers.push(await installation.start(['--json']))
    const key = String(servers[0]?.started.first_start?.api_key)
    await installations[0]?.json(['providers', 'add', 'up', '--base-url', modelUrl])
    return new Fleet(stack.move(), { installations, servers, key })
  }

  private constructor(
    stack: AsyncDisposableStack,
    running: {
      readonly installations: readonly Installation[]
      readonly servers: RunningServer[]
      readonly key: string
    },
  ) {
    this.#stack = stack
    this.#installations = running.installations
    this.#servers = running.servers
    this.#key = running.key
  }

  /** Kills a process at this moment, or asks it to stop, and starts another in its place. */
  async replaceOne(random: () => number, isGentle = false): Promise<void> {
    const at = Math.floor(random() * this.#servers.length)
    if (!isGentle) await this.#servers[at]?.kill()
    else if ((await this.#servers[at]?.stop())?.code !== 0) throw new Error('the server did not stop as it should')
    const installation = this.#installations[at]
    if (installation !== undefined) this.#servers[at] = await installation.start(['--json'])
  }

  async upload(text: string): Promise<string> {
    const form = new FormData()
    form.append('purpose', 'batch')
    form.append('file', new Blob([text]), 'input.jsonl')
    return (JSON.parse(await this.#send('POST', '/files', form)) as { id: string }).id
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    return JSON.parse(await this.#send(method, path, body && JSON.stringify(body))) as T
  }

  async content(fileId: string | null): Promise<string> {
    return fileId === null ? '' : this.#send('GET', `/files/${fileId}/content`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }

  async #send(method: string, path: string, body?: Bun.BodyInit): Promise<string> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${this.#servers[0]?.address}/ai/v1${path}`, {
      method,
      headers,
      ...(body && { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
