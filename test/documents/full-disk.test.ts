/**
 * A disk that is full: imports are refused with 503, documents wait instead of failing, and all goes on when there is
 * room. The disk is a small file system in memory, which takes the right to mount one.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ReadingPool } from '#documents/reading/reading-pool.ts'
import { ResourceExhausted, resourceFaultOf } from '#lib/resource-fault.ts'
import { eventually, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const disk = mkdtempSync(join(tmpdir(), 'sluice-full-disk-'))
const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=24m', 'none', disk]).exitCode === 0
const filler = join(disk, 'filler')
const refusal = { status: 503, type: 'api_error', code: 'storage_full' } as const

/** Leaves no page of the disk, nor of the database's log. */
async function fill(directory: string): Promise<void> {
  using database = new Database(join(directory, 'sluice.db'))
  database.run('pragma wal_checkpoint(truncate)')
  const { bavail, bsize } = statfsSync(disk)
  // Others can write at this moment; then less is left than there was.
  await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: unknown) =>
    expect(error).toMatchObject({ code: 'ENOSPC' }),
  )
}

afterAll(() => {
  if (mounted) Bun.spawnSync(['umount', '-l', disk])
  rmSync(disk, { recursive: true, force: true })
})

describe.skipIf(!mounted)(`a full disk${mounted ? '' : ' (skipped: no file system can be mounted here)'}`, () => {
  let app: DocumentsApp
  beforeAll(async () => {
    app = await startDocuments({ folder: disk })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const readiness = async (): Promise<readonly [number, string | undefined]> => {
    const response = await app.request('GET', '/readyz', { key: null })
    const { error } = (await response.json()) as { error?: { code: string } }
    return [response.status, error?.code]
  }

  const faults = (): Promise<number> => app.metric('sluice_resource_faults_total{fault="storage_full"}')

  test('refuses imports as storage_full, shows it to /readyz and the metrics, and takes them when there is room', async () => {
    expect(await readiness()).toEqual([200, undefined])
    const item = { bytes: 'many words '.repeat(20_000) }
    await fill(app.directory)
    for (const items of [[item], [{ bytes: 'few words' }]]) {
      const refused = await app.import(items)
      expect(refused.headers.get('retry-after')).toBe('30')
      await expectRefusal(refused, refusal)
    }
    expect(await readiness()).toEqual([503, 'storage_full'])
    expect(await faults()).toBeGreaterThan(0)
    await rm(filler)
    await eventually(async () => (await readiness())[0] === 200)
    expect(await app.imported(item)).toMatchObject({ state: 'completed' })
    expect(await app.onTheirWay()).toEqual([])
  })

  test('is no fault of a file that is being read', async () => {
    const source = mkdtempSync(join(tmpdir(), 'sluice-source-'))
    await using pool = new ReadingPool({ size: 1, timeMaxMs: 60_000, memoryBytesMax: 2e9 })
    const file = join(source, 'long.txt')
    await writeFile(file, 'A sentence of many words. '.repeat(40_000))
    const chunker = { name: 'token', units: 100, overlap: 0, tokenizer: 'cl100k_base' } as const
    const limits = { textMax: 10_000_000, pagesMax: 1000, unpackedBytesMax: 10_000_000 }
    const reading = { file, name: 'long.txt', reader: 'auto', limits, chunker }
    await pool.run('read', { ...reading, directory: source })
    await fill(app.directory)
    const thrown = await pool.run('read', { ...reading, directory: disk }).catch((error: unknown) => error)
    await rm(filler)
    rmSync(source, { recursive: true })
    expect(thrown).toBeInstanceOf(ResourceExhausted)
    expect(resourceFaultOf(thrown)).toBe('storage_full')
  })

  test('makes a document wait that is being read and stored, without an attempt, and completes it later', async () => {
    app.upstream.script(embedsWhenReleased)
    const seen = app.upstream.requests.length
    const [id] = await app.accepted([{ bytes: 'a good document' }], { embedder: 'plain' })
    await eventually(() => app.upstream.requests.length >= seen + 2)
    const before = await faults()
    await fill(app.directory)
    app.upstream.release(1)
    await eventually(async () => (await faults()) > before)
    await rm(filler)
    await eventually(async () => (await app.record(id!)).error !== null)
    expect(await app.record(id!)).toMatchObject({ state: 'queued', attempts: 0, error: { code: 'storage_full' } })
    app.advance(15_000)
    await eventually(() => app.upstream.requests.length >= seen + 3)
    app.upstream.release(1)
    expect(await app.ended(id!)).toMatchObject({ state: 'completed', attempts: 1, error: null })
  }, 60_000)
})
