/** The supervisor's end of one worker: starts its process, passes on what it asks for, and tells when it has ended. */
import { ownScript, scriptCommand } from '#lib/own-scripts.ts'
import { within } from '#lib/within.ts'
import { StartProblem } from '#setup/start-problem.ts'
import type { StartFacts } from '../start-server.ts'
import type { Expositions, FromWorker, ToWorker, WorkerOrder } from './protocol.ts'

/** How the process of a worker ended. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** A scrape waits so long for a worker that does not answer. */
const exposeMs = 1000

/** One process, started by the constructor. Not for use after it has ended. */
export class Worker {
  /** Resolves when it listens. Rejects with StartProblem, or when it ends before. */
  readonly ready: Promise<StartFacts>
  /** Never rejects. */
  readonly ended: Promise<WorkerEnd>
  readonly #process: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
  readonly #readiness = Promise.withResolvers<StartFacts>()
  readonly #gather: () => Promise<Expositions>
  /** The metrics that it was asked for and has not sent yet. */
  #exposing: PromiseWithResolvers<string> | null = null
  /** It listens. */
  #isReady = false
  /** Looks since its last sign of life. */
  #unanswered = 0

  /** @param gather the metrics of the other workers; never rejects */
  constructor(order: WorkerOrder, gather: () => Promise<Expositions>) {
    this.#gather = gather
    const ended = Promise.withResolvers<WorkerEnd>()
    this.ready = this.#readiness.promise
    this.ended = ended.promise
    // It is for the caller to look at; an end without anyone who waits for it is not a failure of this process.
    this.ready.catch(() => undefined)
    this.#process = Bun.spawn([...scriptCommand(ownScript('cli/start/workers/worker-process.ts'))], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
      serialization: 'json',
      ipc: (message) => void this.#take(message as FromWorker),
      onExit: (_, code, signal) => {
        this.#readiness.reject(new Error(`Worker ${order.number} ended before it was ready.`))
        ended.resolve({ code, signal: signal === null ? null : String(signal) })
      },
    })
    this.#send({ kind: 'start', order })
  }

  /**
   * Its metrics; null when it does not answer in time. All that ask before it answers share the answer: however many scrapes
   * come, one message waits for a process that hangs.
   */
  async exposition(): Promise<string | null> {
    if (this.#exposing === null) {
      this.#exposing = Promise.withResolvers()
      this.#send({ kind: 'expose' })
    }
    const text = await within(exposeMs, this.#exposing.promise)
    // Before it listens it has nothing to tell.
    return text === '' ? null : text
  }

  /**
   * Asks for a sign of life, unless it owes one. Returns how many looks in a row have had none; a process that
   * does not listen yet is not asked.
   */
  look(): number {
    if (!this.#isReady) return 0
    if (this.#unanswered === 0) this.#send({ kind: 'look' })
    this.#unanswered += 1
    return this.#unanswered - 1
  }

  /** Asks it to stop when what runs is done. */
  stop(): void {
    this.#send({ kind: 'stop' })
  }

  /** Ends it at once. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }

  async #take(message: FromWorker): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.#isReady = true
        this.#readiness.resolve(message.facts)
        return
      case 'refused':
        this.#readiness.reject(new StartProblem(message.lines))
        return
      case 'alive':
        this.#unanswered = 0
        return
      case 'exposition':
        this.#exposing?.resolve(message.text)
        this.#exposing = null
        return
      case 'gather':
        this.#send({ kind: 'exposed', expositions: await this.#gather() })
    }
  }

  #send(message: ToWorker): void {
    try {
      this.#process.send(message)
    } catch {
      // It has ended, which `ended` tells.
    }
  }
}
