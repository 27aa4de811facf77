/** What a kind of source does: it lists files, and gives their bytes. Everything that it is answered is not trusted. */
import type { SourceRequest } from '../web/source-client.ts'
import type { FoundFile } from './sync-plan.ts'

export interface ListedFile extends FoundFile {
  /** Shown to people. */
  readonly name: string
  /** Where its bytes are. */
  readonly url: URL
}

export interface SourceListing {
  /** Every file, once. Rejects with SourceFailure. */
  list(signal: AbortSignal): AsyncIterable<ListedFile>
  /** The request for its bytes. */
  requestFor(file: ListedFile): Omit<SourceRequest, 'signal'>
  /** Its bytes in the answer, when they are not all of it. */
  contentOf?(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Whether two files of one version and size have the same bytes, so that one can be the other that was moved. */
  readonly versionIsContent: boolean
}

/** Files that one source can have; beyond them nothing is changed. */
export const filesMax = 200_000
/** Longest id of a file. */
export const idMax = 4096
