import { describe, expect, test } from 'bun:test'
import type { FinishedRequest } from './finished-request.ts'
import { createMetrics } from './metrics.ts'

const finished: FinishedRequest = {
  endpoint: 'chat/completions',
  modelServed: 'm1',
  provider: 'p1',
  status: 200,
  code: null,
  streamed: true,
  durationMs: 1500,
  queueMs: null,
  firstTokenMs: 300,
  promptTokens: 100,
  completionTokens: 7,
}

/** All samples by their text before the value. */
async function samples(metrics: ReturnType<typeof createMetrics>): Promise<Map<string, number>> {
  const lines = (await metrics.render()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

const create = () => createMetrics({ version: '1.2.3', codes: ['upstream_timeout'] })

test('a finished request is counted with its duration, first token and tokens', async () => {
  const metrics = create()
  metrics.request(finished)
  metrics.request(finished)
  const found = await samples(metrics)
  expect(found.get('sluice_requests_total{endpoint="chat/completions",model="m1",status="200",code=""}')).toBe(2)
  expect(found.get('sluice_request_duration_seconds_sum{endpoint="chat/completions",streamed="true"}')).toBe(3)
  expect(found.get('sluice_first_token_seconds_bucket{model="m1",le="0.35"}')).toBe(2)
  expect(found.get('sluice_tokens_total{model="m1",direction="input"}')).toBe(200)
  expect(found.get('sluice_tokens_total{model="m1",direction="output"}')).toBe(14)
})

describe('with the names of the conventions for generative AI', () => {
  const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="p1",gen_ai_request_model="m1"'
  const found = async (requests: readonly Partial<FinishedRequest>[]): Promise<Map<string, number>> => {
    const metrics = createMetrics({ version: '1.2.3', codes: ['upstream_timeout'], genAi: true })
    for (const each of requests) metrics.request({ ...finished, ...each })
    const all = await samples(metrics)
    return new Map([...all].filter(([name]) => name.startsWith('gen_ai_') && !name.includes('_bucket')))
  }

  test('a stream has its duration, first token, time of each further token, and tokens', async () => {
    expect([...(await found([{ durationMs: 1300, completionTokens: 5 }]))]).toEqual([
      [`gen_ai_server_request_duration_seconds_sum{${labels},error_type=""}`, 1.3],
      [`gen_ai_server_request_duration_seconds_count{${labels},error_type=""}`, 1],
      [`gen_ai_server_time_to_first_token_seconds_sum{${labels}}`, 0.3],
      [`gen_ai_server_time_to_first_token_seconds_count{${labels}}`, 1],
      // Four tokens in a second.
      [`gen_ai_server_time_per_output_token_seconds_sum{${labels}}`, 0.25],
      [`gen_ai_server_time_per_output_token_seconds_count{${labels}}`, 1],
      [`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"}`, 100],
      [`gen_ai_client_token_usage_count{${labels},gen_ai_token_type="input"}`, 1],
      [`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"}`, 5],
      [`gen_ai_client_token_usage_count{${labels},gen_ai_token_type="output"}`, 1],
    ])
  })

  test.each([
    ['a whole answer, and one token,', [{ streamed: false }, { completionTokens: 1 }, { completionTokens: null }], 3],
    ['a request that failed', [{ code: 'upstream_timeout', status: 504 }], 0],
    ['a request without a model of the catalogue', [{ modelServed: null }], 0],
  ])('%s has no time of further tokens', async (_what, requests, firstTokens) => {
    const all = await found(requests)
    expect(all.get(`gen_ai_server_time_to_first_token_seconds_count{${labels}}`) ?? 0).toBe(firstTokens)
    expect([...all.keys()].filter((name) => name.includes('per_output_token'))).toEqual([])
  })

  test('an error is named by our own code only', async () => {
    const all = await found([{ code: 'upstream_timeout' }, { code: 'theirs' }])
    const types = [...all.keys()].flatMap((name) => /_count\{.*error_type="(.*)"/.exec(name)?.[1] ?? [])
    expect(types).toEqual(['upstream_timeout', 'other'])
  })
})

test('scraping twice gives the same counts', async () => {
  const metrics = create()
  metrics.request(finished)
  const name = 'sluice_requests_total{endpoint="chat/completions",model="m1",status="200",code=""}'
  expect((await samples(metrics)).get(name)).toBe(1)
  expect((await samples(metrics)).get(name)).toBe(1)
})

test('a request without a model of the catalog is counted as unknown, and no tokens are made up', async () => {
  const metrics = create()
  metrics.request({
    ...finished,
    modelServed: null,
    status: 404,
    firstTokenMs: null,
    promptTokens: null,
    completionTokens: null,
  })
  const found = await samples(metrics)
  expect(found.get('sluice_requests_total{endpoint="chat/completions",model="unknown",status="404",code=""}')).toBe(1)
  expect([...found.keys()].filter((name) => /tokens_total|first_token/.test(name))).toEqual([])
})

test("a provider's own error code does not become a label", async () => {
  const metrics = create()
  for (let i = 0; i < 50; i++) metrics.request({ ...finished, status: 400, code: `their_code_${i}` })
  metrics.request({ ...finished, status: 504, code: 'upstream_timeout' })
  const found = await samples(metrics)
  const series = [...found].filter(([name]) => name.startsWith('sluice_requests_total'))
  expect(series).toEqual([
    ['sluice_requests_total{endpoint="chat/completions",model="m1",status="400",code="other"}', 50],
    ['sluice_requests_total{endpoint="chat/completions",model="m1",status="504",code="upstream_timeout"}', 1],
  ])
})

test('the number of series has a bound however many models come and go', async () => {
  const metrics = create()
  for (let i = 0; i < 1500; i++) metrics.inflightRefused(`model-${i}`)
  const series = [...(await samples(metrics))].filter(([name]) => name.startsWith('sluice_inflight_refused_total'))
  expect(series.length).toBe(1001)
  expect(series.at(-1)).toEqual(['sluice_inflight_refused_total{model="other"}', 500])
})

test('a token count that is not a number leaves the counters as they are', async () => {
  const metrics = create()
  metrics.request({ ...finished, promptTokens: -5, completionTokens: Number.NaN })
  const found = await samples(metrics)
  expect(found.get('sluice_tokens_total{model="m1",direction="input"}')).toBe(0)
  expect(found.get('sluice_tokens_total{model="m1",direction="output"}')).toBe(0)
})

test('gauges show what their sources say at the scrape', async () => {
  const metrics = create()
  const inflight = new Map([['m1', 3]])
  let depth = 5
  metrics.watch({
    inflight: () => inflight,
    queued: () => [[{ kind: 'model', name: 'm1' }, 4]],
    bodies: () => ({ used: 7, waiting: 3 }),
    webhooksWaiting: async () => 4,
    outageSeconds: () => 1.5,
    changesInDoubt: () => 2,
    usageQueueDepth: () => depth,
    documents: async () => [['queued', 2]],
  })
  expect((await samples(metrics)).get('sluice_inflight_requests{model="m1"}')).toBe(3)
  expect((await samples(metrics)).get('sluice_queue_waiting{kind="model",name="m1"}')).toBe(4)
  inflight.delete('m1')
  depth = 0
  const found = await samples(metrics)
  expect(found.has('sluice_inflight_requests{model="m1"}')).toBe(false)
  expect(found.get('sluice_usage_queue_depth')).toBe(0)
  expect(found.get('sluice_documents{state="queued"}')).toBe(2)
})

test('gauges are read at once, so that two slow ones take as long as one', async () => {
  const metrics = create()
  const counting = Promise.withResolvers<[]>()
  metrics.watch({
    inflight: () => [],
    queued: () => [],
    bodies: () => ({ used: 0, waiting: 0 }),
    outageSeconds: () => 0,
    changesInDoubt: () => 0,
    usageQueueDepth: () => 0,
    documents: () => counting.promise,
    async webhooksWaiting() {
      counting.resolve([])
      return 1
    },
  })
  expect((await samples(metrics)).get('sluice_webhooks_waiting')).toBe(1)
})

test('documents are counted by how they ended, and their stages are timed', async () => {
  const metrics = create()
  metrics.documentEnded('completed')
  metrics.documentEnded('no_text')
  metrics.documentStage('reading', 30)
  const found = await samples(metrics)
  expect(found.get('sluice_documents_total{outcome="completed"}')).toBe(1)
  expect(found.get('sluice_documents_total{outcome="no_text"}')).toBe(1)
  expect(found.get('sluice_document_stage_seconds_bucket{stage="reading",le="0.025"}')).toBe(0)
  expect(found.get('sluice_document_stage_seconds_bucket{stage="reading",le="0.05"}')).toBe(1)
})

test('a stranger cannot make labels out of paths', async () => {
  const metrics = create()
  for (let i = 0; i < 100; i++) metrics.refused(`/ai/v1/${i}`, { status: 401, code: 'invalid_api_key' })
  for (let i = 0; i < 100; i++) metrics.refused(`/${i}`, { status: 404, code: 'not_found' })
  const series = [...(await samples(metrics))].filter(([name]) => name.startsWith('sluice_refused_total'))
  expect(series).toEqual([
    ['sluice_refused_total{area="ai",status="401",code="invalid_api_key"}', 100],
    ['sluice_refused_total{area="other",status="404",code="not_found"}', 100],
  ])
})

test('faults are counted by what failed', async () => {
  const metrics = create()
  metrics.upstreamError('openai', 'upstream_timeout')
  metrics.usageDropped(4)
  const found = await samples(metrics)
  expect(found.get('sluice_upstream_errors_total{provider="openai",reason="upstream_timeout"}')).toBe(1)
  expect(found.get('sluice_usage_dropped_total')).toBe(4)
})

test('the process tells its version, memory, CPU time and event loop lag', async () => {
  const metrics = create()
  const found = await samples(metrics)
  expect(found.get('sluice_build_info{version="1.2.3"}')).toBe(1)
  expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(found.get('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(found.get('sluice_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0)
  expect(metrics.contentType).toStartWith('text/plain')
})

test('a name with quotes and line feeds stays one label value', async () => {
  const metrics = create()
  metrics.inflightRefused('a"b\nc\\d')
  expect(await metrics.render()).toContain('sluice_inflight_refused_total{model="a\\"b\\nc\\\\d"} 1\n')
})
