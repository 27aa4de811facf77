/**
 * Every way in which an embedding model can fail while a document is imported: what fails for a while
 * costs a document nothing, what fails for good is told by its record, and nothing is kept silent.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { DocumentOnWire } from '#documents/records/document-record.ts'
import { documentsOfFile, eventually, startDocuments } from '#test/support/app/documents-app.ts'
import { embeds, embedsWhenReleased, textsOf, vectorList } from '#test/support/upstream/embedding-script.ts'
import {
  cutBody,
  gate,
  hang,
  json,
  rateLimited,
  reset,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { Script } from '#test/support/upstream/upstream.ts'

// One attempt, so that no document waits for its second one.
const app = documentsOfFile({
  set: ['documents.max_attempts=1', 'limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=1'],
})

/** The script of a model that gives numbers and does this with them. */
function giving(behave: (texts: readonly string[]) => Behaviour): Script {
  return (request) => (request.json()['encoding_format'] === 'base64' ? embeds(request) : behave(textsOf(request)))
}

let made = 0
/** Of every call its own: what fails in one test must not make the next wait. */
function ownEmbedder(name = 'plain') {
  made += 1
  return { name, dimensions: made }
}

/** A document of a few chunks, imported while the model behaves like this. */
async function importedWith(script: Script, on = app()): Promise<DocumentOnWire> {
  on.upstream.script(script)
  const embedder = ownEmbedder()
  const bytes = `First part of document ${embedder.dimensions}. `.repeat(8)
  return on.imported({ bytes }, { embedder, chunker: 'character', chunk_units: 40 })
}

async function expectNothingFound({ doc_id: id, searchable }: DocumentOnWire): Promise<void> {
  expect(searchable).toBe(false)
  expect(await app().chunks(id)).toEqual([])
  expect(await app().hits({ query: 'document', doc_id: id, mode: 'keyword' })).toEqual([])
}

describe('an answer that cannot be right is asked for again, then the document fails as embedder_invalid_answer', () => {
  const good = [1, 2, 3]
  const allBut = (texts: readonly string[], vector: readonly (number | null)[]) =>
    json(vectorList([...texts.slice(1).map(() => good), vector]))
  const notANumber = Buffer.from(new Float32Array([1, Number.NaN, 3]).buffer).toString('base64')
  const invalid: Readonly<Record<string, Script>> = {
    'too few vectors': giving((texts) => json(vectorList(texts.slice(1).map(() => good)))),
    'too many vectors': giving((texts) => json(vectorList([...texts, ''].map(() => good)))),
    'vectors of different lengths': giving((texts) => allBut(texts, [1, 2])),
    'a vector of nothing': giving((texts) => allBut(texts, [])),
    'a vector with null for a number': giving((texts) => allBut(texts, [1, null, 3])),
    'a vector of zeros': giving((texts) => allBut(texts, [0, 0, 0])),
    'no list': giving(() => json({ object: 'list' })),
    'NaN in the bytes of base64': (request) =>
      json({ data: textsOf(request).map((_, index) => ({ index, embedding: notANumber })) }),
  }
  const records = new Map<string, DocumentOnWire>()
  // All at once, since each waits between its tries; the number of dimensions tells whose call it is.
  beforeAll(async () => {
    const scripts = new Map<unknown, Script>()
    app().upstream.script((request) => {
      const script = scripts.get(request.json()['dimensions'])
      return typeof script === 'function' ? script(request) : json(errorObject('whose call is this?'), 400)
    })
    await Promise.all(
      Object.entries(invalid).map(async ([what, script]) => {
        const embedder = ownEmbedder()
        scripts.set(embedder.dimensions, script)
        const options = { embedder, chunker: 'character', chunk_units: 10 }
        records.set(what, await app().imported({ bytes: `A document of a few chunks: ${what}` }, options))
      }),
    )
  }, 30_000)

  for (const what of Object.keys(invalid)) {
    test(what, async () => {
      const record = records.get(what)!
      expect(record).toMatchObject({
        state: 'failed',
        attempts: 1,
        error: { code: 'embedder_invalid_answer', stage: 'embedding', retryable: true },
      })
      await expectNothingFound(record)
    })
  }
})

describe('what the account or the gateway has to mend fails at once', () => {
  for (const status of [401, 402, 403, 404]) {
    test(`${status}: with one call, as embedder_refused`, async () => {
      const seen = app().upstream.requests.length
      const record = await importedWith(json(errorObject('the key of the gateway is wrong'), status))
      expect(record).toMatchObject({
        state: 'failed',
        error: { code: 'embedder_refused', stage: 'embedding', retryable: false },
      })
      if (status !== 404) expect(record.error?.message).not.toContain('key of the gateway')
      expect(app().upstream.requests.length - seen).toBe(1)
      await expectNothingFound(record)
    })
  }

  /** Fails the first call once `change` has happened meanwhile; then the retry finds the model closed or gone. */
  async function endedAfter(model: string, change: () => Promise<Response>): Promise<DocumentOnWire> {
    app().upstream.script([gate, ...json(errorObject('broken'), 500)])
    const seen = app().upstream.requests.length
    const [id] = await app().accepted([{ bytes: `changed under way: ${model}` }], { embedder: ownEmbedder(model) })
    await eventually(() => app().upstream.requests.length > seen)
    expect((await change()).status).toBeLessThan(300)
    app().upstream.release()
    return app().ended(id!)
  }
  const unavailable = {
    state: 'failed',
    error: { code: 'embedder_unavailable', stage: 'embedding', retryable: false },
  } as const

  test('a model that the importing user loses under way: embedder_unavailable', async () => {
    const membership = `/users/${app().keys.main.userId}/groups/${app().closedGroupId}`
    expect((await app().operate('PUT', membership)).status).toBeLessThan(300)
    expect(await endedAfter('private', () => app().operate('DELETE', membership))).toMatchObject(unavailable)
  })

  test('a model that is deleted under way: embedder_unavailable', async () => {
    const fields = { name: 'short-lived', provider_id: app().upProviderId, upstream_name: 'm' }
    const { id } = (await (await app().operate('POST', '/models', fields)).json()) as { id: string }
    expect(await endedAfter('short-lived', () => app().operate('DELETE', `/models/${id}`))).toMatchObject(unavailable)
  })
})

describe('for a while', () => {
  const faults: Readonly<Record<string, Behaviour>> = {
    '429 with a time to wait': rateLimited('0.01'),
    '500': json(errorObject('broken'), 500),
    '503': json(errorObject('overloaded'), 503),
    'a connection that breaks': [reset],
    'an answer that is cut off': cutBody(vectorList([[1, 2]])),
    'one wrong answer': json(vectorList([])),
  }
  for (const [what, fault] of Object.entries(faults)) {
    test(`${what}, then right: the document completes in its first attempt`, async () => {
      app().upstream.scriptNext(fault)
      const record = await importedWith(embeds)
      expect(record).toMatchObject({ state: 'completed', attempts: 1, error: null })
      const { chunks, embedded } = record.progress
      expect([embedded, chunks.total]).toEqual([chunks, (await app().chunks(record.doc_id)).length])
      expect((await app().hits({ query: 'document', doc_id: record.doc_id, mode: 'vector' })).length).toBe(chunks.total)
    })
  }

  test('a provider that asks to wait longer than a call is tried again for: the attempt ends', async () => {
    const record = await importedWith(rateLimited('3600'))
    expect(record).toMatchObject({
      state: 'failed',
      error: { code: 'embedder_failed', stage: 'embedding', retryable: true },
    })
    await expectNothingFound(record)
  })

  test('silence: the call ends with the time-out of the model, and the document goes on', async () => {
    const fields = {
      name: 'silent-once',
      provider_id: app().upProviderId,
      upstream_name: 'm',
      timeouts: { first_token_seconds: 0.1 },
    }
    expect((await app().operate('POST', '/models', fields)).status).toBe(201)
    app().upstream.script(embeds)
    app().upstream.scriptNext([hang])
    expect(await app().imported({ bytes: 'after a silence' }, { embedder: 'silent-once' })).toMatchObject({
      state: 'completed',
      attempts: 1,
    })
  })
})

describe('for longer than an attempt', () => {
  // A lease that does not run out when the clock is put forward.
  const set = ['documents.lease_seconds=3600', 'documents.max_attempts=2']

  test('500 for ever: the attempt ends when the time for retries is over, and after the last one the document fails', async () => {
    await using slow = await startDocuments({ set: ['documents.lease_seconds=3600', 'documents.max_attempts=1'] })
    slow.upstream.script(json(errorObject('broken for ever'), 500))
    const [id] = await slow.accepted([{ bytes: 'never embedded' }], { embedder: 'plain' })
    await eventually(() => slow.upstream.requests.length > 0)
    slow.advance(125_000)
    expect(await slow.ended(id!)).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { code: 'embedder_failed', stage: 'embedding', retryable: true },
    })
  })

  test('the document waits for its next attempt as queued, with the reason, and completes in it', async () => {
    await using slow = await startDocuments({ set })
    slow.upstream.script(rateLimited('600'))
    const [id] = await slow.accepted([{ bytes: 'in the second attempt' }], { embedder: 'plain' })
    await eventually(async () => (await slow.record(id!)).error !== null)
    expect(await slow.record(id!)).toMatchObject({
      state: 'queued',
      attempts: 1,
      error: { code: 'embedder_failed', stage: 'embedding', retryable: true },
    })
    slow.upstream.script(embeds)
    slow.advance(601_000)
    expect(await slow.ended(id!)).toMatchObject({ state: 'completed', attempts: 2, error: null })
  })

  test('after the last attempt it fails', async () => {
    await using slow = await startDocuments({ set })
    slow.upstream.script(rateLimited('600'))
    const [id] = await slow.accepted([{ bytes: 'in no attempt' }], { embedder: 'plain' })
    await eventually(async () => (await slow.record(id!)).error !== null)
    slow.advance(601_000)
    expect(await slow.ended(id!)).toMatchObject({ state: 'failed', attempts: 2, error: { code: 'embedder_failed' } })
  })
})

test('a model that fails one document’s text fails that document only', async () => {
  app().upstream.script((request) =>
    textsOf(request).some((text) => text.includes('poison'))
      ? json(errorObject('this text is not taken'), 400)
      : embeds(request),
  )
  const items = ['one', 'two', 'poison', 'three'].map((word) => ({ bytes: `text of ${word}`, name: word }))
  const ids = await app().accepted(items, { embedder: 'plain', wait_for_completion: true })
  const records = await Promise.all(ids.map((id) => app().record(id)))
  expect(records.map(({ name, state }) => [name, state])).toEqual([
    ['one', 'completed'],
    ['two', 'completed'],
    ['poison', 'failed'],
    ['three', 'completed'],
  ])
  expect(records[2]!.error).toMatchObject({ code: 'embedder_refused', retryable: false })
})

test('importing takes no slot of the account: a chat on the same model is served meanwhile, and only a second one refused', async () => {
  app().upstream.script((request) => (request.path.endsWith('/embeddings') ? embedsWhenReleased(request) : [hang]))
  const seen = app().upstream.requests.length
  const [id] = await app().accepted([{ bytes: 'no slot is taken' }], { embedder: 'plain' })
  await eventually(() => app().upstream.requests.length >= seen + 1)
  const leaving = new AbortController()
  const first = app()
    .chat({}, { signal: leaving.signal })
    .catch(() => null)
  await eventually(() => app().upstream.requests.some((each) => each.path.endsWith('/chat/completions')))
  expect((await app().chat()).status).toBe(429)
  leaving.abort()
  await first
  app().upstream.script(embeds)
  app().upstream.release(10)
  expect((await app().ended(id!)).state).toBe('completed')
})
