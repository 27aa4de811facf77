/** Whose turn it is among batches, and that a result is written once and under a lease that is in effect. */
import { expect } from 'bun:test'
import type { Batch } from '#store/batches/batch-row.ts'
import type { LineResult } from '#store/batches/batch-results.ts'
import type { ClaimedJob, NativeState } from '#store/batches/batch-jobs.ts'
import type { BatchStore } from '#store/batches/batches.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { LeaseLost } from '#store/errors.ts'
import { rejection, type StoreTest } from './store-test.ts'

const worker = 'w'

export function batchContract(storeTest: StoreTest): void {
  for (const sizes of [
    { a: 1, b: 1 },
    { a: 2, b: 5, c: 1 },
    { a: 40, b: 1, c: 9, d: 20 },
  ]) {
    const said = Object.values(sizes).join(', ')
    storeTest(
      `accounts with ${said} parts of work take turns, each with its most urgent first`,
      async ({ batches }) => {
        const left = new Map<string, number[]>()
        for (const [userId, parts] of Object.entries(sizes)) {
          // Two batches of each account; the one that was made later has to be done earlier.
          const [late, urgent] = [Math.floor(parts / 2), Math.ceil(parts / 2)]
          if (late > 0) await accepted(batches, aBatch(userId, 2000), late)
          await accepted(batches, aBatch(userId, 1000), urgent)
          left.set(userId, [...Array<number>(urgent).fill(1000), ...Array<number>(late).fill(2000)])
        }
        const held = new Map(Object.keys(sizes).map((userId) => [userId, 0]))
        for (let job = await claim(batches); job !== null; job = await claim(batches)) {
          const { userId, expiresAt } = job.batch
          const waiting = [...held].filter(([user]) => (left.get(user)?.length ?? 0) > 0)
          expect(held.get(userId)).toBe(Math.min(...waiting.map(([, count]) => count)))
          expect(expiresAt).toBe(left.get(userId)?.shift() ?? 0)
          held.set(userId, (held.get(userId) ?? 0) + 1)
        }
        expect([...left.values()].flat()).toEqual([])
      },
    )
  }

  storeTest(
    'async requests come first, are claimed alone where there is room for no others, and count apart',
    async ({ batches }) => {
      await accepted(batches, aBatch('a', 1000), 2)
      await accepted(batches, { ...aBatch('a', 2000), dialect: 'async' }, 1)
      const first = await claim(batches, 10, [], true)
      expect(first?.batch.dialect).toBe('async')
      await batches.release(first!.lease, 10)
      expect((await claim(batches, 11))?.batch.dialect).toBe('async')
      expect(await claim(batches, 12, [], true)).toBeNull()
      expect((await claim(batches, 12))?.batch.dialect).toBe('openai')
      expect(await batches.insert(aBatch('a', 1000), 1)).toBe(false)
      expect(await batches.insert({ ...aBatch('a', 1000), dialect: 'async' }, 2)).toBe(true)
      expect(await batches.insert({ ...aBatch('a', 1000), dialect: 'async' }, 2)).toBe(false)
    },
  )

  for (const { dialect, others } of [
    { dialect: 'openai', others: 'async' },
    { dialect: 'async', others: 'openai' },
  ] as const) {
    storeTest(
      `no account has more open ${dialect} batches than it may, when many are made at once`,
      async ({ batches }) => {
        expect(await batches.insert({ ...aBatch('a', 1000), dialect: others }, 1)).toBe(true)
        const openMax = 3
        const made = ['a', 'b'].flatMap((userId) =>
          Array.from({ length: 12 }, async () => {
            const batch = { ...aBatch(userId, 1000), dialect }
            return { batch, isAdded: await batches.insert(batch, openMax) }
          }),
        )
        const added = (await Promise.all(made)).flatMap(({ batch, isAdded }) => (isAdded ? batch : []))
        for (const userId of ['a', 'b']) {
          const own = added.filter((batch) => batch.userId === userId).map(({ id }) => id)
          const listed = await batches.list({ userId, dialect, limit: 100, after: null })
          expect(listed?.map(({ id }) => id).toSorted()).toEqual(own.toSorted())
          expect(own).toHaveLength(openMax)
        }
      },
    )
  }

  storeTest('an account that has enough is passed over, and a job that was given back waits', async ({ batches }) => {
    await accepted(batches, aBatch('a', 1000), 2)
    await accepted(batches, aBatch('b', 2000), 1)
    const other = await claim(batches, 10, ['a'])
    expect(other?.batch.userId).toBe('b')
    await batches.release(other!.lease, 50)
    expect(await claim(batches, 49, ['a'])).toBeNull()
    expect((await claim(batches, 50, ['a']))?.lease.fence).toBe(other!.lease.fence + 1)
  })

  storeTest('a stopped batch ends when the parts that a provider may have are done', async ({ batches }) => {
    const states: readonly (NativeState | null)[] = [
      null,
      { phase: 'new' },
      { phase: 'submitting', providerId: 'p', at: 1, count: 1 },
      { phase: 'submitted', providerId: 'p', id: 'b', cancelledAt: null },
    ]
    const batch = aBatch('a', 1000)
    await accepted(batches, batch, states.length, states)
    for (const state of states) {
      const job = await claim(batches)
      expect(job?.native).toEqual(state)
      if (state?.phase === 'new') await batches.setNative(job!.lease, state)
    }
    expect(await batches.cancel(batch.id, 20)).toMatchObject({ status: 'cancelling' })
    expect(
      await batches.claim({ worker, now: 20, leaseUntil: 120, exceptUsers: [], onlyAsync: false, withNative: false }),
    ).toBeNull()
    for (const state of states.slice(2)) {
      const job = await claim(batches, 20)
      expect([job?.native, job?.batch.outcome]).toEqual([state, 'cancelled'])
      await batches.write(job!.lease, [], true, 30)
      expect(await batches.find(batch.id)).toMatchObject({ status: 'cancelling' })
    }
    const last = await claim(batches, 30)
    expect(last?.part).toBe(0)
    await batches.finish(last!.lease, { output: null, errors: null }, 40)
    expect(await batches.find(batch.id)).toMatchObject({ status: 'cancelled', endedAt: 40 })
  })

  storeTest('files of a batch that has not ended are neither deleted nor expired', async ({ batches, files }) => {
    const batch = aBatch('a', 1000)
    const input = { ...aFile(batch), id: batch.inputFileId, sha256: 'x', expiresAt: 5 }
    const other = { ...aFile(batch), sha256: 'x', expiresAt: 5 }
    for (const file of [input, other]) await files.insert(file, 1000)
    await accepted(batches, batch, 1)
    const { outputFileId, errorFileId } = (await batches.find(batch.id))!
    for (const id of [input.id, outputFileId!, errorFileId!])
      expect(await files.deleteUnused({ id, userId: 'a' })).toBe(false)
    const expired = async (): Promise<readonly string[]> => (await files.expired(10, 100)).map(({ id }) => id)
    expect([(await expired()).includes(input.id), (await expired()).includes(other.id)]).toEqual([false, true])
    expect(await files.deleteUnused(other)).toBe(true)
    expect(await files.deleteUnused(other)).toBe(false)
    await batches.cancel(batch.id, 20)
    const { lease } = (await claim(batches, 30))!
    await batches.finish(lease, { output: null, errors: null }, 40)
    expect(await expired()).toContain(input.id)
    expect(await files.deleteUnused(input)).toBe(true)
  })

  storeTest('pieces of a stream are those of one try, and of a lease that is held', async ({ batches }) => {
    const batch = { ...aBatch('a', 1000), dialect: 'async' } as const
    await accepted(batches, batch, 1)
    const { lease } = (await claim(batches, 10))!
    const piece = (attempt: string, position: number, text: string, held = lease) =>
      batches.addPieces([{ lease: held, attempt, position, text }])
    const texts = async (from = 0): Promise<readonly string[]> =>
      (await batches.pieces(batch.id, from)).map(({ attempt, text }) => attempt + text)
    await piece('one ', 0, 'a')
    await piece('one ', 1, 'b "\\u0000"')
    expect([await texts(), await texts(1)]).toEqual([['one a', 'one b "\\u0000"'], ['one b "\\u0000"']])
    await piece('two ', 0, 'c')
    expect(await texts()).toEqual(['two c'])
    await piece('lost ', 0, 'x', { ...lease, fence: lease.fence - 1 })
    await batches.release(lease, 10)
    await piece('late ', 1, 'x')
    expect(await texts()).toEqual(['two c'])
    await batches.cancel(batch.id, 20)
    await batches.finish((await claim(batches, 30))!.lease, { output: null, errors: null }, 40)
    expect(await texts()).toEqual([])
  })

  storeTest('a lease that has run out is anyone’s, and its first holder writes nothing more', async ({ batches }) => {
    const batch = aBatch('a', 1000)
    await accepted(batches, batch, 1)
    const first = await claim(batches, 10)
    expect(await claim(batches, 109)).toBeNull()
    const second = await claim(batches, 110)
    const result = { line: 1, error: null, cost: null, text: '{}' }
    expect(await rejection(batches.write(first!.lease, [result], true, 120))).toBeInstanceOf(LeaseLost)
    await batches.write(second!.lease, [result], false, 120)
    // The same line once more, as after an answer that was lost.
    await batches.write(second!.lease, [result, { ...result, line: 2, error: 'failed' }], true, 130)
    expect(await batches.find(batch.id)).toMatchObject({ completed: 1, failed: 1, status: 'finalizing' })
    expect(await batches.done(batch.id, 1, 100)).toEqual([1, 2])
  })

  storeTest(
    'results of several parts are written together, without those of a lease that is lost',
    async ({ batches }) => {
      for (const parts of [2, 4, 8]) {
        const batch = aBatch('a', 1000)
        await accepted(batches, batch, parts)
        const jobs: ClaimedJob[] = []
        for (let job = await claim(batches, 10); job !== null; job = await claim(batches, 10)) jobs.push(job)
        const results = ({ firstLine }: ClaimedJob): LineResult[] => [
          {
            line: firstLine,
            error: null,
            cost: 3,
            usage: { input: 5, cached: 1, output: 2, reasoning: 0 },
            text: '{"ö":1}',
          },
        ]
        const writes = jobs.map((job) => ({ lease: job.lease, results: results(job), isLast: true }))
        const [lost, ...others] = writes
        const stale = { ...lost!, lease: { ...lost!.lease, fence: lost!.lease.fence - 1 } }
        expect(await batches.writeJobs([stale, ...others], 20)).toEqual([stale.lease])
        const done = parts - 1
        const usage = { input: 5 * done, cached: done, output: 2 * done, reasoning: 0 }
        expect(await batches.find(batch.id)).toMatchObject({
          completed: done,
          cost: 3 * done,
          usage,
          status: 'in_progress',
        })
        expect(await batches.writeJobs([lost!], 30)).toEqual([])
        expect(await batches.find(batch.id)).toMatchObject({ completed: parts, status: 'finalizing', finalizingAt: 30 })
        expect(await batches.writeJobs(writes, 40)).toEqual(writes.map(({ lease }) => lease))
        const whole = await claim(batches, 50)
        await batches.finish(whole!.lease, { output: null, errors: null }, 60)
      }
    },
  )

  storeTest(
    'a batch knows what its lines cost and how many failed with which error, each line once',
    async ({ batches }) => {
      const batch = aBatch('a', 1000)
      await accepted(batches, batch, 1)
      const { lease } = (await claim(batches, 10))!
      const line = (at: number, error: string | null, cost: number | null): LineResult => ({
        line: at,
        error,
        cost,
        text: `{"line":${at},"word":"naïve"}`,
      })
      await batches.write(lease, [line(1, null, null)], false, 20)
      expect(await batches.find(batch.id)).toMatchObject({ cost: null, failures: {} })
      const some = [line(2, null, 5), line(3, 'model_not_found', null), line(4, '__proto__', 2)]
      await batches.write(lease, some, false, 20)
      await batches.write(lease, [...some, line(5, 'model_not_found', 4e9)], false, 20)
      const failures = { model_not_found: 2, ['__proto__']: 1 }
      expect(await batches.find(batch.id)).toMatchObject({ cost: 4e9 + 7, failures, completed: 2, failed: 3 })
      const codes = Array.from({ length: 200 }, (_, at) => line(at + 6, `${at} ${'x'.repeat(200)}`, null))
      await batches.write(lease, codes, true, 30)
      const counts = (await batches.find(batch.id))?.failures ?? {}
      expect(Object.keys(counts).length).toBe(51)
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(203)
      // The bytes of a file, in the order of the lines, of one kind.
      const read = await batches.results(batch.id, true, 3)
      expect(read.slice(0, 2).map(({ line: at, bytes }) => [at, Buffer.from(bytes).toString()])).toEqual([
        [4, some[2]!.text],
        [5, line(5, null, null).text],
      ])
    },
  )

  storeTest('what was cancelled or has expired takes no result of a line that is under way', async ({ batches }) => {
    const [cancelled, expired] = [aBatch('a', 1000), aBatch('b', 900)]
    for (const batch of [cancelled, expired]) await accepted(batches, batch, 1)
    const jobs = [await claim(batches, 10), await claim(batches, 10)]
    await batches.cancel(cancelled.id, 20)
    expect(await batches.expire(900, 10)).toBe(1)
    for (const job of jobs) {
      const written = batches.write(job!.lease, [{ line: 1, error: null, cost: null, text: '{}' }], true, 30)
      expect(await rejection(written)).toBeInstanceOf(LeaseLost)
    }
    expect(await batches.find(cancelled.id)).toMatchObject({ status: 'cancelling', outcome: 'cancelled' })
    expect(await batches.find(expired.id)).toMatchObject({ status: 'finalizing', outcome: 'expired' })
  })
}

/** A lease of 100 ms. */
function claim(
  batches: BatchStore,
  now = 10,
  exceptUsers: readonly string[] = [],
  onlyAsync = false,
): Promise<ClaimedJob | null> {
  return batches.claim({ worker, now, leaseUntil: now + 100, exceptUsers, onlyAsync, withNative: true })
}

/** The batch, with so many parts to be worked on. */
async function accepted(
  batches: BatchStore,
  batch: Batch,
  parts: number,
  natives: readonly (NativeState | null)[] = [],
): Promise<void> {
  expect(await batches.insert(batch, 1000)).toBe(true)
  const job = await claim(batches, 1)
  expect([job?.batch.id, job?.part]).toEqual([batch.id, 0])
  const all = Array.from({ length: parts }, (_, at) => ({
    part: at + 1,
    firstLine: at + 1,
    position: at,
    bytes: 1,
    nativeModel: null,
    native: natives[at] ?? null,
  }))
  await batches.accept(
    job!.lease,
    { total: parts, parts: all, nativeModels: [], model: null, output: aFile(batch), errors: aFile(batch) },
    5,
  )
}

/** An output without a line. */
export function aFile({ userId }: Pick<Batch, 'userId'>): StoredFile {
  const id = crypto.randomUUID()
  const bytes = { sha256: null, bytes: 0, createdAt: 0, expiresAt: null, place: null }
  return { id, userId, blobId: id, purpose: 'batch_output', name: 'out.jsonl', ...bytes }
}

export function aBatch(userId: string, expiresAt: number): Batch {
  const ends = {
    outcome: null,
    errors: null,
    total: 0,
    completed: 0,
    failed: 0,
    undone: 0,
    cost: null,
    failures: {},
    usage: null,
    model: null,
  } as const
  const times = { inProgressAt: null, cancellingAt: null, finalizingAt: null, endedAt: null }
  return {
    id: crypto.randomUUID(),
    userId,
    keyId: null,
    dialect: 'openai',
    endpoint: '/v1/embeddings',
    completionWindow: '24h',
    metadata: null,
    inputFileId: crypto.randomUUID(),
    outputFileId: null,
    errorFileId: null,
    filesExpireMs: null,
    nativeModels: [],
    status: 'validating',
    createdAt: 0,
    expiresAt,
    ...ends,
    ...times,
  }
}
