/** One provider with several servers: requests spread, go on when one dies, and follow servers that come and go. */
import { describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { close, json, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'

interface Cluster extends AsyncDisposable {
  readonly gateway: GatewayApp
  readonly servers: readonly Upstream[]
  readonly providerId: string
  readonly modelId: string
  /** Asks the model so many times, one after another, and returns the status of each answer. */
  readonly ask: (count: number, fields?: object) => Promise<readonly number[]>
  readonly patch: (body: object) => Promise<void>
  /** Requests that each server has had since the last call. */
  readonly counts: () => readonly number[]
}

async function startCluster(count: number, servers: object, set: readonly string[] = []): Promise<Cluster> {
  await using opening = new AsyncDisposableStack()
  const all = await Promise.all(Array.from({ length: count }, () => startUpstream()))
  const gateway = opening.use(await startGateway({ set }))
  const post = async (path: string, body: object) =>
    (await (await gateway.operate('POST', path, body)).json()) as { id: string }
  const urls = all.slice(1).map(({ url }) => url)
  const provider = { name: 'cluster', kind: 'openai', base_url: all[0]!.url, servers: { urls, ...servers } }
  const { id } = await post('/providers', provider)
  const model = await post('/models', { name: 'clustered', provider_id: id, upstream_name: 'upstream-model' })
  const seen = all.map(() => 0)
  const resources = opening.move()
  return {
    gateway,
    servers: all,
    providerId: id,
    modelId: model.id,
    async ask(times, fields = {}) {
      const statuses: number[] = []
      for (let at = 0; at < times; at += 1) {
        const answer = await gateway.chat({ model: 'clustered', ...fields })
        await answer.text()
        statuses.push(answer.status)
      }
      return statuses
    },
    async patch(body) {
      expect((await gateway.operate('PATCH', `/providers/${id}`, body)).status).toBe(200)
    },
    counts: () =>
      all.map((server, at) => {
        const had = server.requests.length - (seen[at] ?? 0)
        seen[at] = server.requests.length
        return had
      }),
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync()
      await Promise.all(all.map((server) => server.close().catch(() => {})))
    },
  }
}

const ok = (count: number) => Array<number>(count).fill(200)
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

interface HealthAnswer {
  readonly data: readonly {
    readonly provider_id?: string
    readonly state?: string
    readonly states?: Readonly<Record<string, number>>
    readonly servers: readonly { readonly address: string; readonly state: string }[]
  }[]
}

test.each([2, 5])('%i servers share the requests; names stay where they are', async (count) => {
  await using cluster = await startCluster(count, { strategy: 'weighted' })
  expect(await cluster.ask(20 * count)).toEqual(ok(20 * count))
  const had = cluster.counts()
  expect([sum(had), had.every((each) => each > 0)]).toEqual([20 * count, true])
  await cluster.patch({ servers: { urls: cluster.servers.slice(1).map(({ url }) => url) } })
  await cluster.ask(10, { prompt_cache_key: 'talk' })
  expect(cluster.counts().filter((each) => each > 0)).toEqual([10])
})

test('requests go where the servers themselves say there is less to do, and a server that says nothing counts as before', async () => {
  await using cluster = await startCluster(3, { strategy: 'weighted' }, ['health.load_seconds=1'])
  const gauges = (running: number, waiting: number) =>
    `vllm:num_requests_running{engine="0"} ${running}.0\nvllm:num_requests_waiting{engine="0"} ${waiting}.0\n`
  const [busy, queued, silent] = cluster.servers
  busy!.metrics = gauges(40, 0)
  queued!.metrics = gauges(0, 7)
  const toldTwice = (server: Upstream) => {
    const { metricsAsked } = server
    return until(() => server.metricsAsked >= metricsAsked + 2)
  }
  await toldTwice(queued!)
  await cluster.ask(10)
  expect(cluster.counts()).toEqual([0, 0, 10])
  expect(silent!.metricsAsked).toBe(1)
  ;[busy!.metrics, queued!.metrics] = [gauges(0, 0), gauges(0, 0)]
  await toldTwice(busy!)
  await toldTwice(queued!)
  await cluster.ask(60)
  expect(cluster.counts().every((count) => count > 0)).toBe(true)
})

describe.each([
  ['refuses connections', null],
  ['closes without an answer', [close] as Behaviour],
  ['answers 500', json(errorObject('No.'), 500)],
])('a server that %s', (_, behaviour) => {
  test('costs no request, is left out, and is back when it answers again', async () => {
    const set = ['health.failures_to_eject=1', 'health.ejection_seconds=3600', 'health.ejection_max_seconds=3600']
    await using cluster = await startCluster(3, { strategy: 'weighted' }, set)
    const [down] = cluster.servers
    if (behaviour === null) await down!.close()
    else down!.scriptNext(behaviour)
    expect(await cluster.ask(40)).toEqual(ok(40))
    expect(cluster.counts()[0]).toBe(behaviour === null ? 0 : 1)
    expect(await healthOf(cluster)).toEqual({ model: 'healthy', down: 'out', servers: 3, providerStates: 1 })

    cluster.gateway.advance(3_600_000)
    const port = Number(new URL(down!.url).port)
    const again = behaviour === null ? await startUpstream({ port }) : down!
    expect(await cluster.ask(40)).toEqual(ok(40))
    expect(again.requests.length).toBeGreaterThan(5)
    expect(await healthOf(cluster)).toMatchObject({ model: 'healthy', down: 'healthy' })
    if (behaviour === null) await again.close()
  })
})

/** What the admin API says of the model and of its first server. */
async function healthOf({ gateway, servers, modelId, providerId }: Cluster): Promise<object> {
  const get = async (path: string) => (await (await gateway.operate('GET', path)).json()) as HealthAnswer
  const [upstream] = (await get(`/models/${modelId}/health`)).data
  const provider = (await get('/provider-health')).data.find((each) => each.provider_id === providerId)
  expect(provider?.servers.length).toBe(upstream?.servers.length)
  return {
    model: upstream?.state,
    down: upstream?.servers.find(({ address }) => address === servers[0]?.url)?.state,
    servers: upstream?.servers.length,
    providerStates: provider?.states?.['healthy'],
  }
}

test('servers are added and taken away while requests run: none fails', async () => {
  await using cluster = await startCluster(4, { urls: [], strategy: 'weighted' })
  const urls = cluster.servers.slice(1).map(({ url }) => url)
  let isOver = false
  const asking = Promise.all(
    Array.from({ length: 8 }, async () => {
      const statuses = new Set<number>()
      while (!isOver) for (const status of await cluster.ask(1)) statuses.add(status)
      return [...statuses]
    }),
  )
  for (const several of [urls, urls.slice(2), [], urls.slice(0, 1), urls]) {
    await cluster.patch({ servers: several.length === 0 ? null : { urls: several, strategy: 'weighted' } })
    cluster.counts()
    const wanted = cluster.servers.map(({ url }, at) => at === 0 || several.includes(url))
    const had = cluster.servers.map(() => 0)
    await until(() => {
      cluster.counts().forEach((each, at) => (had[at] = (had[at] ?? 0) + each))
      return wanted.every((isIn, at) => !isIn || (had[at] ?? 0) > 0)
    })
  }
  isOver = true
  expect(new Set((await asking).flat())).toEqual(new Set([200]))
})

test('a name with several addresses is several servers, each asked by the name; they follow what the name says', async () => {
  const first = await startUpstream({ host: '127.0.0.1' })
  const port = Number(new URL(first.url).port)
  const second = await startUpstream({ host: '127.0.0.2', port })
  let addresses = ['127.0.0.1', '127.0.0.2']
  const names = { addresses: async () => addresses, services: async () => [] }
  await using gateway = await startGateway({ names, set: ['health.lookup_seconds=1'] })
  const url = `http://cluster.test:${port}/v1`
  const made = await gateway.operate('POST', '/providers', {
    name: 'cluster',
    kind: 'openai',
    base_url: url,
    servers: { dns: 'a', strategy: 'weighted' },
  })
  const { id } = (await made.json()) as { id: string }
  await gateway.operate('POST', '/models', { name: 'clustered', provider_id: id, upstream_name: 'upstream-model' })
  const ask = async () => {
    const answer = await gateway.chat({ model: 'clustered' })
    await answer.text()
    return answer.status
  }
  await until(async () => (await ask()) === 200 && second.requests.length > 0 && first.requests.length > 0)
  expect(new Set([first, second].map((server) => server.requests.at(-1)?.header('host')))).toEqual(
    new Set([`cluster.test:${port}`]),
  )
  addresses = ['127.0.0.2']
  await until(async () => {
    const before = first.requests.length
    const statuses = new Set(await Promise.all(Array.from({ length: 6 }, ask)))
    expect(statuses).toEqual(new Set([200]))
    return first.requests.length === before
  })
  await Promise.all([first.close(), second.close()])
})
