/** Vector stores and the files in them: what every engine must do. */
import { expect } from 'bun:test'
import type { NewStoreFile, StorePage, VectorStoreRecord } from '#store/batches/vector-store-records.ts'
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

function aStoreFile(storeId: string, fields: Partial<NewStoreFile> = {}): NewStoreFile {
  return {
    storeId,
    fileId: aFile({ userId: 'operator' }).id,
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
    const files = [done, waiting, lost].map(({ id }, at) =>
      aStoreFile(record.id, { documentId: id, createdAt: now + at }),
    )
    const failing = aStoreFile(record.id, { createdAt: now + 9 })
    expect((await vectorStores.addFiles([...files, failing])).size).toBe(4)
    expect((await vectorStores.addFiles([files[0]!])).size).toBe(0)
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

  storeTest('what is taken out leaves documents that other files have', async ({ files, vectorStores }) => {
    const record = aStore()
    await vectorStores.insert(record)
    const [one, other] = [aFile({ userId: 'operator' }), aFile({ userId: 'operator' })]
    for (const each of [one, other]) await files.insert(each, 1e9)
    const first = aStoreFile(record.id, { fileId: one.id, attributes: { year: 2024 } })
    await vectorStores.addFiles([first, aStoreFile(record.id, { fileId: other.id })])
    expect(await vectorStores.relate({ storeId: record.id, fileId: other.id }, first.documentId)).toBe(true)
    expect(await vectorStores.filesOfDocuments([record.id], [first.documentId])).toHaveLength(2)
    expect(await vectorStores.removeFiles(record.id, [other.id])).toEqual([])
    expect(await vectorStores.filesOfDocuments([record.id], [first.documentId])).toEqual([
      { documentId: first.documentId, fileId: one.id, attributes: { year: 2024 }, name: one.name },
    ])
    expect(await vectorStores.removeFiles(record.id, [one.id])).toEqual([first.documentId])
    expect(await vectorStores.relate({ storeId: record.id, fileId: one.id }, first.documentId)).toBe(false)
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
      await vectorStores.addFiles([aStoreFile(each.id)])
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
