/**
 * Several places as one store: what is new goes to the chosen one, and what lies in any of them can be read and removed.
 * So a changed setting, or an upgrade, loses nothing.
 */
import { BlobMissing, type BlobAddress, type BlobStore } from './blob-store.ts'

/** Removing fails when one of the places cannot be used, after the others have been asked. */
export function joinedBlobs(chosen: BlobStore, others: readonly BlobStore[]): BlobStore {
  const all = [chosen, ...others]
  return {
    place: () => chosen.place(),
    put: (received) => chosen.put(received),
    async open(address) {
      const failures: unknown[] = []
      for (const store of all) {
        try {
          return await store.open(address)
        } catch (thrown) {
          failures.push(thrown)
        }
      }
      // Where it cannot be looked, it may be.
      throw failures.find((failure) => !(failure instanceof BlobMissing)) ?? failures[0]
    },
    async remove(address) {
      const removals = await Promise.allSettled(all.map((store) => store.remove(address)))
      for (const removal of removals) if (removal.status === 'rejected') throw removal.reason
    },
    async listOf(id) {
      const found = (await Promise.all(all.map((store) => store.listOf(id)))).flat()
      return [...new Map(found.map((address) => [address.sha256, address])).values()]
    },
    async *list(): AsyncGenerator<BlobAddress, void> {
      for (const store of all) yield* store.list()
    },
  }
}
