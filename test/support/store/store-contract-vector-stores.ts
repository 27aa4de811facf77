/** Vector stores and the files in them: what every engine must do. */
import { expect } from 'bun:test'
import type { FileStore } from '#store/batches/files.ts'
import type { NewStoreFile, StorePage, VectorStoreRecord } from '#store/batches/vector-store-records.ts'
import { Missing } from '#store/errors.ts'
import { aFile } from './store-contract-batches.ts'
import { aDocument, chunks, complete, everything } from './store-documents.ts'
import type { StoreTest } from './store-test.ts'

const now = 1_780_000_000_000
const dayMs = 86_400_000

function aStore(fields: Partial<VectorStoreRecord> = {}): VectorStoreRecord {
  return {
    id: `vs_${crypto.randomUUID().replaceAll('-', '')}`,
    userId: 'operator',
    name: 'a\0 store',
    description: null,
    metadata: {},
    expiresDays: null,
    createdAt: now,
    lastActiveAt: now,
    ...fields,
  }
}

/** A file that is there, for a store. */
async function aStoreFile(
  files: FileStore,
  storeId: string,
  fields: Partial<NewStoreFile> = {},
): Promise<NewStoreFile> {
  const file = aFile({ userId: 'operator' })
  await files.insert(file, 1e9)
  return {
    storeId,
    fileId: file.id,
    documentId: crypto.randomUUID(),
    batchId: null,
    attributes: null,
    chunking: { units: 800, overlap: 400 },
    createdAt: now,
    ...fields,
  }
}

const page = (fields: Partial<StorePage> = {}): StorePage => ({
  limit: 10,
  descending: false,
  after: null,
  before: null,
  ...fields,
})

export function vectorStoreContract(storeTest: StoreTest): void {
  storeTest('pages of stores in either direction hold each store of the account once', async ({ vectorStores }) => {
    const all = [3, 1, 2, 2, 5].map((at) => aStore({ createdAt: now + at }))
    for (const each of [...all, aStore({ userId: 'somebody' })]) await vectorStores.insert(each)
    const order = all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    for (const descending of [false, true]) {
      const ids = descending ? order.toReversed() : order
      const read = async (part: Partial<StorePage>) =>
        (await vectorStores.list('operator', page({ descending, limit: 2, ...part }))).map(({ id }) => id)
      expect(await read({})).toEqual(ids.slice(0, 2))
      expect(await read({ after: ids[1]! })).toEqual(ids.slice(2, 4))
      expect(await read({ before: ids[3]! })).toEqual(ids.slice(1, 3))
      expect(await read({ after: ids[4]! })).toEqual([])
    }
  })

  storeTest('a file is as far as its document, and its bytes count when it is completed', async (store) => {
    const { documents, vectorStores } = store
    const record = aStore()
    await vectorStores.insert(record)
    const [done, waiting, lost] = [aDocument(), aDocument(), aDocument()]
    await complete(documents, done, chunks(1))
    await documents.insert([waiting])
    const files = await Promise.all(
      [done, waiting, lost].map(({ id }, at) =>
        aStoreFile(store.files, record.id, { documentId: id, createdAt: now + at }),
      ),
    )
    const failing = await aStoreFile(store.files, record.id, { createdAt: now + 9 })
    expect((await vectorStores.addFiles([...files, failing])).size).toBe(4)
    expect((await vectorStores.addFiles([files[0]!])).size).toBe(0)
    for (const file of files) await vectorStores.madeDocument(file, file.documentId)
    await vectorStores.failFile(failing, { code: 'unsupported_type', message: 'no\0' })
    const statuses = async (at: number) =>
      (await vectorStores.files({ storeId: record.id, batchId: null, status: null, now: at, ...page() })).map(
        ({ status }) => status,
      )
    expect(await statuses(now)).toEqual(['completed', 'in_progress', 'in_progress', 'failed'])
    expect(await statuses(now + dayMs)).toEqual(['completed', 'in_progress', 'failed', 'failed'])
    const counts = (await vectorStores.counts([record.id], now)).get(record.id)
    expect(counts).toEqual({ completed: 1, in_progress: 2, failed: 1, cancelled: 0, bytes: done.bytes })
    const query = { storeId: record.id, batchId: null, status: 'completed', now, ...page() } as const
    expect((await vectorStores.files(query)).map(({ documentId }) => documentId)).toEqual([done.id])
    await documents.delete(done.id, everything)
    expect((await vectorStores.file(record.id, files[0]!.fileId, now + dayMs))?.status).toBe('failed')
  })

  storeTest(
    'a file is claimed by one process at a time until its document is there',
    async ({ files, vectorStores }) => {
      const record = aStore()
      await vectorStores.insert(record)
      const sent = await Promise.all(
        [1, 2, 3, 4].map(() => aStoreFile(files, record.id, { attributes: { year: 2024 } })),
      )
      const [one, two, three, four] = sent
      await vectorStores.addFiles([one!, two!, three!, four!])
      const claim = async (at: number, limit = 10) =>
        (await vectorStores.claimFiles({ limit, now: at, until: at + 1000 })).filter(
          ({ storeId }) => storeId === record.id,
        )
      const [first, second] = await Promise.all([claim(now, 2), claim(now, 2)])
      const claimed = [...first, ...second].map(({ fileId }) => fileId)
      expect(new Set(claimed).size).toBe(claimed.length)
      const rest = (await claim(now)).map(({ fileId }) => fileId)
      expect([...claimed, ...rest].toSorted()).toEqual(sent.map(({ fileId }) => fileId).toSorted())
      expect(first[0]).toMatchObject({ userId: 'operator', attributes: { year: 2024 }, chunking: one!.chunking })
      expect(await claim(now + 999)).toEqual([])
      await vectorStores.setAttributes(one!, { year: 2025 })
      expect(await vectorStores.madeDocument(one!, one!.documentId)).toEqual({ attributes: { year: 2025 } })
      expect(await vectorStores.madeDocument(one!, one!.documentId)).toBeNull()
      await vectorStores.failFile(two!, { code: 'too_large', message: 'no' })
      await vectorStores.retryFile(three!, now + 5000)
      // Of a process that was killed.
      expect((await claim(now + 1000)).map(({ fileId }) => fileId)).toEqual([four!.fileId])
      expect((await vectorStores.file(record.id, three!.fileId, now + dayMs))?.status).toBe('in_progress')
      expect(await vectorStores.removeFiles(record.id, [three!.fileId])).toEqual([three!.documentId])
      expect(await claim(now + 9000)).toHaveLength(1)
    },
  )

  storeTest(
    'files of a cancelled batch whose documents are not there are cancelled with it',
    async ({ files, vectorStores }) => {
      const record = aStore()
      await vectorStores.insert(record)
      const batchId = `vsfb_${crypto.randomUUID()}`
      await vectorStores.insertBatch({ id: batchId, storeId: record.id, createdAt: now, cancelledAt: null })
      const file = await aStoreFile(files, record.id, { batchId })
      await vectorStores.addFiles([file, await aStoreFile(files, record.id)])
      await vectorStores.cancelBatch(batchId, now)
      expect((await vectorStores.counts([record.id], now)).get(record.id)).toMatchObject({
        cancelled: 1,
        in_progress: 1,
      })
      expect(await vectorStores.madeDocument(file, file.documentId)).toBeNull()
    },
  )

  storeTest('nothing is added of a file that is gone, or to a store that is', async ({ files, vectorStores }) => {
    const [open, deleted] = [aStore(), aStore()]
    for (const each of [open, deleted]) await vectorStores.insert(each)
    await vectorStores.markDeleted(deleted.id, now)
    const [kept, gone] = [await aStoreFile(files, open.id), await aStoreFile(files, open.id)]
    await files.delete([gone.fileId])
    for (const added of [[kept, gone], [{ ...kept, storeId: deleted.id }]])
      expect(await vectorStores.addFiles(added).catch((thrown: unknown) => thrown)).toBeInstanceOf(Missing)
    expect(await vectorStores.file(open.id, kept.fileId, now)).toBeNull()
  })

  storeTest('stores that are over are those deleted, unused for long, or of accounts that are gone', async (store) => {
    const { vectorStores } = store
    const [deleted, expired, used, orphan] = [
      aStore(),
      aStore({ expiresDays: 1 }),
      aStore({ expiresDays: 1 }),
      aStore({ userId: 'gone' }),
    ]
    for (const each of [deleted, expired, used, orphan]) {
      await vectorStores.insert(each)
      await vectorStores.addFiles([await aStoreFile(store.files, each.id)])
    }
    expect([await vectorStores.markDeleted(deleted.id, now), await vectorStores.markDeleted(deleted.id, now)]).toEqual([
      true,
      false,
    ])
    expect(await vectorStores.find(deleted.id)).toBeNull()
    await vectorStores.touch([used.id], now + dayMs)
    const over = async () =>
      new Map((await vectorStores.over(now + dayMs, 10)).map(({ id, isExpired }) => [id, isExpired]))
    expect(await over()).toEqual(new Map([deleted, expired, orphan].map((each) => [each.id, each === expired])))
    const [file] = await vectorStores.files({ storeId: expired.id, batchId: null, status: null, now, ...page() })
    await vectorStores.removeFiles(expired.id, [file!.fileId])
    await vectorStores.forget(deleted.id)
    expect(await over()).toEqual(new Map([[orphan.id, false]]))
  })
}
