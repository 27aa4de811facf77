/** What a backup says about itself, and how one file of a document is copied and checked. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { z } from '#lib/schema.ts'
import type { BlobAddress, BlobStore } from '#documents/blobs/blob-store.ts'
import type { Spool } from '#documents/blobs/spool.ts'

export const manifestName = 'manifest.json'
export const databaseName = 'database'
export const secretKeyName = 'secret.key'

const blobAddress = z.object({ id: z.string(), sha256: z.string() })

/** Version 1 of the format. A later one gets another number, and older versions of Sluice refuse it. */
export const manifestSchema = z.object({
  format: z.literal(1),
  sluice_version: z.string(),
  created_at: z.string(),
  /** A version of Sluice that knows less than this schema cannot use the database. Backups of 0.1.0 do not say. */
  needs_schema: z.number().default(0),
  engine: z.enum(['sqlite', 'postgres']),
  database: z.object({ bytes: z.number(), sha256: z.string() }),
  /** Whether the backup can open the credentials that it holds. */
  has_secret_key: z.boolean(),
  /** SHA-256 of the file with the key; null without one, and in backups of 0.1.0. */
  secret_key_sha256: z.string().nullable().default(null),
  /** Files that the database refers to and that the backup holds beside it. */
  blobs: z.number(),
  /** Files that the copy of the database holds itself. */
  blobs_in_database: z.number(),
  /** Files that the database refers to and that were lost before the backup. */
  missing_blobs: z.array(blobAddress),
})

export type Manifest = z.infer<typeof manifestSchema>

/** Lower-case hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array)
  return hash.digest('hex')
}

export const blobKey = ({ id, sha256 }: BlobAddress): string => `${id}/${sha256}`

/** Copies one file; false when its bytes are not those of its name. Rejects with BlobMissing when there is none. */
export async function copyBlob(from: BlobStore, to: BlobStore, spool: Spool, address: BlobAddress): Promise<boolean> {
  await using file = await from.open(address)
  const received = await spool.receive(createReadStream(file.path), Number.MAX_SAFE_INTEGER)
  if (received.sha256 !== address.sha256) {
    await spool.discard(received)
    return false
  }
  await to.put([{ ...received, id: address.id }])
  await spool.discard(received)
  return true
}
