/** What the gateway keeps itself is found by every process, after a restart, and when a process stops in the middle. */
import { expect, test } from 'bun:test'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import type { Clock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'
import { openApp } from '#src/app.ts'
import { askDialect, responsesEndpoint, type Fields } from '#test/support/contract/dialect-contract.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import { events, gate, streamEnd, streamHead, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'

interface Kept {
  readonly status: string
  readonly error: { readonly message: string } | null
  readonly output: readonly { readonly content: readonly { readonly text: string }[] }[]
}

interface OtherProcess extends AsyncDisposable {
  response(id: string): Promise<Kept>
  /** The answer's events, as they come. */
  stream(id: string): Promise<Response>
  ask(fields: Fields): Promise<Response>
}

/** Another server on the same database, whose clock is ahead by so much. */
async function startOther(gateway: GatewayApp, aheadMs = 0): Promise<OtherProcess> {
  const config = loadConfig({ environment: {}, directory: '/', overrides: ['server.port=0', 'server.drain_seconds=0'] })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const settings = new LiveSettings(config.settings, config.sources)
  const clock: Clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() + aheadMs }
  const logger = createLogger({ level: 'silent', format: 'json', clock, write: () => {} })
  const app = await openApp({ settings, store: await gateway.openStoreAgain(), clock, logger, version: '0.0.0' })
  const url = `http://127.0.0.1:${app.listen().port}/ai/v1/responses`
  const authorization = `Bearer ${gateway.keys.main.secret}`
  const headers = { authorization, 'content-type': 'application/json' }
  return {
    response: async (id) => (await (await fetch(`${url}/${id}`, { headers })).json()) as Kept,
    stream: (id) => fetch(`${url}/${id}?stream=true`, { headers }),
    ask: (fields) => fetch(url, { method: 'POST', headers, body: JSON.stringify({ model: 'plain', ...fields }) }),
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const [first = {}, ...rest] = chatChunks()
const gated: Behaviour = [streamHead, ...events([first]), gate, ...events([...rest, doneEvent]), streamEnd]

test('a conversation goes on after a restart, and what is kept cannot be read in the database', async () => {
  await using gateway = await startGateway()
  const secret = `secret-${crypto.randomUUID()}`
  const id = await makeResponse(gateway, { model: 'plain', input: `Remember ${secret}.` })
  await gateway.app.close()
  const files = ['sluice.db', 'sluice.db-wal'].map((name) => Bun.file(`${gateway.directory}/${name}`))
  for (const file of files) if (await file.exists()) expect(await file.text()).not.toContain(secret)
  await using again = await startOther(gateway)
  expect((await again.ask({ input: 'What was it?', previous_response_id: id })).status).toBe(200)
  const [remembered] = gateway.upstream.requests.at(-1)!.json()['messages'] as readonly { readonly content: string }[]
  expect(remembered?.content).toContain(secret)
})

test('a response in the background is polled, streamed and cancelled at another process than its own', async () => {
  await using gateway = await startGateway()
  await using other = await startOther(gateway)
  gateway.upstream.script(() => gated)
  const id = await makeResponse(gateway, { model: 'plain', background: true })
  await until(async () => (await other.response(id)).status === 'in_progress')
  const streaming = other.stream(id).then((response) => response.text())
  gateway.upstream.requests.at(-1)!.release()
  const text = await streaming
  const sequence = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
  expect(sequence).toEqual(sequence.map((_, at) => at))
  expect(text.match(/^event: response\.completed$/gm)).toHaveLength(1)
  expect((await other.response(id)).output[0]?.content[0]?.text).toBe('Hello, wörld 🌊')

  const cancelled = await makeResponse(gateway, { model: 'plain', background: true })
  await until(() => gateway.upstream.requests.length === 2)
  const headers = { authorization: `Bearer ${gateway.keys.main.secret}` }
  const received = gateway.upstream.requests.at(-1)!
  const store = await gateway.openStoreAgain()
  await store.keptResponses.end({
    id: cancelled,
    status: 'cancelled',
    texts: {},
    events: null,
    workerId: null,
    at: Date.now(),
  })
  await store.close()
  await received.closed
  const response = await fetch(`${gateway.url}/ai/v1/responses/${cancelled}`, { headers })
  expect(await response.json()).toMatchObject({ status: 'cancelled' })
})

test('a response whose process is gone ends as failed and says why, and its process, if it comes back, stops', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script(() => gated)
  const id = await makeResponse(gateway, { model: 'plain', background: true })
  await until(() => gateway.upstream.requests.length === 1)
  const received = gateway.upstream.requests.at(-1)!
  await using other = await startOther(gateway, 60_000)
  await until(async () => (await other.response(id)).status === 'failed')
  expect((await other.response(id)).error?.message).toContain('stopped before it was complete')
  const text = await (await other.stream(id)).text()
  expect(text).toContain('event: response.failed')
  expect(text).not.toContain('response.completed')
  await received.closed
  const asked = await other.ask({ input: 'Go on.', previous_response_id: id, store: false, stream: true })
  gateway.upstream.requests.at(-1)!.release()
  expect(await asked.text()).toContain('response.completed')
}, 20_000)

test('a stop ends what is made in the background, which says so afterwards', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script(() => gated)
  const id = await makeResponse(gateway, { model: 'plain', background: true })
  await until(() => gateway.upstream.requests.length === 1)
  await gateway.app.close()
  await using again = await startOther(gateway)
  const kept = await again.response(id)
  expect([kept.status, kept.error?.message]).toEqual(['failed', expect.stringContaining('shutting down')])
})

test('a hundred turns cost each turn no more than what it sends, and go on with ids of items too', async () => {
  await using gateway = await startGateway()
  let previous: string | null = null
  for (let turn = 0; turn < 100; turn += 1)
    previous = await makeResponse(gateway, { model: 'plain', input: `Turn ${turn}`, previous_response_id: previous })
  expect(gateway.upstream.requests.at(-1)!.json()['messages']).toHaveLength(199)
  const store = await gateway.openStoreAgain()
  const chain = await store.keptResponses.chain(previous!, 1000)
  await store.close()
  const sizes = chain.map(({ bytes }) => bytes)
  expect(chain).toHaveLength(100)
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(200)
})

test('a conversation that outgrows a request is refused before any provider is asked', async () => {
  await using gateway = await startGateway({ set: ['server.max_body_bytes=20000'] })
  const input = 'x'.repeat(9000)
  const one = await makeResponse(gateway, { model: 'plain', input })
  const two = await makeResponse(gateway, { model: 'plain', input, previous_response_id: one })
  const before = gateway.upstream.requests.length
  const refused = await askDialect(gateway, responsesEndpoint, { input, previous_response_id: two })
  await responsesEndpoint.refusal(refused, { status: 413, code: 'request_too_large' })
  expect(gateway.upstream.requests.length).toBe(before)
})

test('one account takes at most half of the places for responses in the background', async () => {
  await using gateway = await startGateway({ set: ['responses.background_max=5'] })
  gateway.upstream.script(() => gated)
  const ask = (key: string): Promise<Response> =>
    askDialect(gateway, responsesEndpoint, { background: true }, { key: { ...gateway.keys.main, secret: key } })
  const { main, second, other } = gateway.keys
  const statuses: number[] = []
  for (const { secret } of [main, second, main, second]) statuses.push((await ask(secret)).status)
  const codes = [
    statuses,
    (await ask(other.secret)).status,
    (await ask(other.secret)).status,
    (await ask(other.secret)).status,
  ]
  expect(codes).toEqual([[200, 200, 200, 429], 200, 200, 503])
  for (const received of gateway.upstream.requests) received.release()
})
