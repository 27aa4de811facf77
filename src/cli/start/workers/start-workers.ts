/**
 * `server.workers`: several processes that serve one port, among which the system divides the connections. This process
 * serves nothing; it starts them, starts those again that end or hang, and stops them together.
 *
 * Why so: docs/decisions/workers.md.
 */
import { within } from '#lib/within.ts'
import type { Logger } from '#observe/log.ts'
import type { GivenFlags } from '../../command.ts'
import type { Configuration } from '../../configuration.ts'
import { portToShare } from '../port.ts'
import { startLogger } from '../start-logger.ts'
import type { RunningServer, StartFacts, StartOrder } from '../start-server.ts'
import type { Expositions, WorkerOrder } from './protocol.ts'
import { Worker } from './worker.ts'

export interface WorkersOrder extends Required<Pick<StartOrder, 'forgetCredentials' | 'signal'>> {
  /** At least two. */
  readonly count: number
  readonly flags: Pick<GivenFlags, 'get' | 'all'>
}

/** A worker that lived for so long had no fault from its start. */
const steadyMs = 10_000
/** A sign of life is asked for so often. The count of looks stands still with this process, so a machine that slept kills none. */
const lookMs = 1000
/** Waits before further starts, twice as long each time; the first is at once. */
const restartMs = { first: 1000, max: 30_000 }

/** Starts all of them: the first alone, as it sets the installation up. Throws StartProblem; none is left then. */
export async function startWorkers(
  { settings }: Configuration,
  { count, flags, forgetCredentials, signal }: WorkersOrder,
): Promise<RunningServer> {
  const port = await portToShare(settings)
  const sets = [...flags.all('set'), ...(settings['server.port'] === 0 ? [`server.port=${port}`] : [])]
  const shared = { configFile: flags.get('config'), sets }
  const workers = new Workers({
    count,
    hangSeconds: settings['server.worker_hang_seconds'],
    logger: startLogger({ settings }),
    orderOf: (number, again) => ({
      number,
      ...shared,
      forgetCredentials: forgetCredentials && number === 0 && !again,
    }),
  })
  const abandon = (): void => workers.stop()
  signal.addEventListener('abort', abandon)
  try {
    const facts = await workers.start(0)
    // A further one that does not start is in the log and is tried again: the first serves.
    await Promise.allSettled(Array.from({ length: count - 1 }, (_, index) => workers.start(index + 1)))
    return { facts, close: () => workers.close() }
  } catch (thrown) {
    await workers.close()
    throw thrown
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

interface WorkersOptions {
  readonly count: number
  /** One that gives no sign of life for so long is ended; 0 ends none. */
  readonly hangSeconds: number
  readonly logger: Logger
  /** `again` when it has been started before. */
  readonly orderOf: (number: number, again: boolean) => WorkerOrder
}

/** Keeps workers running until they are stopped. */
class Workers {
  readonly #options: WorkersOptions
  readonly #running = new Map<number, Worker>()
  readonly #kept: Promise<void>[] = []
  readonly #stopping = Promise.withResolvers<void>()
  readonly #watching: ReturnType<typeof setInterval> | undefined
  #isStopping = false

  constructor(options: WorkersOptions) {
    this.#options = options
    if (options.hangSeconds > 0) this.#watching = setInterval(() => this.#endHanging(), lookMs)
    // A second signal ends this process without waiting: none may be left then.
    process.on('exit', () => {
      for (const worker of this.#running.values()) worker.kill()
    })
  }

  /** Starts one, and starts it again whenever it has ended. Rejects when its first start fails. */
  async start(number: number): Promise<StartFacts> {
    const worker = this.#begin(number, false)
    const facts = worker.ready
    // The first decides whether the server starts at all; what is wrong with another one may pass.
    if (number === 0) await facts
    this.#kept.push(this.#keep(number, worker))
    return facts
  }

  stop(): void {
    this.#isStopping = true
    clearInterval(this.#watching)
    this.#stopping.resolve()
    for (const worker of this.#running.values()) worker.stop()
  }

  /** Stops all of them and waits for their ends. */
  async close(): Promise<void> {
    this.stop()
    await Promise.all([...this.#running.values()].map((worker) => worker.ended))
    await Promise.all(this.#kept)
  }

  #begin(number: number, again: boolean): Worker {
    const worker = new Worker(this.#options.orderOf(number, again), () => this.#expositions(number))
    this.#running.set(number, worker)
    void worker.ended.then(() => {
      if (this.#running.get(number) === worker) this.#running.delete(number)
    })
    return worker
  }

  /** Its connections would wait for as long as it hangs, and the system goes on giving it new ones. */
  #endHanging(): void {
    for (const [number, worker] of this.#running) {
      const silentMs = worker.look() * lookMs
      if (silentMs < this.#options.hangSeconds * 1000) continue
      this.#options.logger.error('a worker hangs and is ended', { worker: number, silentMs })
      worker.kill()
    }
  }

  async #keep(number: number, first: Worker): Promise<void> {
    let [worker, startedAt, failures] = [first, performance.now(), 0]
    for (;;) {
      const end = await worker.ended
      if (this.#isStopping) return
      failures = performance.now() - startedAt > steadyMs ? 0 : failures + 1
      const waitMs = failures < 2 ? 0 : Math.min(restartMs.first * 2 ** (failures - 2), restartMs.max)
      this.#options.logger.error('a worker has ended and is started again', { worker: number, ...end, waitMs })
      await within(waitMs, this.#stopping.promise)
      if (this.#isStopping) return
      startedAt = performance.now()
      worker = this.#begin(number, true)
      worker.ready.catch((thrown: unknown) =>
        this.#options.logger.error('a worker does not start', { worker: number, error: thrown }),
      )
    }
  }

  /** Those of all but one. */
  async #expositions(except: number): Promise<Expositions> {
    const others = Array.from({ length: this.#options.count }, (_, number) => number).filter((each) => each !== except)
    return Promise.all(
      others.map(async (number) => [number, (await this.#running.get(number)?.exposition()) ?? null] as const),
    )
  }
}
