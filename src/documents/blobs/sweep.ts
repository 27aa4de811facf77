/** Removes blobs whose document is gone: what a killed process, or one that lost its database, has left behind. */
import type { BlobAddress, BlobStore } from './blob-store.ts'
import type { BlobUse } from './blob-use.ts'

const askedTogether = 500

export class BlobSweep {
  readonly #blobs: Pick<BlobStore, 'list'>
  readonly #use: BlobUse
  /** Found without a document at the last sweep. */
  #suspects: ReadonlySet<string>

  constructor(blobs: Pick<BlobStore, 'list'>, use: BlobUse) {
    this.#blobs = blobs
    this.#use = use
    this.#suspects = new Set()
  }

  /**
   * Removes what this sweep and the one before have found without a document: another process stores the bytes of an
   * import first and the document a moment later. `isOnlyProcess`: there is no other, so one look is enough. Stops in
   * the middle when the signal is aborted.
   */
  async run(isOnlyProcess: boolean, signal?: AbortSignal): Promise<void> {
    const suspects = new Set<string>()
    const isOld = (address: BlobAddress): boolean => isOnlyProcess || this.#suspects.has(keyOf(address))
    let some: BlobAddress[] = []
    const check = async (): Promise<void> => {
      for (const young of await this.#use.removeUnreferenced(some, isOld)) suspects.add(keyOf(young))
      some = []
    }
    for await (const address of this.#blobs.list()) {
      if (signal?.aborted === true) return
      some.push(address)
      if (some.length === askedTogether) await check()
    }
    if (some.length > 0) await check()
    this.#suspects = suspects
  }
}

function keyOf({ id, sha256 }: BlobAddress): string {
  return `${id}/${sha256}`
}
