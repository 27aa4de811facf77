/**
 * The main thread's end of a thread that does slow work of the store, one job at a time. Databases
 * work on the thread that calls them, and a report, an import or a search must not hold up the streams
 * that the main thread relays.
 *
 * The thread starts with the first job. When it dies, the job under way is answered with
 * StoreUnavailable and the next one starts another. It keeps the process alive only while a job runs.
 */
import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../errors.ts'
import { closing, errorOf, type Answer, type Job, type Jobs } from './thread-job.ts'

export interface JobThreadOptions {
  /** What runs on the thread; it calls serveJobs. */
  readonly script: URL
  /** What the script is given as its `workerData`. */
  readonly data: unknown
  /** Whether the thread stays for the next job or gives its memory back. */
  readonly whenIdle: 'keep' | 'end'
  /**
   * How jobs and answers go across. `text` is JSON: it costs half as much as the runtime's own copying
   * for a batch of plain values. `objects` keeps typed arrays.
   */
  readonly form: 'text' | 'objects'
  /** The job that comes before all others that wait. */
  readonly urgent?: string
}

interface WaitingJob extends Job {
  readonly answered: PromiseWithResolvers<unknown>
}

export class JobThread<Works extends Jobs<keyof Works & string>> {
  readonly #options: JobThreadOptions
  readonly #waiting: WaitingJob[] = []
  #worker: Worker | null = null
  /** The promise of the job that the thread works on. */
  #reply: PromiseWithResolvers<string | Answer> | null = null
  #working: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(options: JobThreadOptions) {
    this.#options = options
  }

  /** Does the job after those that wait, except that urgent ones come first. */
  async run<Name extends keyof Works & string>(
    name: Name,
    ...args: Parameters<Works[Name]>
  ): Promise<Awaited<ReturnType<Works[Name]>>> {
    if (this.#closing !== null) throw new StoreUnavailable(new Error('it is closed'))
    const answered = Promise.withResolvers<unknown>()
    this.#waiting.push({ name, args, answered })
    this.#working ??= this.#work()
    return (await answered.promise) as Awaited<ReturnType<Works[Name]>>
  }

  /** The jobs of these names as functions, each done by the thread. */
  jobs<Name extends keyof Works & string>(names: readonly Name[]): Pick<Works, Name> {
    const entries = names.map(
      (name) => [name, (...args: Parameters<Works[Name]>): Promise<unknown> => this.run(name, ...args)] as const,
    )
    return Object.fromEntries(entries) as unknown as Pick<Works, Name>
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

  #next(): WaitingJob | undefined {
    const urgent = this.#waiting.findIndex((job) => job.name === this.#options.urgent)
    return this.#waiting.splice(Math.max(0, urgent), 1)[0]
  }

  async #settle({ answered, name, args }: WaitingJob): Promise<void> {
    try {
      const reply = await this.#ask({ name, args })
      const answer = typeof reply === 'string' ? (JSON.parse(reply) as Answer) : reply
      if ('failure' in answer) answered.reject(errorOf(answer.failure))
      else answered.resolve(answer.value)
    } catch (thrown) {
      answered.reject(thrown)
    }
  }

  async #ask(job: Job): Promise<string | Answer> {
    const message = this.#options.form === 'text' ? JSON.stringify(job) : job
    const worker = (this.#worker ??= this.#start())
    const reply = (this.#reply = Promise.withResolvers<string | Answer>())
    worker.ref()
    worker.postMessage(message)
    try {
      return await reply.promise
    } finally {
      this.#reply = null
      worker.unref()
    }
  }

  #start(): Worker {
    // Bun's `smol` keeps the thread's heap small: 5 MB less, for no more time.
    const options = { workerData: this.#options.data, smol: true }
    const worker = new Worker(this.#options.script, options)
    worker.on('message', (reply: string | Answer) => this.#reply?.resolve(reply))
    worker.on('error', (error) => this.#lose(worker, error))
    worker.on('exit', (code) => this.#lose(worker, new Error(`a thread of the store ended with code ${code}`)))
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
    await this.#ask({ name: closing, args: [] }).catch(() => undefined)
    this.#worker = null
    await worker.terminate()
  }
}
