/** 200 of POST /ai/v1/messages with whole answers: translated, and as a provider sends them that has the endpoint. */
import { describe, expect, test } from 'bun:test'
import { askDialect, messagesEndpoint, nativeModel, type Fields } from '#test/support/contract/dialect-contract.ts'
import { nativeMessage } from '#test/support/contract/dialect-samples.ts'
import { compositeOf, gatewayOfFile, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type ChatOptions } from '#test/support/app/gateway-app.ts'
import { answer, head, json, send, streamEnd } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, sampleUsage } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const ask = (fields: Fields = {}, options: ChatOptions = {}) => askDialect(gateway(), messagesEndpoint, fields, options)

describe('by a provider that only knows chat completions', () => {
  test('is a message, and what was asked is a chat completion under the name of the upstream', async () => {
    const headers = { 'x-request-id': 'translated' }
    const fields = { model: 'plain-alias', system: 'Be brief.', temperature: 0.5, stop_sequences: ['END'] }
    const response = await ask(fields, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: 'message',
      role: 'assistant',
      model: 'upstream-model',
      content: [{ type: 'text', text: 'Hello, wörld 🌊' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: sampleUsage.prompt_tokens, output_tokens: sampleUsage.completion_tokens },
    })
    const received = await gateway().received('translated')
    expect(received.path).toBe('/v1/chat/completions')
    expect(received.json()).toEqual({
      model: 'upstream-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Say hello.' },
      ],
      max_tokens: 64,
      stream: false,
      temperature: 0.5,
      stop: ['END'],
    })
  })

  test('is recorded as a request of this endpoint, with the counts of the provider', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'recorded' } })
    const bytes = (await response.arrayBuffer()).byteLength
    expect(await gateway().usageOf('recorded')).toMatchObject({
      endpoint: 'messages',
      status: 200,
      code: null,
      modelAsked: 'plain',
      modelServed: 'plain',
      provider: 'up',
      upstreamStatus: 200,
      streamed: false,
      promptTokens: sampleUsage.prompt_tokens,
      completionTokens: sampleUsage.completion_tokens,
      responseBytes: bytes,
      attempts: 1,
    })
    const sample = 'sluice_requests_total{endpoint="messages",model="plain",status="200",code=""}'
    expect(await gateway().metric(sample)).toBeGreaterThanOrEqual(1)
  })

  test('has the id of the request in both headers that clients look for', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'told-twice' } })
    expect([response.headers.get('request-id'), response.headers.get('x-request-id')]).toEqual([
      'told-twice',
      'told-twice',
    ])
  })

  test('says how the answer stopped: at the limit, or to call a tool', async () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: 'length' }
    gateway().upstream.scriptNext(json({ ...chatCompletion(), choices: [choice] }))
    expect(await (await ask()).json()).toMatchObject({ stop_reason: 'max_tokens' })

    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    gateway().upstream.scriptNext(json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }]
    expect(await (await ask({ tools })).json()).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } }],
    })
  })

  test('with gateway.rewrite_model names the model as it was asked for', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const response = await askDialect(rewriting, messagesEndpoint, { model: 'plain-alias' })
    expect(await response.json()).toMatchObject({ type: 'message', model: 'plain-alias' })
  })

  test('comes from the next component of a composite when the first fails', async () => {
    const failing = await modelWithEndpoints(gateway(), ['chat/completions'])
    gateway().upstream.scriptNext(json({}, 500))
    const response = await ask({ model: await compositeOf(gateway(), [failing, 'plain']) })
    expect([response.status, response.headers.get('x-sluice-provider')]).toEqual([200, 'up'])
    expect(response.headers.get('x-sluice-attempts')).toBe('2')
    expect(await response.json()).toMatchObject({ type: 'message' })
  })
})

describe('by a provider that has the endpoint', () => {
  const body = JSON.stringify(nativeMessage).replace('"output_tokens":15', '"output_tokens" : 15')

  test('passes byte for byte, and so does the request but for the name of the model', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, body))
    const headers = { 'x-request-id': 'native', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'tomorrow' }
    const sent = `{ "model" : "${model}" ,"max_tokens":1e1,"messages":[],"thinking":{"type":"of tomorrow"} }`
    const response = await askDialect(gateway(), messagesEndpoint, sent, { headers })
    expect([response.status, await response.text()]).toEqual([200, body])
    const received = await gateway().received('native')
    expect(received.path).toBe('/v1/messages')
    expect(Buffer.from(received.body).toString()).toBe(sent.replace(model, 'upstream-model'))
    expect([received.header('anthropic-version'), received.header('anthropic-beta')]).toEqual([
      '2023-06-01',
      'tomorrow',
    ])
  })

  test("has this gateway's request id, and the provider's beside it", async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext(json(nativeMessage, 200, { 'Request-Id': 'req_of_the_provider' }))
    const response = await ask({ model }, { headers: { 'x-request-id': 'ours' } })
    const ids = ['request-id', 'x-request-id', 'x-upstream-request-id'].map((name) => response.headers.get(name))
    expect(ids).toEqual(['ours', 'ours', 'req_of_the_provider'])
  })

  test('is counted with what went into a cache and came out of one', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    const cached = { cache_creation_input_tokens: 200, cache_read_input_tokens: 4000 }
    gateway().upstream.scriptNext(json({ ...nativeMessage, usage: { ...nativeMessage.usage, ...cached } }))
    await ask({ model }, { headers: { 'x-request-id': 'cached' } })
    expect(await gateway().usageOf('cached')).toMatchObject({ promptTokens: 4225, completionTokens: 15 })
  })

  test("never hands the caller's key to the provider", async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext(json(nativeMessage))
    const { secret } = gateway().keys.main
    const headers = { 'x-request-id': 'keyless', 'x-api-key': secret }
    expect((await ask({ model }, { key: null, headers })).status).toBe(200)
    const received = await gateway().received('keyless')
    expect(received.header('x-api-key')).toBeNull()
    expect(JSON.stringify(received.headers)).not.toContain(secret)
  })

  test('is counted, in pieces or whole', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    const half = body.length >> 1
    const pieces = [body.slice(0, half), body.slice(half)].map((piece) =>
      send(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`),
    )
    gateway().upstream.scriptNext([head(200, { 'Transfer-Encoding': 'chunked' }), ...pieces, streamEnd])
    const response = await ask({ model }, { headers: { 'x-request-id': 'counted' } })
    expect(await response.text()).toBe(body)
    expect(await gateway().usageOf('counted')).toMatchObject({
      endpoint: 'messages',
      promptTokens: 25,
      completionTokens: 15,
      modelServed: model,
      status: 200,
    })
  })
})
