/** How documents end, how they are read and how they go: what every engine must do. */
import { expect } from 'bun:test'
import type { DocumentStore } from '#store/documents/document-store.ts'
import { LeaseLost } from '#store/errors.ts'
import { InvalidCursor } from '#store/page.ts'
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
import { allPages, rejection, type StoreTest } from './store-test.ts'

const now = 1_780_000_000_000
const always = { viewer: everything, filter: {}, keywords: null, vectors: [], limit: 10 }

/** Endings, lists and removal of documents. */
export function recordContract(storeTest: StoreTest): void {
  endingContract(storeTest)
  readingContract(storeTest)
  removalContract(storeTest)
}

function endingContract(storeTest: StoreTest): void {
  storeTest('a completed document has what its reader found, and all of its chunks', async ({ documents }) => {
    const document = aDocument()
    const its = chunks(60, (ordinal) => ({
      headingPath: ['Part', `Chapter ${ordinal}`],
      pageLabel: 'Sheet "1"',
      tableHeader: '| a | b |',
      text: `text\0 of ${ordinal} \ud800`,
    }))
    await complete(documents, document, its)
    expect(await documents.get(document.id, everything)).toMatchObject({
      state: 'completed',
      visible: true,
      attempts: 1,
      error: null,
      mediaType: 'application/pdf',
      title: 'Annual report',
      warnings: ['page 3 has no text'],
      progress,
      stateAt: { reading: 1, completed: 5 },
    })
    const pages = [0, 25, 50].map((from) => documents.chunks(document.id, everything, { from, limit: 25 }))
    const stored = (await Promise.all(pages)).flatMap((page) => page?.chunks ?? [])
    expect(stored).toEqual(
      its.map(({ vector: _vector, ...chunk }, ordinal) => ({
        ...chunk,
        text: `text\ufffd of ${ordinal} \ufffd`,
        id: `${document.id}/1/${ordinal}`,
        documentId: document.id,
      })),
    )
    expect(await documents.chunks(document.id, everything, { from: 60, limit: 25 })).toEqual({ chunks: [], total: 60 })
  })

  storeTest('a failure ends the job, or queues it for later', async ({ documents }) => {
    const [ends, waits] = [aDocument(), aDocument()]
    await documents.insert([ends, waits])
    const [first, second] = await claim(documents)
    await documents.fail(heldBy(first!), { error: anError, retryAt: null, warnings: ['odd'] }, now + 1)
    await documents.fail(heldBy(second!), { error: anError, retryAt: now + 5000, warnings: [] }, now + 1)
    expect(await documents.get(ends.id, everything)).toMatchObject({
      state: 'failed',
      error: anError,
      warnings: ['odd'],
      stateAt: { failed: now + 1 },
    })
    expect(await documents.get(waits.id, everything)).toMatchObject({ state: 'queued', error: anError, attempts: 1 })
    expect(await claim(documents, { now: now + 4999 })).toEqual([])
    expect(await claim(documents, { now: now + 5000 })).toHaveLength(1)
  })

  storeTest(
    'a retry queues what has failed, with no attempts, and leaves alone what has not',
    async ({ documents }) => {
      const [failed, queued] = [aDocument(), aDocument()]
      await documents.insert([failed])
      const [held] = await claim(documents)
      await documents.fail(heldBy(held!), { error: anError, retryAt: null, warnings: ['odd'] }, now)
      expect(await documents.retry(failed.id, everything, now + 1)).toMatchObject({
        state: 'queued',
        attempts: 0,
        error: null,
        warnings: [],
        stateAt: { queued: now + 1 },
      })
      const [again] = await claim(documents, { now: now + 1 })
      expect(again!.fence).toBeGreaterThan(held!.fence)
      await documents.insert([queued])
      expect(await documents.retry(queued.id, everything, now + 2)).toMatchObject({ updatedAt: queued.createdAt })
      expect(await documents.retry('no such document', everything, now)).toBeNull()
    },
  )

  storeTest('cancelling ends what has not ended, and nothing else', async ({ documents }) => {
    const [queued, running, done] = [aDocument(), aDocument(), aDocument()]
    await complete(documents, done, chunks(1))
    await documents.insert([running])
    const [held] = await claim(documents)
    await documents.insert([queued])
    for (const { id } of [queued, running]) {
      expect(await documents.cancel(id, everything, now)).toMatchObject({
        state: 'cancelled',
        stateAt: { cancelled: now },
      })
    }
    expect(await documents.cancel(done.id, everything, now)).toMatchObject({ state: 'completed' })
    expect(await rejection(documents.stage(heldBy(held!), space, chunks(1)))).toBeInstanceOf(LeaseLost)
    expect(await claim(documents)).toEqual([])
    expect(await documents.counts()).toEqual({ cancelled: 2, completed: 1 })
  })

  storeTest('a document without any text completes and can be found as a record', async ({ documents }) => {
    const document = aDocument()
    await complete(documents, document, [])
    expect(await documents.get(document.id, everything)).toMatchObject({ state: 'completed', visible: true })
    expect(await documents.chunks(document.id, everything, { from: 0, limit: 5 })).toEqual({ chunks: [], total: 0 })
    expect(await documents.find({ ...always, keywords: 'chunk' })).toMatchObject({ keyword: [], vector: [] })
  })
}

function readingContract(storeTest: StoreTest): void {
  storeTest('a document is seen by its importer, its owners and whoever sees everything', async ({ documents }) => {
    const document = aDocument({ importerId: 'ada', owners: ['user:bob', 'group:g'] })
    await documents.insert([document])
    const sees = async (who: Parameters<DocumentStore['get']>[1]): Promise<boolean> => {
      const listed = await documents.list({ viewer: who, limit: 10 })
      const got = await documents.get(document.id, who)
      expect(listed.items).toEqual(got === null ? [] : [got])
      return got !== null
    }
    expect(await sees(viewer('ada'))).toBe(true)
    expect(await sees(viewer('bob'))).toBe(true)
    expect(await sees(viewer('cleo', 'group:g'))).toBe(true)
    expect(await sees(viewer('cleo', 'group:h'))).toBe(false)
    expect(await sees({ userId: 'cleo', principals: [], all: false })).toBe(false)
    expect(await sees(everything)).toBe(true)
    expect(await documents.cancel(document.id, viewer('cleo'), now)).toBeNull()
    expect(await documents.retry(document.id, viewer('cleo'), now)).toBeNull()
    expect(await documents.delete(document.id, viewer('cleo'))).toBeNull()
    expect(await documents.get(document.id, everything)).toMatchObject({ state: 'queued' })
  })

  storeTest(
    'pages hold every document once, the newest first, also those of the same moment',
    async ({ documents }) => {
      const many = Array.from({ length: 9 }, (_each, index) => aDocument({ createdAt: 1000 + Math.floor(index / 4) }))
      await documents.insert(many)
      const expected = many.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
      for (const limit of [1, 2, 4, 9, 10]) {
        const items = await allPages((cursor) => documents.list({ viewer: viewer('ada'), cursor, limit }))
        expect(items.map(({ id }) => id)).toEqual(expected)
      }
      const refused = await rejection(documents.list({ viewer: everything, cursor: 'never given out', limit: 1 }))
      expect(refused).toBeInstanceOf(InvalidCursor)
    },
  )

  storeTest('a list is narrowed by category, owner, id, state and part of the name', async ({ documents }) => {
    const [one, two] = [
      aDocument({ category: 'letters', owners: ['user:bob'], name: 'Größe_100%.pdf' }),
      aDocument({ category: 'reports', owners: ['group:g'], name: 'other.pdf' }),
    ]
    await documents.insert([one, two])
    await documents.cancel(two.id, everything, now)
    const ids = async (filter: object): Promise<readonly string[]> =>
      (await documents.list({ viewer: everything, limit: 10, ...filter })).items.map(({ id }) => id)
    expect(await ids({ categories: ['letters', 'none'] })).toEqual([one.id])
    expect(await ids({ owners: ['group:g'] })).toEqual([two.id])
    expect(await ids({ ids: [one.id, 'none'] })).toEqual([one.id])
    expect(await ids({ states: ['cancelled'] })).toEqual([two.id])
    expect(await ids({ name: 'grÖSSE'.replace('SS', 'ß') })).toEqual([one.id])
    expect(await ids({ name: '0%' })).toEqual([one.id])
    expect(await ids({ name: '%' })).toEqual([one.id])
    expect(await ids({ name: 'größe\\_' })).toEqual([])
    expect(await ids({ name: "'\0--" })).toEqual([])
    expect(await ids({ categories: [] })).toEqual([])
    expect(await ids({ categories: ['letters'], states: ['cancelled'] })).toEqual([])
  })

  storeTest(
    'the bytes of a document and of the version that is still visible are referenced, no others',
    async ({ documents }) => {
      const first = aDocument()
      await complete(documents, first, chunks(1))
      const second = aDocument({ id: first.id })
      await documents.insert([second])
      const pair = (sha256: string, id = first.id) => ({ id, sha256 })
      const asked = [pair(first.sha256), pair(second.sha256), pair('0'.repeat(64)), pair(first.sha256, 'no document')]
      expect(await documents.unreferenced(asked)).toEqual(asked.slice(2))
      const [held] = await claim(documents)
      await documents.complete(heldBy(held!), completion, now)
      expect(await documents.unreferenced([pair(first.sha256), pair(second.sha256)])).toEqual([pair(first.sha256)])
    },
  )
}

function removalContract(storeTest: StoreTest): void {
  storeTest('a deleted document is gone with its job, and its bytes are named', async ({ documents }) => {
    const document = aDocument()
    await complete(documents, document, chunks(700))
    const second = aDocument({ id: document.id })
    await documents.insert([second])
    const deleted = await documents.delete(document.id, viewer('ada'))
    expect(deleted?.sha256.toSorted()).toEqual([document.sha256, second.sha256].toSorted())
    expect(await documents.get(document.id, everything)).toBeNull()
    expect(await claim(documents)).toEqual([])
    expect(await documents.find({ ...always, keywords: 'chunk number' })).toMatchObject({ keyword: [] })
    expect(await documents.purgeSome()).toBe(0)
    expect(await documents.insert([document])).toEqual([{ kind: 'queued', replaced: null }])
    expect(await documents.delete('no such document', everything)).toBeNull()
  })

  storeTest(
    'purging removes what nobody will see, and neither what is visible nor what is being staged',
    async ({ documents }) => {
      const document = aDocument()
      await complete(documents, document, chunks(3))
      const running = aDocument()
      await documents.insert([running])
      const [zombie] = await claim(documents, { now })
      await documents.stage(heldBy(zombie!), space, chunks(600))
      await documents.reap({ now: now + 60_000, crashesMax: 3, backoffMs: () => 0 })
      const [next] = await claim(documents, { now: now + 60_000 })
      await documents.stage(heldBy(next!), space, chunks(5))
      let purged = 0
      for (let some = 1; some > 0; purged += some) some = await documents.purgeSome()
      expect(purged).toBe(601)
      await documents.complete(heldBy(next!), completion, now)
      expect((await documents.chunks(running.id, everything, { from: 0, limit: 10 }))?.total).toBe(5)
      expect((await documents.chunks(document.id, everything, { from: 0, limit: 10 }))?.total).toBe(3)
      expect(await documents.purgeSome()).toBe(0)
    },
  )
}
