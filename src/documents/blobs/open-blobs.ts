/** Which places the settings name for the bytes of documents: one for new bytes, and those where older ones may lie. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { StoredBytes } from '#store/documents/stored-bytes.ts'
import type { BlobStore } from './blob-store.ts'
import { databaseBlobs } from './database-blobs.ts'
import { directoryBlobs } from './directory-blobs.ts'
import { joinedBlobs } from './joined-blobs.ts'
import { s3Blobs } from './s3-blobs.ts'
import type { Spool } from './spool.ts'

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
  /** Null on SQLite. */
  readonly bytes: StoredBytes | null
}

/** Opens what the settings choose for new bytes, and beside it whatever else can be read. */
export function openBlobs(settings: LiveSettings, { directory, spool, bytes }: BlobPlacesOptions): BlobPlaces {
  const root = join(directory, 'blobs')
  const s3 = openS3(settings, spool)
  const database = bytes && databaseBlobs(bytes, spool)
  const shared = [s3, database].filter((place) => place !== null)
  const chosen = { auto: s3 ?? database, directory: null, s3, database }[settings.get('documents.blobs')]
  if (chosen === null) {
    const files = directoryBlobs(root)
    return { blobs: joinedBlobs(files, shared), directory: files, shared, isDirectory: true }
  }
  // From before the settings chose another place.
  const files = existsSync(root) ? directoryBlobs(root) : null
  const others = [...(files === null ? [] : [files]), ...shared.filter((place) => place !== chosen)]
  return { blobs: joinedBlobs(chosen, others), directory: files, shared, isDirectory: false }
}

function openS3(settings: LiveSettings, spool: Spool): BlobStore | null {
  const endpoint = settings.get('documents.s3_url')
  const bucket = settings.get('documents.s3_bucket')
  if (endpoint === null || bucket === null) return null
  const region = settings.get('documents.s3_region')
  const accessKeyId = settings.get('documents.s3_access_key_id')
  const secretAccessKey = settings.get('documents.s3_secret_access_key')?.reveal()
  return s3Blobs(
    {
      endpoint,
      bucket,
      ...(region !== null && { region }),
      ...(accessKeyId !== null && { accessKeyId }),
      ...(secretAccessKey !== undefined && { secretAccessKey }),
    },
    spool,
  )
}
