/** Which places the settings name for the bytes of documents: one for new bytes, and those where older ones may lie. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Options } from 'bun'
import type { Settings } from '#config/settings/records.ts'
import type { StoredBytes } from '#store/documents/stored-bytes.ts'
import type { BlobStore } from './blob-store.ts'
import { databaseBlobs } from './database-blobs.ts'
import { directoryBlobs } from './directory-blobs.ts'
import { joinedBlobs } from './joined-blobs.ts'
import { s3Blobs } from './s3-blobs.ts'
import type { Spool } from './spool.ts'

type BlobSetting = 'documents.blobs' | Extract<keyof Settings, `documents.s3_${string}`>

/** Reads one setting; those of a running server and those of a command are kept in different forms. */
export type ReadBlobSetting = <Name extends BlobSetting>(name: Name) => Settings[Name]

export interface BlobPlaces {
  /** Every place that this process can use, as one. */
  readonly blobs: BlobStore
  /** The place that is this machine's or that processes share as a disk; null when there is none and none is chosen. */
  readonly directory: BlobStore | null
  /** The places that are the same for all processes. */
  readonly shared: readonly BlobStore[]
  /** New bytes go to the directory. */
  readonly isDirectory: boolean
}

export interface BlobPlacesOptions {
  /** Where files of documents lie in the data directory. */
  readonly directory: string
  readonly spool: Spool
  /** Null on SQLite, and where the database is not there yet or not to be used: then `database` means the directory. */
  readonly bytes: StoredBytes | null
}

/** Opens what the settings choose for new bytes, and beside it whatever else can be read. */
export function openBlobs(read: ReadBlobSetting, { directory, spool, bytes }: BlobPlacesOptions): BlobPlaces {
  const root = join(directory, 'blobs')
  const options = s3Options(read)
  const s3 = options && s3Blobs(options, spool)
  const database = bytes && databaseBlobs(bytes, spool)
  const shared = [s3, database].filter((place) => place !== null)
  const chosen = { auto: s3 ?? database, directory: null, s3, database }[read('documents.blobs')]
  if (chosen === null) {
    const files = directoryBlobs(root)
    return { blobs: joinedBlobs(files, shared), directory: files, shared, isDirectory: true }
  }
  // From before the settings chose another place.
  const files = existsSync(root) ? directoryBlobs(root) : null
  const others = [...(files === null ? [] : [files]), ...shared.filter((place) => place !== chosen)]
  return { blobs: joinedBlobs(chosen, others), directory: files, shared, isDirectory: false }
}

/** The names of all of them. */
export async function placeNames({ directory, shared }: BlobPlaces): Promise<readonly string[]> {
  return Promise.all([...shared, ...(directory === null ? [] : [directory])].map((place) => place.place()))
}

/** Null when the settings name no S3 store. */
export function s3Options(read: ReadBlobSetting): S3Options | null {
  const endpoint = read('documents.s3_url')
  const bucket = read('documents.s3_bucket')
  if (endpoint === null || bucket === null) return null
  const region = read('documents.s3_region')
  const accessKeyId = read('documents.s3_access_key_id')
  const secretAccessKey = read('documents.s3_secret_access_key')?.reveal()
  return {
    endpoint,
    bucket,
    ...(region !== null && { region }),
    ...(accessKeyId !== null && { accessKeyId }),
    ...(secretAccessKey !== undefined && { secretAccessKey }),
  }
}
