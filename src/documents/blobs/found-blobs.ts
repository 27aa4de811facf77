/**
 * Documents wait until a process works on them that can read their bytes. Where these lie is recorded with the document;
 * this looks whether some lie here after all: those of before places were recorded, and those of a directory that was
 * restored or moved.
 */
import type { DocumentStore } from '#store/documents/document-store.ts'
import { BlobMissing, type BlobStore } from './blob-store.ts'

const askedTogether = 500

export interface FoundBlobsOptions {
  readonly store: Pick<DocumentStore, 'elsewhere' | 'relocate'>
  /** The place whose bytes no other record of this process counts. */
  readonly blobs: Pick<BlobStore, 'open' | 'place'>
  /** Every place that this process can read. */
  readonly places: readonly string[]
}

/** Records of waiting documents what is found here; resolves with how many wait for bytes that are not. */
export async function recordFoundBlobs({ store, blobs, places }: FoundBlobsOptions): Promise<number> {
  const place = await blobs.place()
  let after: string | null = null
  let missing = 0
  for (;;) {
    const some = await store.elsewhere({ places, after, limit: askedTogether })
    const found = []
    for (const address of some) if (await isThere(blobs, address)) found.push(address)
    await store.relocate(found, place)
    missing += some.length - found.length
    after = some.at(-1)?.id ?? null
    if (some.length < askedTogether) return missing
  }
}

async function isThere(blobs: Pick<BlobStore, 'open'>, address: Parameters<BlobStore['open']>[0]): Promise<boolean> {
  try {
    await using _blob = await blobs.open(address)
    return true
  } catch (thrown) {
    if (thrown instanceof BlobMissing) return false
    throw thrown
  }
}
