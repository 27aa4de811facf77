/** Removes blobs whose document is gone: what a killed process, or one that lost its database, has left behind. */
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { BlobAddress, BlobStore } from './blob-store.ts'

const askedTogether = 500

export class BlobSweep {
  readonly #blobs: BlobStore
  readonly #store: Pick<DocumentStore, 'unreferenced'>
  /** Found without a document at the last sweep. */
  #suspects: ReadonlySet<string>

  constructor(blobs: BlobStore, store: Pick<DocumentStore, 'unreferenced'>) {
    this.#blobs = blobs
    this.#store = store
    this.#suspects = new Set()
  }

  /**
   * Removes what this sweep and the one before have found without a document: an import stores its bytes
   * first and its document a moment later. `alone`: nothing is being imported, so one look is enough.
   */
  async run(alone: boolean): Promise<void> {
    const suspects = new Set<string>()
    let some: BlobAddress[] = []
    const ask = async (): Promise<void> => {
      for (const address of await this.#store.unreferenced(some)) {
        const key = `${address.id}/${address.sha256}`
        if (alone || this.#suspects.has(key)) await this.#blobs.remove(address)
        else suspects.add(key)
      }
      some = []
    }
    for await (const address of this.#blobs.list()) {
      some.push(address)
      if (some.length === askedTogether) await ask()
    }
    if (some.length > 0) await ask()
    this.#suspects = suspects
  }
}
