/** What an account has room for when much comes at once, and the one end of an upload in parts. */
import { expect } from 'bun:test'
import type { StoredFile } from '#store/batches/files.ts'
import type { Upload } from '#store/batches/uploads.ts'
import { aBatch, aFile } from './store-contract-batches.ts'
import type { StoreTest } from './store-test.ts'

export function uploadContract(storeTest: StoreTest): void {
  for (const count of [2, 10, 40])
    storeTest(`of ${count} that come at once an account gets what it has room for`, async (store) => {
      const { batches, files, uploads } = store
      const room = Math.ceil(count / 2)
      const many = <T>(add: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, add))
      const created = await many(() => batches.insert(aBatch('a', 1000), room))
      expect(created.filter(Boolean)).toHaveLength(room)
      const stored = await many(() => files.insert({ ...aFile({ userId: 'a' }), bytes: 10 }, room * 10))
      expect(stored.filter(Boolean)).toHaveLength(room)
      const begun = await many(() => uploads.insert(anUpload('a'), { bytesMax: (room + 1) * 10, pendingMax: count }))
      expect(begun.toSorted()).toEqual(['added', ...Array<'bytes'>(count - 1).fill('bytes')])
      const others = await many(() => uploads.insert(anUpload('b'), { bytesMax: 1_000_000, pendingMax: room }))
      expect(others.filter((each) => each === 'added')).toHaveLength(room)
    })

  storeTest('an upload that is completed and cancelled at once has one end', async ({ files, uploads }) => {
    for (let time = 0; time < 10; time += 1) {
      const upload = anUpload('a')
      await uploads.insert(upload, { bytesMax: 1_000_000, pendingMax: 10 })
      const part = aPart(upload)
      expect(await uploads.addPart(upload, part, 2)).toBe(true)
      const file = aFile({ userId: 'a' })
      const ends = await Promise.all([uploads.end(upload, file), uploads.end(upload, null)])
      expect(ends.filter((each) => each !== null)).toEqual([[part]])
      expect((await files.find(file.id)) !== null).toBe(ends[0] !== null)
      expect(await uploads.parts(upload)).toEqual([])
      expect(await uploads.addPart(upload, { ...part, id: crypto.randomUUID() }, 2)).toBe(false)
    }
  })

  storeTest('an upload whose time is over is gone, and its parts expire as files do', async ({ files, uploads }) => {
    const upload = anUpload('operator')
    await uploads.insert(upload, { bytesMax: 100, pendingMax: 10 })
    const part = aPart(upload)
    await uploads.addPart(upload, part, 2)
    expect(await uploads.find(upload.id, 999)).toEqual(upload)
    expect(await uploads.find(upload.id, 1000)).toBeNull()
    expect(await uploads.purge(999, 10)).toBe(0)
    expect(await uploads.purge(1000, 10)).toBe(1)
    expect(await files.expired(1000, 10)).toEqual([part])
  })
}

function anUpload(userId: string): Upload {
  const about = { purpose: 'batch', name: 'input.jsonl', bytes: 10, lifeMs: null, status: 'pending' } as const
  return { id: crypto.randomUUID(), userId, ...about, createdAt: 1, expiresAt: 1000 }
}

function aPart({ id: name, userId, expiresAt }: Upload): StoredFile {
  return { ...aFile({ userId }), purpose: 'upload_part', name, bytes: 10, sha256: 'x', expiresAt }
}
