/** What a request has taken of a rate of tokens, from its admission to its end, however it ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  brokenStream,
  events,
  gate,
  hang,
  json,
  reset,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent, errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'

const burst = 1_000_000
/** What the samples of answers say that they used. */
const answerTokens = 14
const [first = {}, ...rest] = chatChunks({ usage: 'last' })

let gateway: GatewayApp
beforeAll(async () => {
  // Next to nothing comes back by itself while the tests run.
  gateway = await startGateway({ environment: { SLUICE_LIMITS_RATES: `user:* tokens 1000/day burst ${burst}` } })
  const timeouts = { first_token_seconds: 0.1 }
  await gateway.operate('PATCH', `/models/${gateway.models.shared.id}`, { timeouts })
  await answered()
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface End {
  /** Of the first try, and of the one on another connection after one that broke before its answer. */
  readonly scripts: readonly Behaviour[]
  readonly streamed?: boolean
  /** What ends it, when its reservation has been seen. */
  readonly finish: 'provider' | 'client' | 'timeout'
  readonly used: number | 'reserved'
}

const ends: Readonly<Record<string, End>> = {
  'a whole answer': { scripts: [[gate, ...json(chatCompletion())]], finish: 'provider', used: answerTokens },
  'a stream': {
    scripts: [[streamHead, ...events([first]), gate, ...events([...rest, doneEvent]), streamEnd]],
    streamed: true,
    finish: 'provider',
    used: answerTokens,
  },
  'an answer without a count': {
    scripts: [[gate, ...json({ ...chatCompletion(), usage: undefined })]],
    finish: 'provider',
    used: 'reserved',
  },
  'a refusal of the provider': { scripts: [[gate, ...json(errorObject('No.'), 400)]], finish: 'provider', used: 0 },
  'a failure of the provider': { scripts: [[gate, ...json(errorObject('Broken.'), 500)]], finish: 'provider', used: 0 },
  'a connection that breaks before the answer': { scripts: [[gate, reset], [reset]], finish: 'provider', used: 0 },
  'a stream that breaks': {
    scripts: [[gate, ...brokenStream([first], reset)]],
    streamed: true,
    finish: 'provider',
    used: 'reserved',
  },
  'a client that leaves before the answer': { scripts: [[hang]], finish: 'client', used: 'reserved' },
  'a client that leaves in the middle of a stream': {
    scripts: [[streamHead, ...events([first]), hang]],
    streamed: true,
    finish: 'client',
    used: 'reserved',
  },
  'a time-out before the answer': { scripts: [[gate, hang]], finish: 'timeout', used: 'reserved' },
}

describe('a reservation of tokens is settled once by', () => {
  for (const [what, end] of Object.entries(ends)) {
    test(what, async () => {
      for (let time = 0; time < 2; time += 1) {
        const before = await left()
        const { reserved, requestId } = await endedBy(end)
        expect(reserved).toBeGreaterThan(1000)
        await gateway.usageOf(requestId)
        expect(before - (await left())).toBe(end.used === 'reserved' ? reserved : end.used)
        // What comes later finds the same.
        await answered()
        expect(before - (await left())).toBe((end.used === 'reserved' ? reserved : end.used) + answerTokens)
      }
    })
  }

  test('each of many at once', async () => {
    const before = await left()
    await Promise.all(Array.from({ length: 50 }, answered))
    expect(before - (await left())).toBe(50 * answerTokens)
  })
})

/** Sends a request and ends it in this way; what it had reserved while it ran. */
async function endedBy({ scripts, streamed = false, finish }: End): Promise<{ reserved: number; requestId: string }> {
  const before = await left()
  const requestId = `ends-${crypto.randomUUID()}`
  const client = new AbortController()
  gateway.upstream.scriptNext(...scripts)
  const model = finish === 'timeout' ? 'shared' : 'plain'
  const options = { headers: { 'x-request-id': requestId }, signal: client.signal }
  const fields = { model, max_tokens: 1000 }
  const end = (streamed ? gateway.stream(fields, options) : gateway.chat(fields, options))
    .then((answer) => answer.text())
    .catch(() => 'gone')
  const received: ReceivedRequest = await gateway.received(requestId)
  const reserved = before - (await left())
  if (finish === 'client') client.abort()
  else received.release()
  await end
  return { reserved, requestId }
}

/** A request from its begin to its end. */
async function answered(): Promise<void> {
  const requestId = `whole-${crypto.randomUUID()}`
  expect((await gateway.chat({ max_tokens: 1000 }, { headers: { 'x-request-id': requestId } })).status).toBe(200)
  await gateway.usageOf(requestId)
}

/** How many tokens are left, as a request that needs more is told. */
async function left(): Promise<number> {
  const refused = await gateway.chat({ max_tokens: 2 * burst })
  expect(refused.status).toBe(429)
  return Number(refused.headers.get('x-ratelimit-remaining-tokens'))
}
