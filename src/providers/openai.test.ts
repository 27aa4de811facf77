import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Http1Client } from '#lib/http1/client.ts'
import { readAll } from '#lib/http1/reply.ts'
import { systemClock } from '#lib/clock.ts'
import { Secret } from '#lib/secret.ts'
import { Ticker } from '#lib/ticker.ts'
import { providerContract, upstreamCall } from '#test/support/contract/provider-contract.ts'
import { aProvider } from '#test/support/store/store-records.ts'
import {
  close,
  closeReused,
  head,
  json,
  openAiAnswer,
  reset,
  send,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { refusingUrl, startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { openaiProvider } from './openai.ts'
import { jsonBody, UpstreamFailure, type Provider } from './provider.ts'

interface Subject extends AsyncDisposable {
  readonly provider: Provider
  readonly unreachable: Provider
  readonly upstream: Upstream
}

async function startProvider(): Promise<Subject> {
  await using opening = new AsyncDisposableStack()
  const upstream = opening.use(await startUpstream())
  const http1 = opening.use(new Http1Client({ clock: systemClock, ticker: opening.use(new Ticker()) }))
  const record = aProvider({ baseUrl: upstream.url, credential: new Secret('upstream-key'), headers: { 'X-Own': 'a' } })
  const resources = opening.move()
  return {
    provider: openaiProvider(record, http1),
    unreachable: openaiProvider({ ...record, baseUrl: refusingUrl }, http1),
    upstream,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const skipped = {
  'embeddings come in the order of their inputs and in one dimension':
    'the vectors of the scripted server mean nothing',
}

providerContract(
  'openai',
  async () => {
    const { provider, upstream, ...rest } = await startProvider()
    upstream.script((request) => {
      const refused = request.method === 'POST' && request.json()['messages'] === 'none'
      return refused ? json(errorObject('messages must be a list'), 400) : openAiAnswer(request)
    })
    return { provider, chatModel: 'upstream-model', close: async () => rest[Symbol.asyncDispose]() }
  },
  skipped,
)

describe('a call', () => {
  let subject: Subject
  beforeEach(async () => void (subject = await startProvider()))
  afterEach(() => subject[Symbol.asyncDispose]())

  const call = upstreamCall('chat/completions', { model: 'upstream-model', messages: [] })
  const failureKind = async (promise: Promise<unknown>): Promise<string> => {
    const thrown = await promise.catch((error: unknown) => error)
    return thrown instanceof UpstreamFailure ? thrown.kind : String(thrown)
  }

  test('carries the credential, the own headers of the provider and no wish for compression', async () => {
    await subject.provider.send({ ...call, headers: { 'x-client': 'b', 'x-own': 'c' } })
    const request = await subject.upstream.nextRequest()
    expect(request.path).toBe('/v1/chat/completions')
    expect(
      ['authorization', 'x-own', 'x-client', 'accept-encoding', 'x-request-id'].map((name) => request.header(name)),
    ).toEqual(['Bearer upstream-key', 'a', 'b', 'identity', call.requestId])
    expect(Buffer.from(request.body).equals(jsonBody(call))).toBe(true)
  })

  test('fails by a word for what happened', async () => {
    const { provider, unreachable, upstream } = subject
    expect(await failureKind(unreachable.send(call))).toBe('refused')
    upstream.scriptNext([reset], [close], [send('SSH-2.0-x\r\n')])
    expect(await failureKind(provider.send(call))).toBe('reset')
    expect(await failureKind(provider.send(call))).toBe('reset')
    expect(await failureKind(provider.send(call))).toBe('protocol')
  })

  test('on a kept connection that has been closed fails, and succeeds on one of its own', async () => {
    const { provider, upstream } = subject
    upstream.script(closeReused)
    await readAll((await provider.send(call)).body, 10_000)
    expect(await failureKind(provider.send(call))).toBe('stale')
    expect((await provider.send({ ...call, reuseConnection: false })).status).toBe(200)
  })

  test('is not sent on to where a redirect points', async () => {
    subject.upstream.script([head(302, { Location: '/elsewhere', 'Content-Length': '0' })])
    expect((await subject.provider.send(call)).status).toBe(302)
    expect(subject.upstream.requests).toHaveLength(1)
  })

  test('for the list of models fails when there is none', async () => {
    const { signal } = new AbortController()
    for (const script of [json({}, 401), json({ data: 'none' }), json('none'), [close]]) {
      subject.upstream.script(script)
      expect(await subject.provider.discover(signal).catch((error: unknown) => error)).toBeInstanceOf(UpstreamFailure)
    }
  })
})
