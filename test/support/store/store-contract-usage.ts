import { newTimedId } from '#lib/timed-id.ts'
import { expect } from 'bun:test'
import { allPages, rejection, type StoreTest } from './store-test.ts'
import { aKey, aUsage, aUser } from './store-records.ts'

const always = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** Usage records and what is read off them. */
export function usageContract(storeTest: StoreTest): void {
  recordContract(storeTest)
  reportContract(storeTest)
  purgeContract(storeTest)
}

function recordContract(storeTest: StoreTest): void {
  storeTest('a usage record comes back as it was stored', async ({ usage }) => {
    const full = aUsage({
      keyId: crypto.randomUUID(),
      userId: crypto.randomUUID(),
      modelId: crypto.randomUUID(),
      upstreamStatus: 503,
      status: 502,
      code: 'upstream_error',
      streamed: true,
      requestBytes: 5_000_000_000,
      attempts: 2,
      attemptReasons: [
        { provider: 'a "quoted" one', reason: 'upstream_timeout' },
        {
          provider: 'a tab\there',
          reason: 'upstream_error',
          model: 'm',
          status: 503,
          message: 'Line one.\nLine two.',
          startedMs: 4,
          durationMs: null,
        },
      ],
      calledMs: 17,
      limits: [{ kind: 'rate', name: 'key:* requests 5/minute', unit: 'requests', limit: 5, left: 4, refused: false }],
    })
    const bare = aUsage({
      modelAsked: null,
      upstreamModel: null,
      modelServed: null,
      provider: null,
      upstreamStatus: null,
      promptTokens: null,
      completionTokens: null,
      firstTokenMs: null,
    })
    await usage.insertMany([full, bare])
    const { items } = await usage.list({ ...always, limit: 10 })
    expect(items).toEqual([
      { ...bare, id: expect.any(Number) },
      { ...full, id: expect.any(Number) },
    ])
  })

  storeTest('a batch of any size is stored completely and in order', async ({ usage }) => {
    for (const size of [0, 1, 9, 10, 49, 50, 61, 173]) {
      const batch = Array.from({ length: size }, () => aUsage())
      await usage.insertMany(batch)
      const { items } = await usage.list({ ...always, limit: size + 1 })
      const newest = items.slice(0, size).map((item) => item.requestId)
      expect(newest).toEqual(batch.map((record) => record.requestId).toReversed())
    }
    expect((await usage.totals(always)).requests).toBe(353)
  })

  storeTest('a batch with a row that cannot be stored is refused as a whole', async ({ usage }) => {
    const broken = aUsage({ endpoint: null as unknown as string })
    const batch = [...Array.from({ length: 60 }, () => aUsage()), broken]
    expect(await rejection(usage.insertMany(batch))).toBeInstanceOf(Error)
    expect((await usage.totals(always)).requests).toBe(0)
  })

  storeTest('what a client wrote cannot make a batch fail', async ({ usage }) => {
    await usage.insertMany([
      aUsage({ modelAsked: 'a\0b', requestId: '\0' }),
      aUsage({ modelAsked: '\ud800 half a pair' }),
      aUsage({ modelAsked: 'x'.repeat(100_000) }),
      aUsage({ modelAsked: `${'x'.repeat(255)}😀` }),
      aUsage({ modelAsked: "'); drop table usage_records; --", durationMs: 1.5, firstTokenMs: 0.4 }),
    ])
    const asked = (await usage.list({ ...always, limit: 10 })).items.map((item) => item.modelAsked)
    expect(asked.toReversed()).toEqual([
      'ab',
      '\ufffd half a pair',
      'x'.repeat(256),
      `${'x'.repeat(255)}\ufffd`,
      "'); drop table usage_records; --",
    ])
  })

  storeTest('usage records outlive the user and the key that they name', async ({ usage, users, keys }) => {
    const ada = aUser()
    const key = aKey(ada.id)
    await users.insert(ada, null)
    await keys.insert(key)
    await usage.insertMany([aUsage({ userId: ada.id, keyId: key.id })])
    await users.delete(ada.id)
    expect((await usage.totals({ ...always, userId: ada.id, keyId: key.id })).requests).toBe(1)
  })

  storeTest('pages hold every record once, the newest first, also those of the same moment', async ({ usage }) => {
    const batch = Array.from({ length: 9 }, (_record, index) => aUsage({ at: 1000 + Math.floor(index / 4) }))
    await usage.insertMany(batch)
    const expected = batch.map((record) => record.requestId).toReversed()
    for (const limit of [1, 2, 4, 9, 10]) {
      const items = await allPages((cursor) => usage.list({ ...always, cursor, limit }))
      expect(items.map((item) => item.requestId)).toEqual(expected)
    }
  })

  storeTest(
    'a record is found by its id, for its user, and at its moment when the id was sent twice',
    async ({ usage }) => {
      const now = Date.now()
      const own = Array.from({ length: 5 }, () => aUsage({ at: now, requestId: newTimedId('req'), userId: 'ada' }))
      // A client's own id has no moment in it; one that looks as if made here may name another.
      const sent = [aUsage({ requestId: 'trace-7' }), aUsage({ at: 5, requestId: newTimedId('req') })]
      const twice = [100, 300, 200].map((at) => aUsage({ at, requestId: 'twice', userId: `user-${at}` }))
      await usage.insertMany([...own, ...sent, ...twice])
      for (const record of [...own, ...sent])
        expect(await usage.find({ requestId: record.requestId })).toMatchObject(record)
      const [first] = own
      expect(await usage.find({ requestId: first?.requestId ?? '', userId: 'ada' })).not.toBeNull()
      expect(await usage.find({ requestId: first?.requestId ?? '', userId: 'bob' })).toBeNull()
      expect(await usage.find({ requestId: newTimedId('req') })).toBeNull()
      expect(await usage.find({ requestId: 'trace' })).toBeNull()
      expect((await usage.find({ requestId: 'twice' }))?.at).toBe(300)
      for (const at of [100, 200, 300]) expect((await usage.find({ requestId: 'twice', at }))?.at).toBe(at)
      expect((await usage.find({ requestId: 'twice', userId: 'user-100' }))?.at).toBe(100)
      expect(await usage.find({ requestId: 'twice', at: 101 })).toBeNull()
    },
  )
}

function reportContract(storeTest: StoreTest): void {
  storeTest('totals add up what lies in the period and matches the filter', async ({ usage }) => {
    await usage.insertMany([
      aUsage({ at: 99 }),
      aUsage({ at: 100, userId: 'ada', keyId: 'k1', modelServed: 'm1' }),
      aUsage({ at: 150, userId: 'ada', keyId: 'k2', modelServed: 'm2', status: 429, promptTokens: null }),
      aUsage({ at: 199, userId: 'bob', keyId: 'k3', modelServed: 'm1', completionTokens: 3_000_000_000 }),
      aUsage({ at: 200 }),
    ])
    const period = { from: 100, to: 200 }
    expect(await usage.totals(period)).toEqual({
      requests: 3,
      errors: 1,
      promptTokens: 20,
      completionTokens: 3_000_000_040,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      cost: 0,
      requestBytes: 150,
      responseBytes: 180,
      durationMs: 120,
      firstTokens: 0,
      firstTokenMs: 0,
      failures: 0,
      streamTokens: 0,
      streamMs: 0,
    })
    const requests = async (filter: object): Promise<number> => (await usage.totals({ ...period, ...filter })).requests
    expect(await requests({ userId: 'ada' })).toBe(2)
    expect(await requests({ keyId: 'k3' })).toBe(1)
    expect(await requests({ model: 'm1' })).toBe(2)
    expect(await requests({ userId: 'ada', model: 'm1' })).toBe(1)
    expect((await usage.list({ ...period, userId: 'ada', limit: 10 })).items.map(({ at }) => at)).toEqual([150, 100])
    const narrowed = await usage.list({ ...period, status: { first: 400, last: 429 }, limit: 10 })
    expect(narrowed.items.map(({ at }) => at)).toEqual([150])
  })

  storeTest('totals of nothing are zero', async ({ usage }) => {
    const totals = await usage.totals(always)
    expect(new Set(Object.values(totals))).toEqual(new Set([0]))
  })

  storeTest('a series counts each record in one bucket, and adds up to the totals', async ({ usage }) => {
    await usage.insertMany([
      aUsage({ at: 100, modelServed: 'm1', userId: 'ada' }),
      aUsage({ at: 109, modelServed: 'm2', userId: 'ada' }),
      aUsage({ at: 110, modelServed: 'm1', userId: 'bob', status: 500 }),
      aUsage({ at: 129, modelServed: null, userId: 'bob' }),
    ])
    const query = { from: 100, to: 130, bucketMs: 10 }
    const { points: series } = await usage.series({ ...query, groupBy: 'none' })
    const seen = series.map(({ at, group, requests, errors }) => ({ at, group, requests, errors }))
    expect(seen).toEqual([
      { at: 100, group: null, requests: 2, errors: 0 },
      { at: 110, group: null, requests: 1, errors: 1 },
      { at: 120, group: null, requests: 1, errors: 0 },
    ])
    const groups = async (groupBy: 'model' | 'user' | 'key', bucketMs: number): Promise<unknown[]> =>
      (await usage.series({ ...query, bucketMs, groupBy })).points.map(({ at, group, requests }) => [
        at,
        group,
        requests,
      ])
    expect(await groups('user', 30)).toEqual([
      [100, 'ada', 2],
      [100, 'bob', 2],
    ])
    expect(await groups('key', 30)).toEqual([[100, null, 4]])
    expect(new Set(await groups('model', 10))).toEqual(
      new Set([
        [100, 'm1', 1],
        [100, 'm2', 1],
        [110, 'm1', 1],
        [120, null, 1],
      ]),
    )
  })
}

function purgeContract(storeTest: StoreTest): void {
  storeTest('a purge removes all that is older and nothing else, while others write', async ({ usage, settings }) => {
    const old = Array.from({ length: 4001 }, (_record, index) => aUsage({ at: index % 100 }))
    await usage.insertMany([...old, aUsage({ at: 100 }), aUsage({ at: 101 })])
    const purged = usage.purgeBefore(100)
    let writes = 0
    const writer = async (): Promise<void> => {
      for (; writes < 20; writes += 1) await settings.set('x', writes, writes)
    }
    expect((await Promise.all([purged, writer()]))[0]).toBe(4001)
    expect((await usage.list({ ...always, limit: 10 })).items.map(({ at }) => at)).toEqual([101, 100])
    expect(await usage.purgeBefore(100)).toBe(0)
  })
}
