/**
 * The last step of a restore: files that belong into the database go there, and waiting documents learn where their files
 * are now, since the names of places differ from those of the installation that was backed up.
 */
import { recordFoundBlobs } from '#documents/blobs/found-blobs.ts'
import { placeNames, type BlobPlaces } from '#documents/blobs/open-blobs.ts'
import type { Spool } from '#documents/blobs/spool.ts'
import { BackupRefused } from '#store/backup.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'
import { copyBlob } from './manifest.ts'

export interface SettleOptions {
  readonly store: Pick<DocumentStore, 'elsewhere' | 'relocate'>
  /** The places of the installation, with its database. */
  readonly places: BlobPlaces
  readonly spool: Spool
}

/** Leaves no file of the data directory behind unless new files go there too. */
export async function settleFiles({ store, places, spool }: SettleOptions): Promise<void> {
  const { blobs, directory, isDirectory } = places
  if (directory !== null && !isDirectory) {
    for await (const address of directory.list()) {
      if (!(await copyBlob(directory, blobs, spool, address)))
        throw new BackupRefused(`The file of document ${address.id} was changed while it was restored. Start again.`)
      await directory.remove(address)
    }
  }
  await recordFoundBlobs({ store, blobs, places: await placeNames(places) })
}
