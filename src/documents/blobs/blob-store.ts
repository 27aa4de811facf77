/**
 * Where the raw bytes of documents lie: one file for each document and content, named by both. It is
 * content-addressed, so what was stored can be verified, and nothing is shared between documents, so
 * there is no reference count and no race between an import and a deletion of the same bytes.
 *
 * The database decides what exists: a file whose document is gone is removed at the next sweep.
 */

/** Bytes that have arrived and belong to nothing yet. A power cut may take them. */
export interface SpooledFile {
  /** Path of the local file that holds them. */
  readonly path: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly bytes: number
}

/** Received bytes, and the document that they become the content of. */
export interface ReceivedBlob extends SpooledFile {
  readonly id: string
}

export interface BlobAddress {
  /** Id of the document. */
  readonly id: string
  readonly sha256: string
}

/** A blob as a local file, until it is disposed. */
export interface LocalBlob extends AsyncDisposable {
  readonly path: string
}

export interface BlobStore {
  /** Name of the place where `put` stores: the same for every process that can read there, and for no other. */
  place(): Promise<string>
  /**
   * Stores what was received under its address, durably; many cost less in one call. Calling it again does nothing.
   * Resolves with whether the local files are gone then, or still there.
   */
  put(received: readonly ReceivedBlob[]): Promise<'moved' | 'copied'>
  /** Rejects with BlobMissing when there is none. */
  open(address: BlobAddress): Promise<LocalBlob>
  /** Removes it; there may be none. */
  remove(address: BlobAddress): Promise<void>
  /** The contents that are stored for a document. */
  listOf(id: string): Promise<readonly BlobAddress[]>
  /** All of them, in no order. */
  list(): AsyncIterable<BlobAddress>
}

/** The bytes are not there, though the database has the document: lost outside Sluice. */
export class BlobMissing extends Error {}

/** The store cannot be used at the moment; trying again later may help. The message is public, the cause is for the log. */
export class BlobsUnavailable extends Error {}
