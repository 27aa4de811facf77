/**
 * Makes the documents of files that were added to vector stores, a few at a time, whatever their number. The rows say what
 * is left to do: a process that is killed leaves its files to the others, or to the next one.
 */
import { isDeepStrictEqual } from 'node:util'
import { resolveComponents } from '#documents/import/components.ts'
import { importItems } from '#documents/import/import-documents.ts'
import type { ImportItem } from '#documents/import/import-request.ts'
import { removeDocument } from '#documents/records/document-handlers.ts'
import { toApiError } from '#errors/api-error.ts'
import { filePieces } from '#http/file-answer.ts'
import type { Caller } from '#identity/records.ts'
import type { Logger } from '#observe/log.ts'
import type { ClaimedFile } from '#store/batches/vector-store-records.ts'
import { ownFile } from '../files/files.ts'
import { optionsOf, sourceOf } from './add-files.ts'
import type { VectorStores } from './vector-stores.ts'

export interface FileAdderOptions extends Omit<VectorStores, 'adding'> {
  /** The account as it is now; null when it is gone. */
  readonly callerOf: (userId: string) => Caller | null
  readonly logger: Logger
}

const addedTogether = 4
/** Nobody else takes a claimed file before that: copying the largest takes less. */
const claimedForMs = 600_000
const retryAfterMs = 30_000
/** After this a file that could not be added for reasons of the server fails. */
const triedForMs = 3_600_000

interface Refusal {
  readonly code: string
  readonly message: string
}

export class FileAdder implements AsyncDisposable {
  readonly #options: FileAdderOptions
  #working: Promise<void> | null = null
  #again = false
  #stopping = false

  constructor(options: FileAdderOptions) {
    this.#options = options
  }

  /** There may be files to add. */
  wake(): void {
    this.#again = true
    if (this.#stopping) return
    this.#working ??= this.#work().finally(() => (this.#working = null))
  }

  /** Waits for the files that are being copied; the others are left to the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    await this.#working
  }

  async #work(): Promise<void> {
    const { store, clock, documents, logger } = this.#options
    try {
      while (!this.#stopping) {
        this.#again = false
        const now = clock.now()
        const claimed = await store.claimFiles({ limit: addedTogether, now, until: now + claimedForMs })
        await Promise.all(claimed.map((file) => this.#add(file)))
        if (claimed.length > 0) documents.wake()
        else if (!this.#again) return
      }
    } catch (error) {
      // The upkeep wakes this again.
      logger.error('adding files to vector stores failed', { error })
    }
  }

  async #add(file: ClaimedFile): Promise<void> {
    const { store, clock, logger } = this.#options
    try {
      const refusal = await this.#makeDocument(file)
      if (refusal !== null) await store.failFile(file, refusal)
    } catch (error) {
      const { code, message, status } = toApiError(error)
      const isLate = clock.now() - file.createdAt > triedForMs
      if (status < 500 || isLate) await store.failFile(file, { code, message })
      else await store.retryFile(file, clock.now() + retryAfterMs)
      logger.warn('a file was not added to its vector store', { error, fileId: file.fileId, storeId: file.storeId })
    }
  }

  /** What is wrong with the file; null when its document is there, or nobody wants it any more. */
  async #makeDocument(file: ClaimedFile): Promise<Refusal | null> {
    const { documents, store, files, callerOf } = this.#options
    const caller = callerOf(file.userId)
    if (caller === null) return { code: 'server_error', message: 'The account of the vector store is gone.' }
    const stored = await ownFile(files, file.fileId, caller)
    if (stored.bytes > documents.settings.get('documents.max_file_bytes'))
      return { code: 'too_large', message: 'The file is larger than a document may be.' }
    const components = resolveComponents(documents, caller, optionsOf(file))
    await using blob = await documents.blobs.open({ id: stored.blobId, sha256: stored.sha256 ?? '' })
    const received = await documents.spool.receive(filePieces(blob, 0, stored.bytes), stored.bytes)
    const item: ImportItem = {
      name: stored.name,
      category: file.storeId,
      path: '',
      docId: null,
      source: sourceOf(file.storeId, file.fileId),
      metadata: file.attributes ?? {},
      owners: null,
      origin: { kind: 'received', received },
      fault: null,
      warnings: [],
    }
    const [createdAt, place] = await Promise.all([documents.now(), documents.place()])
    const [outcome] = await importItems(documents, [item], { caller, components, createdAt, place })
    if (outcome === undefined || outcome.kind === 'invalid')
      return outcome?.reason ?? { code: 'server_error', message: 'The file was not added.' }
    const made = await store.madeDocument(file, outcome.id)
    if (made === null) await this.#removeUnwanted(file, outcome.id)
    else if (!isDeepStrictEqual(made.attributes, file.attributes))
      await this.#describe(file, outcome.id, made.attributes)
    return null
  }

  /** The store, or the file in it, was deleted or cancelled in the meantime; or another process has made the document. */
  async #removeUnwanted({ storeId, fileId }: ClaimedFile, id: string): Promise<void> {
    const { documents, store, clock } = this.#options
    const row = await store.file(storeId, fileId, clock.now())
    const isMade = row !== null && row.documentId === id && row.status !== 'cancelled'
    if (!isMade) await removeDocument(documents, id)
  }

  /** The attributes were changed while the document was made. */
  async #describe(file: ClaimedFile, id: string, attributes: ClaimedFile['attributes']): Promise<void> {
    const { documents } = this.#options
    const removed = Object.keys(file.attributes ?? {}).map((name) => [name, null] as const)
    const patch = { ...Object.fromEntries(removed), ...attributes }
    const viewer = { userId: file.storeId, principals: [], all: true }
    await documents.store.describe(id, viewer, { patch, now: await documents.now() })
  }
}
