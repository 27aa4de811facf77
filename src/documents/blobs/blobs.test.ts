import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobMissing, type BlobAddress } from './blob-store.ts'
import { directoryBlobs } from './directory-blobs.ts'
import { Spool } from './spool.ts'
import { FileTooLarge } from './write-pieces.ts'
import { BlobUse } from './blob-use.ts'
import { BlobSweep } from './sweep.ts'

let root: string
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'sluice-blobs-'))))
afterEach(() => rm(root, { recursive: true, force: true }))

const hello = [Buffer.from('hel'), Buffer.from('lo')]
const helloDigest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const id = 'aabbccdd-0000-4000-8000-000000000001'

describe('the spool', () => {
  test('holds what it received, with its digest', async () => {
    await using spool = new Spool(join(root, 'spool'))
    const received = await spool.receive(hello, 5)
    expect(received).toMatchObject({ sha256: helloDigest, bytes: 5 })
    expect(await Bun.file(received.path).text()).toBe('hello')
  })

  test('holds the same whatever the pieces are in which it comes, and whether they are waited for', async () => {
    await using spool = new Spool(join(root, 'spool'))
    const text = 'hello'
    for (let cuts = 0; cuts < 16; cuts += 1) {
      const marked = Array.from(text, (letter, at) => letter + ((cuts >> at) & 1 ? '|' : '')).join('')
      const pieces = marked.split('|').map((piece) => Buffer.from(piece))
      const forms = [
        pieces,
        Iterator.from(pieces),
        (async function* () {
          yield* pieces
        })(),
      ]
      for (const form of forms) {
        const received = await spool.receive(form, 5)
        expect(received).toMatchObject({ sha256: helloDigest, bytes: 5 })
        expect(await Bun.file(received.path).text()).toBe(text)
        await spool.discard(received)
      }
    }
    expect(await spool.receive([], 5)).toMatchObject({ bytes: 0 })
    expect(await spool.receive([Buffer.from(text)], 4).catch((thrown: unknown) => thrown)).toBeInstanceOf(FileTooLarge)
  })

  test('keeps nothing of what is too large, nor of what breaks off', async () => {
    await using spool = new Spool(join(root, 'spool'))
    expect(await spool.receive(hello, 4).catch((thrown: unknown) => thrown)).toBeInstanceOf(FileTooLarge)
    const broken = (async function* () {
      yield Buffer.from('hel')
      throw new Error('the client left')
    })()
    expect(await spool.receive(broken, 5).catch(String)).toContain('the client left')
    const [own] = await readdir(join(root, 'spool'))
    expect(await readdir(join(root, 'spool', own!))).toEqual([])
  })

  test('removes what a killed process of this machine has left, and nothing of one that runs', async () => {
    await using other = new Spool(root)
    await other.workspace()
    const [running] = await readdir(root)
    const scope = running!.replace(/\.\d+\.[^.]*$/, '')
    const [dead, living] = [`${scope}.4194305.abc`, `${scope}.1.abc`]
    for (const name of [dead, living, 'elsewhere.77.abc']) await mkdir(join(root, name))
    await using spool = new Spool(root)
    await spool.workspace()
    const names = await readdir(root)
    expect(names).not.toContain(dead)
    for (const kept of [running!, living, 'elsewhere.77.abc']) expect(names).toContain(kept)
  })

  test('removes what was left before anything is received, and needs no directory for it', async () => {
    await using spool = new Spool(join(root, 'spool'))
    await spool.removeAbandoned()
    await using other = new Spool(join(root, 'spool'))
    await other.workspace()
    const [running] = await readdir(join(root, 'spool'))
    const dead = running!.replace(/\.\d+\.[^.]*$/, '.4194305.abc')
    await mkdir(join(root, 'spool', dead))
    await spool.removeAbandoned()
    expect(await readdir(join(root, 'spool'))).toEqual([running!])
  })

  test('leaves nothing behind, and makes nothing that is not needed', async () => {
    const directory = join(root, 'spool')
    await using unused = new Spool(directory)
    await unused[Symbol.asyncDispose]()
    expect(await readdir(root)).toEqual([])
    const used = new Spool(directory)
    await used.receive(hello, 5)
    await used[Symbol.asyncDispose]()
    expect(await readdir(directory)).toEqual([])
  })
})

describe('blobs in a directory', () => {
  test('are found under their document and content until they are removed', async () => {
    await using spool = new Spool(join(root, 'spool'))
    const blobs = directoryBlobs(join(root, 'blobs'))
    const received = await spool.receive(hello, 5)
    await blobs.put([{ ...received, id }])
    await blobs.put([{ ...received, id }])
    const address = { id, sha256: helloDigest }
    expect(await blobs.listOf(id)).toEqual([address])
    expect(await Array.fromAsync(blobs.list())).toEqual([address])
    await using blob = await blobs.open(address)
    expect(await Bun.file(blob.path).text()).toBe('hello')
    await blobs.remove(address)
    await blobs.remove(address)
    expect(await Array.fromAsync(blobs.list())).toEqual([])
    expect(await blobs.open(address).catch((thrown: unknown) => thrown)).toBeInstanceOf(BlobMissing)
  })
})

describe('the sweep', () => {
  const unknownToAll = { unreferenced: (some: readonly BlobAddress[]) => Promise.resolve(some) }

  async function blobsWithOne() {
    await using spool = new Spool(join(root, 'spool'))
    const blobs = directoryBlobs(join(root, 'blobs'))
    await blobs.put([{ ...(await spool.receive(hello, 5)), id }])
    return blobs
  }

  test('removes a file without a document when it finds it twice', async () => {
    const blobs = await blobsWithOne()
    const sweep = new BlobSweep(blobs, new BlobUse(blobs, unknownToAll))
    await sweep.run(false)
    expect(await blobs.listOf(id)).toHaveLength(1)
    await sweep.run(false)
    expect(await blobs.listOf(id)).toEqual([])
  })

  test('removes it at once when nothing is being imported', async () => {
    const blobs = await blobsWithOne()
    await new BlobSweep(blobs, new BlobUse(blobs, unknownToAll)).run(true)
    expect(await blobs.listOf(id)).toEqual([])
  })

  test('leaves the bytes of an import that is under way, or comes while the database is asked', async () => {
    const blobs = await blobsWithOne()
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const use = new BlobUse(blobs, {
      async unreferenced(some) {
        asked.resolve()
        await answered.promise
        return some
      },
    })
    const sweep = new BlobSweep(blobs, use)
    const first = sweep.run(true)
    await asked.promise
    const held = await use.hold([id])
    held[Symbol.dispose]()
    answered.resolve()
    await first
    const again = await use.hold([id])
    await sweep.run(true)
    expect(await blobs.listOf(id)).toHaveLength(1)
    again[Symbol.dispose]()
    await sweep.run(true)
    expect(await blobs.listOf(id)).toEqual([])
  })

  test('is waited for by an import of the bytes that it is removing', async () => {
    const blobs = await blobsWithOne()
    const steps: string[] = []
    const removing = Promise.withResolvers<void>()
    const use = new BlobUse(
      {
        async remove(address) {
          removing.resolve()
          await blobs.remove(address)
          steps.push('removed')
        },
      },
      unknownToAll,
    )
    const removal = use.removeUnreferenced([{ id, sha256: helloDigest }])
    await removing.promise
    using _held = await use.hold([id])
    steps.push('imported')
    await removal
    expect(steps).toEqual(['removed', 'imported'])
  })

  test('keeps a blob that got its document in the meantime', async () => {
    const blobs = await blobsWithOne()
    let known = false
    const store = { unreferenced: async (some: readonly BlobAddress[]) => (known ? [] : some) }
    const sweep = new BlobSweep(blobs, new BlobUse(blobs, store))
    await sweep.run(false)
    known = true
    await sweep.run(false)
    known = false
    await sweep.run(false)
    expect(await blobs.listOf(id)).toHaveLength(1)
  })
})
