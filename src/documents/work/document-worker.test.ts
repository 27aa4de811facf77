import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Completion } from '#store/documents/document-store.ts'
import { LeaseLost } from '#store/errors.ts'
import { openStore, type Store } from '#store/store.ts'
import { eventually } from '#test/support/app/documents-app.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aDocument, chunks, completion, everything, space } from '#test/support/store/store-documents.ts'
import { EmbedFailure } from '../embedders/embedder.ts'
import { DocumentWorker, type DocumentWorkerOptions } from './document-worker.ts'
import type { Run } from './run.ts'

let directory: string
let store: Store
let clock: ManualClock
let lines: string[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-worker-'))
  store = await openStore({ url: `sqlite:${join(directory, 'sluice.db')}`, sealer: sealer(new Uint8Array(32)) })
  clock = new ManualClock(1_780_000_000_000)
  lines = []
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true })
})

/** A worker on the real store that does this with each document. */
function open(process: DocumentWorkerOptions['process'], set: readonly string[] = []) {
  const config = loadConfig({ environment: {}, directory, overrides: ['documents.concurrency=2', ...set] })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const settings = new LiveSettings(config.settings, config.sources)
  const logger = createLogger({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  const outcomes: string[] = []
  const worker = new DocumentWorker({
    store: store.documents,
    settings,
    clock,
    logger,
    now: async () => clock.now(),
    places: async () => null,
    leads: async () => true,
    isOnlyProcess: true,
    process,
    ended: async (_run, code) => void outcomes.push(code),
  })
  return { worker, outcomes }
}

async function insert(count = 1): Promise<readonly string[]> {
  const documents = Array.from({ length: count }, () => aDocument({ createdAt: clock.now() }))
  await store.documents.insert(documents)
  return documents.map(({ id }) => id)
}

const recordOf = async (id: string | undefined) => (await store.documents.get(id ?? '', everything))!
/** Ends the run as a real one does when its signal is aborted. */
const untilAborted = (run: Run) =>
  new Promise<never>((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)))

async function stageAndComplete(run: Run): Promise<Completion> {
  await store.documents.stage(run.lease, space, chunks(2))
  return completion
}

test('every document is processed once, never more at a time than set, and completed', async () => {
  const ids = await insert(7)
  let running = 0
  let most = 0
  const seen: string[] = []
  const { worker, outcomes } = open(async (run) => {
    seen.push(run.document.id)
    most = Math.max(most, (running += 1))
    const done = await stageAndComplete(run)
    running -= 1
    return done
  })
  worker.wake()
  await eventually(() => outcomes.length === 7)
  await worker[Symbol.asyncDispose]()
  expect([most, seen.toSorted()]).toEqual([2, ids.toSorted()])
  for (const id of ids) expect(await recordOf(id)).toMatchObject({ state: 'completed', attempts: 1, visible: true })
})

test('a failure that a retry cannot fix ends the document, with how far it came', async () => {
  const [id] = await insert()
  const { worker, outcomes } = open(async (run) => {
    run.enter('reading')
    run.report({ pages: { done: 2, total: 5 } })
    throw new ReadFailure('damaged', 'The file is damaged.')
  })
  worker.wake()
  await eventually(() => outcomes.length === 1)
  await worker[Symbol.asyncDispose]()
  expect(outcomes).toEqual(['damaged'])
  const record = await recordOf(id)
  expect(record).toMatchObject({
    state: 'failed',
    error: { code: 'damaged', stage: 'reading', message: 'The file is damaged.', retryable: false },
    progress: { pages: { done: 2, total: 5 } },
  })
  expect(record.stateAt.reading).toBe(clock.now())
})

test('a failure that may pass is tried again after a while, with as many attempts as set', async () => {
  const [id] = await insert()
  const failure = new EmbedFailure('embedder_failed', 'It is down.', { retryable: true, retryAfterMs: 1234.5 })
  const { worker, outcomes } = open(() => Promise.reject(failure), ['documents.max_attempts=3'])
  worker.wake()
  for (const attempt of [1, 2]) {
    await eventually(() => outcomes.length === attempt)
    expect(await recordOf(id)).toMatchObject({ state: 'queued', attempts: attempt, error: { code: 'embedder_failed' } })
    worker.wake()
    expect(
      (await store.documents.claim({ worker: 'early', max: 1, leaseUntil: clock.now() + 1, now: clock.now() + 1000 }))
        .length,
    ).toBe(0)
    clock.advance(300_000)
    worker.wake()
  }
  await eventually(() => outcomes.length === 3)
  await worker[Symbol.asyncDispose]()
  expect(outcomes).toEqual(['retried', 'retried', 'embedder_failed'])
  expect(await recordOf(id)).toMatchObject({ state: 'failed', attempts: 3 })
  expect(lines.join('')).not.toContain('"level":"error"')
})

test('a full disk takes no attempt, however long it lasts', async () => {
  const [id] = await insert()
  let isFull = true
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const { worker, outcomes } = open(
    (run) => (isFull ? Promise.reject(full) : stageAndComplete(run)),
    ['documents.max_attempts=1'],
  )
  worker.wake()
  for (const times of [1, 2, 3]) {
    await eventually(() => outcomes.length === times)
    expect(await recordOf(id)).toMatchObject({ state: 'queued', attempts: 0, error: { code: 'storage_full' } })
    if (times === 3) isFull = false
    clock.advance(300_000)
    worker.wake()
  }
  await eventually(() => outcomes.length === 4)
  await worker[Symbol.asyncDispose]()
  expect(outcomes).toEqual(['retried', 'retried', 'retried', 'completed'])
  expect(await recordOf(id)).toMatchObject({ state: 'completed', attempts: 1 })
})

test('what nobody foresaw is logged, tried again, and tells the user nothing of the inside', async () => {
  const [id] = await insert()
  const { worker, outcomes } = open(() => Promise.reject(new Error('secret /srv/path')), ['documents.max_attempts=1'])
  worker.wake()
  await eventually(() => outcomes.length === 1)
  await worker[Symbol.asyncDispose]()
  const { error } = await recordOf(id)
  expect(error).toMatchObject({ code: 'internal_error', retryable: true })
  expect(error?.message).not.toContain('secret')
  expect(lines.join('')).toContain('secret /srv/path')
})

test('documents of a worker that died are taken back when their lease has run out, after a wait of whole milliseconds', async () => {
  const ids = await insert(5)
  await store.documents.claim({ worker: 'dead', max: 5, leaseUntil: clock.now() + 1000, now: clock.now() })
  const { worker, outcomes } = open(stageAndComplete)
  await worker.reap()
  expect(outcomes).toEqual([])
  clock.advance(1001)
  await worker.reap()
  clock.advance(5000)
  worker.wake()
  await eventually(() => outcomes.length === 5)
  await worker[Symbol.asyncDispose]()
  for (const id of ids) expect(await recordOf(id)).toMatchObject({ state: 'completed', attempts: 2 })
})

test('documents of workers that died are looked for at the start, not only after a while', async () => {
  const { documents } = store
  await insert(1)
  await documents.claim({ worker: 'dead', max: 5, leaseUntil: clock.now() + 1000, now: clock.now() })
  let reaps = 0
  const counting = Object.create(documents, {
    reap: {
      value: (query: Parameters<typeof documents.reap>[0]) => {
        reaps += 1
        return documents.reap(query)
      },
    },
  }) as Store['documents']
  const real = store
  store = { ...real, documents: counting }
  const { worker } = open(stageAndComplete)
  await eventually(() => reaps === 1)
  await worker[Symbol.asyncDispose]()
  store = real
})

test('what crashes every time fails as crashed', async () => {
  const [id] = await insert()
  const { worker } = open(stageAndComplete, ['documents.max_crashes=1'])
  await store.documents.claim({ worker: 'dead', max: 5, leaseUntil: clock.now() + 1, now: clock.now() })
  clock.advance(10)
  await worker.reap()
  await worker[Symbol.asyncDispose]()
  expect(await recordOf(id)).toMatchObject({ state: 'failed', error: { code: 'crashed' } })
})

test('that servers ended takes nothing from the tries of a document', async () => {
  const [id] = await insert()
  const failure = new EmbedFailure('embedder_failed', 'It is down.', { retryable: true, retryAfterMs: 0 })
  for (let crash = 1; crash <= 4; crash += 1) {
    await store.documents.claim({ worker: 'dead', max: 5, leaseUntil: clock.now() + 1, now: clock.now() })
    clock.advance(10)
    await store.documents.reap({ now: clock.now(), crashesMax: 10, backoffMs: () => 0 })
  }
  const { worker, outcomes } = open(() => Promise.reject(failure), ['documents.max_attempts=2'])
  worker.wake()
  await eventually(() => outcomes.length === 1)
  clock.advance(300_000)
  worker.wake()
  await eventually(() => outcomes.length === 2)
  await worker[Symbol.asyncDispose]()
  expect(outcomes).toEqual(['retried', 'embedder_failed'])
  expect(await recordOf(id)).toMatchObject({ state: 'failed', attempts: 6, crashes: 4 })
})

test('a run whose document was cancelled is ended, and writes nothing', async () => {
  const [id] = await insert()
  let ended: unknown
  const { worker, outcomes } = open(
    (run) =>
      untilAborted(run).catch((reason: unknown) => {
        ended = reason
        throw reason
      }),
    ['documents.lease_seconds=1'],
  )
  worker.wake()
  await eventually(async () => (await recordOf(id)).attempts === 1)
  await store.documents.cancel(id!, everything, clock.now())
  await eventually(() => outcomes.length === 1)
  await worker[Symbol.asyncDispose]()
  expect(ended).toBeInstanceOf(LeaseLost)
  expect(outcomes).toEqual(['lease_lost'])
  expect((await recordOf(id)).state).toBe('cancelled')
})

test('a run that ends after its lease was lost completes nothing', async () => {
  const [id] = await insert()
  const gate = Promise.withResolvers<void>()
  const { worker, outcomes } = open(async (run) => {
    await gate.promise
    return stageAndComplete(run)
  })
  worker.wake()
  await eventually(async () => (await recordOf(id)).attempts === 1)
  await store.documents.cancel(id!, everything, clock.now())
  gate.resolve()
  await eventually(() => outcomes.length === 1)
  await worker[Symbol.asyncDispose]()
  expect(outcomes).toEqual(['lease_lost'])
  expect(await recordOf(id)).toMatchObject({ state: 'cancelled', visible: false })
})

test('a stop ends what runs, gives it back without an attempt, and claims nothing more', async () => {
  const ids = await insert(5)
  const { worker, outcomes } = open(untilAborted)
  worker.wake()
  await eventually(async () => (await store.documents.counts()).queued === 5 && (await recordOf(ids[1])).attempts === 1)
  await worker[Symbol.asyncDispose]()
  worker.wake()
  expect(outcomes).toEqual(['given_back', 'given_back'])
  for (const id of ids) expect(await recordOf(id)).toMatchObject({ state: 'queued', attempts: 0 })
  expect(
    await store.documents.claim({ worker: 'next', max: 9, leaseUntil: clock.now() + 1, now: clock.now() }),
  ).toHaveLength(5)
})

test('a store that fails for a moment stops nothing: the worker goes on when it is back', async () => {
  const [id] = await insert()
  let broken = true
  const { documents } = store
  const flaky: Store['documents'] = Object.create(documents, {
    claim: {
      value: (query: Parameters<typeof documents.claim>[0]) =>
        broken ? Promise.reject(new Error('the database is away')) : documents.claim(query),
    },
  }) as Store['documents']
  const real = store
  store = { ...real, documents: flaky }
  const { worker, outcomes } = open(async (run) => {
    await documents.stage(run.lease, space, chunks(1))
    return completion
  })
  worker.wake()
  await eventually(() => lines.some((line) => line.includes('looking for documents failed')))
  broken = false
  await eventually(() => outcomes.length === 1)
  await worker[Symbol.asyncDispose]()
  store = real
  expect((await recordOf(id)).state).toBe('completed')
})
