/** Pairs of many queries in one request: a rerank for each query, which are one request together. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import {
  gate,
  hang,
  json,
  openAiAnswer,
  type Behaviour,
  type ScriptedRequest,
} from '#test/support/upstream/upstream-behaviours.ts'

type Pair = readonly [query: string, document: string]

const together = 4
const queriesMax = 200
const inflight = 'sluice_inflight_requests{model="plain"}'

let gateway: GatewayApp
beforeAll(async () => {
  gateway = await startGateway({
    set: [
      `generation.request_concurrency=${together}`,
      `generation.max_batch=${queriesMax}`,
      'limits.realtime_inflight.enforce=true',
    ],
  })
})
afterEach(() => gateway.upstream.script(openAiAnswer))
afterAll(() => gateway[Symbol.asyncDispose]())

/** A reranker that makes a score of what it is sent, and answers in the order of the scores. */
function reranker(request: ScriptedRequest): Behaviour {
  const { query, documents } = request.json() as { query: string; documents: readonly string[] }
  const results = documents.map((document, index) => ({ index, relevance_score: scoreOf([query, document]) }))
  results.sort((a, b) => b.relevance_score - a.relevance_score)
  return json({ results, usage: { total_tokens: documents.length } })
}

function scoreOf([query, document]: Pair): number {
  return Number(Bun.hash.crc32(`${query} ${document}`)) / 2 ** 32
}

function classify(text: readonly Pair[], signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text, consumer_group: 'plain' })
  return gateway.request('POST', '/classify', { headers, body, ...(signal && { signal }) })
}

/** Pairs whose queries take turns, some of them twice. */
function pairsOf(queries: number, documents: number): readonly Pair[] {
  return Array.from(
    { length: queries * documents },
    (_, at) => [`query ${at % queries}`, `document ${at % 7}`] as const,
  )
}

/** What the upstream was sent from here on. */
function sentSince(before: number): readonly { query: string; documents: string[] }[] {
  return gateway.upstream.requests.slice(before).map((each) => each.json() as { query: string; documents: string[] })
}

describe.each([
  [1, 1],
  [1, 500],
  [2, 3],
  [5, 1],
  [40, 5],
  [queriesMax, 1],
  [queriesMax, 20],
])('%d queries with %d documents each', (queries, documents) => {
  test('have each score in the place of its pair, by a call for each query, with the tokens of all in one record', async () => {
    gateway.upstream.script(reranker)
    const before = gateway.upstream.requests.length
    const pairs = pairsOf(queries, documents)
    const answer = await classify(pairs)
    expect([answer.status, await answer.json()]).toEqual([200, { result: pairs.map((pair) => [scoreOf(pair)]) }])
    const sent = sentSince(before)
    expect(sent.map(({ query }) => query).sort()).toEqual([...new Set(pairs.map(([query]) => query))].sort())
    for (const each of sent) {
      const own = pairs.filter(([query]) => query === each.query).map(([, document]) => document)
      expect(each).toEqual({ model: 'upstream-model', query: each.query, documents: own } as never)
    }
    const row = await gateway.usageOf(answer.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ endpoint: 'rerank', modelAsked: 'plain', status: 200, streamed: false })
    expect(row.promptTokens).toBe(pairs.length)
    expect(row.requestBytes).toBeGreaterThan(pairs.length)
  })
})

test('are with the provider a few at once, take one in-flight slot, and wait for each other', async () => {
  const held = gateway.upstream.requests.length
  gateway.upstream.script((request) => [gate, ...reranker(request)])
  const pairs = pairsOf(10, 2)
  const answering = classify(pairs)
  for (let done = 0; done < 10; done += 1) {
    const under = Math.min(10, done + together)
    await until(() => gateway.upstream.requests.length - held >= under)
    expect(gateway.upstream.requests.length - held).toBe(under)
    expect(await gateway.metric(inflight)).toBe(1)
    gateway.upstream.release()
  }
  const answer = await answering
  expect(await answer.json()).toEqual({ result: pairs.map((pair) => [scoreOf(pair)]) })
  expect(answer.headers.get('x-sluice-inflight-used')).toBe('1')
  expect(await gateway.metric(inflight)).toBe(0)
})

test('of many callers at once each have their own scores', async () => {
  gateway.upstream.script(reranker)
  const asked = Array.from({ length: 14 }, (_, caller) =>
    pairsOf(1 + caller, 2).map(([query, document]): Pair => [`${query} of ${caller}`, document]),
  )
  const answers = await Promise.all(asked.map(async (pairs) => (await classify(pairs)).json()))
  expect(answers).toEqual(asked.map((pairs) => ({ result: pairs.map((pair) => [scoreOf(pair)]) })))
  expect(await gateway.metric(inflight)).toBe(0)
})

test('more than a request may have are refused with the first pair that is too many, and nothing is sent', async () => {
  const before = gateway.upstream.requests.length
  const pairs = pairsOf(queriesMax + 1, 2)
  const answer = await classify(pairs)
  const { error } = (await answer.json()) as { error: { param: string; message: string } }
  expect([answer.status, error.param]).toEqual([422, `text.${queriesMax}.0`])
  expect(error.message).toContain(`at most ${queriesMax} different queries`)
  expect(gateway.upstream.requests.length).toBe(before)
})

test.each([1, 2, 7, 12])(
  'of which number %d fails, all fail with its reason, and the others are ended',
  async (failing) => {
    const before = gateway.upstream.requests.length
    let [count, broken] = [0, false]
    gateway.upstream.script((request): Behaviour => {
      count += 1
      if (count < failing) return reranker(request)
      if (broken) return [hang]
      broken = true
      return json({ error: { message: 'The query is too long.', code: 'too_long' } }, 400)
    })
    const answer = await classify(pairsOf(12, 2))
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('The query is too long.')])
    expect(gateway.upstream.requests.length - before).toBeLessThan(failing + together)
    for (const request of gateway.upstream.requests.slice(before)) if (request.aborted) await request.closed
    expect(await gateway.metric(inflight)).toBe(0)
    const row = await gateway.usageOf(answer.headers.get('x-request-id') ?? '')
    expect([row.status, row.promptTokens]).toEqual([400, failing === 1 ? null : (failing - 1) * 2])
  },
)

test('of a client that leaves are left at once', async () => {
  const before = gateway.upstream.requests.length
  gateway.upstream.script([hang])
  const leaving = new AbortController()
  const answering = classify(pairsOf(10, 1), leaving.signal)
  answering.catch(() => undefined)
  await until(() => gateway.upstream.requests.length - before >= together)
  leaving.abort()
  const sent = gateway.upstream.requests.slice(before)
  await Promise.all(sent.map((request) => request.closed))
  await until(async () => (await gateway.metric(inflight)) === 0)
  expect(gateway.upstream.requests.length - before).toBe(together)
})
