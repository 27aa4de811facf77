/** Vector stores, the files in them and batches of files, as the store keeps them. */

export interface VectorStoreRecord {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** Days without use after which it expires; null for never. */
  readonly expiresDays: number | null
  readonly createdAt: number
  readonly lastActiveAt: number
}

export const fileStatuses = ['in_progress', 'completed', 'cancelled', 'failed'] as const
export type FileStatus = (typeof fileStatuses)[number]

export interface NewStoreFile {
  readonly storeId: string
  readonly fileId: string
  /** The document that is made of it. */
  readonly documentId: string
  readonly batchId: string | null
  readonly attributes: Readonly<Record<string, string | number | boolean>> | null
  readonly chunking: { readonly units: number; readonly overlap: number }
  readonly createdAt: number
}

/** A file on its way into a store, and whose that is. */
export interface ClaimedFile extends NewStoreFile {
  readonly userId: string
}

export interface StoreFile extends NewStoreFile {
  readonly status: FileStatus
  readonly error: { readonly code: string; readonly message: string } | null
  readonly bytes: number
}

/** How many files have each status, and the bytes of those that are completed. */
export type StoreCounts = Readonly<Record<FileStatus, number>> & { readonly bytes: number }

export interface StoreBatch {
  readonly id: string
  readonly storeId: string
  readonly createdAt: number
  readonly cancelledAt: number | null
}

/** A page in the order of creation: the rows behind `after`, or before `before`, which are ids. */
export interface StorePage {
  readonly limit: number
  readonly descending: boolean
  readonly after: string | null
  readonly before: string | null
}

export interface VectorStoreStore {
  insert(store: VectorStoreRecord): Promise<void>
  /** Null for one that is deleted. */
  find(id: string): Promise<VectorStoreRecord | null>
  list(userId: string, page: StorePage): Promise<readonly VectorStoreRecord[]>
  update(id: string, change: Partial<Pick<VectorStoreRecord, 'name' | 'metadata' | 'expiresDays'>>): Promise<void>
  /** They are in use. */
  touch(ids: readonly string[], now: number): Promise<void>
  counts(ids: readonly string[], now: number): Promise<ReadonlyMap<string, StoreCounts>>
  /** Nothing finds it from now on; its files are still to be removed. False when there is none. */
  markDeleted(id: string, now: number): Promise<boolean>
  /** Removes the row of a store that has no files any more. */
  forget(id: string): Promise<void>
  /** Stores that are deleted, have expired, or whose account is gone, as far as there is something to remove. */
  over(now: number, limit: number): Promise<readonly { readonly id: string; readonly isExpired: boolean }[]>
  /** Adds files; those that are there already stay as they are. Returns those that were added, by their ids. Throws Missing for a store or a file that is gone. */
  addFiles(files: readonly NewStoreFile[]): Promise<ReadonlySet<string>>
  /** Files whose documents are to be made, those that have waited longest; nobody else gets them before `until`. */
  claimFiles(query: {
    readonly limit: number
    readonly now: number
    readonly until: number
  }): Promise<readonly ClaimedFile[]>
  /** The document of a file is there; its attributes as they are now, or null when the file is no longer in the store. */
  madeDocument(
    file: Pick<NewStoreFile, 'storeId' | 'fileId'>,
    documentId: string,
  ): Promise<Pick<NewStoreFile, 'attributes'> | null>
  /** The document could not be made; it is tried again from then on. */
  retryFile(file: Pick<NewStoreFile, 'storeId' | 'fileId'>, from: number): Promise<void>
  failFile(
    file: Pick<NewStoreFile, 'storeId' | 'fileId'>,
    error: { readonly code: string; readonly message: string },
  ): Promise<void>
  file(storeId: string, fileId: string, now: number): Promise<StoreFile | null>
  files(query: FilesQuery): Promise<readonly StoreFile[]>
  setAttributes(file: Pick<NewStoreFile, 'storeId' | 'fileId'>, attributes: NewStoreFile['attributes']): Promise<void>
  /** Takes files out of a store; returns the documents that no file has any more. */
  removeFiles(storeId: string, fileIds: readonly string[]): Promise<readonly string[]>
  /** Stores that these files are in. */
  storesOf(fileIds: readonly string[]): Promise<readonly Pick<NewStoreFile, 'storeId' | 'fileId'>[]>
  /** The files in these stores that the documents were made of, with their names. */
  filesOfDocuments(
    storeIds: readonly string[],
    documentIds: readonly string[],
  ): Promise<readonly (Pick<NewStoreFile, 'documentId' | 'fileId' | 'attributes'> & { readonly name: string })[]>
  insertBatch(batch: StoreBatch): Promise<void>
  batch(id: string): Promise<StoreBatch | null>
  /** Files of it whose documents are not there yet are cancelled with it. */
  cancelBatch(id: string, now: number): Promise<void>
}

export interface FilesQuery extends StorePage {
  readonly storeId: string
  readonly batchId: string | null
  readonly status: FileStatus | null
  readonly now: number
}
