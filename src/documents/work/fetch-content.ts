/**
 * Fetches the content of a document that was imported by its address. Until then its stored bytes are the address itself; from
 * then on it is a document like any other, and another attempt reads what was fetched.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { BlobUse } from '../blobs/blob-use.ts'
import type { Spool } from '../blobs/spool.ts'
import { FileTooLarge } from '../blobs/write-pieces.ts'
import type { PageFetcher } from '../web/page-fetcher.ts'
import type { Run } from './run.ts'

export interface FetchDeps {
  readonly store: Pick<DocumentStore, 'receive'>
  readonly blobs: Pick<BlobStore, 'put' | 'remove' | 'place'>
  readonly blobUse: Pick<BlobUse, 'hold'>
  readonly isOnlyProcess: boolean
  readonly spool: Pick<Spool, 'receive' | 'discard'>
  readonly settings: LiveSettings
  readonly pages: PageFetcher
  readonly now: () => Promise<number>
}

/** Nothing for a document whose bytes are there. Rejects with SourceFailure, ReadFailure and LeaseLost. */
export type FetchContent = (run: Run) => Promise<void>

export function createFetchContent(deps: FetchDeps): FetchContent {
  return async (run) => {
    const { url, ...reader } = run.document.reader
    if (typeof url !== 'string') return
    const { store, blobs, blobUse, isOnlyProcess, spool, now } = deps
    const { id, sha256: before, source } = run.document
    const { received, etag } = await fetch(deps, new URL(url), run.signal)
    const { sha256, bytes } = received
    try {
      if (bytes === 0) throw new ReadFailure('no_text', 'The address has no content.')
      using _held = await blobUse.hold([id])
      await blobs.put([{ ...received, id }])
      const place = isOnlyProcess ? null : await blobs.place()
      const content = { sha256, bytes, place, reader }
      // What the importer has said counts more.
      const version = source?.version ?? etag
      await store.receive(run.lease, { ...content, version }, await now())
      run.received(content)
    } finally {
      await spool.discard(received)
    }
    await blobs.remove({ id, sha256: before })
  }
}

async function fetch({ pages, spool, settings }: FetchDeps, url: URL, signal: AbortSignal) {
  const bytesMax = settings.get('documents.max_file_bytes')
  try {
    return await pages.fetch(url, signal, async (pieces, { headers }) => ({
      received: await spool.receive(pieces, bytesMax),
      etag: headers['etag']?.slice(0, 500) ?? null,
    }))
  } catch (thrown) {
    if (!(thrown instanceof FileTooLarge)) throw thrown
    throw new ReadFailure('too_complex', `The page is larger than ${bytesMax} bytes, the limit of this server.`)
  }
}
