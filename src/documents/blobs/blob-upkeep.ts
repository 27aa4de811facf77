/**
 * What has to be done about the places of bytes while a server runs: removing what no document has any more, and
 * recording which waiting documents and batches have their bytes here.
 */
import type { Logger } from '#observe/log.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { BlobUse } from './blob-use.ts'
import { recordFoundBlobs } from './found-blobs.ts'
import { placeNames, type BlobPlaces } from './open-blobs.ts'
import { BlobSweep } from './sweep.ts'

export interface BlobUpkeepOptions {
  readonly places: BlobPlaces
  readonly use: BlobUse
  readonly store: Pick<DocumentStore, 'elsewhere' | 'relocate' | 'hasOtherPlaces'>
  readonly isOnlyProcess: boolean
  /** Does the work in one of all processes. */
  readonly lead: (work: (signal: AbortSignal) => Promise<void>) => Promise<boolean>
  readonly logger: Pick<Logger, 'warn'>
}

export class BlobUpkeep {
  readonly #options: BlobUpkeepOptions
  readonly #own: BlobSweep | null
  readonly #shared: readonly BlobSweep[]
  /** Documents that waited for bytes elsewhere when last looked. */
  #missing = 0

  constructor(options: BlobUpkeepOptions) {
    this.#options = options
    const { places, use } = options
    this.#own = places.directory && new BlobSweep(places.directory, use)
    this.#shared = places.shared.map((place) => new BlobSweep(place, use))
  }

  /** The places that this process can read; null when there is no other process, which could not read them. */
  async names(): Promise<readonly string[] | null> {
    const { isOnlyProcess, places } = this.#options
    return isOnlyProcess ? null : placeNames(places)
  }

  /** One round; `isFirst` is that of the start, when this process has no import under way. */
  async run(isFirst: boolean): Promise<void> {
    const { isOnlyProcess, lead } = this.#options
    await this.#record(isFirst)
    const isAlone = isFirst && isOnlyProcess
    // Each process has a directory of its own, or they share one and a file is removed once.
    await this.#own?.run(isAlone)
    if (this.#shared.length === 0) return
    await lead(async (signal) => {
      for (const sweep of this.#shared) await sweep.run(isAlone, signal)
    })
  }

  async #record(isFirst: boolean): Promise<void> {
    const { places, store, logger } = this.#options
    const names = await this.names()
    if (names === null) return
    if (isFirst && places.isDirectory && (await store.hasOtherPlaces(names))) logger.warn(severalDirectories)
    if (places.directory === null) return
    const missing = await recordFoundBlobs({ store, blobs: places.directory, places: names })
    if (missing > 0 && this.#missing > 0)
      logger.warn('documents wait for files that only another process can read', { documents: missing })
    this.#missing = missing
  }
}

const severalDirectories =
  'the processes on this database store imported files in different directories: each works only on what it can read, and a machine that is lost takes its files with it; set documents.blobs to database or s3, or let them share data_dir/documents/blobs'
