/** What every store of the bytes of documents guarantees. */
import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobMissing, type BlobAddress, type BlobStore } from '#documents/blobs/blob-store.ts'
import type { Spool } from '#documents/blobs/spool.ts'

export interface OpenedBlobs extends AsyncDisposable {
  readonly blobs: BlobStore
  /** The same place as another process has it. */
  readonly beside: BlobStore
  readonly spool: Spool
  /** Directory of the spool. */
  readonly spoolRoot: string
}

const idOf = (index: number): string => `aabbccdd-0000-4000-8000-${String(index).padStart(12, '0')}`
const sizes = [1, 2, 1000, 65_536, 524_287, 524_288, 524_289, 1_048_576, 5_000_001]

/** Runs the contract on stores that `open` makes, one for each test. */
export function blobContract(name: string, open: () => Promise<OpenedBlobs>, reasonToSkip?: string): void {
  const skipped = reasonToSkip === undefined ? '' : ` (skipped: ${reasonToSkip})`
  describe.skipIf(reasonToSkip !== undefined)(`${name}${skipped}`, () => {
    test.each(sizes)('%i bytes come back as they were stored, in every process', async (size) => {
      await using opened = await open()
      const content = randomBytes(size)
      const address = await stored(opened, content, idOf(1))
      for (const blobs of [opened.blobs, opened.beside]) {
        await using blob = await blobs.open(address)
        expect(digestOf(await Bun.file(blob.path).bytes())).toBe(digestOf(content))
      }
    })

    test('a blob is found under its document and content until it is removed', async () => {
      await using opened = await open()
      const { blobs, beside } = opened
      const address = await stored(opened, Buffer.from('hello'), idOf(1))
      await stored(opened, Buffer.from('hello'), idOf(1))
      expect([await blobs.listOf(idOf(1)), await Array.fromAsync(beside.list())]).toEqual([[address], [address]])
      await beside.remove(address)
      await blobs.remove(address)
      expect([await blobs.listOf(idOf(1)), await Array.fromAsync(blobs.list())]).toEqual([[], []])
      expect(await blobs.open(address).catch((thrown: unknown) => thrown)).toBeInstanceOf(BlobMissing)
    })

    test('each document has its own copy, and each of its contents goes alone', async () => {
      await using opened = await open()
      const first = await stored(opened, Buffer.from('first'), idOf(1))
      const second = await stored(opened, Buffer.from('second'), idOf(1))
      const other = await stored(opened, Buffer.from('first'), idOf(2))
      await opened.blobs.remove(first)
      expect([await opened.blobs.listOf(idOf(1)), await opened.blobs.listOf(idOf(2))]).toEqual([[second], [other]])
      await using blob = await opened.blobs.open(other)
      expect(await Bun.file(blob.path).text()).toBe('first')
    })

    test.each([0, 1, 7, 1203])(
      'a list of %i has each of them once',
      async (count) => {
        await using opened = await open()
        const received = await opened.spool.receive([Buffer.from('same')], 10)
        for (let index = 0; index < count; index += 1) {
          await using copy = await opened.spool.workspace()
          const path = join(copy.path, 'copy')
          await Bun.write(path, Bun.file(received.path))
          await opened.blobs.put([{ ...received, path, id: idOf(index) }])
        }
        const ids = (await Array.fromAsync(opened.blobs.list())).map(({ id }) => id)
        expect(ids.toSorted()).toEqual(Array.from({ length: count }, (_each, index) => idOf(index)))
      },
      60_000,
    )

    test.each([0, 1, 63, 64, 500])('%i in one call are stored, and again does nothing', async (count) => {
      await using opened = await open()
      const blobs = await Promise.all(
        Array.from({ length: count }, async (_each, index) => ({
          ...(await opened.spool.receive([Buffer.from(`content ${index}`)], 100)),
          id: idOf(index),
        })),
      )
      const local = async () => (await Promise.all(blobs.map(({ path }) => Bun.file(path).exists()))).filter(Boolean)
      const kept = await opened.blobs.put(blobs)
      expect(await local()).toHaveLength(kept === 'moved' ? 0 : count)
      await opened.blobs.put(blobs)
      const listed = await Array.fromAsync(opened.blobs.list())
      const inOrder = listed.toSorted((one, other) => one.id.localeCompare(other.id))
      expect(inOrder).toEqual(blobs.map(({ id, sha256 }) => ({ id, sha256 })))
      for (const [index, address] of inOrder.entries()) {
        await using blob = await opened.blobs.open(address)
        expect(await Bun.file(blob.path).text()).toBe(`content ${index}`)
      }
    })

    test('processes that store the same bytes at once store them once', async () => {
      await using opened = await open()
      const content = randomBytes(1_500_000)
      const addresses = await Promise.all(
        [opened.blobs, opened.beside, opened.blobs, opened.beside].map((blobs) =>
          stored({ ...opened, blobs }, content, idOf(1)),
        ),
      )
      expect(await opened.blobs.listOf(idOf(1))).toEqual([addresses[0]!])
      await using blob = await opened.beside.open(addresses[0]!)
      expect(digestOf(await Bun.file(blob.path).bytes())).toBe(digestOf(content))
    })

    test('what was opened leaves nothing in the spool', async () => {
      await using opened = await open()
      const address = await stored(opened, randomBytes(100_000), idOf(1))
      const [own] = await readdir(opened.spoolRoot)
      const before = await readdir(join(opened.spoolRoot, own!))
      await (await opened.blobs.open(address))[Symbol.asyncDispose]()
      await opened.blobs.open({ ...address, id: idOf(9) }).catch(() => undefined)
      expect(await readdir(join(opened.spoolRoot, own!))).toEqual(before)
    })

    test('its place has one name for all who can read there', async () => {
      await using opened = await open()
      const names = await Promise.all([opened.blobs.place(), opened.beside.place(), opened.blobs.place()])
      expect(new Set(names).size).toBe(1)
    })
  })
}

/** Stores the content, as an import does. */
async function stored(
  { spool, blobs }: Pick<OpenedBlobs, 'spool' | 'blobs'>,
  content: Uint8Array,
  id: string,
): Promise<BlobAddress> {
  const received = await spool.receive([content], Number.MAX_SAFE_INTEGER)
  await blobs.put([{ ...received, id }])
  await spool.discard(received)
  return { id, sha256: received.sha256 }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
