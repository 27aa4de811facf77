/** POST /ai/v1/chat/completions, answered as a stream that ends well. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import {
  chunk,
  close,
  events,
  eventText,
  gate,
  hang,
  head,
  privateHeaders,
  send,
  sendSplit,
  stream,
  streamEnd,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const plainChunks = chatChunks()
const countedChunks = chatChunks({ usage: 'last' })

function textOf(payloads: readonly (string | object)[]): string {
  return payloads.map(eventText).join('')
}

describe('the events', () => {
  test('are the bytes that the upstream sent, [DONE] included', async () => {
    const odd = [
      ': a comment\n\n',
      'event: message\nid: 7\ndata: {"choices":[{"delta":{"content":"a"}}], "big":123456789012345678901}\n\n',
      'data: {"choices": [ ],\ndata: "unknown":{}}\n\n',
      'data:{"choices":[{"finish_reason":"stop"}]}\r\n\r\n',
      'data: [DONE]\n\n',
    ].join('')
    gateway.upstream.scriptNext([streamHead, chunk(odd), streamEnd])
    expect(await (await gateway.stream()).text()).toBe(odd)
  })

  test('are the same however the upstream cuts them into pieces', async () => {
    const payloads = [...plainChunks, doneEvent]
    const bytes = Buffer.from(textOf(payloads))
    for (const step of [1, 7, 64]) {
      const offsets = Array.from({ length: Math.floor((bytes.length - 1) / step) }, (_, index) => (index + 1) * step)
      const top = head(200, { 'Content-Type': 'text/event-stream', 'Content-Length': String(bytes.length) })
      gateway.upstream.scriptNext([top, ...sendSplit(bytes, offsets)])
      expect(await (await gateway.stream()).text()).toBe(bytes.toString())
    }
  })

  test('arrive one by one, each before the upstream sends the next', async () => {
    gateway.upstream.scriptNext(stream([...plainChunks, doneEvent], 'every'))
    using client = new RawClient(gateway.port)
    client.write(rawRequest({ key: gateway.keys.main.secret, body: streamedBody }))
    for (let count = 1; count <= plainChunks.length + 1; count += 1) {
      gateway.upstream.release()
      await client.untilText('data: ', count)
      expect(client.text.split('data: ').length - 1).toBe(count)
    }
    await client.untilText('0\r\n\r\n')
  })

  test('that follow [DONE] do not reach the client', async () => {
    gateway.upstream.scriptNext(stream([...plainChunks, doneEvent, ...plainChunks]))
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })

  test('end with [DONE] also when the upstream leaves it out after a finish reason', async () => {
    gateway.upstream.scriptNext(stream(plainChunks))
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })

  test('end with [DONE] also when the upstream leaves out the last empty line', async () => {
    const bytes = textOf(plainChunks)
    gateway.upstream.scriptNext([streamHead, chunk(bytes.slice(0, -2)), streamEnd])
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })

  test('end at [DONE] even when the upstream keeps its connection open', async () => {
    gateway.upstream.scriptNext([streamHead, ...events([...plainChunks, doneEvent]), hang])
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })

  test('are complete when the upstream frames its body by closing the connection', async () => {
    const top = head(200, { 'Content-Type': 'text/event-stream', Connection: 'close' })
    gateway.upstream.scriptNext([top, send(textOf([...plainChunks, doneEvent])), close])
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })
})

describe('usage', () => {
  test('is asked for, recorded, and taken out again when the client did not ask', async () => {
    const response = await gateway.stream({}, { headers: { 'x-request-id': 'usage-stripped' } })
    expect(await response.text()).toBe(textOf([...plainChunks, doneEvent]))
    const received = gateway.upstream.requests.at(-1)!
    expect(received.json()['stream_options']).toEqual({ include_usage: true })
    const row = await gateway.usageOf('usage-stripped')
    expect([row.streamed, row.promptTokens, row.completionTokens]).toEqual([
      true,
      sampleUsage.prompt_tokens,
      sampleUsage.completion_tokens,
    ])
  })

  test('reaches the client that asked for it, and its request goes out as written', async () => {
    const body = `{"stream_options":{ "include_usage" : true,"x":1 },"stream":true,"model":"vendor/slashed","messages":[{"role":"user","content":"a"}]}`
    const response = await gateway.chat(body)
    const counted = chatChunks({ model: 'vendor/slashed', usage: 'last' })
    expect(await response.text()).toBe(textOf([...counted, doneEvent]))
    expect(Buffer.from(gateway.upstream.requests.at(-1)!.body).toString()).toBe(body)
  })

  test('is asked for beside the options that the client did set', async () => {
    await (await gateway.stream({ stream_options: { include_obfuscation: false } })).arrayBuffer()
    const options = gateway.upstream.requests.at(-1)!.json()['stream_options']
    expect(options).toEqual({ include_obfuscation: false, include_usage: true })
  })

  test('null fields that asking for it adds to every event are taken out', async () => {
    const withNull = plainChunks.map((each) => ({ ...each, usage: null }))
    gateway.upstream.scriptNext(stream([...withNull, countedChunks.at(-1)!, doneEvent]))
    expect(await (await gateway.stream()).text()).toBe(textOf([...plainChunks, doneEvent]))
  })

  test('that an upstream tells early and again at the end is recorded as it was at the end', async () => {
    gateway.upstream.scriptNext(stream([...chatChunks({ usage: 'early' }), doneEvent]))
    await (await gateway.stream({}, { headers: { 'x-request-id': 'usage-early' } })).arrayBuffer()
    expect((await gateway.usageOf('usage-early')).completionTokens).toBe(sampleUsage.completion_tokens)
  })
})

describe('the head', () => {
  test('keeps caches and proxies from holding events back, and carries only what is meant for the client', async () => {
    const top = head(200, {
      ...privateHeaders,
      'Content-Type': 'text/event-stream',
      'Transfer-Encoding': 'chunked',
      'X-Request-Id': 'upstream-7',
      'OpenAI-Processing-Ms': '12',
    })
    gateway.upstream.scriptNext([top, ...events([...plainChunks, doneEvent]), streamEnd])
    const response = await gateway.stream({}, { headers: { 'x-request-id': 'trace-42' } })
    await response.arrayBuffer()
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'content-type': 'text/event-stream; charset=utf-8',
      date: expect.any(String),
      'openai-processing-ms': '12',
      'transfer-encoding': 'chunked',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'trace-42',
      'x-sluice-attempts': '1',
      'x-sluice-provider': 'up',
      'x-upstream-request-id': 'upstream-7',
    })
  })

  test('waits for the first event, so that a failure before it has its real status', async () => {
    gateway.upstream.scriptNext([streamHead, gate, ...events([...plainChunks, doneEvent]), streamEnd])
    using client = new RawClient(gateway.port)
    const headers = { 'X-Request-Id': 'head-waits' }
    client.write(rawRequest({ key: gateway.keys.main.secret, headers, body: streamedBody }))
    const received = await gateway.received('head-waits')
    await until(() => received.bytesSent > 0)
    expect(client.bytesReceived).toBe(0)
    received.release()
    await client.untilText('[DONE]')
  })
})

describe('silence', () => {
  test('is filled with comments before the first event and between events', async () => {
    await using patient = await startGateway({ set: ['gateway.keepalive_seconds=0.05'] })
    patient.upstream.scriptNext(stream([...plainChunks, doneEvent], 'every'))
    using client = new RawClient(patient.port)
    client.write(rawRequest({ key: patient.keys.main.secret, body: streamedBody }))
    await client.untilText(': keep-alive\n\n')
    expect(client.text).toStartWith('HTTP/1.1 200')
    expect(client.text).not.toContain('data:')
    patient.upstream.release()
    await client.untilText('data: ')
    const before = client.text.split(': keep-alive\n\n').length
    await client.untilText(': keep-alive\n\n', before)
    patient.upstream.release(plainChunks.length)
    await client.untilText('[DONE]')
  })
})

describe('the client', () => {
  test('that closes right after [DONE] is recorded as served', async () => {
    gateway.upstream.scriptNext([streamHead, ...events([...plainChunks, doneEvent]), hang])
    using client = new RawClient(gateway.port)
    const headers = { 'X-Request-Id': 'closed-after-done' }
    client.write(rawRequest({ key: gateway.keys.main.secret, headers, body: streamedBody }))
    await client.untilText('[DONE]')
    client.reset()
    const row = await gateway.usageOf('closed-after-done')
    expect([row.status, row.code]).toEqual([200, null])
  })

  test('that asked for a stream gets it whatever type the upstream declares', async () => {
    const bytes = textOf([...plainChunks, doneEvent])
    gateway.upstream.scriptNext([head(200, { 'Transfer-Encoding': 'chunked' }), chunk(bytes), streamEnd])
    expect(await (await gateway.stream()).text()).toBe(bytes)
  })
})

describe('the usage row', () => {
  test('is written when the stream has ended, with the time to the first event and the bytes sent', async () => {
    gateway.upstream.scriptNext([streamHead, ...events(plainChunks), gate, ...events([doneEvent]), streamEnd])
    const response = await gateway.stream({}, { headers: { 'x-request-id': 'row-of-stream' } })
    const received = await gateway.received('row-of-stream')
    expect((await gateway.usageRows()).some((row) => row.requestId === 'row-of-stream')).toBe(false)
    received.release()
    const answered = await response.arrayBuffer()
    const row = await gateway.usageOf('row-of-stream')
    expect(row).toMatchObject({ status: 200, code: null, streamed: true, attempts: 1, upstreamStatus: 200 })
    expect(row.responseBytes).toBe(answered.byteLength)
    expect(row.firstTokenMs).toBeLessThanOrEqual(row.durationMs)
  })
})

const streamedBody = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'a' }], stream: true })
