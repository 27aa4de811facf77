/** 200 of POST /ai/v1/responses with whole answers: translated, and as a provider sends them that has the endpoint. */
import { describe, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint, type Fields } from '#test/support/contract/dialect-contract.ts'
import { nativeResponse } from '#test/support/contract/dialect-samples.ts'
import { compositeOf, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type ChatOptions } from '#test/support/app/gateway-app.ts'
import { answer, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, sampleUsage } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const ask = (fields: Fields = {}, options: ChatOptions = {}) =>
  askDialect(gateway(), responsesEndpoint, fields, options)

describe('by a provider that only knows chat completions', () => {
  test('is a response, and what was asked is a chat completion under the name of the upstream', async () => {
    const headers = { 'x-request-id': 'translated' }
    const fields = { model: 'plain-alias', instructions: 'Be brief.', max_output_tokens: 64, metadata: { run: '7' } }
    const response = await ask(fields, { headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response',
      status: 'completed',
      error: null,
      store: true,
      model: 'upstream-model',
      instructions: 'Be brief.',
      max_output_tokens: 64,
      metadata: { run: '7' },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello, wörld 🌊' }] }],
      usage: {
        input_tokens: sampleUsage.prompt_tokens,
        output_tokens: sampleUsage.completion_tokens,
        total_tokens: sampleUsage.total_tokens,
      },
    })
    const received = await gateway().received('translated')
    expect(received.path).toBe('/v1/chat/completions')
    const sent = received.json()
    expect(sent).toMatchObject({ model: 'upstream-model', max_tokens: 64, stream: false })
    expect(sent['messages']).toEqual([
      { role: expect.stringMatching(/^(system|developer)$/), content: 'Be brief.' },
      { role: 'user', content: 'Say hello.' },
    ])
    for (const name of ['input', 'instructions', 'max_output_tokens', 'metadata', 'store'])
      expect(sent).not.toHaveProperty(name)
  })

  test('is created at the moment of the request', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { created_at: createdAt } = (await (await ask()).json()) as { created_at: number }
    expect(createdAt).toBeGreaterThanOrEqual(before)
    expect(createdAt).toBeLessThanOrEqual(Date.now() / 1000)
  })

  test('is recorded as a request of this endpoint, with the counts of the provider', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'recorded' } })
    const bytes = (await response.arrayBuffer()).byteLength
    expect(await gateway().usageOf('recorded')).toMatchObject({
      endpoint: 'responses',
      status: 200,
      code: null,
      modelAsked: 'plain',
      provider: 'up',
      streamed: false,
      promptTokens: sampleUsage.prompt_tokens,
      completionTokens: sampleUsage.completion_tokens,
      responseBytes: bytes,
      attempts: 1,
    })
  })

  test('says that it is incomplete when the limit cut it off', async () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: 'length' }
    gateway().upstream.scriptNext(json({ ...chatCompletion(), choices: [choice] }))
    expect(await (await ask()).json()).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  test('with gateway.rewrite_model names the model as it was asked for', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const response = await askDialect(rewriting, responsesEndpoint, { model: 'plain-alias' })
    expect(await response.json()).toMatchObject({ object: 'response', model: 'plain-alias' })
  })
})

describe('by a provider that has the endpoint', () => {
  const body = JSON.stringify(nativeResponse).replace('"output_tokens":15', '"output_tokens" : 15')

  test('passes byte for byte, state included, and so does the request but for the name of the model', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    const whole = answer(200, { 'Content-Type': 'application/json' }, body)
    gateway().upstream.scriptNext(whole, whole)
    expect((await ask({ model })).status).toBe(200)
    const sent = `{ "model" : "${model}" ,"input":[],"previous_response_id":"resp_native","store":true }`
    const response = await askDialect(gateway(), responsesEndpoint, sent, { headers: { 'x-request-id': 'native' } })
    expect([response.status, await response.text()]).toEqual([200, body])
    const received = await gateway().received('native')
    expect(received.path).toBe('/v1/responses')
    expect(Buffer.from(received.body).toString()).toBe(sent.replace(model, 'upstream-model'))
    expect(await gateway().usageOf('native')).toMatchObject({
      endpoint: 'responses',
      promptTokens: 25,
      completionTokens: 15,
      modelServed: model,
    })
  })

  test('that says of itself that it failed passes, and is recorded as the failure that it is', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    const rows = [
      ['server_error', 502, 'upstream_error'],
      ['rate_limit_exceeded', 429, 'upstream_rate_limited'],
    ] as const
    for (const [code, status, recorded] of rows) {
      const failed = { ...nativeResponse, status: 'failed', error: { code, message: 'No.' }, usage: null }
      gateway().upstream.scriptNext(json(failed))
      const response = await ask({ model }, { headers: { 'x-request-id': code } })
      expect([response.status, await response.json()]).toEqual([200, failed])
      expect(await gateway().usageOf(code)).toMatchObject({ status, code: recorded, upstreamStatus: 200 })
    }
  })

  test('that was cut short at its limit of tokens is a success', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    gateway().upstream.scriptNext(json({ ...nativeResponse, status: 'incomplete' }))
    await ask({ model }, { headers: { 'x-request-id': 'cut-short' } })
    expect(await gateway().usageOf('cut-short')).toMatchObject({ status: 200, code: null, completionTokens: 15 })
  })

  test('is preferred by a composite whose other components would need a translation', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    gateway().upstream.scriptNext(json(nativeResponse))
    const response = await ask({ model: await compositeOf(gateway(), ['plain', model]) })
    expect([response.headers.get('x-sluice-provider'), await response.json()]).toEqual([model, nativeResponse])
  })
})
