import { Buffer } from 'node:buffer'
import { expect, test } from 'bun:test'
import type { Reply } from '#lib/http1/reply.ts'
import { jsonBody, type Provider, type UpstreamCall } from '#providers/provider.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aProvider } from '#test/support/store/store-records.ts'
import { EmbeddingBatcher } from './embedding-batcher.ts'

const callMs = 20
const clients = 32

/** A provider that works on so many calls at once, in time that only the test lets pass. */
function simulated(width: number) {
  const clock = new ManualClock()
  const queue: { readonly items: number; readonly answer: (reply: Reply) => void }[] = []
  const calls: number[] = []
  const provider: Provider = {
    record: aProvider(),
    endpoints: new Set(['embeddings']),
    discover: async () => [],
    send(call) {
      const { input } = JSON.parse(Buffer.from(jsonBody(call)).toString()) as {
        readonly input: string | readonly string[]
      }
      const items = [input].flat().length
      calls.push(items)
      return new Promise((answer) => queue.push({ items, answer }))
    },
  }
  const batcher = new EmbeddingBatcher(() => ({ batchMs: 60_000, itemsMax: 64, answerBytesMax: 1_000_000 }), clock)
  /** As many requests at once; resolves with the number of inputs of each call that they became. */
  async function round(): Promise<readonly number[]> {
    calls.length = 0
    let left = clients
    const asked = Array.from({ length: clients }, async () => {
      await batcher.over(provider).send(aCall())
      left -= 1
    })
    while (left > 0) {
      clock.advance(callMs)
      for (const { items, answer } of queue.splice(0, width)) answer(replyTo(items))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(asked)
    return [...calls]
  }
  return { round }
}

function aCall(): UpstreamCall {
  const { signal } = new AbortController()
  return {
    endpoint: 'embeddings',
    upstreamModel: 'm',
    content: { kind: 'json', body: Buffer.from('{"model":"m","input":"a text"}') },
    streamed: false,
    headers: {},
    requestId: 'r',
    signal,
    cancellation: signal,
    reuseConnection: true,
  }
}

function replyTo(items: number): Reply {
  const data = Array.from({ length: items }, (_, index) => ({ index, embedding: [1] }))
  let left: Uint8Array | null = Buffer.from(JSON.stringify({ data }))
  const read = () => {
    const next = left
    left = null
    return next
  }
  return { status: 200, headers: {}, body: { read, cancel: () => {} } }
}

test('nothing is joined in the end at a provider that takes all calls at once', async () => {
  const { round } = simulated(Infinity)
  for (let count = 0; count < 40; count += 1) await round()
  expect(await round()).toEqual(Array.from({ length: clients }, () => 1))
})

test('nearly everything is joined at a provider that takes one call at a time, also after a long while', async () => {
  const { round } = simulated(1)
  let calls = 0
  for (let count = 0; count < 200; count += 1) calls += (await round()).length
  // Two calls a round are as few as can be: the first, and one for those that came during it.
  expect(calls / 200).toBeLessThan(3)
  expect(calls / 200).toBeGreaterThanOrEqual(2)
})
