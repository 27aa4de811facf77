/**
 * The processes that read, cut and draw documents: a fixed number of them, started when there is work, kept warm while
 * more may come, and replaced when they have done much or kept much memory.
 *
 * Here: who may start when. One process and its bounds are in reading-child.ts, what runs in it is in
 * reading-process.ts. Invariant: at most `size` processes exist, and none after `close`.
 */
import { fileURLToPath } from 'node:url'
import { ownScript } from '#lib/own-scripts.ts'
import type { Answer, Assignment, OperationName, Work } from './protocol.ts'
import { ReadingChild, ReadingStopped, type ReadingBounds, type ReadingWatch } from './reading-child.ts'

export interface ReadingPoolOptions extends ReadingBounds {
  /** Most processes, and so most operations at the same time; others wait in order. */
  readonly size: number
  /** Operations after which a process is replaced. */
  readonly operationsMax?: number
  /** A process that keeps more memory than this when it is done is replaced. */
  readonly keptBytesMax?: number
  /** How long a process without work is kept. */
  readonly idleMs?: number
  /** What runs in the processes: reading-process.ts when absent. */
  readonly script?: string
}

const never = new AbortController().signal

const defaults = {
  operationsMax: 200,
  keptBytesMax: 384 * 1_048_576,
  idleMs: 60_000,
  script: fileURLToPath(ownScript('documents/reading/reading-process.ts')),
}

/** Open from its making until `close`; processes are started when they are first needed. */
export class ReadingPool implements AsyncDisposable {
  readonly #options: ReadingPoolOptions & typeof defaults
  readonly #children = new Set<ReadingChild>()
  readonly #idle = new Map<ReadingChild, ReturnType<typeof setTimeout>>()
  readonly #waiting: PromiseWithResolvers<void>[] = []
  #active = 0
  #isClosed = false

  constructor(options: ReadingPoolOptions) {
    this.#options = { ...defaults, ...options }
  }

  /** Process ids, for reports and tests. */
  get pids(): readonly number[] {
    return [...this.#children].filter((child) => !child.hasEnded).map((child) => child.pid)
  }

  /** Operations under way and waiting. */
  get load(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active, waiting: this.#waiting.length }
  }

  /**
   * Does one operation in a process. Rejects with ReadFailure when it is the file's fault, with ReadingStopped when it
   * can be tried again, and with the signal's reason. The bounds begin when the operation does, not while it waits.
   */
  async run<Name extends OperationName>(
    name: Name,
    work: Work<Name>,
    { signal = never, bounds = this.#options, onChunking }: Partial<ReadingWatch> = {},
  ): Promise<Answer<Name>> {
    await this.#enter(signal)
    let child: ReadingChild | null = null
    try {
      signal.throwIfAborted()
      if (this.#isClosed) throw closed()
      child = this.#idleChild() ?? this.#newChild()
      // The pair of name and answer is what reading-process.ts is typed by; the channel between does not know it.
      return (await child.run({ name, work } as Assignment, { signal, bounds, onChunking })) as Answer<Name>
    } finally {
      if (child !== null) await this.#release(child)
      this.#leave()
    }
  }

  /** Ends all processes; operations under way and waiting reject with ReadingStopped. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting.splice(0)) waiting.reject(closed())
    for (const timer of this.#idle.values()) clearTimeout(timer)
    this.#idle.clear()
    await Promise.all([...this.#children].map((child) => child.end(closed())))
    this.#children.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closed()
    if (this.#active < this.#options.size) {
      this.#active += 1
      return
    }
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn)
    const leave = (): void => {
      const at = this.#waiting.indexOf(turn)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      turn.reject(signal.reason)
    }
    signal.addEventListener('abort', leave)
    try {
      // An operation that ends hands its place on, so `#active` stays as it is.
      await turn.promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#active -= 1
    else next.resolve()
  }

  #idleChild(): ReadingChild | null {
    for (const [child, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(child)
      if (!child.hasEnded) return child
      this.#children.delete(child)
    }
    return null
  }

  #newChild(): ReadingChild {
    const child = new ReadingChild(this.#options.script)
    this.#children.add(child)
    return child
  }

  async #release(child: ReadingChild): Promise<void> {
    const { operationsMax, keptBytesMax, idleMs } = this.#options
    const isWornOut = child.assignments >= operationsMax || child.residentBytes > keptBytesMax
    if (child.hasEnded || isWornOut || this.#isClosed) {
      await this.#retire(child)
      return
    }
    const timer = setTimeout(() => void this.#retire(child), idleMs)
    timer.unref()
    this.#idle.set(child, timer)
  }

  async #retire(child: ReadingChild): Promise<void> {
    this.#idle.delete(child)
    await child.end(closed())
    this.#children.delete(child)
  }
}

function closed(): ReadingStopped {
  return new ReadingStopped('The reading process was ended.')
}
