/** The official OpenAI client: streams, their helpers, and leaving them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { APIError, APIUserAbortError } from 'openai'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  brokenStream,
  events,
  gate,
  hang,
  reset,
  stream,
  streamEnd,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, errorObject, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const asked = { model: 'plain', messages: [...messages] }
const text = 'Hello, wörld 🌊'

type Chunk = OpenAI.Chat.ChatCompletionChunk

async function collect(chunks: AsyncIterable<Chunk>): Promise<readonly Chunk[]> {
  const all: Chunk[] = []
  for await (const each of chunks) all.push(each)
  return all
}

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map((each) => each.choices[0]?.delta.content ?? '').join('')
}

describe('a stream', () => {
  test('is iterated chunk by chunk to its end, as the upstream sent it', async () => {
    const chunks = await collect(await client.chat.completions.create({ ...asked, stream: true }))
    expect(chunks).toEqual(chatChunks() as Chunk[])
    expect(textOf(chunks)).toBe(text)
  })

  test('gives each chunk when it comes, and not at the end', async () => {
    gateway.upstream.scriptNext(stream([...chatChunks(), doneEvent], 'every'))
    const options = { headers: { 'x-request-id': 'one-by-one' } }
    gateway.upstream.release()
    const iterator = (await client.chat.completions.create({ ...asked, stream: true }, options))[Symbol.asyncIterator]()
    const received = await gateway.received('one-by-one')
    for (const each of chatChunks()) {
      expect((await iterator.next()).value).toEqual(each)
      received.release()
    }
    expect((await iterator.next()).done).toBe(true)
  })

  test('has usage in a last chunk when it was asked for, and in none otherwise', async () => {
    const counted = await collect(
      await client.chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } }),
    )
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { ...sampleUsage } })
    const plain = await collect(await client.chat.completions.create({ ...asked, stream: true }))
    expect(plain.some((each) => 'usage' in each)).toBe(false)
  })

  test('is put together by the helper', async () => {
    const runner = client.chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
    const deltas: string[] = []
    runner.on('content', (delta) => deltas.push(delta))
    const completion = await runner.finalChatCompletion()
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: text } })
    expect(completion.usage).toEqual({ ...sampleUsage })
    expect(deltas.join('')).toBe(text)
    expect(await runner.finalContent()).toBe(text)
  })

  test('is readable through comments that fill silences', async () => {
    await using patient = await startGateway({ set: ['gateway.keepalive_seconds=0.05'] })
    patient.upstream.scriptNext([streamHead, gate, ...events([...chatChunks(), doneEvent]), streamEnd])
    const opened = await openAiClient(patient).chat.completions.create({ ...asked, stream: true })
    // The head came before any event, so at least one comment has gone out.
    patient.upstream.release()
    expect(textOf(await collect(opened))).toBe(text)
  })

  test('read to its end by the client is recorded as served', async () => {
    const options = { headers: { 'x-request-id': 'read-to-the-end' } }
    await collect(await client.chat.completions.create({ ...asked, stream: true }, options))
    const row = await gateway.usageOf('read-to-the-end')
    expect([row.status, row.code]).toEqual([200, null])
  })
})

describe('leaving', () => {
  test('by break ends the upstream, and the next request is served', async () => {
    gateway.upstream.scriptNext([streamHead, ...events(chatChunks({ finish: false })), hang])
    const options = { headers: { 'x-request-id': 'left-by-break' } }
    for await (const each of await client.chat.completions.create({ ...asked, stream: true }, options)) {
      if (each.choices[0]?.delta.content) break
    }
    await (
      await gateway.received('left-by-break')
    ).closed
    expect((await gateway.usageOf('left-by-break')).code).toBe('client_closed')
    expect((await client.chat.completions.create(asked)).choices).toHaveLength(1)
  })

  test("by the stream's own controller ends the upstream", async () => {
    gateway.upstream.scriptNext([streamHead, ...events(chatChunks({ finish: false })), hang])
    const options = { headers: { 'x-request-id': 'left-by-controller' } }
    const opened = await client.chat.completions.create({ ...asked, stream: true }, options)
    opened.controller.abort()
    await (
      await gateway.received('left-by-controller')
    ).closed
    expect((await gateway.usageOf('left-by-controller')).code).toBe('client_closed')
  })

  test('by a signal before any answer throws APIUserAbortError and ends the upstream', async () => {
    gateway.upstream.scriptNext([hang])
    const abort = new AbortController()
    const options = { signal: abort.signal, headers: { 'x-request-id': 'left-by-signal' } }
    const answered = client.chat.completions.create(asked, options).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    const received = await gateway.received('left-by-signal')
    abort.abort()
    expect(await answered).toBeInstanceOf(APIUserAbortError)
    await received.closed
  })
})

describe('a stream that breaks', () => {
  const deaths = {
    'by a reset': brokenStream(chatChunks({ finish: false }), reset),
    "by the upstream's error event": stream([...chatChunks({ finish: false }), errorObject('Died.')]),
    'by ending without a finish reason': stream(chatChunks({ finish: false })),
  }
  for (const [how, behaviour] of Object.entries(deaths)) {
    test(`${how} throws APIError after the chunks that were whole, and never looks complete`, async () => {
      // A reset may overtake what was sent before it, so the client sees any beginning of the chunks.
      gateway.upstream.scriptNext(behaviour)
      const seen: Chunk[] = []
      const reading = (async () => {
        for await (const each of await client.chat.completions.create({ ...asked, stream: true })) seen.push(each)
      })()
      const thrown: unknown = await reading.then(
        () => null,
        (error: unknown) => error,
      )
      expect(thrown).toBeInstanceOf(APIError)
      expect(thrown).toMatchObject({ code: 'upstream_stream_error', type: 'upstream_error' })
      expect(seen).toEqual(chatChunks({ finish: false }).slice(0, seen.length) as Chunk[])
    })
  }
})
