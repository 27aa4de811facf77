/** Imports and jobs of documents: what every engine must do. */
import { expect } from 'bun:test'
import type { NewDocument } from '#store/documents/document-store.ts'
import { LeaseLost } from '#store/errors.ts'
import {
  aDocument,
  anError,
  chunks,
  claim,
  complete,
  completion,
  everything,
  heldBy,
  progress,
  space,
  viewer,
} from './store-documents.ts'
import { sourceContract } from './store-contract-sources.ts'
import { rejection, type StoreTest } from './store-test.ts'

const now = 1_780_000_000_000

/** What is queued, what is a duplicate, and who works on what. */
export function documentContract(storeTest: StoreTest): void {
  importContract(storeTest)
  versionContract(storeTest)
  sourceContract(storeTest)
  jobContract(storeTest)
}

function importContract(storeTest: StoreTest): void {
  storeTest('an imported document is queued and comes back as it was given', async ({ documents }) => {
    const document = aDocument({ owners: ['user:ada', 'group:everyone'], name: 'Q3 "draft"\0.pdf' })
    expect(await documents.insert([document])).toEqual([{ kind: 'queued', replaced: null }])
    expect(await documents.get(document.id, everything)).toEqual({
      ...document,
      source: null,
      name: 'Q3 "draft"\ufffd.pdf',
      metadata: {},
      owners: ['group:everyone', 'user:ada'],
      state: 'queued',
      progress: { pages: { done: 0, total: 0 }, chunks: { done: 0, total: 0 }, embedded: { done: 0, total: 0 } },
      attempts: 0,
      crashes: 0,
      error: null,
      warnings: [],
      mediaType: null,
      title: null,
      otherNames: [],
      version: 1,
      visible: false,
      stateAt: { queued: document.createdAt },
      updatedAt: document.createdAt,
    })
    expect(await documents.counts()).toEqual({ queued: 1 })
  })

  storeTest(
    'the same bytes, category, importer and owners are queued once, however they come',
    async ({ documents }) => {
      const first = aDocument({ owners: ['user:ada', 'group:g'] })
      const again = (fields: Partial<NewDocument>): NewDocument => ({ ...first, id: crypto.randomUUID(), ...fields })
      const duplicate = { kind: 'duplicate' as const, id: first.id }
      const queued = { kind: 'queued' as const, replaced: null }
      expect(await documents.insert([first, again({}), again({ owners: ['group:g', 'user:ada', 'group:g'] })])).toEqual(
        [queued, duplicate, duplicate],
      )
      expect(await documents.insert([first])).toEqual([duplicate])
      expect(await documents.insert([again({ importerId: 'bob' })])).toEqual([queued])
      const others = [
        again({ category: 'letters' }),
        again({ owners: ['user:ada'] }),
        again({ sha256: 'f'.repeat(64) }),
      ]
      expect(await documents.insert(others)).toEqual([queued, queued, queued])
      expect(await documents.insert([])).toEqual([])
    },
  )

  storeTest('names of copies are kept with what is there, once, until it has other bytes', async ({ documents }) => {
    const first = aDocument({ name: 'a.txt' })
    const copy = (name: string): NewDocument => ({ ...first, id: crypto.randomUUID(), name })
    await documents.insert([first, copy('b.txt')])
    await Promise.all(['c.txt', 'b.txt', 'd.txt', 'a.txt'].map((name) => documents.insert([copy(name)])))
    const names = async () => (await documents.get(first.id, everything))?.otherNames
    expect((await names())?.toSorted()).toEqual(['b.txt', 'c.txt', 'd.txt'])
    await documents.insert(Array.from({ length: 150 }, (_, at) => copy(`${at}.txt`)))
    expect(await names()).toHaveLength(100)
    await documents.insert([{ ...first, sha256: 'e'.repeat(64) }])
    expect(await names()).toEqual([])
  })

  storeTest('of imports of the same bytes that race, exactly one is queued', async ({ documents }) => {
    const contents = Array.from({ length: 3 }, () => aDocument().sha256)
    const calls = Array.from({ length: 12 }, (_each, index) => {
      const order = index % 2 === 0 ? contents : contents.toReversed()
      return documents.insert(order.map((sha256) => aDocument({ sha256 })))
    })
    const outcomes = (await Promise.all(calls)).flat()
    expect(outcomes.filter(({ kind }) => kind === 'queued')).toHaveLength(3)
    expect(outcomes.filter(({ kind }) => kind === 'duplicate')).toHaveLength(33)
    expect(await claim(documents, { max: 100 })).toHaveLength(3)
  })

  storeTest('an id of somebody else is taken, and what it stands for stays as it is', async ({ documents }) => {
    const document = aDocument()
    await documents.insert([document])
    const foreign = aDocument({ id: document.id, importerId: 'eve' })
    expect(await documents.insert([foreign, aDocument()])).toEqual([
      { kind: 'taken' },
      { kind: 'queued', replaced: null },
    ])
    expect(await documents.get(document.id, everything)).toMatchObject({ importerId: 'ada', sha256: document.sha256 })
  })

  storeTest('hundreds of files in one call each have their outcome and their job', async ({ documents }) => {
    const many = Array.from({ length: 333 }, () => aDocument())
    const outcomes = await documents.insert([...many, ...many.slice(0, 7)])
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...many.map(() => 'queued' as const),
      ...many.slice(0, 7).map(() => 'duplicate' as const),
    ])
    const claims = await claim(documents, { max: 1000 })
    expect(claims.map(({ document }) => document.id)).toEqual(many.map(({ id }) => id))
  })
}

function versionContract(storeTest: StoreTest): void {
  storeTest(
    'other bytes under the same id are a new version, which replaces the old at its end',
    async ({ documents }) => {
      const first = aDocument()
      await complete(documents, first, chunks(3))
      const second = aDocument({ id: first.id })
      expect(await documents.insert([second])).toEqual([{ kind: 'queued', replaced: first.sha256 }])
      expect(await documents.get(first.id, everything)).toMatchObject({ version: 2, visible: true, state: 'queued' })
      const [held] = await claim(documents)
      await documents.stage(
        heldBy(held!),
        space,
        chunks(2, () => ({ text: 'new text' })),
      )
      const before = await documents.chunks(first.id, everything, { from: 0, limit: 10 })
      expect(before?.chunks.map(({ id }) => id)).toEqual([0, 1, 2].map((ordinal) => `${first.id}/1/${ordinal}`))
      await documents.complete(heldBy(held!), completion, now)
      const after = await documents.chunks(first.id, everything, { from: 0, limit: 10 })
      expect(after?.chunks.map(({ id, text }) => [id, text])).toEqual([
        [`${first.id}/2/0`, 'new text'],
        [`${first.id}/2/1`, 'new text'],
      ])
      expect(after?.total).toBe(2)
    },
  )

  storeTest('a new version takes the job from the worker of the one before', async ({ documents }) => {
    const first = aDocument()
    await documents.insert([first])
    const [old] = await claim(documents)
    await documents.insert([aDocument({ id: first.id })])
    expect(await rejection(documents.stage(heldBy(old!), space, chunks(1)))).toBeInstanceOf(LeaseLost)
    expect(await rejection(documents.complete(heldBy(old!), completion, now))).toBeInstanceOf(LeaseLost)
    const [next] = await claim(documents)
    expect(next!.fence).toBeGreaterThan(old!.fence)
    expect(next!.document.version).toBe(2)
    expect(await claim(documents)).toEqual([])
  })

  storeTest(
    'what failed or was cancelled can be imported again under its id, and its bytes under another',
    async ({ documents }) => {
      const document = aDocument()
      await documents.insert([document])
      await documents.cancel(document.id, everything, now)
      expect(await documents.insert([document])).toEqual([{ kind: 'queued', replaced: null }])
      expect(await documents.get(document.id, everything)).toMatchObject({ state: 'queued', version: 1, attempts: 0 })
      await documents.cancel(document.id, everything, now)
      const other = { ...document, id: crypto.randomUUID() }
      expect(await documents.insert([other])).toEqual([{ kind: 'queued', replaced: null }])
      expect(await documents.retry(document.id, everything, now)).toEqual({ duplicateOf: other.id })
    },
  )

  storeTest('a new version under the content of another document is its duplicate', async ({ documents }) => {
    const [one, two] = [aDocument(), aDocument()]
    await documents.insert([one, two])
    expect(await documents.insert([{ ...two, id: one.id }])).toEqual([{ kind: 'duplicate', id: two.id }])
    expect(await documents.get(one.id, everything)).toMatchObject({ sha256: one.sha256, version: 1 })
  })

  storeTest('what was fetched for an address takes its place, under the lease only', async ({ documents }) => {
    const source = { name: 'web', id: 'https://example.com/', version: null }
    const reader = { name: 'auto', url: source.id }
    const [first, again] = [aDocument({ source, reader }), aDocument({ source, reader })]
    const fetched = { sha256: 'a'.repeat(64), bytes: 7, place: null, reader: { name: 'auto' }, version: '"1"' }
    await documents.insert([first])
    const [held] = await claim(documents)
    await documents.receive(heldBy(held!), fetched, now)
    const { version: sourceVersion, ...columns } = fetched
    const received = { ...columns, source: { ...source, version: sourceVersion }, version: 1, state: 'queued' }
    expect(await documents.get(first.id, everything)).toMatchObject(received)
    await documents.stage(heldBy(held!), space, chunks(1))
    await documents.complete(heldBy(held!), completion, now)
    // The address once more is another version, whatever it leads to.
    expect(await documents.insert([{ ...again, id: first.id }])).toEqual([{ kind: 'queued', replaced: fetched.sha256 }])
    expect(await rejection(documents.receive(heldBy(held!), fetched, now))).toBeInstanceOf(LeaseLost)
    const [next] = await claim(documents)
    await documents.receive(heldBy(next!), fetched, now)
    await documents.stage(heldBy(next!), space, chunks(2))
    await documents.complete(heldBy(next!), completion, now)
    expect(await documents.get(first.id, everything)).toMatchObject({ version: 2, sha256: fetched.sha256 })
    expect((await documents.chunks(first.id, everything, { from: 0, limit: 10 }))?.total).toBe(2)
  })

  storeTest('the last of several versions in one call counts', async ({ documents }) => {
    const first = aDocument()
    const last = aDocument({ id: first.id })
    const outcomes = await documents.insert([first, last])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['queued', 'queued'])
    expect(await documents.get(first.id, everything)).toMatchObject({ sha256: last.sha256, version: 2 })
    expect(await claim(documents)).toHaveLength(1)
  })

  storeTest(
    'an owner who is taken away sees no more at once, a new one only the new version',
    async ({ documents }) => {
      const first = aDocument({ owners: ['user:bob'] })
      await complete(documents, first, chunks(1))
      const second = aDocument({ id: first.id, owners: ['user:cleo'] })
      await documents.insert([second])
      const page = { from: 0, limit: 10 }
      expect(await documents.chunks(first.id, viewer('bob'), page)).toBeNull()
      expect(await documents.chunks(first.id, viewer('cleo'), page)).toBeNull()
      expect(await documents.get(first.id, viewer('bob'))).toBeNull()
      expect(await documents.get(first.id, viewer('cleo'))).toMatchObject({ state: 'queued' })
      expect((await documents.chunks(first.id, viewer('ada'), page))?.total).toBe(1)
      const [held] = await claim(documents)
      await documents.complete(heldBy(held!), completion, now)
      expect(await documents.chunks(first.id, viewer('cleo'), page)).toEqual({ chunks: [], total: 0 })
    },
  )
}

function jobContract(storeTest: StoreTest): void {
  storeTest(
    'the longest waiting are claimed first, by one worker each, and no more than asked for',
    async ({ documents }) => {
      const many = Array.from({ length: 10 }, () => aDocument())
      await documents.insert(many)
      const claims = await Promise.all(
        ['one', 'two', 'three', 'four'].map((worker) => claim(documents, { worker, max: 3 })),
      )
      expect(claims.every((its) => its.length <= 3)).toBe(true)
      const rest = await claim(documents, { max: 10 })
      const ids = [...claims.flat(), ...rest].map(({ document }) => document.id)
      expect(ids.toSorted()).toEqual(many.map(({ id }) => id).toSorted())
      const [first] = claims.flat()
      expect(first).toMatchObject({ fence: 1, document: { attempts: 1, state: 'queued' } })
    },
  )

  storeTest(
    'a heartbeat writes how far the work is, and keeps the lease from being taken back',
    async ({ documents }) => {
      const document = aDocument()
      await documents.insert([document])
      const [held] = await claim(documents, { now })
      const heartbeat = { state: 'embedding' as const, progress, stateAt: { queued: 1, embedding: 2 } }
      const beat = { leaseUntil: now + 120_000, now: now + 30_000 }
      expect(await documents.renew([{ ...heldBy(held!), heartbeat }], beat)).toEqual([])
      expect(await documents.get(document.id, everything)).toMatchObject({
        ...heartbeat,
        attempts: 1,
        updatedAt: now + 30_000,
      })
      const reaping = { crashesMax: 3, backoffMs: () => 0 }
      expect(await documents.reap({ ...reaping, now: now + 60_000 })).toBe(0)
      expect(await documents.reap({ ...reaping, now: now + 120_000 })).toBe(1)
    },
  )

  storeTest('a lease that has run out, was cancelled or deleted is reported as lost', async ({ documents }) => {
    const [expired, cancelled, deleted, kept] = [aDocument(), aDocument(), aDocument(), aDocument()]
    await documents.insert([expired, cancelled, deleted])
    const claims = await claim(documents, { now })
    await documents.insert([kept])
    const [late] = await claim(documents, { now: now + 30_000 })
    await documents.cancel(cancelled.id, everything, now)
    await documents.delete(deleted.id, everything)
    const heartbeat = { state: 'reading' as const, progress, stateAt: {} }
    const held = [...claims, late!].map((each) => ({ ...heldBy(each), heartbeat }))
    const lost = await documents.renew(held, { leaseUntil: now + 200_000, now: now + 60_001 })
    expect(lost.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      claims.map(heldBy).toSorted((a, b) => a.id.localeCompare(b.id)),
    )
    expect(await documents.get(cancelled.id, everything)).toMatchObject({ state: 'cancelled' })
  })

  storeTest(
    'a worker that was taken for dead changes nothing, and the next one starts afresh',
    async ({ documents }) => {
      const document = aDocument()
      await documents.insert([document])
      const [zombie] = await claim(documents, { now })
      await documents.stage(heldBy(zombie!), space, chunks(2))
      expect(await documents.reap({ now: now + 60_000, crashesMax: 3, backoffMs: () => 500 })).toBe(1)
      expect(await rejection(documents.stage(heldBy(zombie!), space, chunks(1)))).toBeInstanceOf(LeaseLost)
      expect(await claim(documents, { now: now + 60_499 })).toEqual([])
      const [next] = await claim(documents, { now: now + 60_500 })
      expect(next!.document.attempts).toBe(2)
      for (const write of [
        () => documents.stage(heldBy(zombie!), space, chunks(1)),
        () => documents.complete(heldBy(zombie!), completion, now),
        () => documents.fail(heldBy(zombie!), { error: anError, retryAt: null, warnings: [] }, now),
      ]) {
        expect(await rejection(write())).toBeInstanceOf(LeaseLost)
      }
      await documents.release([heldBy(zombie!)], now)
      await documents.stage(heldBy(next!), space, chunks(3))
      await documents.complete(heldBy(next!), completion, now)
      expect((await documents.chunks(document.id, everything, { from: 0, limit: 10 }))?.total).toBe(3)
    },
  )

  storeTest('what crashes every time fails with a code that says so', async ({ documents }) => {
    const document = aDocument()
    await documents.insert([document])
    const reaping = { crashesMax: 3, backoffMs: (attempt: number) => attempt * 1000 }
    let at = now
    for (const attempts of [1, 2, 3]) {
      const [held] = await claim(documents, { now: at })
      expect(held!.document.attempts).toBe(attempts)
      const heartbeat = { state: 'reading' as const, progress, stateAt: {} }
      await documents.renew([{ ...heldBy(held!), heartbeat }], { leaseUntil: at + 10, now: at })
      expect(await documents.reap({ ...reaping, now: at + 10 })).toBe(1)
      at += 10 + attempts * 1000
      expect(await claim(documents, { now: at - 1 })).toEqual([])
    }
    const failed = await documents.get(document.id, everything)
    expect(failed).toMatchObject({
      state: 'failed',
      attempts: 3,
      crashes: 3,
      error: { code: 'crashed', stage: 'reading', message: expect.stringContaining('3 times') },
    })
    expect(await claim(documents, { now: now * 2 })).toEqual([])
  })

  storeTest(
    'only documents whose bytes can be read are claimed, and what is found elsewhere is',
    async ({ documents }) => {
      const [here, unknown, there] = [aDocument({ place: 'a' }), aDocument(), aDocument({ place: 'directory:b' })]
      await documents.insert([here, unknown, there])
      const address = { id: there.id, sha256: there.sha256 }
      const elsewhere = { places: ['a', 'c'], after: null, limit: 10 }
      const found = await documents.elsewhere(elsewhere)
      expect(found.map(({ id }) => id).toSorted()).toEqual([unknown.id, there.id].toSorted())
      expect(await documents.elsewhere({ ...elsewhere, limit: 1 })).toEqual(found.slice(0, 1))
      expect(await documents.elsewhere({ ...elsewhere, after: found[0]!.id })).toEqual(found.slice(1))
      expect([await documents.hasOtherPlaces(['a']), await documents.hasOtherPlaces(['directory:b'])]).toEqual([
        true,
        false,
      ])
      const claims = await documents.claim({ worker: 'w', max: 9, leaseUntil: now + 1000, now, places: ['a', 'c'] })
      expect(claims.map(({ document }) => document.id)).toEqual([here.id, unknown.id])
      await documents.relocate([{ ...address, sha256: 'f'.repeat(64) }], 'c')
      expect(await documents.claim({ worker: 'w', max: 9, leaseUntil: now + 1000, now, places: ['c'] })).toEqual([])
      await documents.relocate([address], 'c')
      const rest = await documents.claim({ worker: 'w', max: 9, leaseUntil: now + 1000, now, places: ['c'] })
      expect(rest.map(({ document }) => [document.id, document.place])).toEqual([[there.id, 'c']])
    },
  )

  storeTest('a document that is given back is as if it had not been claimed', async ({ documents }) => {
    const [one, two] = [aDocument(), aDocument()]
    await documents.insert([one, two])
    const claims = await claim(documents, { max: 1 })
    await documents.stage(heldBy(claims[0]!), space, chunks(1))
    await documents.release(claims.map(heldBy), now)
    expect(await documents.get(one.id, everything)).toMatchObject({
      state: 'queued',
      attempts: 0,
      progress: { pages: { done: 0 } },
    })
    const again = await claim(documents, { max: 1 })
    expect(again[0]).toMatchObject({ document: { id: one.id, attempts: 1 } })
    expect(again[0]!.fence).toBeGreaterThan(claims[0]!.fence)
  })
}
