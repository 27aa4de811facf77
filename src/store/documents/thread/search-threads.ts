/**
 * Threads that search, each with a memory of its own: a search goes to the one that has least to do. A thread is used
 * only once its memory is filled; until then, and while searches come one by one, the first does all of them.
 */
import type { JobThread } from '../../threads/job-thread.ts'
import type { FindQuery, FindResult } from '../document-store.ts'
import type { ChunkSearch } from '../search/document-search.ts'

type Thread = Pick<JobThread<ChunkSearch>, 'run' | 'close'>

interface Searching {
  readonly thread: Thread
  jobs: number
  state: 'cold' | 'filling' | 'warm'
}

export class SearchThreads {
  readonly #threads: readonly Searching[]

  constructor(count: number, thread: (index: number) => Thread) {
    this.#threads = Array.from({ length: count }, (_each, index) => ({
      thread: thread(index),
      jobs: 0,
      state: index === 0 ? 'warm' : 'cold',
    }))
  }

  /** The search as functions that need no `this`. */
  search(): ChunkSearch {
    return {
      spaces: (viewer, filter) => this.#spaces(viewer, filter),
      find: (query) => this.#find(query),
      facets: (query) => this.#on(this.#least(), (thread) => thread.run('facets', query)),
      fillSearch: () => this.#on(this.#least(), (thread) => thread.run('fillSearch')),
    }
  }

  #spaces(...asked: Parameters<ChunkSearch['spaces']>): ReturnType<ChunkSearch['spaces']> {
    return this.#on(this.#least(), (thread) => thread.run('spaces', ...asked))
  }

  #find(query: FindQuery): Promise<FindResult> {
    const chosen = this.#least()
    // Two at once: the next thread gets its memory by the same search, which nobody waits for.
    if (chosen.jobs > 0) this.#fillNext(query)
    return this.#on(chosen, (thread) => thread.run('find', query))
  }

  /** Waits for what was asked for, then ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.close()))
  }

  #least(): Searching {
    return this.#threads
      .filter(({ state }) => state === 'warm')
      .reduce((least, each) => (each.jobs < least.jobs ? each : least))
  }

  #fillNext(query: FindQuery): void {
    const cold = this.#threads.find(({ state }) => state === 'cold')
    if (cold === undefined) return
    cold.state = 'filling'
    void this.#on(cold, (thread) => thread.run('find', query)).then(
      () => (cold.state = 'warm'),
      () => (cold.state = 'cold'),
    )
  }

  async #on<T>(searching: Searching, job: (thread: Thread) => Promise<T>): Promise<T> {
    searching.jobs += 1
    try {
      return await job(searching.thread)
    } finally {
      searching.jobs -= 1
    }
  }
}
