/** A response in the background is made where it is kept: by an upstream that stores, if the model has one. */
import { describe, expect, test } from 'bun:test'
import { makeCluster } from '#test/support/app/cluster.ts'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

/** The processes of one installation, and a key for them. */
interface Place extends AsyncDisposable {
  readonly urls: readonly string[]
  readonly key: string
  admin(method: string, path: string, body: object): Promise<unknown>
}

async function oneProcess(): Promise<Place> {
  const gateway = await startGateway()
  return {
    urls: [gateway.url],
    key: gateway.keys.main.secret,
    async admin(method, path, body) {
      const answer = await gateway.operate(method, path, body)
      expect(answer.status).toBe(201)
      return answer.json()
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function threeProcesses(): Promise<Place> {
  const cluster = await makeCluster(String(serverUrl), 10)
  const replicas = [await cluster.start(), await cluster.start(), await cluster.start()]
  return {
    urls: replicas.map(({ url }) => url),
    key: cluster.userKey,
    admin: (method, path, body) => replicas[0]!.admin(method, path, body),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

interface Kept {
  readonly id: string
  readonly status: string
}

async function ask(place: Place, at: number, path: string, body?: object): Promise<{ status: number; kept: Kept }> {
  const answer = await fetch(`${place.urls[at % place.urls.length]}/ai/v1/responses${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify({ input: 'Hello!', ...body }) }),
  })
  return { status: answer.status, kept: (await answer.json()) as Kept }
}

/** A composite whose components store or do not, in this order of preference. */
async function compositeOf(place: Place, stores: readonly boolean[], upstreams: readonly Upstream[]): Promise<string> {
  const names = stores.map(() => `part-${crypto.randomUUID()}`)
  for (const [at, name] of names.entries()) {
    const options = { endpoints: ['responses', 'chat/completions'], stores_responses: stores[at] }
    const provider = { name, kind: 'openai', base_url: upstreams[at]!.url, options }
    const { id } = (await place.admin('POST', '/providers', provider)) as { readonly id: string }
    await place.admin('POST', '/models', { name, provider_id: id, upstream_name: 'm' })
  }
  const name = `composite-${crypto.randomUUID()}`
  const components = names.map((model, priority) => ({ model, priority }))
  await place.admin('POST', '/models', { name, composite: { strategy: 'priority', components } })
  return name
}

const mixtures: readonly (readonly boolean[])[] = [
  [true, false],
  [false, true],
  [false, false, true],
  [false, true, true],
  [false, false, false, false, true],
]

const created = (upstream: Upstream): number => upstream.requests.filter(({ method }) => method === 'POST').length

function keeperContract(start: () => Promise<Place>): void {
  test('a response in the background goes to the first upstream that stores, and is found there', async () => {
    await using place = await start()
    for (const stores of mixtures) {
      await using stack = new AsyncDisposableStack()
      const upstreams = await Promise.all(stores.map(async () => stack.use(await startUpstream())))
      for (const [at, upstream] of upstreams.entries()) upstream.script(keepingProvider(`resp_of${at}_`))
      const model = await compositeOf(place, stores, upstreams)
      const keeper = stores.indexOf(true)
      const requests = 2 * place.urls.length
      for (let at = 0; at < requests; at += 1) {
        const { status, kept } = await ask(place, at, '', { model, background: true })
        expect([status, kept.status]).toEqual([200, 'queued'])
        for (const expected of ['in_progress', 'completed'])
          expect((await ask(place, at + 1, `/${kept.id}`)).kept.status).toBe(expected)
      }
      expect(upstreams.map(created)).toEqual(stores.map((_, at) => (at === keeper ? requests : 0)))

      // In the foreground the order of the model counts, whether or not the first one stores.
      expect((await ask(place, 0, '', { model })).status).toBe(200)
      expect(created(upstreams[0]!)).toBe(keeper === 0 ? requests + 1 : 1)
    }
  }, 60_000)

  test('while those that store fail, a response in the background is refused and nobody else is asked', async () => {
    await using place = await start()
    await using keeping = await startUpstream()
    await using forgetful = await startUpstream()
    keeping.script(() => json({ error: { message: 'Overloaded.' } }, 500))
    forgetful.script(keepingProvider())
    const model = await compositeOf(place, [true, false], [keeping, forgetful])
    const { status } = await ask(place, 0, '', { model, background: true })
    expect(status).toBeGreaterThanOrEqual(500)
    expect([created(keeping) > 0, created(forgetful)]).toEqual([true, 0])
    expect((await ask(place, 0, '', { model })).status).toBe(200)
    expect(created(forgetful)).toBe(1)
  }, 60_000)
}

describe('the keeper of a response, one process on SQLite', () => keeperContract(oneProcess))

describe.skipIf(serverUrl === undefined)(`the keeper of a response, three processes on PostgreSQL${reason}`, () =>
  keeperContract(threeProcesses),
)
