import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { until } from '#test/support/until.ts'
import { gatewayBeside, type GatewayBeside } from '#test/support/app/gateway-beside.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { gate, hang, json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { embeddingList, errorObject } from '#test/support/upstream/upstream-samples.ts'
import { chatCompletion } from './endpoints/chat-completions.ts'
import { embeddings } from './endpoints/embeddings.ts'
import { innerCall } from './inner-call.ts'

let app: GatewayApp
let beside: GatewayBeside
let caller: Caller
beforeAll(async () => {
  app = await startGateway()
  beside = gatewayBeside(app, { set: ['limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=1'] })
  caller = { account: app.app.state.directory.account(app.keys.main.userId)!, key: null }
})
afterAll(async () => {
  await beside[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const never = new AbortController().signal

function embed(model: string, signal = never): Promise<Response> {
  return innerCall(beside.gateway, { caller, call: embeddings, body: { model, input: ['a', 'b'] }, signal })
}

async function refusal(call: Promise<Response>): Promise<ApiError> {
  return call.then(
    () => Promise.reject(new Error('it was answered')),
    (error: ApiError) => error,
  )
}

async function declare(path: string, body: object): Promise<{ readonly id: string }> {
  const answer = await app.operate('POST', path, body)
  expect(answer.status).toBe(201)
  return (await answer.json()) as { readonly id: string }
}

describe('a call of the server itself', () => {
  test('is answered as a client would be, and recorded for the account without a key', async () => {
    const before = (await beside.rows()).length
    expect(await (await embed('plain-alias')).json()).toEqual(embeddingList(2))
    const row = (await beside.rows())[before]
    expect(row).toMatchObject({
      endpoint: 'embeddings',
      keyId: null,
      userId: app.keys.main.userId,
      modelAsked: 'plain-alias',
      modelServed: 'plain',
      status: 200,
      promptTokens: 5,
      requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/),
    })
  })

  test('a streamed chat comes through as events', async () => {
    const body = { model: 'plain', messages: [{ role: 'user', content: 'hi' }], stream: true }
    const answer = await innerCall(beside.gateway, { caller, call: chatCompletion, body, signal: never })
    expect(await answer.text()).toEndWith('data: [DONE]\n\n')
  })

  test('takes no in-flight slot, however many there are', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => embed('narrow')))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect(beside.gateway.inflight.inUseByModel()).toEqual(new Map())
  })

  test('is not refused while a client holds the only slot, which still keeps other clients out', async () => {
    app.upstream.scriptNext((request) => [gate, ...openAiAnswer(request)])
    const seen = app.upstream.requests.length
    const client = beside.chat({ model: 'narrow' })
    await until(() => app.upstream.requests.length > seen)
    expect((await embed('narrow')).status).toBe(200)
    expect((await beside.chat({ model: 'narrow' })).status).toBe(429)
    app.upstream.release()
    expect((await client).status).toBe(200)
  })

  test('follows the rules for batch requests and not those for real-time ones', async () => {
    const model = (name: string, rules: object) =>
      declare('/models', { name, provider_id: app.upProviderId, upstream_name: 'upstream-model', rules })
    await model('no-batch', { batch: { action: 'deny' } })
    await model('batch-only', { realtime: { action: 'deny' } })
    expect((await refusal(embed('no-batch'))).code).toBe('batch_denied')
    expect((await embed('batch-only')).status).toBe(200)
  })

  test('is refused what its account may not use', async () => {
    expect((await refusal(embed('private'))).code).toBe('model_access_denied')
    expect((await refusal(embed('gone'))).code).toBe('model_not_found')
  })

  test("has the provider's failure as its error, with the time to wait", async () => {
    app.upstream.scriptNext(json(errorObject('Slow down.'), 429, { 'Retry-After': '7' }))
    const error = await refusal(embed('plain'))
    expect([error.code, error.detail.headers?.['retry-after']]).toEqual(['upstream_rate_limited', '7'])
  })

  test('ends upstream when its signal is aborted', async () => {
    app.upstream.scriptNext([hang])
    const leaving = new AbortController()
    const seen = app.upstream.requests.length
    const call = refusal(embed('plain', leaving.signal))
    await until(() => app.upstream.requests.length > seen)
    leaving.abort()
    expect((await call).code).toBe('client_closed')
    await app.upstream.requests.at(-1)!.closed
  })
})
