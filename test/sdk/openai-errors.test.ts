/**
 * The official OpenAI client: the class of every error, and whether it tries again. How often it
 * tried is how many requests the gateway has answered.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { hang, json, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'
import { until } from '#test/support/until.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const asked = { model: 'plain', messages: [...messages] }
const retries = 2

interface Failed {
  readonly error: APIError
  /** How often the client sent its request. */
  readonly tries: number
}

/** Chat requests that the gateway has answered so far. */
const answered = () =>
  gateway.metric('sluice_request_duration_seconds_count{endpoint="chat/completions",streamed="false"}')

/** Calls with retries allowed. */
async function failing(request: Partial<typeof asked>): Promise<Failed> {
  const before = await answered()
  const thrown: unknown = await openAiClient(gateway, { maxRetries: retries })
    .chat.completions.create({ ...asked, ...request }, { headers: { 'x-request-id': 'trace-42' } })
    .catch((error: unknown) => error)
  if (!(thrown instanceof APIError)) throw new Error(`no API error: ${String(thrown)}`)
  expect(thrown.requestID).toBe('trace-42')
  return { error: thrown, tries: (await answered()) - before }
}

/** The upstream refuses every try, and asks to be tried again after a millisecond. */
function refusing(status: number): Behaviour {
  return json(errorObject('No.'), status, { 'Retry-After-Ms': '1' })
}

describe('errors that a retry cannot cure are thrown at once', () => {
  test('a request that is not understood: BadRequestError', async () => {
    const { error, tries } = await failing({ messages: [] })
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_body', param: 'messages', type: 'invalid_request_error' })
    expect(tries).toBe(1)
  })

  test('a model of other people: PermissionDeniedError', async () => {
    const { error, tries } = await failing({ model: 'private' })
    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(error).toMatchObject({ status: 403, code: 'model_access_denied', param: 'model' })
    expect(tries).toBe(1)
  })

  test('a model that does not exist: NotFoundError', async () => {
    const { error, tries } = await failing({ model: 'no-such-model' })
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
    expect(tries).toBe(1)
  })

  test('a key that is wrong: AuthenticationError', async () => {
    const before = await gateway.metric('sluice_refused_total{area="ai",status="401",code="invalid_api_key"}')
    const client = openAiClient(gateway, { apiKey: 'sk-wrong', maxRetries: retries })
    const thrown = await client.chat.completions.create(asked).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(AuthenticationError)
    expect(thrown).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' })
    expect(await gateway.metric('sluice_refused_total{area="ai",status="401",code="invalid_api_key"}')).toBe(before + 1)
  })

  test("the provider's own refusal, with its words: UnprocessableEntityError", async () => {
    gateway.upstream.script(json(errorObject('Too long.', 'too_long', 'invalid_request_error'), 422))
    const { error, tries } = await failing({})
    expect(error).toBeInstanceOf(UnprocessableEntityError)
    expect(error.message).toContain('Too long.')
    expect([error.code, tries]).toEqual(['too_long', 1])
  })

  test("the provider's refusal of the gateway's own key: InternalServerError, and no word of the provider's", async () => {
    gateway.upstream.script(json(errorObject('Incorrect API key canary'), 401, { 'Retry-After-Ms': '1' }))
    const { error, tries } = await failing({})
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error.message).not.toContain('canary')
    expect([error.status, error.code, tries]).toEqual([502, 'upstream_auth_failed', 1])
  })
})

describe('errors that may pass are tried again as often as the client allows', () => {
  test("the provider's 429: RateLimitError after all tries, each after the time that the provider named", async () => {
    gateway.upstream.script(refusing(429))
    const { error, tries } = await failing({})
    expect(error).toBeInstanceOf(RateLimitError)
    expect([error.status, error.code, tries]).toEqual([429, 'upstream_rate_limited', 1 + retries])
  })

  test("the provider's 500 and 503: InternalServerError after all tries", async () => {
    for (const status of [500, 503]) {
      gateway.upstream.script(refusing(status))
      const { error, tries } = await failing({})
      expect(error).toBeInstanceOf(InternalServerError)
      expect([error.status, error.code, tries]).toEqual([502, 'upstream_error', 1 + retries])
    }
  })

  test('a provider that recovers is answered from, and the client sees no error', async () => {
    gateway.upstream.script(json(chatCompletion()))
    gateway.upstream.scriptNext(refusing(503), refusing(429))
    const client = openAiClient(gateway, { maxRetries: retries })
    const before = gateway.upstream.requests.length
    expect((await client.chat.completions.create(asked)).choices).toHaveLength(1)
    expect(gateway.upstream.requests.length).toBe(before + 3)
  })

  test('Retry-After in whole seconds is heeded when there are no milliseconds', async () => {
    gateway.upstream.script(json(chatCompletion()))
    gateway.upstream.scriptNext(json(errorObject('No.'), 429, { 'Retry-After': '0' }))
    const client = openAiClient(gateway, { maxRetries: 1 })
    const before = gateway.upstream.requests.length
    await client.chat.completions.create(asked)
    expect(gateway.upstream.requests.length).toBe(before + 2)
  })

  test('no retries means one try', async () => {
    gateway.upstream.script(refusing(503))
    const before = gateway.upstream.requests.length
    const thrown = await openAiClient(gateway)
      .chat.completions.create(asked)
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(InternalServerError)
    expect(gateway.upstream.requests.length).toBe(before + 1)
  })

  test('the limit of requests in flight: the client comes back by itself and is served', async () => {
    await using limited = await startGateway({ set: ['limits.realtime_inflight.enforce=true'] })
    const held = await holdStream(limited, 'narrow')
    const refusals = 'sluice_inflight_refused_total{model="narrow"}'
    const client = openAiClient(limited, { maxRetries: 20 })
    const patient = client.chat.completions.create({ ...asked, model: 'narrow' })
    await until(async () => (await limited.metric(refusals)) > 0)
    await held.finish()
    expect((await patient).choices).toHaveLength(1)
    const thrown = await holdStream(limited, 'narrow').then(() =>
      openAiClient(limited)
        .chat.completions.create({ ...asked, model: 'narrow' })
        .catch((error: unknown) => error),
    )
    expect(thrown).toBeInstanceOf(RateLimitError)
    expect(thrown).toMatchObject({ code: 'inflight_limit_exceeded', type: 'rate_limit_error' })
  })
})

describe('connections', () => {
  test('to a gateway that is not there: APIConnectionError', async () => {
    const gone = await startGateway()
    const client = openAiClient(gone)
    await gone[Symbol.asyncDispose]()
    const thrown = await client.chat.completions.create(asked).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(APIConnectionError)
  })

  test("the client's own time-out: APIConnectionTimeoutError, and the upstream is let go", async () => {
    gateway.upstream.script([hang])
    const options = { timeout: 200, headers: { 'x-request-id': 'too-slow' } }
    const thrown = await openAiClient(gateway)
      .chat.completions.create(asked, options)
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(APIConnectionTimeoutError)
    await (
      await gateway.received('too-slow')
    ).closed
    expect((await gateway.usageOf('too-slow')).code).toBe('client_closed')
  })
})
