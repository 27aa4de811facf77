/** What is refused before a request for GET /ai/v1/realtime becomes a WebSocket: an HTTP answer, and nothing is left. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { startRealtimeApp, type ConnectOptions, type RealtimeApp } from '#test/support/app/realtime-app.ts'
import { expectRefusal, type PromisedRefusal } from '#test/support/contract/refusal.ts'
import { until } from '#test/support/until.ts'

let app: RealtimeApp
beforeAll(async () => {
  app = await startRealtimeApp({ set: ['limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=1'] })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => Object.assign(app.upstream, { refuseWith: null, silent: false }))

const promised = (status: number, type: string, code: ErrorCode, param: string | null = null): PromisedRefusal => ({
  status,
  type,
  code,
  param,
})

const refusals: readonly (readonly [what: string, options: ConnectOptions, PromisedRefusal])[] = [
  ['no key', { key: null }, promised(401, 'authentication_error', 'missing_api_key')],
  ['a wrong key', { key: 'sk-none' }, promised(401, 'authentication_error', 'invalid_api_key')],
  [
    'a wrong key in a protocol',
    { key: null, headers: { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-none' } },
    promised(401, 'authentication_error', 'invalid_api_key'),
  ],
  [
    'two keys',
    { headers: { 'sec-websocket-protocol': 'openai-insecure-api-key.sk-none' } },
    promised(400, 'invalid_request_error', 'conflicting_api_keys'),
  ],
  ['no model', { search: '' }, promised(400, 'invalid_request_error', 'missing_model', 'model')],
  ['an empty model', { search: '?model=' }, promised(400, 'invalid_request_error', 'missing_model', 'model')],
  ['an unknown model', { search: '?model=x' }, promised(404, 'not_found_error', 'model_not_found', 'model')],
  [
    'a model without it',
    { search: '?model=plain' },
    promised(404, 'not_found_error', 'endpoint_not_supported', 'model'),
  ],
  ['no access', { search: '?model=private' }, promised(403, 'permission_error', 'model_access_denied', 'model')],
  ['no upgrade', { headers: { upgrade: 'h2c' } }, promised(426, 'invalid_request_error', 'upgrade_required')],
]

test.each(refusals)('%s', async (_, options, refusal) => {
  await expectRefusal(await app.refused(options), refusal)
  expect(app.upstream.peers).toEqual([])
})

test.each(['transcription_sessions', 'calls'])(
  'transcription and WebRTC (%s) are a 404 that says what to do',
  async (name) => {
    const answer = await app.gateway.request('POST', `/ai/v1/realtime/${name}`, { body: '{}' })
    const { message } = await expectRefusal(answer, promised(404, 'not_found_error', 'not_found'))
    expect(message).toContain('GET /ai/v1/realtime')
  },
)

test('a cookie of the console is no key here, because browsers send it for any page', async () => {
  const headers = { cookie: 'sluice_session=abc' }
  expect((await app.refused({ key: null, headers })).status).toBe(401)
})

describe('the provider', () => {
  test.each([
    [401, 502, 'upstream_error', 'upstream_auth_failed'],
    [403, 502, 'upstream_error', 'upstream_auth_failed'],
    [429, 429, 'rate_limit_error', 'upstream_rate_limited'],
    [500, 502, 'upstream_error', 'upstream_error'],
    [200, 502, 'upstream_error', 'upstream_error'],
  ] as const)('that answers %d is %d', async (sent, status, type, code) => {
    app.upstream.refuseWith = sent
    const headers = { 'x-request-id': `refused-${sent}` }
    await expectRefusal(await app.refused({ headers }), promised(status, type, code))
    expect(await app.gateway.usageOf(`refused-${sent}`)).toMatchObject({ upstreamStatus: sent, status, code })
  })

  test.each([400, 404, 409, 413, 415, 422])(
    'that answers %d is passed on with its reason, without its secrets',
    async (status) => {
      const message = 'The voice talk-credential is not known.'
      const refusal = JSON.stringify({
        error: { message, type: 'invalid_request_error', param: 'voice', code: 'no_voice' },
      })
      Object.assign(app.upstream, { refuseWith: status, refusal })
      const refused = await app.refused()
      const { error } = (await refused.json()) as { readonly error: object }
      expect([refused.status, error]).toEqual([
        status,
        {
          message: 'The voice [secret] is not known.',
          type: 'invalid_request_error',
          param: 'voice',
          code: 'no_voice',
        },
      ])
      app.upstream.refusal = 'no'
    },
  )

  test('that says nothing is a refusal without a reason', async () => {
    app.upstream.refuseWith = 400
    app.upstream.refusal = ''
    const refused = await app.refused()
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('The model provider refused the request.')
    app.upstream.refusal = 'no'
  })

  test('that refuses connections is 502', async () => {
    const fields = {
      name: 'gone',
      kind: 'openai',
      base_url: 'http://127.0.0.1:1/v1',
      options: { endpoints: ['realtime'] },
    }
    const made = (await (await app.gateway.operate('POST', '/providers', fields)).json()) as { readonly id: string }
    await app.gateway.operate('POST', '/models', { name: 'gone', provider_id: made.id, upstream_name: 'x' })
    const refused = await app.refused({ search: '?model=gone' })
    await expectRefusal(refused, promised(502, 'upstream_error', 'upstream_error'))
  })

  test('that does not answer is 504', async () => {
    app.upstream.silent = true
    const refused = app.refused()
    await until(async () => (await app.gateway.metric('sluice_inflight_requests{model="voice"}')) === 1)
    app.gateway.advance(60_000)
    await expectRefusal(await refused, promised(504, 'upstream_timeout', 'upstream_timeout'))
  })
})

test('the slot of a session is one of the limit, whatever becomes of the refused', async () => {
  const client = await app.connect()
  for (let round = 0; round < 3; round += 1) {
    const refused = await app.refused()
    await expectRefusal(refused, promised(429, 'rate_limit_error', 'inflight_limit_exceeded'))
    expect(refused.headers.get('retry-after')).toBe('1')
  }
  client.socket.close()
  await until(async () => (await app.gateway.metric('sluice_inflight_requests{model="voice"}')) === 0)
  const next = await app.connect()
  next.socket.close()
  await until(() => app.upstream.open === 0)
})

test('a rate refuses', async () => {
  const rules = { value: ['model:voice requests 1/hour'] }
  expect((await app.gateway.operate('PUT', '/settings/limits.rates', rules)).status).toBe(200)
  const client = await app.connect()
  client.socket.close()
  await until(() => app.upstream.open === 0)
  const refused = await app.refused()
  await expectRefusal(refused, promised(429, 'rate_limit_error', 'rate_limit_exceeded'))
  await app.gateway.operate('DELETE', '/settings/limits.rates')
})

describe('a hard budget', () => {
  const budget = async (hard: boolean): Promise<string> => {
    const fields = {
      scope: 'user',
      scope_id: app.gateway.keys.main.userId,
      period: 'month',
      amount: 1_000_000_000,
      hard,
    }
    const made = await app.gateway.operate('POST', '/budgets', fields)
    expect(made.status).toBe(201)
    return ((await made.json()) as { readonly id: string }).id
  }
  const modelId = async (): Promise<string> => {
    const { data } = (await (await app.gateway.operate('GET', '/models')).json()) as {
      readonly data: readonly { readonly id: string; readonly name: string }[]
    }
    return data.find(({ name }) => name === 'voice')!.id
  }

  test('refuses sessions that cost something, because nothing says how much at most; one that only counts does not', async () => {
    const priced = await app.gateway.operate('POST', `/models/${await modelId()}/prices`, { rates: { output: 1000 } })
    expect(priced.status).toBe(201)
    const id = await budget(true)
    await expectRefusal(await app.refused(), promised(400, 'invalid_request_error', 'cost_unbounded'))
    await app.gateway.operate('DELETE', `/budgets/${id}`)
    const soft = await budget(false)
    const client = await app.connect()
    client.socket.close()
    await until(() => app.upstream.open === 0)
    await app.gateway.operate('DELETE', `/budgets/${soft}`)
  })
})
