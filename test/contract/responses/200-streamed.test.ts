/** 200 of POST /ai/v1/responses with streams: translated, and as a provider sends them that has the endpoint. */
import { describe, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint, type Fields } from '#test/support/contract/dialect-contract.ts'
import {
  nativeResponseEvents,
  readTypedEvents,
  typedEventText,
  typedStream,
} from '#test/support/contract/dialect-samples.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type ChatOptions } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { events, gate, json, stream, streamEnd, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const ask = (fields: Fields = {}, options: ChatOptions = {}) =>
  askDialect(gateway(), responsesEndpoint, { stream: true, ...fields }, options)

describe('by a provider that only knows chat completions', () => {
  test('is the events of a response, numbered from the first to response.completed', async () => {
    const response = await ask()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const text = await response.text()
    expect(text).not.toContain('[DONE]')
    const told = readTypedEvents(text)
    expect(told.map((event) => event['sequence_number'])).toEqual(told.map((_, index) => index))
    expect(told.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    const deltas = told.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map((event) => event['delta']).join('')).toBe('Hello, wörld 🌊')
    expect(told.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [{ content: [{ text: 'Hello, wörld 🌊' }] }],
        usage: { input_tokens: sampleUsage.prompt_tokens, output_tokens: sampleUsage.completion_tokens },
      },
    })
  })

  test('asks for the usage, and records it under the name of this endpoint', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'recorded' } })
    const text = await response.text()
    const sent = (await gateway().received('recorded')).json()
    expect(sent).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(await gateway().usageOf('recorded')).toMatchObject({
      endpoint: 'responses',
      status: 200,
      streamed: true,
      promptTokens: sampleUsage.prompt_tokens,
      completionTokens: sampleUsage.completion_tokens,
      responseBytes: Buffer.byteLength(text),
    })
  })

  test('tells each piece when it comes, and not at the end', async () => {
    gateway().upstream.scriptNext(stream([...chatChunks(), doneEvent], 'every'))
    using client = new RawClient(gateway().port)
    const body = JSON.stringify({ model: 'plain', ...responsesEndpoint.fields, stream: true })
    const headers = { 'X-Request-Id': 'as-it-comes' }
    client.write(rawRequest({ path: '/ai/v1/responses', key: gateway().keys.main.secret, headers, body }))
    const received = await gateway().received('as-it-comes')
    for (const mark of ['response.in_progress', '"delta":"Hello"', '"delta":", "', '"delta":"wörld 🌊"']) {
      expect(client.text).not.toContain(mark)
      received.release()
      await client.untilText(mark)
    }
    expect(client.text).not.toContain('response.completed')
    received.release(2)
    await client.untilText('response.completed')
  })

  test('a client that leaves right after response.completed has had it all', async () => {
    gateway().upstream.scriptNext([streamHead, ...events([...chatChunks(), doneEvent]), gate, streamEnd])
    using client = new RawClient(gateway().port)
    const body = JSON.stringify({ model: 'plain', ...responsesEndpoint.fields, stream: true })
    const headers = { 'X-Request-Id': 'left-at-the-end' }
    client.write(rawRequest({ path: '/ai/v1/responses', key: gateway().keys.main.secret, headers, body }))
    await client.untilText('response.completed')
    client.reset()
    expect(await gateway().usageOf('left-at-the-end')).toMatchObject({ status: 200, code: null })
  })
})

describe('by a provider that has the endpoint', () => {
  const text = nativeResponseEvents.map(typedEventText).join('')

  test('passes byte for byte, and is counted by its last event', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    gateway().upstream.scriptNext(typedStream(nativeResponseEvents))
    const response = await ask({ model }, { headers: { 'x-request-id': 'native' } })
    expect([response.status, await response.text()]).toEqual([200, text])
    const received = await gateway().received('native')
    expect([received.path, received.json()['stream_options']]).toEqual(['/v1/responses', undefined])
    expect(await gateway().usageOf('native')).toMatchObject({
      endpoint: 'responses',
      status: 200,
      streamed: true,
      promptTokens: 25,
      completionTokens: 15,
    })
  })

  test('ends well with response.incomplete and response.failed too: the provider has said all', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    for (const type of ['response.incomplete', 'response.failed']) {
      const told = [...nativeResponseEvents.slice(0, -1), { ...nativeResponseEvents.at(-1), type }]
      gateway().upstream.scriptNext(typedStream(told))
      expect(await (await ask({ model })).text()).toBe(told.map(typedEventText).join(''))
    }
  })

  test('is one document when the provider does not stream it', async () => {
    const model = await nativeModel(gateway(), responsesEndpoint)
    const { native } = responsesEndpoint
    gateway().upstream.scriptNext(json(native))
    const response = await ask({ model })
    expect([response.headers.get('content-type'), await response.json()]).toEqual(['application/json', native])
  })

  test('with gateway.rewrite_model names the model as it was asked for, and nothing else changes', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const model = await nativeModel(rewriting, responsesEndpoint)
    rewriting.upstream.scriptNext(typedStream(nativeResponseEvents))
    const response = await askDialect(rewriting, responsesEndpoint, { model, stream: true })
    expect(await response.text()).toBe(text.replaceAll('"model":"upstream-model"', `"model":"${model}"`))
  })
})
