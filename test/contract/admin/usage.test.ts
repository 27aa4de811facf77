import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

const hour = 3_600_000
const midnight = Date.UTC(2026, 0, 10)
const keyId = crypto.randomUUID()

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
  await app.store.usage.insertMany([
    record({ at: midnight, model: 'a' }),
    record({ at: midnight + 10_000, model: 'a', status: 502, code: 'upstream_error' }),
    record({ at: midnight + hour, model: 'b', userId: app.adminId, keyId }),
    record({ at: midnight + 2 * hour, model: 'a', promptTokens: null, completionTokens: null }),
    record({ at: midnight + 24 * hour, model: 'a' }),
  ])
})
afterAll(() => app[Symbol.asyncDispose]())

function record(fields: Partial<UsageRecord> & { readonly at: number; readonly model: string }): UsageRecord {
  const { model, ...rest } = fields
  return {
    requestId: `req_${fields.at}`,
    keyId: null,
    userId: app.userId,
    endpoint: 'chat/completions',
    modelAsked: model,
    modelId: null,
    modelServed: model,
    provider: 'practice',
    upstreamStatus: 200,
    status: 200,
    code: null,
    streamed: false,
    promptTokens: 10,
    completionTokens: 5,
    firstTokenMs: null,
    durationMs: 100,
    requestBytes: 1000,
    responseBytes: 2000,
    attempts: 1,
    upstreamModel: model,
    attemptReasons: null,
    cachedTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    cost: null,
    priceId: null,
    units: null,
    counters: null,
    slices: null,
    queueMs: null,
    calledMs: null,
    limits: null,
    ...rest,
  }
}

const day = 'from=2026-01-10T00:00:00Z&to=2026-01-11T00:00:00Z'

interface Totals {
  readonly from: string
  readonly to: string
  readonly requests: number
  readonly errors: number
  readonly prompt_tokens: number
}

interface Point extends Totals {
  readonly at: string
  readonly group: string | null
}

async function totals(query: string): Promise<Totals> {
  return (await app.call<Totals>('GET', `/usage?${query}`)).body
}

async function series(query: string): Promise<readonly Point[]> {
  return (await app.call<{ data: Point[] }>('GET', `/usage/series?${query}`)).body.data
}

describe('totals', () => {
  test('the span begins with its first moment and ends before its last', async () => {
    const all = {
      requests: 4,
      errors: 1,
      prompt_tokens: 30,
      completion_tokens: 15,
      cached_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      request_bytes: 4000,
      response_bytes: 8000,
      duration_ms: 400,
      cost: 0,
      first_tokens: 0,
      first_token_ms: 0,
    }
    expect(await totals(day)).toEqual({
      currency: 'USD',
      from: '2026-01-10T00:00:00.000Z',
      to: '2026-01-11T00:00:00.000Z',
      ...all,
    } as Totals)
    expect((await totals('from=2026-01-10T00:00:00Z&to=2026-01-11T00:00:00.001Z')).requests).toBe(5)
    expect((await totals('from=2026-01-10T01:00:00%2B01:00&to=2026-01-10T02:00:00%2B01:00')).requests).toBe(2)
  })

  test('filters combine', async () => {
    expect((await totals(`${day}&model=a`)).requests).toBe(3)
    expect((await totals(`${day}&user_id=${app.adminId}`)).requests).toBe(1)
    expect((await totals(`${day}&key_id=${keyId}`)).requests).toBe(1)
    expect((await totals(`${day}&key_id=${keyId}&model=a`)).requests).toBe(0)
  })

  test('without a span the last day counts', async () => {
    await app.store.usage.insertMany([
      record({ at: Date.now() - 60_000, model: 'recent' }),
      record({ at: Date.now() - 25 * hour, model: 'recent' }),
    ])
    const { requests, from, to } = await totals('model=recent')
    expect([requests, Date.parse(to) - Date.parse(from)]).toEqual([1, 24 * hour])
  })

  test('a time that is none, or a span that ends before it begins, is 400', async () => {
    for (const [query, param] of [
      ['from=yesterday', 'from'],
      ['to=2026-02-30T00:00:00Z', 'to'],
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
      ['user_id=me', 'user_id'],
    ]) {
      const answer = await app.call('GET', `/usage?${query}`)
      expect([query, answer.status, answer.param]).toEqual([query, 400, param])
    }
  })
})

describe('series', () => {
  test('there is one point for each bucket with requests, beginning at whole hours', async () => {
    const points = await series('from=2026-01-10T00:00:05Z&to=2026-01-11T00:00:00Z&bucket=hour')
    expect(points.map(({ at, group, requests }) => [at, group, requests])).toEqual([
      ['2026-01-10T00:00:00.000Z', null, 2],
      ['2026-01-10T01:00:00.000Z', null, 1],
      ['2026-01-10T02:00:00.000Z', null, 1],
    ])
  })

  test('points can be parted by model, user or key', async () => {
    const grouped = async (by: string) =>
      (await series(`${day}&bucket=day&group_by=${by}`)).map(({ group, requests }) => [group, requests])
    expect(await grouped('model')).toEqual([
      ['a', 3],
      ['b', 1],
    ])
    expect(new Map((await grouped('user')) as [string, number][])).toEqual(
      new Map([
        [app.userId, 3],
        [app.adminId, 1],
      ]),
    )
    expect(new Map((await grouped('key')) as [string | null, number][])).toEqual(
      new Map([
        [null, 3],
        [keyId, 1],
      ]),
    )
  })

  test('the points add up to the totals', async () => {
    for (const bucket of ['minute', 'hour', 'day']) {
      const points = await series(`${day}&bucket=${bucket}&group_by=model`)
      expect(points.reduce((sum, point) => sum + point.prompt_tokens, 0)).toBe((await totals(day)).prompt_tokens)
    }
  })

  test('more buckets than an answer can bear are 400', async () => {
    const answer = await app.call(
      'GET',
      '/usage/series?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&bucket=minute',
    )
    expect([answer.status, answer.param]).toEqual([400, 'bucket'])
    expect((await app.call('GET', '/usage/series?bucket=week')).param).toBe('bucket')
  })
})

describe('single requests', () => {
  interface Row {
    readonly at: string
    readonly request_id: string
    readonly model: string
  }

  test('pages of any size give each request exactly once, the newest first', async () => {
    const expected = [2 * hour, hour, 10_000, 0].map((after) => new Date(midnight + after).toISOString())
    for (const limit of [1, 3, 200]) {
      expect((await allItems<Row>(app, `/requests?${day}`, limit)).map((row) => row.at)).toEqual(expected)
    }
  })

  test('the list can be narrowed to how requests ended', async () => {
    const failed = [new Date(midnight + 10_000).toISOString()]
    const at = async (status: string) =>
      (await allItems<Row>(app, `/requests?${day}&status=${status}`, 1)).map((row) => row.at)
    expect(await at('error')).toEqual(failed)
    expect(await at('server_error')).toEqual(failed)
    expect(await at('client_error')).toEqual([])
    expect((await at('success')).length).toBe(3)
    expect((await app.call('GET', '/requests?status=teapot')).param).toBe('status')
  })

  test('a row shows everything but prompts and answers', async () => {
    const [row] = await allItems<Row>(app, `/requests?${day}&key_id=${keyId}`, 1)
    expect(row).toEqual({
      at: '2026-01-10T01:00:00.000Z',
      request_id: `req_${midnight + hour}`,
      user_id: app.adminId,
      key_id: keyId,
      endpoint: 'chat/completions',
      model_asked: 'b',
      model: 'b',
      provider: 'practice',
      status: 200,
      code: null,
      upstream_status: 200,
      attempts: 1,
      upstream_model: 'b',
      attempt_reasons: [],
      streamed: false,
      prompt_tokens: 10,
      completion_tokens: 5,
      cached_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      first_token_ms: null,
      duration_ms: 100,
      cost: null,
      price_id: null,
      currency: 'USD',
      queue_ms: null,
      called_ms: null,
      limits: [],
      request_bytes: 1000,
      response_bytes: 2000,
    } as Row)
  })

  test('one is found by its id; an unknown one and another user’s are the same 404', async () => {
    const [listed] = await allItems<Row>(app, `/requests?${day}&user_id=${app.userId}`, 1)
    const [foreign] = await allItems<Row>(app, `/requests?${day}&key_id=${keyId}`, 1)
    const read = async (path: string, key: string) => {
      const { status, body } = await app.call<unknown>('GET', path, { key })
      return { status, body }
    }
    const own = `/me/requests/${listed?.request_id}`
    expect(await read(`/requests/${listed?.request_id}`, app.adminKey)).toEqual({ status: 200, body: listed })
    expect(await read(own, app.userKey)).toEqual({ status: 200, body: listed })
    expect((await read(`${own}?at=${listed?.at}`, app.userKey)).status).toBe(200)
    const answers = [
      await read(`/me/requests/${foreign?.request_id}`, app.userKey),
      await read(`/me/requests/req_none`, app.userKey),
      await read(`${own}?at=2020-01-01T00:00:00Z`, app.userKey),
      await read(`/requests/req_none`, app.adminKey),
    ]
    for (const { status } of answers) expect(status).toBe(404)
    const said = answers.map(({ body }) => JSON.stringify(body).replaceAll(/req_[0-9a-f]{32}/g, 'ID'))
    expect(new Set(said).size).toBe(1)
    expect((await read(`/requests/${listed?.request_id}`, app.userKey)).status).toBe(403)
  })
})

describe('how long requests took', () => {
  interface Latency {
    readonly data: readonly Readonly<Record<string, string | number | null>>[]
  }
  const latency = async (query: string) => (await app.call<Latency>('GET', `/usage/latency?${query}`)).body.data

  test('is told as percentiles of answered requests, of all, by model, of one provider, and by bucket', async () => {
    const of = { duration_p50_ms: 102, duration_p95_ms: 102 }
    const none = { streams: 0, first_token_p50_ms: null, first_token_p95_ms: null }
    const at = '2026-01-10T00:00:00.000Z'
    expect(await latency(day)).toEqual([{ at, group: null, requests: 3, ...of, ...none }])
    expect(await latency(`${day}&group_by=model`)).toEqual([
      { at, group: 'a', requests: 2, ...of, ...none },
      { at, group: 'b', requests: 1, ...of, ...none },
    ])
    expect(await latency(`${day}&provider=practice`)).toEqual([{ at, group: null, requests: 3, ...of, ...none }])
    expect(await latency(`${day}&provider=nobody`)).toEqual([])
    const hours = await latency(`${day}&model=a&bucket=hour`)
    expect(hours.map(({ at: begin, requests }) => [begin, requests])).toEqual([
      [at, 1],
      ['2026-01-10T02:00:00.000Z', 1],
    ])
  })

  test.each([
    ['model=a&provider=practice', 'group_by'],
    ['model=a&group_by=provider', 'group_by'],
    ['group_by=model&bucket=hour', 'bucket'],
  ])('%s is refused: histograms are of one thing each', async (query, param) => {
    const { status, body } = await app.call<{ error: { code: string; param: string } }>(
      'GET',
      `/usage/latency?${query}`,
    )
    expect({ status, ...body.error }).toMatchObject({ status: 400, code: 'invalid_query_parameter', param })
  })
})
