/**
 * Ten thousand requests of clients and providers that do whatever they like. Afterwards nothing of
 * them may be left: no slot, no stream, no connection, no memory, and exactly one usage row each.
 *
 * Which fault meets which client is drawn from a seed, so a failure can be run again. What happens
 * when the process is killed is tested where it can be: test/store/sqlite.test.ts for the database,
 * test/cli/stop.test.ts for the server.
 */
import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import {
  answer,
  brokenStream,
  close,
  cutBody,
  cutInsideEvent,
  endlessStream,
  gzipJson,
  hang,
  head,
  htmlBadGateway,
  json,
  openAiAnswer,
  rateLimited,
  redirect,
  reset,
  send,
  stream,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent, errorObject } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

const seed = 20260801
const requestsPerHalf = 5000
const concurrency = 100

const chunks = chatChunks()

/** What an upstream can do with a request; `streamed` says which kind of request it is made for. */
const upstreamBehaviours: Readonly<Record<string, { readonly streamed: boolean; readonly make: () => Behaviour }>> = {
  answer: { streamed: false, make: () => json(chatCompletion()) },
  refuse: { streamed: false, make: () => json(errorObject('No.'), 400) },
  fail: { streamed: false, make: () => json(errorObject('No.'), 500) },
  html: { streamed: false, make: () => htmlBadGateway() },
  limit: { streamed: false, make: () => rateLimited('1') },
  redirect: { streamed: false, make: () => redirect('http://127.0.0.1:1/') },
  gzip: { streamed: false, make: () => gzipJson(chatCompletion()) },
  'not json': { streamed: false, make: () => answer(200, {}, 'oops') },
  'cut body': { streamed: false, make: () => cutBody(chatCompletion()) },
  'reset body': { streamed: false, make: () => cutBody(chatCompletion(), reset) },
  'hang in body': { streamed: false, make: () => [head(200, { 'Content-Length': '99' }), send('{"a'), hang] },
  'no http': { streamed: false, make: () => [send('oops\r\n\r\n'), close] },
  hang: { streamed: false, make: () => [hang] },
  close: { streamed: false, make: () => [close] },
  reset: { streamed: false, make: () => [reset] },
  stream: { streamed: true, make: () => stream([...chunks, doneEvent]) },
  'no done': { streamed: true, make: () => stream(chunks) },
  'no end': { streamed: true, make: () => [...brokenStream([...chunks, doneEvent], hang)] },
  'no finish': { streamed: true, make: () => stream(chunks.slice(0, 2)) },
  'error event': { streamed: true, make: () => stream([...chunks.slice(0, 2), errorObject('Died.')]) },
  'close in stream': { streamed: true, make: () => brokenStream(chunks.slice(0, 3), close) },
  'reset in stream': { streamed: true, make: () => brokenStream(chunks.slice(0, 3), reset) },
  'cut in event': { streamed: true, make: () => cutInsideEvent(chunks.slice(0, 3)) },
  'hang in stream': { streamed: true, make: () => brokenStream(chunks.slice(0, 3), hang) },
  'hang after head': { streamed: true, make: () => [streamHead, hang] },
  'hang before stream': { streamed: true, make: () => [hang] },
  'reset before stream': { streamed: true, make: () => [reset] },
  endless: { streamed: true, make: () => endlessStream(chunks[1]!) },
}

const clientBehaviours = [
  'reads',
  'reads',
  'reads',
  'leaves',
  'leaves',
  'cancels',
  'cancels',
  'resets',
  'sends nonsense',
] as const

interface Draw {
  readonly requestId: string
  readonly upstream: string
  readonly client: (typeof clientBehaviours)[number]
  readonly model: string
  readonly key: 'main' | 'second' | 'other'
  /** Turns of the event loop, or pieces of the answer, before a client leaves. */
  readonly patience: number
}

/** Numbers from 0 to 1 that are the same for the same seed. (T. Ettinger's mulberry32.) */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function drawer(): (requestId: string) => Draw {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const upstreams = Object.keys(upstreamBehaviours)
  return (requestId) => {
    const upstream = pick(upstreams)
    const client = pick(clientBehaviours)
    // An endless stream that is read to its end would take for ever.
    return {
      requestId,
      upstream: upstream === 'endless' && client === 'reads' ? 'stream' : upstream,
      client,
      model: random() < 0.05 ? pick(['private', 'no-such-model', 'on-refusing']) : pick(['plain', 'plain-alias']),
      key: pick(['main', 'second', 'other']),
      patience: Math.floor(random() * 12),
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

function requestFields({ upstream, model }: Draw): object {
  // The upstream reads from the request what it is to do with it.
  return { model, messages, user: upstream, stream: upstreamBehaviours[upstream]!.streamed }
}

/** One request from its first byte to whatever end; true when the client got an answer with a status. */
async function run(gateway: GatewayApp, draw: Draw): Promise<boolean> {
  if (draw.client === 'resets' || draw.client === 'sends nonsense') return runRaw(gateway, draw)
  const { client, key, patience, requestId } = draw
  const abort = new AbortController()
  const options = { key: gateway.keys[key], headers: { 'x-request-id': requestId }, signal: abort.signal }
  try {
    const answering = gateway.chat(requestFields(draw), options)
    if (client === 'leaves') void turns(patience).then(() => abort.abort())
    const response = await answering
    if (client === 'cancels') await readSome(response, patience)
    else await response.arrayBuffer()
    return true
  } catch (thrown) {
    if (client !== 'leaves') throw new Error(`${JSON.stringify(draw)}: ${String(thrown)}`, { cause: thrown })
    return false
  }
}

async function readSome(response: Response, pieces: number): Promise<void> {
  const reader = response.body?.getReader()
  for (let piece = 0; piece < pieces; piece += 1) if ((await reader?.read())?.done !== false) break
  await reader?.cancel()
}

async function runRaw(gateway: GatewayApp, draw: Draw): Promise<boolean> {
  using client = new RawClient(gateway.port)
  const body = JSON.stringify(requestFields(draw))
  const headers = { 'X-Request-Id': draw.requestId, 'Content-Length': String(body.length) }
  client.write(rawRequest({ key: gateway.keys[draw.key].secret, headers }))
  if (draw.client === 'resets') {
    client.write(body.slice(0, draw.patience % 2 === 0 ? body.length : 20))
    await turns(draw.patience)
    client.reset()
    return false
  }
  client.write(body.replaceAll('"', "'"))
  await client.untilText('"code":"invalid_json"')
  return true
}

/** Runs requests, a hundred at a time; resolves with the ids of those that got an answer. */
async function runAll(gateway: GatewayApp, draws: readonly Draw[]): Promise<readonly string[]> {
  const answered: string[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let draw = draws[next++]; draw !== undefined; draw = draws[next++]) {
      if (await run(gateway, draw)) answered.push(draw.requestId)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return answered
}

async function inflight(gateway: GatewayApp): Promise<number> {
  const text = await (await gateway.request('GET', '/metrics')).text()
  const samples = text.matchAll(/^sluice_inflight_requests\{[^}]*\} (\d+)$/gm)
  return [...samples].reduce((sum, sample) => sum + Number(sample[1]), 0)
}

async function requestsCounted(gateway: GatewayApp): Promise<number> {
  const text = await (await gateway.request('GET', '/metrics')).text()
  const samples = text.matchAll(/^sluice_requests_total\{[^}]*\} (\d+)$/gm)
  return [...samples].reduce((sum, sample) => sum + Number(sample[1]), 0)
}

/** Runs requests to their end on both sides of the gateway, and checks that each has its row. */
async function runHalf(gateway: GatewayApp, draws: readonly Draw[]): Promise<void> {
  const { upstream, store } = gateway
  const answered = await runAll(gateway, draws)
  await until(async () => (await inflight(gateway)) === 0)
  // An upstream request has ended when its script has run to its end or its connection is gone.
  await Promise.all(upstream.requests.map((each) => Promise.race([each.answered, each.closed])))
  const everything = { from: 0, to: Date.now() + 60_000 }
  await until(async () => (await store.usage.totals(everything)).requests === (await requestsCounted(gateway)))
  const recorded = new Set((await gateway.usageRows()).map((row) => row.requestId))
  const received = upstream.requests.map((each) => each.header('x-request-id') ?? '')
  expect([...answered, ...received].filter((id) => !recorded.has(id))).toEqual([])
  upstream.forget()
}

interface Memory {
  readonly objects: number
  /** Objects that hold a request, an answer or a stream. */
  readonly held: number
  readonly rssMb: number
}

const heldTypes = [
  'Request',
  'Response',
  'ReadableStream',
  'AbortSignal',
  'AbortController',
  'ReadableStreamDefaultReader',
]

async function memoryNow(): Promise<Memory> {
  await turns(10)
  Bun.gc(true)
  const { objectCount, objectTypeCounts } = heapStats()
  const held = heldTypes.reduce((sum, type) => sum + (objectTypeCounts[type] ?? 0), 0)
  return { objects: objectCount, held, rssMb: process.memoryUsage.rss() / 1_000_000 }
}

test('ten thousand aborts and faults leave nothing behind', async () => {
  await using gateway = await startGateway({
    set: [
      'gateway.first_token_seconds=0.3',
      'gateway.idle_seconds=0.3',
      'gateway.total_seconds=5',
      'limits.realtime_inflight.enforce=true',
      'limits.realtime_inflight.default=65',
      'server.drain_seconds=3600',
    ],
  })
  const { upstream } = gateway
  upstream.script((request) => upstreamBehaviours[String(request.json()['user'])]?.make() ?? openAiAnswer(request))
  const draw = drawer()
  const halves = ['a', 'b'].map((half) =>
    Array.from({ length: requestsPerHalf }, (_, index) => draw(`${half}-${index}`)),
  )

  await runHalf(gateway, halves[0]!)
  const atHalf = await memoryNow()
  await runHalf(gateway, halves[1]!)
  const atEnd = await memoryNow()

  expect(await inflight(gateway)).toBe(0)
  expect(upstream.malformed).toEqual([])
  expect(upstream.openConnections).toBeLessThanOrEqual(2 * concurrency)

  // One row for each request that the gateway has seen, and none twice.
  expect(await gateway.metric('sluice_usage_dropped_total')).toBe(0)
  const rows = await gateway.usageRows()
  expect(new Set(rows.map((row) => row.requestId)).size).toBe(rows.length)
  expect(rows.filter((row) => row.status === 500)).toEqual([])
  expect(rows.length).toBeGreaterThan(0.9 * 2 * requestsPerHalf)

  // Fewer objects than requests: no request leaves any.
  expect(atEnd.objects - atHalf.objects).toBeLessThan(requestsPerHalf)
  expect(atEnd.held - atHalf.held).toBeLessThan(50)
  expect(atEnd.rssMb - atHalf.rssMb).toBeLessThan(64)

  // With an hour to drain, the stop ends only because nothing is under way.
  await gateway.app.close()
}, 120_000)
