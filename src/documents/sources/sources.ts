/** The sources of the server as its parts use them: dry runs for the admin API, and what is due for a loop. */
import type { Caller } from '#identity/records.ts'
import type { Logger } from '#observe/log.ts'
import type { Source, SourceRun, SourceStore } from '#store/sources/sources.ts'
import type { Documents } from '../documents.ts'
import type { SourceListing } from './listing.ts'
import { planRun, runSource, type RunParts } from './run-source.ts'
import { gitListing } from './git/git-listing.ts'
import { s3Listing } from './s3-listing.ts'
import { sitemapListing } from './sitemap-listing.ts'
import type { SourceClient } from '../web/source-client.ts'
import { webdavListing } from './webdav-listing.ts'
import { SourceFailure } from '../web/source-failure.ts'

export interface SourcesOptions {
  readonly store: SourceStore
  readonly documents: Documents
  readonly client: SourceClient
  /** The account of a user; null when it is gone or disabled. */
  readonly callerOf: (userId: string) => Caller | null
  readonly logger: Logger
}

/** One change that a run would make. */
export interface PlannedChange {
  readonly change: 'new' | 'changed' | 'moved' | 'deleted'
  readonly file: string
}

export class Sources {
  readonly #options: SourcesOptions

  constructor(options: SourcesOptions) {
    this.#options = options
  }

  /** What a run would do now. Rejects with SourceFailure. */
  async dryRun(source: Source, signal: AbortSignal): Promise<readonly PlannedChange[]> {
    const { send, moved, gone } = await planRun(this.#partsOf(source, signal), source)
    return [
      ...send.map(({ file, known }) => ({
        change: known === null ? ('new' as const) : ('changed' as const),
        file: file.id,
      })),
      ...moved.map(({ file }) => ({ change: 'moved' as const, file: file.id })),
      ...gone.map(({ id }) => ({ change: 'deleted' as const, file: id })),
    ]
  }

  /**
   * Runs what is due, one source after the other. A run that the signal ends leaves no trace but documents, and its source is
   * due: the next process that leads goes on with it.
   */
  async runDue(signal: AbortSignal): Promise<void> {
    const { store, documents } = this.#options
    for (const { id } of await store.due(await documents.now())) {
      if (signal.aborted) return
      const source = await store.get(id)
      if (source !== null) await this.#run(source, signal)
    }
  }

  async #run(source: Source, signal: AbortSignal): Promise<void> {
    const { store, documents, logger } = this.#options
    const begunAt = await documents.now()
    await store.begin(source.id, begunAt)
    let run: Omit<SourceRun, 'begunAt' | 'endedAt'>
    try {
      run = { outcome: 'completed', ...(await runSource(this.#partsOf(source, signal), source)) }
    } catch (thrown) {
      if (signal.aborted) return
      logger.warn('a source could not be looked at', { source: source.name, error: thrown })
      const message =
        thrown instanceof SourceFailure ? thrown.message : 'The run failed. The log of the server says why.'
      run = { outcome: 'failed', imported: 0, moved: 0, deleted: 0, unchanged: 0, failed: 0, errors: [message] }
    }
    await store.end(source, { ...run, begunAt, endedAt: await documents.now() })
  }

  #partsOf(source: Source, signal: AbortSignal): RunParts {
    const { documents, client, callerOf } = this.#options
    const caller = callerOf(source.userId)
    if (caller === null) throw new SourceFailure('The user whose documents these are is gone or disabled.')
    return { documents, client, caller, listing: this.#listingOf(source), signal }
  }

  #listingOf({ kind, url: address, options, credential }: Source): SourceListing {
    const { client, documents } = this.#options
    const url = new URL(address)
    const text = (name: string): string | null => (typeof options[name] === 'string' ? options[name] : null)
    switch (kind) {
      case 'git':
        return gitListing({ url, credential, branch: text('branch'), path: text('path') ?? '' }, client)
      case 's3':
        return s3Listing({ url, region: text('region') ?? 'us-east-1', credential }, client, () =>
          documents.clock.now(),
        )
      case 'webdav':
        return webdavListing(url, credential, client)
      case 'sitemap':
        return sitemapListing(url, client)
    }
  }
}
