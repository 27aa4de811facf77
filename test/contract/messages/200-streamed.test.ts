/** 200 of POST /ai/v1/messages with streams: translated, and as a provider sends them that has the endpoint. */
import { describe, expect, test } from 'bun:test'
import { askDialect, messagesEndpoint, nativeModel, type Fields } from '#test/support/contract/dialect-contract.ts'
import {
  nativeMessageEvents,
  readTypedEvents,
  typedEventText,
  typedStream,
} from '#test/support/contract/dialect-samples.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type ChatOptions } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { chunk, events, gate, streamEnd, streamHead, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const ask = (fields: Fields = {}, options: ChatOptions = {}) =>
  askDialect(gateway(), messagesEndpoint, { stream: true, ...fields }, options)

describe('by a provider that only knows chat completions', () => {
  test('is the events of a message, begun, told and ended', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'translated' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect([response.headers.get('cache-control'), response.headers.get('x-accel-buffering')]).toEqual([
      'no-cache',
      'no',
    ])
    expect(response.headers.get('request-id')).toBe('translated')
    const text = await response.text()
    expect(text).not.toContain('[DONE]')
    const told = readTypedEvents(text)
    expect(told.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const deltas = told.filter(({ type }) => type === 'content_block_delta') as unknown as { delta: { text: string } }[]
    expect(deltas.map(({ delta }) => delta.text).join('')).toBe('Hello, wörld 🌊')
    expect(told.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: sampleUsage.prompt_tokens, output_tokens: sampleUsage.completion_tokens },
    })
  })

  test('asks for the usage, and records it under the name of this endpoint', async () => {
    const response = await ask({}, { headers: { 'x-request-id': 'recorded' } })
    const text = await response.text()
    const sent = (await gateway().received('recorded')).json()
    expect(sent).toMatchObject({ stream: true, stream_options: { include_usage: true }, model: 'upstream-model' })
    const row = await gateway().usageOf('recorded')
    expect(row).toMatchObject({
      endpoint: 'messages',
      status: 200,
      streamed: true,
      promptTokens: sampleUsage.prompt_tokens,
      completionTokens: sampleUsage.completion_tokens,
      responseBytes: Buffer.byteLength(text),
    })
    expect(row.firstTokenMs).not.toBeNull()
  })

  test('asks for no usage where the provider refuses the question', async () => {
    const { upProviderId } = gateway()
    const change = (options: object) => gateway().operate('PATCH', `/providers/${upProviderId}`, { options })
    expect((await change({ stream_usage: false })).status).toBe(200)
    const response = await ask({}, { headers: { 'x-request-id': 'unasked' } })
    expect(readTypedEvents(await response.text()).at(-1)?.type).toBe('message_stop')
    expect((await gateway().received('unasked')).json()).not.toHaveProperty('stream_options')
    expect((await change({ stream_usage: null })).status).toBe(200)
  })

  test('tells each piece when it comes, and not at the end', async () => {
    gateway().upstream.scriptNext(stream([...chatChunks(), doneEvent], 'every'))
    using client = new RawClient(gateway().port)
    const body = JSON.stringify({ model: 'plain', ...messagesEndpoint.fields, stream: true })
    const headers = { 'X-Request-Id': 'as-it-comes' }
    client.write(rawRequest({ path: '/ai/v1/messages', key: gateway().keys.main.secret, headers, body }))
    const received = await gateway().received('as-it-comes')
    for (const mark of ['message_start', '"Hello"', '", "', '"wörld 🌊"']) {
      expect(client.text).not.toContain(mark)
      received.release()
      await client.untilText(mark)
    }
    expect(client.text).not.toContain('message_stop')
    received.release(2)
    await client.untilText('message_stop')
  })

  test('is whole however the bytes of the provider are cut', async () => {
    const whole = [...chatChunks({ usage: 'last' }), doneEvent]
      .map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\r\n\r\n`)
      .join('')
    const bytes = Buffer.from(whole)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 37) }, (_, index) =>
      chunk(bytes.subarray(index * 37, (index + 1) * 37)),
    )
    const bare = (text: string): string => text.replaceAll(/msg_\w+/g, 'msg')
    gateway().upstream.scriptNext([streamHead, ...pieces, streamEnd], [streamHead, chunk(bytes), streamEnd])
    const [cut, one] = [await (await ask()).text(), await (await ask()).text()]
    expect(bare(cut)).toBe(bare(one))
    expect(readTypedEvents(cut).at(-1)?.type).toBe('message_stop')
  })

  test('with gateway.rewrite_model names the model as it was asked for', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const response = await askDialect(rewriting, messagesEndpoint, { model: 'plain-alias', stream: true })
    expect(readTypedEvents(await response.text())[0]).toMatchObject({ message: { model: 'plain-alias' } })
  })

  test('a client that leaves right after message_stop has had it all', async () => {
    gateway().upstream.scriptNext([streamHead, ...events([...chatChunks(), doneEvent]), gate, streamEnd])
    using client = new RawClient(gateway().port)
    const body = JSON.stringify({ model: 'plain', ...messagesEndpoint.fields, stream: true })
    const headers = { 'X-Request-Id': 'left-at-the-end' }
    client.write(rawRequest({ path: '/ai/v1/messages', key: gateway().keys.main.secret, headers, body }))
    await client.untilText('message_stop')
    client.reset()
    expect(await gateway().usageOf('left-at-the-end')).toMatchObject({ status: 200, code: null })
  })
})

describe('by a provider that has the endpoint', () => {
  const text = nativeMessageEvents.map(typedEventText).join('')

  test('passes byte for byte', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext(typedStream(nativeMessageEvents))
    const response = await ask({ model }, { headers: { 'x-request-id': 'native' } })
    expect([response.status, await response.text()]).toEqual([200, text])
    expect((await gateway().received('native')).path).toBe('/v1/messages')
    expect((await gateway().received('native')).json()).not.toHaveProperty('stream_options')
  })

  test('is counted by what its first event tells of the input and its last of the output', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext(typedStream(nativeMessageEvents))
    await (await ask({ model }, { headers: { 'x-request-id': 'native-counted' } })).text()
    expect(await gateway().usageOf('native-counted')).toMatchObject({
      endpoint: 'messages',
      status: 200,
      streamed: true,
      promptTokens: 25,
      completionTokens: 15,
    })
  })

  test('with gateway.rewrite_model names the model as it was asked for, and nothing else changes', async () => {
    await using rewriting = await startGateway({ set: ['gateway.rewrite_model=true'] })
    const model = await nativeModel(rewriting, messagesEndpoint)
    rewriting.upstream.scriptNext(typedStream(nativeMessageEvents))
    const response = await askDialect(rewriting, messagesEndpoint, { model, stream: true })
    expect(await response.text()).toBe(text.replace('"model":"upstream-model"', `"model":"${model}"`))
  })
})
