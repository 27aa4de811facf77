import { describe, expect, test } from 'bun:test'
import { until } from '#test/support/until.ts'
import { EmbedFailure, type Embedder, type EmbedRequest } from './embedder.ts'
import { EmbedQueue, waitUnlessAborted } from './embed-queue.ts'
import { HashingEmbedder } from './hashing-embedder.ts'

/** One call to the embedder of a test, answered when the test says so. */
interface Call extends EmbedRequest {
  answer(vectors?: readonly Float32Array[]): void
  fail(failure: EmbedFailure): void
}

/** An embedder that the test answers for. */
class HandEmbedder implements Embedder {
  readonly name = 'by-hand'
  readonly warning = null
  readonly batchMax: number
  readonly calls: Call[] = []

  constructor(batchMax: number) {
    this.batchMax = batchMax
  }

  embed(request: EmbedRequest): Promise<readonly Float32Array[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>()
    request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
    const answer = (vectors = request.texts.map(vectorFor)): void => resolve(vectors)
    this.calls.push({ ...request, answer, fail: reject })
    return promise
  }
}

/** An embedder that answers by itself, as `reply` says. */
function answering(batchMax: number, reply: (texts: readonly string[]) => readonly Float32Array[]) {
  const calls: (readonly string[])[] = []
  const embedder: Embedder = {
    name: 'answering',
    warning: null,
    batchMax,
    async embed({ texts }) {
      calls.push(texts)
      return reply(texts)
    },
  }
  return { embedder, calls }
}

function vectorFor(text: string): Float32Array {
  return new Float32Array([text.length + 1, Number(text.replaceAll(/\D/g, '')) + 1])
}

/** A queue whose waits end at once, and which notes how long they were to be. */
function queueOf({ concurrency = 4, budgetMs = 60_000 } = {}) {
  const waits: number[] = []
  let now = 0
  const queue = new EmbedQueue({
    concurrency: () => concurrency,
    retryBudgetMs: { passage: budgetMs, query: budgetMs },
    async wait(ms) {
      waits.push(ms)
      now += ms
      await new Promise<void>((resolve) => setImmediate(resolve))
    },
    clock: { elapsed: () => now },
  })
  return { queue, waits }
}

const signal = new AbortController().signal
const passages = (texts: readonly string[], more: object = {}) =>
  ({ texts, purpose: 'passage', signal, ...more }) as const
const texts = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
const rejected = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
const failed = (retryAfterMs: number | null = null) =>
  new EmbedFailure('embedder_failed', 'broken', { retryable: true, retryAfterMs })
const refused = new EmbedFailure('embedder_refused', 'refused', { retryable: false })

describe('texts', () => {
  test('of documents that come at once share calls, and each document gets its own vectors in order', async () => {
    const { embedder, calls } = answering(10, (all) => all.map(vectorFor))
    const { queue } = queueOf()
    const documents = [texts('a', 3), texts('b', 3), texts('c', 4)]
    const answers = await Promise.all(documents.map((each) => queue.embed(embedder, passages(each))))
    expect(calls).toHaveLength(1)
    for (const [at, document] of documents.entries()) {
      for (const [index, text] of document.entries()) {
        const [x, y] = vectorFor(text)
        expect(answers[at]![index]![1]! / answers[at]![index]![0]!).toBeCloseTo(y! / x!, 4)
      }
    }
  })

  test('come back with length 1', async () => {
    const { embedder } = answering(4, (all) => all.map(vectorFor))
    for (const vector of await queueOf().queue.embed(embedder, passages(texts('a', 9))))
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  test('of a small document do not wait behind a large one', async () => {
    const embedder = new HandEmbedder(4)
    const { queue } = queueOf({ concurrency: 1 })
    const large = queue.embed(embedder, passages(texts('large', 100)))
    const small = queue.embed(embedder, passages(['small0', 'small1']))
    await until(() => embedder.calls.length === 1)
    expect(embedder.calls[0]!.texts).toEqual(['large0', 'large1', 'small0', 'small1'])
    embedder.calls[0]!.answer()
    expect(await small).toHaveLength(2)
    for (let at = 1; at < 26; at += 1) {
      await until(() => embedder.calls.length > at)
      embedder.calls[at]!.answer()
    }
    expect(await large).toHaveLength(100)
  })

  test('that come while a call is under way fill the next one', async () => {
    const embedder = new HandEmbedder(8)
    const { queue } = queueOf()
    const first = queue.embed(embedder, passages(['first']))
    await until(() => embedder.calls.length === 1)
    const others = texts('other', 5).map((text) => queue.embed(embedder, passages([text])))
    await new Promise((resolve) => setImmediate(resolve))
    expect(embedder.calls).toHaveLength(1)
    embedder.calls[0]!.answer()
    await first
    await until(() => embedder.calls.length === 2)
    expect(embedder.calls[1]!.texts).toEqual(texts('other', 5))
    embedder.calls[1]!.answer()
    await Promise.all(others)
  })

  test('of questions never wait behind passages', async () => {
    const embedder = new HandEmbedder(2)
    const { queue } = queueOf({ concurrency: 1 })
    void rejected(queue.embed(embedder, passages(texts('a', 50))))
    await until(() => embedder.calls.length === 1)
    const question = queue.embed(embedder, { texts: ['q1'], purpose: 'query', signal })
    await until(() => embedder.calls.length === 2)
    expect(embedder.calls[1]).toMatchObject({ texts: ['q1'], purpose: 'query' })
    embedder.calls[1]!.answer()
    expect(await question).toHaveLength(1)
  })

  test('are never in more calls at once than the limit', async () => {
    const embedder = new HandEmbedder(1)
    const { queue } = queueOf({ concurrency: 3 })
    const all = queue.embed(embedder, passages(texts('a', 10)))
    let answered = 0
    while (answered < 10) {
      await until(() => embedder.calls.length > answered)
      expect(embedder.calls.length - answered).toBeLessThanOrEqual(3)
      embedder.calls[answered]!.answer()
      answered += 1
    }
    expect(await all).toHaveLength(10)
  })

  test('that are none need no call', async () => {
    const embedder = new HandEmbedder(1)
    expect(await queueOf().queue.embed(embedder, passages([]))).toEqual([])
    expect(embedder.calls).toEqual([])
  })

  test('that are done are told as they are done', async () => {
    const { embedder } = answering(4, (all) => all.map(vectorFor))
    const told: number[] = []
    await queueOf({ concurrency: 1 }).queue.embed(
      embedder,
      passages(texts('a', 10), { onProgress: (done: number) => told.push(done) }),
    )
    expect(told).toEqual([4, 8, 10])
  })
})

describe('a failure', () => {
  test('that passes is tried again after a while', async () => {
    let calls = 0
    const { embedder } = answering(4, (all) => {
      calls += 1
      if (calls < 3) throw failed()
      return all.map(vectorFor)
    })
    const { queue, waits } = queueOf()
    expect(await queue.embed(embedder, passages(['a']))).toHaveLength(1)
    expect(waits.length).toBeGreaterThanOrEqual(2)
  })

  test('that asks to wait is waited for, by all documents', async () => {
    const embedder = new HandEmbedder(1)
    const { queue, waits } = queueOf({ concurrency: 1 })
    const both = Promise.all([queue.embed(embedder, passages(['a'])), queue.embed(embedder, passages(['b']))])
    await until(() => embedder.calls.length === 1)
    embedder.calls[0]!.fail(failed(7000))
    await until(() => embedder.calls.length === 2)
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(7000)
    embedder.calls[1]!.answer()
    await until(() => embedder.calls.length === 3)
    embedder.calls[2]!.answer()
    await both
  })

  test('that asks to wait longer than the budget ends the document, and says for how long', async () => {
    const { embedder, calls } = answering(4, () => {
      throw failed(600_000)
    })
    const thrown = await rejected(queueOf({ budgetMs: 60_000 }).queue.embed(embedder, passages(['a'])))
    expect(thrown).toMatchObject({ code: 'embedder_failed', retryable: true, retryAfterMs: 600_000 })
    expect(calls).toHaveLength(1)
  })

  test('that does not pass ends the document within the budget', async () => {
    const { embedder } = answering(4, () => {
      throw failed()
    })
    const { queue, waits } = queueOf({ budgetMs: 20_000 })
    expect(await rejected(queue.embed(embedder, passages(['a'])))).toMatchObject({ code: 'embedder_failed' })
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(200_000)
  })

  test('that is final is not tried again', async () => {
    const { embedder, calls } = answering(4, () => {
      throw refused
    })
    expect(await rejected(queueOf().queue.embed(embedder, passages(['a', 'b'])))).toBe(refused)
    expect(calls).toHaveLength(1)
  })

  for (const [title, poison] of [
    [
      'is refused',
      () => {
        throw refused
      },
    ],
    [
      'breaks the embedder',
      () => {
        throw failed()
      },
    ],
    ['makes it give NaN', (all: readonly string[]) => all.map(() => new Float32Array([Number.NaN, 1]))],
    ['makes it give zeros', (all: readonly string[]) => all.map(() => new Float32Array(2))],
    ['makes it give too few', (all: readonly string[]) => all.slice(1).map(vectorFor)],
    [
      'makes it give another dimension',
      (all: readonly string[]) => all.map((_, at) => new Float32Array(at === 0 ? 3 : 2).fill(1)),
    ],
  ] as const) {
    test(`of a text that ${title} is its own document's only`, async () => {
      const { embedder } = answering(16, (all) => (all.includes('poison') ? poison(all) : all.map(vectorFor)))
      const { queue } = queueOf()
      const [good, bad, alsoGood] = await Promise.allSettled([
        queue.embed(embedder, passages(texts('a', 5))),
        queue.embed(embedder, passages(['b', 'poison'], { dimensions: 2 })),
        queue.embed(embedder, passages(texts('c', 5))),
      ])
      expect([good.status, bad.status, alsoGood.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    })
  }

  test('of an answer in another dimension than the space has is not stored', async () => {
    const { embedder } = answering(4, (all) => all.map(() => new Float32Array([1, 1, 1])))
    const thrown = await rejected(queueOf().queue.embed(embedder, passages(['a'], { dimensions: 2 })))
    expect(thrown).toMatchObject({ code: 'embedder_invalid_answer' })
  })

  test('of a model that is gone ends all its documents at once', async () => {
    const gone = new EmbedFailure('embedder_unavailable', 'gone', { retryable: false })
    const { embedder, calls } = answering(8, () => {
      throw gone
    })
    const { queue } = queueOf()
    const both = await Promise.all([
      rejected(queue.embed(embedder, passages(['a']))),
      rejected(queue.embed(embedder, passages(['b']))),
    ])
    expect([both, calls.length]).toEqual([[gone, gone], 1])
  })
})

describe('a document that is no longer wanted', () => {
  test('leaves the others of its call undisturbed', async () => {
    const embedder = new HandEmbedder(8)
    const { queue } = queueOf()
    const leaving = new AbortController()
    const gone = rejected(queue.embed(embedder, passages(['a'], { signal: leaving.signal })))
    const stays = queue.embed(embedder, passages(['b']))
    await until(() => embedder.calls.length === 1)
    const reason = new Error('cancelled')
    leaving.abort(reason)
    expect(await gone).toBe(reason)
    expect(embedder.calls[0]!.signal.aborted).toBe(false)
    embedder.calls[0]!.answer()
    expect(await stays).toHaveLength(1)
  })

  test('ends its calls when nobody else waits for them, and makes no more', async () => {
    const embedder = new HandEmbedder(2)
    const { queue } = queueOf({ concurrency: 2 })
    const leaving = new AbortController()
    const gone = rejected(queue.embed(embedder, passages(texts('a', 20), { signal: leaving.signal })))
    await until(() => embedder.calls.length === 2)
    leaving.abort()
    await gone
    expect(embedder.calls.map((call) => call.signal.aborted)).toEqual([true, true])
    const next = queue.embed(embedder, passages(['next']))
    await until(() => embedder.calls.length === 3)
    expect(embedder.calls[2]!.texts).toEqual(['next'])
    embedder.calls[2]!.answer()
    expect(await next).toHaveLength(1)
  })

  test('is refused before any call when it never was', async () => {
    const embedder = new HandEmbedder(2)
    const reason = new Error('cancelled before')
    const order = passages(['a'], { signal: AbortSignal.abort(reason) })
    expect(await rejected(queueOf().queue.embed(embedder, order))).toBe(reason)
    expect(embedder.calls).toEqual([])
  })
})

test('the built-in embedder runs through the queue', async () => {
  const queue = new EmbedQueue({
    concurrency: () => 1,
    retryBudgetMs: { passage: 1000, query: 1000 },
    wait: waitUnlessAborted,
    clock: { elapsed: () => performance.now() },
  })
  await using hashing = new HashingEmbedder()
  const vectors = await queue.embed(hashing, passages(texts('word', 600)))
  expect([vectors.length, vectors[0]!.length]).toEqual([600, 384])
})
