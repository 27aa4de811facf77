/**
 * How fast do the bytes of documents go into PostgreSQL and out of it, beside the directory? The main thread must stay
 * free: the longest gap between two of its turns is shown.
 *
 * Run by hand: `SLUICE_TEST_POSTGRES_URL=… bun bench/documents-bytes.ts`.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobAddress, BlobStore, SpooledFile } from '#documents/blobs/blob-store.ts'
import { databaseBlobs } from '#documents/blobs/database-blobs.ts'
import { directoryBlobs } from '#documents/blobs/directory-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'

const rounds = [
  { bytes: 20_000, files: 100 },
  { bytes: 1_000_000, files: 20 },
  { bytes: 50_000_000, files: 3 },
]
const turnMs = 5

const root = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
const schema = await makePostgresSchema(String(process.env['SLUICE_TEST_POSTGRES_URL']))
const store = await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })
const spool = new Spool(join(root, 'spool'))
const { documentBytes } = store
if (documentBytes === null) throw new Error('SLUICE_TEST_POSTGRES_URL does not name a PostgreSQL database.')
const stores = { directory: directoryBlobs(join(root, 'blobs')), database: databaseBlobs(documentBytes, spool) }
try {
  for (const [name, blobs] of Object.entries(stores)) for (const round of rounds) await measure(name, blobs, round)
} finally {
  await spool[Symbol.asyncDispose]()
  await store.close()
  await schema.drop()
  await rm(root, { recursive: true })
}

async function measure(name: string, blobs: BlobStore, { bytes, files }: (typeof rounds)[number]): Promise<void> {
  const received: (SpooledFile & BlobAddress)[] = []
  for (let file = 0; file < files; file += 1)
    received.push({ ...(await spool.receive([randomBytes(bytes)], bytes)), id: crypto.randomUUID() })
  const put = await timed(async () => {
    for (const each of received) await blobs.put([each])
  })
  const open = await timed(async () => {
    for (const each of received) await (await blobs.open(each))[Symbol.asyncDispose]()
  })
  for (const each of received) await blobs.remove(each)
  const line = (ms: number): string =>
    `${((bytes * files) / ms / 1000).toFixed(0)} MB/s, ${(ms / files).toFixed(1)} ms a file`
  const gap = Math.max(put.gapMs, open.gapMs).toFixed(0)
  console.log(
    `${name}, ${files} files of ${bytes} bytes: in ${line(put.ms)}; out ${line(open.ms)}; longest gap ${gap} ms`,
  )
}

async function timed(work: () => Promise<void>): Promise<{ readonly ms: number; readonly gapMs: number }> {
  const startedAt = performance.now()
  let [lastAt, gapMs] = [startedAt, 0]
  const timer = setInterval(() => {
    const now = performance.now()
    gapMs = Math.max(gapMs, now - lastAt - turnMs)
    lastAt = now
  }, turnMs)
  await work()
  clearInterval(timer)
  return { ms: performance.now() - startedAt, gapMs }
}
