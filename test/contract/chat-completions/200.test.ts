/** POST /ai/v1/chat/completions, answered whole. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { upstreamCredential } from '#test/support/app/gateway-catalog.ts'
import {
  answer,
  closeReused,
  events,
  head,
  json,
  privateHeaders,
  streamEnd,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

/** Sends a request that succeeds, and gives what the upstream received of it. */
async function forwarded(...[fields, options]: Parameters<GatewayApp['chat']>): Promise<ReceivedRequest> {
  const response = await gateway.chat(fields, options)
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  return gateway.upstream.requests.at(-1)!
}

describe('the body', () => {
  test('the answer is the bytes that the upstream sent', async () => {
    const sent =
      '{ "id":"x","big":12345678901234567890.10,\n"choices" : [],"unknown":{"a":[1,2,{"b":null}]},"é":"\\u00e9"}'
    gateway.upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, sent))
    const response = await gateway.chat()
    expect([response.status, await response.text()]).toEqual([200, sent])
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test('only the model name of a request is rewritten, to the name the upstream knows', async () => {
    const body =
      '{"temperature": 0.70,\n "seed":18446744073709551615, "model" : "plain" ,"messages":[{"role":"user","content":"a\\u0041😀"}],"x_new":{"model":"plain","nested":[1e400]}}'
    const received = await forwarded(body)
    expect(Buffer.from(received.body).toString()).toBe(body.replace('"model" : "plain"', '"model" : "upstream-model"'))
  })

  test('a request whose model has the same name upstream goes out byte for byte', async () => {
    const body = ' {"messages":[{"role":"user","content":""}],\t"model":"vendor\\/slashed"}\n'
    expect(Buffer.from((await forwarded(body)).body).toString()).toBe(body)
  })

  test('fields that are written twice go on as they are when the gateway does not act on them', async () => {
    const body = `{"model":"vendor/slashed","user":"a","messages":${JSON.stringify(messages)},"user":"b"}`
    expect(Buffer.from((await forwarded(body)).body).toString()).toBe(body)
  })

  test('50,000 levels of nesting pass through', async () => {
    const deep = '['.repeat(49_999) + ']'.repeat(49_999)
    const body = `{"model":"vendor/slashed","messages":${JSON.stringify(messages)},"deep":${deep}}`
    expect((await forwarded(body)).body.length).toBe(body.length)
  })

  test('a body of many megabytes arrives whole', async () => {
    const content = 'ü'.repeat(6_000_000)
    const received = await forwarded({ messages: [{ role: 'user', content }] })
    expect(received.json()['messages']).toEqual([{ role: 'user', content }])
  })

  test('"stream": null and "stream": false ask for a whole answer', async () => {
    for (const stream of [null, false]) expect((await forwarded({ stream })).json()['stream']).toBe(stream)
  })

  test('the model of the answer is what the upstream sent', async () => {
    const answered = (await (await gateway.chat()).json()) as { model: string }
    expect(answered.model).toBe('upstream-model')
  })
})

describe('the model', () => {
  test('an alias, the name and a name with a slash reach the same upstream', async () => {
    const models: unknown[] = []
    for (const model of ['plain', 'plain-alias', 'vendor/slashed'])
      models.push((await forwarded({ model })).json()['model'])
    expect(models).toEqual(['upstream-model', 'upstream-model', 'vendor/slashed'])
  })

  test('with gateway.rewrite_model the answer names the model as it was asked for', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const answered = (await (await rewriting.chat({ model: 'plain-alias' })).json()) as object
    expect(answered).toEqual({ ...chatCompletion(), model: 'plain-alias' })
  })
})

describe('the key', () => {
  test('is taken as a bearer token in any case, as x-api-key, and as the password of HTTP Basic', async () => {
    const { secret } = gateway.keys.main
    const forms = [
      { authorization: `bearer ${secret}` },
      { authorization: `BEARER  ${secret} ` },
      { 'x-api-key': secret },
      { authorization: `Basic ${Buffer.from(`anyone:${secret}`).toString('base64')}` },
    ]
    for (const headers of forms) await forwarded({}, { key: null, headers })
  })

  test('of a scope that includes the model is enough', async () => {
    await forwarded({ model: 'vendor/slashed' }, { key: gateway.keys.slashedOnly })
  })

  test('of a member of the group reaches a model that others are kept from', async () => {
    await forwarded({ model: 'private' }, { key: gateway.keys.other })
    await forwarded({ model: 'shared' })
  })
})

describe('headers to the upstream', () => {
  test("the gateway's credential takes the place of the caller's, under every name a key can have", async () => {
    const { secret } = gateway.keys.main
    const received = await forwarded({}, { headers: { 'x-api-key': secret, 'api-key': secret, 'x-goog-api-key': 'c' } })
    expect(received.header('authorization')).toBe(`Bearer ${upstreamCredential}`)
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) expect(received.header(name)).toBeNull()
    expect(JSON.stringify(received.headers)).not.toContain(gateway.keys.main.secret)
  })

  test('cookies, where the caller is, and what belongs to its connection stay behind', async () => {
    const dropped = {
      cookie: 'session=1',
      connection: 'x-mine, keep-alive',
      'x-mine': 'for this connection',
      te: 'trailers',
      'proxy-authorization': 'Basic eA==',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      via: '1.1 here',
      origin: 'https://app.example.org',
      referer: 'https://app.example.org/chat',
      'sec-fetch-mode': 'cors',
      'openai-organization': 'org-of-the-caller',
      'openai-project': 'project-of-the-caller',
    }
    const received = await forwarded({}, { headers: dropped })
    for (const [name, value] of Object.entries(dropped)) expect(received.header(name)).not.toBe(value)
    expect(received.header('x-mine')).toBeNull()
    expect(received.header('cookie')).toBeNull()
  })

  test('headers that are known to be harmless go on, and the request id with them', async () => {
    const headers = {
      'x-request-id': 'trace-42',
      'openai-beta': 'assistants=v2',
      'x-stainless-lang': 'js',
      'user-agent': 'app/1',
    }
    const received = await forwarded({}, { headers })
    for (const [name, value] of Object.entries(headers)) expect(received.header(name)).toBe(value)
  })

  test('no compression is asked for, whatever the caller accepts', async () => {
    expect((await forwarded({}, { headers: { 'accept-encoding': 'gzip, br' } })).header('accept-encoding')).toBe(
      'identity',
    )
  })
})

describe('headers to the client', () => {
  test("the upstream's cookies, connection and server headers do not pass; its own others do", async () => {
    const own = {
      'X-RateLimit-Remaining-Requests': '59',
      'OpenAI-Processing-Ms': '12',
      'OpenAI-Organization': 'org-private',
    }
    gateway.upstream.scriptNext(json(chatCompletion(), 200, { ...privateHeaders, ...own }))
    const { headers } = await gateway.chat()
    for (const name of Object.keys(privateHeaders)) if (name !== 'Connection') expect(headers.get(name)).toBeNull()
    expect(headers.get('openai-organization')).toBeNull()
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('59')
    expect(headers.get('openai-processing-ms')).toBe('12')
  })

  test("the request id is the caller's when it is harmless, else a new one, and the upstream's has a name of its own", async () => {
    gateway.upstream.script(json(chatCompletion(), 200, { 'X-Request-Id': 'upstream-7' }))
    const kept = await gateway.chat({}, { headers: { 'x-request-id': 'trace-42' } })
    expect(kept.headers.get('x-request-id')).toBe('trace-42')
    expect(kept.headers.get('x-upstream-request-id')).toBe('upstream-7')
    for (const unfit of ['a b', 'x'.repeat(129), '<script>']) {
      const { headers } = await gateway.chat({}, { headers: { 'x-request-id': unfit } })
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    }
  })
})

describe('headers that the settings add', () => {
  test('go to the upstream and to the client, of a whole answer and of a stream, and no others do', async () => {
    const set = ['gateway.request_headers=x-tenant', 'gateway.response_headers=x-served-by, x-lab-*']
    await using lab = await startGateway({ set })
    const headers = { 'X-Served-By': 'node-7', 'X-Lab-Run': '3', 'X-Other': 'private' }
    lab.upstream.scriptNext(json(chatCompletion(), 200, headers))
    const whole = await lab.chat({}, { headers: { 'x-tenant': 'a', 'x-mine': 'b' } })
    await whole.arrayBuffer()
    const streamHeaders = { ...headers, 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' }
    lab.upstream.scriptNext([head(200, streamHeaders), ...events([...chatChunks(), doneEvent]), streamEnd])
    const streamed = await lab.stream()
    await streamed.arrayBuffer()
    const names = ['x-served-by', 'x-lab-run', 'x-other']
    for (const response of [whole, streamed])
      expect(names.map((name) => response.headers.get(name))).toEqual(['node-7', '3', null])
    const [received] = lab.upstream.requests
    expect(['x-tenant', 'x-mine'].map((name) => received!.header(name))).toEqual(['a', null])
  })
})

describe('the upstream', () => {
  test('that closes a kept connection as it is used again is asked once more, and the client sees nothing of it', async () => {
    await using fresh = await startGateway()
    fresh.upstream.script(closeReused)
    for (let index = 0; index < 3; index += 1) {
      const response = await fresh.chat({}, { headers: { 'x-request-id': `turn-${index}` } })
      expect([response.status, await response.json()]).toEqual([200, chatCompletion()])
    }
    const second = await fresh.usageOf('turn-1')
    expect([second.status, second.attempts]).toEqual([200, 2])
  })

  test('is reached by a kept connection when there is one', async () => {
    await using fresh = await startGateway()
    for (let index = 0; index < 5; index += 1) await (await fresh.chat()).arrayBuffer()
    expect(fresh.upstream.connections).toBe(1)
  })
})

describe('the usage row', () => {
  test('tells who asked for what, what it took, and nothing of what was said', async () => {
    const requestId = 'the-row'
    const canary = 'canary-prompt'
    const body = JSON.stringify({ model: 'plain-alias', messages: [{ role: 'user', content: canary }] })
    const response = await gateway.chat(body, { headers: { 'x-request-id': requestId } })
    const answered = await response.arrayBuffer()
    const row = await gateway.usageOf(requestId)
    expect(row).toEqual({
      id: expect.any(Number),
      at: expect.any(Number),
      requestId,
      keyId: gateway.keys.main.id,
      userId: gateway.keys.main.userId,
      endpoint: 'chat/completions',
      modelAsked: 'plain-alias',
      modelId: gateway.models.plain.id,
      modelServed: 'plain',
      provider: 'up',
      upstreamStatus: 200,
      status: 200,
      code: null,
      streamed: false,
      promptTokens: sampleUsage.prompt_tokens,
      completionTokens: sampleUsage.completion_tokens,
      firstTokenMs: expect.any(Number),
      durationMs: expect.any(Number),
      requestBytes: body.length,
      responseBytes: answered.byteLength,
      attempts: 1,
      upstreamModel: 'plain',
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
      calledMs: expect.any(Number),
      limits: null,
    })
    expect(JSON.stringify(row) + gateway.log()).not.toContain(canary)
  })

  test('has no token counts when the upstream told none', async () => {
    const { usage: _, ...silent } = chatCompletion() as { usage: object }
    gateway.upstream.scriptNext(json(silent))
    await (await gateway.chat({}, { headers: { 'x-request-id': 'uncounted' } })).arrayBuffer()
    const { promptTokens, completionTokens } = await gateway.usageOf('uncounted')
    expect([promptTokens, completionTokens]).toEqual([null, null])
  })
})
