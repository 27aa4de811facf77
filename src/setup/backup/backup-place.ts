/**
 * Where a backup lies: a directory, or a prefix of a bucket in an S3-compatible store. Both hold the same names: the
 * manifest, which is written last, the database, the secret key, and the files of documents below `blobs`.
 */
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { S3Client, type S3Options } from 'bun'
import { BlobMissing, type BlobStore, type LocalBlob } from '#documents/blobs/blob-store.ts'
import { directoryBlobs } from '#documents/blobs/directory-blobs.ts'
import { pieces, s3Blobs, unavailable } from '#documents/blobs/s3-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { StartProblem } from '../start-problem.ts'

export interface BackupPlace extends AsyncDisposable {
  readonly blobs: BlobStore
  /** For files on their way to and from here; on the same disk where that is possible. */
  readonly spool: Spool
  isEmpty(): Promise<boolean>
  /** Moves a local file here. */
  put(name: string, path: string): Promise<void>
  /** Null when there is no such file. */
  open(name: string): Promise<LocalBlob | null>
}

interface PlaceOptions {
  /** What the settings say about S3; null when they name no store. */
  readonly s3: S3Options | null
  /** For files on their way to a store. */
  readonly workDirectory: string
}

/**
 * `s3://bucket/prefix` or a path. A bucket is looked for in the store of the settings, otherwise where the AWS variables
 * of the environment point, which the runtime reads.
 */
export function openPlace(given: string, { s3, workDirectory }: PlaceOptions): BackupPlace {
  if (!given.startsWith('s3://')) return directoryPlace(resolve(given))
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(given) ?? []
  if (bucket === '') throw new StartProblem(`${given} names no bucket. Write s3://BUCKET/PREFIX.`)
  return s3Place({ ...s3, bucket }, path === '' ? '' : `${path}/`, new Spool(workDirectory))
}

function directoryPlace(root: string): BackupPlace {
  const work = join(root, 'incoming')
  const spool = new Spool(work)
  return {
    blobs: directoryBlobs(join(root, 'blobs')),
    spool,
    isEmpty: async () => (await readdir(root).catch(noneIfMissing)).length === 0,
    async put(name, path) {
      await mkdir(root, { recursive: true, mode: 0o700 })
      await rename(path, join(root, name)).catch(() => copyFile(path, join(root, name)))
      await using directory = await open(root, 'r')
      await directory.sync()
    },
    async open(name) {
      const path = join(root, name)
      return (await Bun.file(path).exists()) ? { path, [Symbol.asyncDispose]: () => Promise.resolve() } : null
    },
    async [Symbol.asyncDispose]() {
      await spool[Symbol.asyncDispose]()
      await rm(work, { recursive: true, force: true })
    },
  }
}

function s3Place(options: S3Options, prefix: string, spool: Spool): BackupPlace {
  const client = new S3Client(options)
  return {
    blobs: s3Blobs(options, spool, `${prefix}blobs/`),
    spool,
    isEmpty: async () => ((await client.list({ prefix, maxKeys: 1 }).catch(unavailable)).contents ?? []).length === 0,
    put: async (name, path) => void (await client.write(prefix + name, Bun.file(path)).catch(unavailable)),
    async open(name) {
      try {
        const received = await spool.receive(pieces(client.file(prefix + name).stream()), Number.MAX_SAFE_INTEGER)
        return { path: received.path, [Symbol.asyncDispose]: () => spool.discard(received) }
      } catch (thrown) {
        if (thrown instanceof BlobMissing) return null
        throw thrown
      }
    },
    [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose](),
  }
}

function noneIfMissing(thrown: unknown): readonly string[] {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
  throw thrown
}
