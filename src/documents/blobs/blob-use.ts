/**
 * Keeps the removal of bytes that no document has away from the imports of this process. An import stores its bytes
 * first and its document a moment later; between the two its bytes look abandoned.
 */
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { BlobAddress, BlobStore } from './blob-store.ts'

export class BlobUse {
  readonly #blobs: Pick<BlobStore, 'remove'>
  readonly #store: Pick<DocumentStore, 'unreferenced'>
  /** How many imports under way have a document's id. */
  readonly #imports = new Map<string, number>()
  /** Ids that were imported while a removal asked the database. */
  readonly #asking = new Set<Set<string>>()
  readonly #removals = new Map<string, Promise<void>>()

  constructor(blobs: Pick<BlobStore, 'remove'>, store: Pick<DocumentStore, 'unreferenced'>) {
    this.#blobs = blobs
    this.#store = store
  }

  /** No removal touches the bytes of these documents until it is disposed. */
  async hold(ids: readonly string[]): Promise<Disposable> {
    for (const id of ids) this.#imports.set(id, (this.#imports.get(id) ?? 0) + 1)
    for (const seen of this.#asking) for (const id of ids) seen.add(id)
    // A failed removal is the concern of who removes.
    await Promise.allSettled(ids.flatMap((id) => this.#removals.get(id) ?? []))
    return {
      [Symbol.dispose]: () => {
        for (const id of ids) {
          const left = (this.#imports.get(id) ?? 1) - 1
          if (left === 0) this.#imports.delete(id)
          else this.#imports.set(id, left)
        }
      },
    }
  }

  /** Removes those contents that no document has. Others, of which `isOld` says no, are returned instead. */
  async removeUnreferenced(
    addresses: readonly BlobAddress[],
    isOld: (address: BlobAddress) => boolean = () => true,
  ): Promise<readonly BlobAddress[]> {
    const imported = new Set(this.#imports.keys())
    this.#asking.add(imported)
    try {
      const unreferenced = await this.#store.unreferenced(addresses)
      const young: BlobAddress[] = []
      for (const address of unreferenced) {
        if (imported.has(address.id)) continue
        if (isOld(address)) await this.#remove(address)
        else young.push(address)
      }
      return young
    } finally {
      this.#asking.delete(imported)
    }
  }

  async #remove(address: BlobAddress): Promise<void> {
    const removal = this.#blobs.remove(address)
    this.#removals.set(address.id, removal)
    try {
      await removal
    } finally {
      this.#removals.delete(address.id)
    }
  }
}
