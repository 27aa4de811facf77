/**
 * The main thread's end of usage-worker.ts. bun:sqlite works on the thread that calls it, and a
 * report over a month must not hold up the streams that this thread relays.
 *
 * The thread starts with the first job. When it dies, the job under way is answered with
 * StoreUnavailable and the next one starts another. It keeps the process alive only while a job runs.
 */
import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from './errors.ts'
import { errorOf, type UsageAnswer, type UsageJob, type UsageJobs } from './usage-job.ts'
import type { UsageWork } from './usage.ts'

export interface UsageThreadOptions {
  /** Path of an SQLite file that this process has open. */
  readonly file: string
  /** Whether the thread stays for the next job or gives its memory back. */
  readonly whenIdle: 'keep' | 'end'
  /** What runs on the thread: usage-worker.ts when absent. */
  readonly script?: URL
}

interface WaitingJob extends UsageJob {
  readonly answered: PromiseWithResolvers<unknown>
}

export class UsageThread {
  readonly #options: UsageThreadOptions
  readonly #waiting: WaitingJob[] = []
  #worker: Worker | null = null
  /** Of the job that the thread works on. */
  #reply: PromiseWithResolvers<string> | null = null
  #working: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(options: UsageThreadOptions) {
    this.#options = options
  }

  /** Does the job after those that wait, except that inserts come before all others. */
  async run<Name extends keyof UsageJobs>(
    name: Name,
    ...args: Parameters<UsageJobs[Name]>
  ): Promise<Awaited<ReturnType<UsageJobs[Name]>>> {
    if (this.#closing !== null) throw new StoreUnavailable(new Error('it is closed'))
    const answered = Promise.withResolvers<unknown>()
    this.#waiting.push({ name, args, answered })
    this.#working ??= this.#work()
    return (await answered.promise) as Awaited<ReturnType<UsageJobs[Name]>>
  }

  /** Refuses further jobs, waits for those that were given, then ends the thread. Calling it again does nothing. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.#working
    await this.#end()
  }

  async #work(): Promise<void> {
    for (;;) {
      const job = this.#next()
      if (job !== undefined) await this.#settle(job)
      else if (this.#options.whenIdle === 'end' && this.#worker !== null) await this.#end()
      else break
    }
    this.#working = null
  }

  /** Rows come first: their queue is bounded, and no number of reports may make it overflow. */
  #next(): WaitingJob | undefined {
    const insert = this.#waiting.findIndex((job) => job.name === 'insertCells')
    return this.#waiting.splice(Math.max(0, insert), 1)[0]
  }

  async #settle({ answered, ...job }: WaitingJob): Promise<void> {
    try {
      const answer = JSON.parse(await this.#ask(job)) as UsageAnswer
      if ('failure' in answer) answered.reject(errorOf(answer.failure))
      else answered.resolve(answer.value)
    } catch (thrown) {
      answered.reject(thrown)
    }
  }

  async #ask(job: UsageJob): Promise<string> {
    const text = JSON.stringify(job)
    const worker = (this.#worker ??= this.#start())
    const reply = (this.#reply = Promise.withResolvers<string>())
    worker.ref()
    worker.postMessage(text)
    try {
      return await reply.promise
    } finally {
      this.#reply = null
      worker.unref()
    }
  }

  #start(): Worker {
    const script = this.#options.script ?? new URL('./usage-worker.ts', import.meta.url)
    // Bun's `smol` keeps the thread's heap small: 5 MB less, for no more time.
    const options = { workerData: this.#options.file, smol: true }
    const worker = new Worker(script, options)
    worker.on('message', (text: string) => this.#reply?.resolve(text))
    worker.on('error', (error) => this.#lose(worker, error))
    worker.on('exit', (code) => this.#lose(worker, new Error(`the thread for usage ended with code ${code}`)))
    return worker
  }

  /** An error is followed by the exit, which then finds another thread, or none. */
  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#reply?.reject(new StoreUnavailable(cause))
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    // A thread that dies of it has closed its connection too.
    await this.#ask({ name: 'close', args: [] }).catch(() => undefined)
    this.#worker = null
    await worker.terminate()
  }
}

/** Work on usage records, done by this thread. */
export function usageOn(thread: UsageThread): UsageWork {
  return {
    insertCells: (cells) => thread.run('insertCells', cells),
    totals: (filter) => thread.run('totals', filter),
    series: (query) => thread.run('series', query),
    list: (query) => thread.run('list', query),
    purgeSome: (before) => thread.run('purgeSome', before),
  }
}
