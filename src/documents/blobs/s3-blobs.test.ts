import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startS3, type S3Server } from '#test/support/documents/s3-server.ts'
import { BlobMissing, BlobsUnavailable, type BlobStore } from './blob-store.ts'
import { s3Blobs } from './s3-blobs.ts'
import { Spool } from './spool.ts'

let root: string
let spool: Spool
let s3: S3Server
let blobs: BlobStore
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-s3-'))
  spool = new Spool(root)
  s3 = startS3({ pageSize: 3 })
  blobs = blobsWith({})
})
afterEach(async () => {
  await s3[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

const idOf = (index: number): string => `aabbccdd-0000-4000-8000-${String(index).padStart(12, '0')}`
const sorted = <T extends { readonly id: string }>(some: readonly T[]) =>
  some.toSorted((a, b) => (a.id < b.id ? -1 : 1))

function blobsWith(options: object): BlobStore {
  const { url: endpoint, bucket, accessKeyId, secretAccessKey } = s3
  return s3Blobs({ endpoint, bucket, accessKeyId, secretAccessKey, ...options }, spool)
}

async function stored(content: string | Uint8Array, id = idOf(1)) {
  const received = await spool.receive([Buffer.from(content)], Number.MAX_SAFE_INTEGER)
  await blobs.put([{ ...received, id }])
  return { received, address: { id, sha256: received.sha256 } }
}

/** Every way to use the store, with an address that may hold bytes. */
async function everyUse(used: BlobStore): Promise<readonly (() => Promise<unknown>)[]> {
  const received = await spool.receive([Buffer.from('hello')], 5)
  const address = { id: idOf(1), sha256: received.sha256 }
  return [
    () => used.put([{ ...received, id: idOf(1) }]),
    () => used.open(address),
    () => used.remove(address),
    () => used.listOf(idOf(1)),
    () => Array.fromAsync(used.list()),
  ]
}

test('a blob is found under its document and content until it is removed', async () => {
  const { received, address } = await stored('hello')
  await blobs.put([{ ...received, id: address.id }])
  expect([...s3.objects.keys()]).toEqual([`documents/${address.id}/${address.sha256}`])
  expect(await blobs.listOf(address.id)).toEqual([address])
  const blob = await blobs.open(address)
  expect(await Bun.file(blob.path).text()).toBe('hello')
  await blob[Symbol.asyncDispose]()
  expect(await Bun.file(blob.path).exists()).toBe(false)
  await blobs.remove(address)
  await blobs.remove(address)
  expect(s3.objects.size).toBe(0)
  expect(await blobs.open(address).catch((thrown: unknown) => thrown)).toBeInstanceOf(BlobMissing)
})

test('a large blob goes in parts, and comes back as it was', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536))
  const large = Buffer.concat(Array.from({ length: 200 }, () => bytes))
  const { address } = await stored(large)
  await using blob = await blobs.open(address)
  expect(Buffer.compare(await Bun.file(blob.path).bytes(), large)).toBe(0)
  expect([s3.unfinished(), s3.requests.filter(({ method }) => method === 'POST').length]).toEqual([0, 2])
})

test('a list goes through all pages, and leaves out what is not a blob', async () => {
  const addresses = []
  for (let index = 0; index < 8; index += 1) addresses.push((await stored(`text ${index}`, idOf(index))).address)
  for (const key of ['documents/readme.txt', 'documents/a/short', 'other/thing']) s3.objects.set(key, new Uint8Array(1))
  expect(sorted(await Array.fromAsync(blobs.list()))).toEqual(sorted(addresses))
  expect(s3.requests.filter(({ method }) => method === 'GET').length).toBe(4)
  expect(await blobs.listOf(idOf(3))).toEqual([addresses[3]!])
  expect(await blobs.listOf(idOf(99))).toEqual([])
})

test('both contents of a document are its own, and one can be removed without the other', async () => {
  const first = await stored('first')
  const second = await stored('second')
  expect(await blobs.listOf(idOf(1))).toHaveLength(2)
  await blobs.remove(first.address)
  expect(await blobs.listOf(idOf(1))).toEqual([second.address])
})

test('bytes that differ from the stored ones are never returned, and nothing of them is left', async () => {
  const { address } = await stored('hello')
  s3.objects.set(`documents/${address.id}/${address.sha256}`, Buffer.from('hel'))
  expect(await blobs.open(address).catch((thrown: unknown) => thrown)).toBeInstanceOf(BlobsUnavailable)
  const [own] = await readdir(root)
  // What `stored` received; a directory store would have moved it.
  expect(await readdir(join(root, own!))).toHaveLength(1)
})

test('a wrong credential is an error that says what the store said and shows no secret', async () => {
  await stored('hello')
  const wrong = [
    { options: { secretAccessKey: 'wrong-secret' }, code: 'SignatureDoesNotMatch' },
    { options: { accessKeyId: 'WRONGID' }, code: 'InvalidAccessKeyId' },
    { options: { bucket: 'elsewhere' }, code: 'NoSuchBucket' },
  ]
  for (const { options, code } of wrong) {
    for (const use of await everyUse(blobsWith(options))) {
      const thrown = await use().then(
        () => null,
        (error: unknown) => error as Error,
      )
      expect(thrown).toBeInstanceOf(BlobsUnavailable)
      expect(String(thrown?.cause)).toContain(code)
      expect(thrown?.message + String(thrown?.cause)).not.toMatch(/wrong-secret|only-for-tests|WRONGID|127\.0\.0\.1/)
    }
  }
  expect(s3.objects.size).toBe(1)
})

test('a store that is down or overloaded is unavailable in every use, and works again afterwards', async () => {
  const { address } = await stored('hello')
  s3.answerWith(503)
  for (const use of await everyUse(blobs))
    expect(await use().catch((thrown) => thrown)).toBeInstanceOf(BlobsUnavailable)
  s3.answerWith(null)
  await s3.down()
  for (const use of await everyUse(blobs))
    expect(await use().catch((thrown) => thrown)).toBeInstanceOf(BlobsUnavailable)
  s3.up()
  expect(await blobs.listOf(address.id)).toEqual([address])
})
