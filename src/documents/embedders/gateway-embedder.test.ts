import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { embeddings } from '#gateway/endpoints/embeddings.ts'
import { innerCall } from '#gateway/inner-call.ts'
import { cosine, embed, embedderContract } from '#test/support/contract/embedder-contract.ts'
import { gatewayBeside, type GatewayBeside } from '#test/support/app/gateway-beside.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  answer,
  cutBody,
  hang,
  json,
  rateLimited,
  reset,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'
import { EmbedFailure } from './embedder.ts'
import { EmbedQueue } from './embed-queue.ts'
import { GatewayEmbedder, type GatewayEmbedderOptions } from './gateway-embedder.ts'

let app: GatewayApp
let beside: GatewayBeside
beforeAll(async () => {
  app = await startGateway()
  beside = gatewayBeside(app)
})
afterAll(async () => {
  await beside[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** An embedder of the main user's, over the real call and the scripted provider. */
function open(options: Partial<GatewayEmbedderOptions> = {}): GatewayEmbedder {
  const caller = { account: app.app.state.directory.account(app.keys.main.userId)!, key: null }
  return new GatewayEmbedder((body, signal) => innerCall(beside.gateway, { caller, call: embeddings, body, signal }), {
    model: 'plain',
    batchMax: 64,
    ...options,
  })
}

/** What a model answers for these texts: vectors that depend on the text alone. */
function vectorFor(text: string): readonly number[] {
  return Array.from({ length: 8 }, (_, at) => Math.sin(Bun.hash.crc32(text) + at * 7) + 0.01)
}

function inputOf(request: Pick<ReceivedRequest, 'json'>): readonly string[] {
  return request.json()['input'] as readonly string[]
}

function list(vectors: readonly unknown[]): object {
  return {
    object: 'list',
    model: 'm',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  }
}

/** A provider that knows base64. */
function knowsBase64(request: ReceivedRequest): Behaviour {
  const vectors = inputOf(request).map(vectorFor)
  const asked = request.json()['encoding_format']
  return json(
    list(
      asked === 'base64'
        ? vectors.map((each) => Buffer.from(new Float32Array(each).buffer).toString('base64'))
        : vectors,
    ),
  )
}

/** One that refuses it, as several servers do. */
function refusesBase64(request: ReceivedRequest): Behaviour {
  return request.json()['encoding_format'] === undefined
    ? json(list(inputOf(request).map(vectorFor)))
    : json(errorObject('encoding_format is not supported', 'invalid_request_error'), 400)
}

async function failure(embedder: GatewayEmbedder, texts = ['a', 'b']): Promise<EmbedFailure> {
  const thrown = await embed(embedder, texts).catch((error: unknown) => error)
  if (thrown instanceof EmbedFailure) return thrown
  throw new Error('it did not fail as it should', { cause: thrown })
}

for (const [title, script] of Object.entries({
  'of a model that knows base64': knowsBase64,
  'of a model that knows numbers only': refusesBase64,
})) {
  embedderContract(title, async () => {
    app.upstream.script(script)
    return { embedder: open(), [Symbol.asyncDispose]: async () => {} }
  })
}

describe('a call', () => {
  test('brings exactly what the model gave, in both formats', async () => {
    for (const script of [knowsBase64, refusesBase64]) {
      app.upstream.script(script)
      const [vector] = await embed(open(), ['exact'])
      expect(vector).toEqual(new Float32Array(vectorFor('exact')))
    }
  })

  test('a provider without base64 is asked once only whether it has it', async () => {
    app.upstream.script(refusesBase64)
    const embedder = open()
    for (const text of ['a', 'b', 'c']) await embed(embedder, [text])
    const formats = app.upstream.requests.slice(-4).map((request) => request.json()['encoding_format'])
    expect(formats).toEqual(['base64', undefined, undefined, undefined])
  })

  test('vectors that come out of order are put in order by their index', async () => {
    const data = ['b', 'a'].map((text, at) => ({ index: 1 - at, embedding: vectorFor(text) }))
    app.upstream.scriptNext(json({ data }))
    const [first] = await embed(open(), ['a', 'b'])
    expect(cosine(first!, new Float32Array(vectorFor('a')))).toBeCloseTo(1, 5)
  })

  test('holds at most batchMax texts, and few when they are long', async () => {
    app.upstream.script(knowsBase64)
    const seen = app.upstream.requests.length
    await embed(
      open({ batchMax: 4 }),
      Array.from({ length: 10 }, (_, at) => `${at}`),
    )
    await embed(
      open(),
      Array.from({ length: 3 }, (_, at) => `${at}`.repeat(300_000)),
    )
    expect(app.upstream.requests.slice(seen).map((request) => inputOf(request).length)).toEqual([4, 4, 2, 1, 1, 1])
  })

  test('carries the prefixes and the dimensions that the model wants', async () => {
    app.upstream.script(knowsBase64)
    const embedder = open({ form: { query_prefix: 'query: ', passage_prefix: 'passage: ', dimensions: 256 } })
    await embed(embedder, ['x'])
    await embedder.embed({ texts: ['x'], purpose: 'query', signal: new AbortController().signal })
    expect(app.upstream.requests.slice(-2).map((request) => [inputOf(request), request.json()['dimensions']])).toEqual([
      [['passage: x'], 256],
      [['query: x'], 256],
    ])
  })

  test('of a model that was trained for it is cut here, and the length is not sent', async () => {
    app.upstream.script(knowsBase64)
    const [vector] = await embed(open({ form: { dimensions: 3, shortened_by: 'cut' } }), ['x'])
    expect(vector).toEqual(new Float32Array(vectorFor('x')).slice(0, 3))
    expect(app.upstream.requests.at(-1)!.json()['dimensions']).toBeUndefined()
  })

  test('a provider that takes fewer texts gets fewer, then and later', async () => {
    app.upstream.script((request) =>
      inputOf(request).length > 8 ? json(errorObject('batch size 16 > 8', 'validation'), 413) : knowsBase64(request),
    )
    const embedder = open({ batchMax: 16 })
    const texts = Array.from({ length: 16 }, (_, at) => `text ${at}`)
    expect(await embed(embedder, texts)).toEqual(texts.map((text) => new Float32Array(vectorFor(text))))
    expect(embedder.batchMax).toBe(8)
    const seen = app.upstream.requests.length
    await embed(embedder, texts)
    expect(app.upstream.requests.slice(seen).map((request) => inputOf(request).length)).toEqual([8, 8])
  })

  test('that nobody wants any more ends upstream', async () => {
    app.upstream.script([hang])
    const leaving = new AbortController()
    const seen = app.upstream.requests.length
    const call = open().embed({ texts: ['a'], purpose: 'passage', signal: leaving.signal })
    const ended = call.catch((thrown: unknown) => thrown)
    await until(() => app.upstream.requests.length > seen)
    const reason = new Error('cancelled')
    leaving.abort(reason)
    expect(await ended).toBe(reason)
    await app.upstream.requests.at(-1)!.closed
  })
})

describe('a failure', () => {
  const final = (code: EmbedFailure['code']) => ({ code, retryable: false, retryAfterMs: null })
  const passing = (code: EmbedFailure['code'], retryAfterMs: number | null = null) => ({
    code,
    retryable: true,
    retryAfterMs,
  })
  const cases: Readonly<Record<string, readonly [Behaviour, object]>> = {
    'too few vectors': [json(list([[1, 2]])), passing('embedder_invalid_answer')],
    'no list': [json({ object: 'list' }), passing('embedder_invalid_answer')],
    'two vectors with one index': [
      json({ data: [1, 1].map((index) => ({ index, embedding: [1] })) }),
      passing('embedder_invalid_answer'),
    ],
    'an answer that is not JSON': [
      answer(200, { 'Content-Type': 'application/json' }, '{"data": [[]'),
      passing('embedder_invalid_answer'),
    ],
    'a vector of nothing but text': [json(list([['x'], {}])), passing('embedder_invalid_answer')],
    '429 with Retry-After in seconds': [rateLimited('7'), passing('embedder_failed', 7000)],
    '500': [json(errorObject('broken'), 500), passing('embedder_failed')],
    'a reset connection': [[reset], passing('embedder_failed')],
    'an answer that is cut off': [cutBody(list([[1], [1]])), passing('embedder_failed')],
    '401': [json(errorObject('bad key'), 401), final('embedder_refused')],
    '402': [json(errorObject('no credit'), 402), final('embedder_refused')],
    '403': [json(errorObject('not yours'), 403), final('embedder_refused')],
  }
  for (const [title, [behaviour, expected]] of Object.entries(cases)) {
    test(title, async () => {
      app.upstream.script(behaviour)
      const { code, retryable, retryAfterMs, message } = await failure(open())
      expect({ code, retryable, retryAfterMs }).toEqual(expected as never)
      expect(message).not.toContain('bad key')
    })
  }

  test('429 with Retry-After as a date', async () => {
    app.upstream.script(rateLimited(new Date(Date.now() + 60_000).toUTCString()))
    const { retryAfterMs } = await failure(open())
    expect(retryAfterMs).toBeGreaterThan(30_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('silence ends with the time-out for the first token, and may be tried again', async () => {
    const fields = {
      name: 'silent',
      provider_id: app.upProviderId,
      upstream_name: 'm',
      timeouts: { first_token_seconds: 0.05 },
    }
    const made = await app.operate('POST', '/models', fields)
    expect([made.status, made.status === 201 ? '' : await made.text()]).toEqual([201, ''])
    app.upstream.script([hang])
    expect(await failure(open({ model: 'silent' }))).toMatchObject(passing('embedder_failed'))
  })

  test('one text that the provider refuses is named as refused, after the halves have told it apart', async () => {
    app.upstream.script((request) =>
      inputOf(request).includes('poison') ? json(errorObject('input too long'), 400) : knowsBase64(request),
    )
    const refused = await failure(open(), ['a', 'b', 'poison', 'd'])
    expect(refused).toMatchObject(final('embedder_refused'))
    expect(refused.message).toContain('input too long')
  })

  test('404 of the provider is final at once', async () => {
    app.upstream.script(json(errorObject('no such model', 'model_not_found'), 404))
    const seen = app.upstream.requests.length
    expect(await failure(open())).toMatchObject(final('embedder_refused'))
    expect(app.upstream.requests.length - seen).toBe(1)
  })

  test('a model that is gone or closed to the user is unavailable for good', async () => {
    for (const model of ['no-such-model', 'private', 'inactive'])
      expect(await failure(open({ model }))).toMatchObject(final('embedder_unavailable'))
  })
})

describe('through the queue', () => {
  let now = 0
  const queue = new EmbedQueue({
    concurrency: () => 4,
    retryBudgetMs: { passage: 60_000, query: 60_000 },
    wait(ms) {
      now += ms
      return new Promise<void>((resolve) => setImmediate(resolve))
    },
    clock: { elapsed: () => now },
  })
  const run = (texts: readonly string[]) =>
    queue.embed(open(), { texts, purpose: 'passage', signal: new AbortController().signal })
  const base64 = (...values: readonly number[]) => Buffer.from(new Float32Array(values).buffer).toString('base64')
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    'vectors of different dimensions': [base64(1, 2), base64(1, 2, 3)],
    NaN: [base64(1, 2), base64(Number.NaN, 2)],
    infinity: [base64(1, 2), base64(1, -Infinity)],
    'a vector of zeros': [
      [1, 2],
      [0, 0],
    ],
    'a vector of nothing': [[1, 2], []],
    'half a number': [base64(1, 2), 'AAAA'],
  }
  for (const [title, vectors] of Object.entries(wrong)) {
    test(`${title}: tried again, then an invalid answer`, async () => {
      app.upstream.script(json(list(vectors)))
      const seen = app.upstream.requests.length
      expect(await run(['a', 'b']).catch((thrown: unknown) => thrown)).toMatchObject({
        code: 'embedder_invalid_answer',
      })
      expect(app.upstream.requests.length - seen).toBe(3)
    })
  }

  test('a provider that fails for a while, in every way, costs a document nothing', async () => {
    app.upstream.script(knowsBase64)
    const faults = [
      rateLimited('1'),
      json(errorObject('broken'), 500),
      [reset],
      json(list([base64(1)])),
      cutBody(list([])),
    ]
    app.upstream.scriptNext(...faults)
    const seen = app.upstream.requests.length
    expect(await run(['a', 'b'])).toHaveLength(2)
    expect(app.upstream.requests.length - seen).toBe(faults.length + 1)
  })
})
