import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { blobContract, type OpenedBlobs } from '#test/support/contract/blob-contract.ts'
import { startS3 } from '#test/support/documents/s3-server.ts'
import { openDatabaseLine } from '#test/support/network/database-line.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { BlobsUnavailable, BlobMissing, type BlobStore } from './blob-store.ts'
import { databaseBlobs } from './database-blobs.ts'
import { directoryBlobs } from './directory-blobs.ts'
import { joinedBlobs } from './joined-blobs.ts'
import { s3Blobs } from './s3-blobs.ts'
import { Spool } from './spool.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const withoutServer = serverUrl === undefined ? 'SLUICE_TEST_POSTGRES_URL is not set' : undefined

type Make = (root: string, spool: Spool, opening: AsyncDisposableStack) => Promise<readonly [BlobStore, BlobStore]>

async function open(make: Make): Promise<OpenedBlobs> {
  await using opening = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'sluice-blobs-'))
  opening.defer(() => rm(root, { recursive: true, force: true }))
  const spoolRoot = join(root, 'spool')
  const spool = opening.use(new Spool(spoolRoot))
  const [blobs, beside] = await make(root, spool, opening)
  const resources = opening.move()
  return { blobs, beside, spool, spoolRoot, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function inDirectory(root: string): Promise<readonly [BlobStore, BlobStore]> {
  return [directoryBlobs(join(root, 'blobs')), directoryBlobs(join(root, 'blobs'))]
}

async function inBucket(_root: string, spool: Spool, opening: AsyncDisposableStack) {
  const s3 = opening.use(startS3({ pageSize: 100 }))
  const { url: endpoint, bucket, accessKeyId, secretAccessKey } = s3
  const make = (): BlobStore => s3Blobs({ endpoint, bucket, accessKeyId, secretAccessKey }, spool)
  return [make(), make()] as const
}

async function inDatabase(_root: string, spool: Spool, opening: AsyncDisposableStack) {
  const schema = await makePostgresSchema(String(serverUrl))
  opening.defer(() => schema.drop())
  const make = async (): Promise<BlobStore> => {
    const store = await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })
    opening.defer(() => store.close())
    return databaseBlobs(store.documentBytes!, spool)
  }
  return [await make(), await make()] as const
}

async function joined(root: string, spool: Spool, opening: AsyncDisposableStack) {
  const [first, second] = await inBucket(root, spool, opening)
  const [directory] = await inDirectory(root)
  return [joinedBlobs(first, [directory]), joinedBlobs(second, [directory])] as const
}

blobContract('blobs in a directory', () => open(inDirectory))
blobContract('blobs in an S3-compatible store', () => open(inBucket))
blobContract('blobs in PostgreSQL', () => open(inDatabase), withoutServer)
blobContract('blobs in several places', () => open(joined))

test('what lies in a place that is no longer chosen can be read, is listed, and is removed', async () => {
  await using opened = await open(inBucket)
  await using directoryOpened = await open(inDirectory)
  const { spool } = opened
  const received = await spool.receive([Buffer.from('before')], 10)
  const id = crypto.randomUUID()
  const address = { id, sha256: received.sha256 }
  await directoryOpened.blobs.put([{ ...received, id }])
  const blobs = joinedBlobs(opened.blobs, [directoryOpened.blobs])
  {
    await using blob = await blobs.open(address)
    expect(await Bun.file(blob.path).text()).toBe('before')
  }
  expect([await blobs.listOf(id), await Array.fromAsync(blobs.list())]).toEqual([[address], [address]])
  await blobs.remove(address)
  expect(await Array.fromAsync(directoryOpened.blobs.list())).toEqual([])
})

test('directories that processes do not share have different names, and a directory keeps its own', async () => {
  await using one = await open(inDirectory)
  await using two = await open(inDirectory)
  const [first, second] = [await one.blobs.place(), await two.blobs.place()]
  expect(first).not.toBe(second)
  expect([first, second].every((name) => /^directory:[0-9a-f-]{36}$/.test(name))).toBe(true)
  expect(await one.beside.place()).toBe(first)
  expect(await Array.fromAsync(one.blobs.list())).toEqual([])
})

test.skipIf(serverUrl === undefined)(
  'PostgreSQL that goes away is unavailable in every use, also in the middle of a file, and nothing of half a file is left',
  async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using opened = await open(async (_root, spool, opening) => {
      const schema = await makePostgresSchema(String(serverUrl))
      opening.defer(() => schema.drop())
      const near = await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })
      const far = await openStore({ url: line.to(schema), sealer: sealer(new Uint8Array(32)) })
      for (const store of [near, far]) opening.defer(() => store.close())
      const breaking = {
        ...far.documentBytes!,
        write: (address: { id: string; sha256: string }, pieces: Uint8Array | AsyncIterable<Uint8Array>) =>
          far.documentBytes!.write(address, breakingAfter(pieces as AsyncIterable<Uint8Array>, 2)),
      }
      return [databaseBlobs(near.documentBytes!, spool), databaseBlobs(breaking, spool)]
    })
    /** The line breaks when this many pieces have gone. */
    async function* breakingAfter(pieces: AsyncIterable<Uint8Array>, count: number) {
      let sent = 0
      for await (const piece of pieces) {
        if ((sent += 1) > count) line.breakAll()
        yield piece
      }
    }
    const id = crypto.randomUUID()
    const received = await opened.spool.receive([Buffer.alloc(3_000_000, 7)], 3_000_000)
    const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((thrown: unknown) => thrown)
    expect(await caught(opened.beside.put([{ ...received, id }]))).toBeInstanceOf(BlobsUnavailable)
    expect(await opened.blobs.listOf(id)).toEqual([])
    expect(await caught(opened.blobs.open({ id, sha256: received.sha256 }))).toBeInstanceOf(BlobMissing)
    await opened.blobs.put([{ ...received, id }])
    await using blob = await opened.beside.open({ id, sha256: received.sha256 })
    expect(Bun.file(blob.path).size).toBe(3_000_000)
  },
)
