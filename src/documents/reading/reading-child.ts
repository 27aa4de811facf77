/**
 * The server's end of one reading process: starts it, gives it one assignment at a time, and ends it when an assignment
 * takes more time or memory than it may.
 *
 * Invariant: a call of `run` settles only when the process is idle again or gone, so no operation meets what
 * another document has left.
 */
import { constants, setPriority } from 'node:os'
import { writeFileSync } from 'node:fs'
import { scriptCommand } from '#lib/own-scripts.ts'
import { ResourceExhausted } from '#lib/resource-fault.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Assignment, Message } from './protocol.ts'
import { cpuMs, residentBytes, usagePollMs } from './process-usage.ts'

/** What one assignment may cost. */
export interface ReadingBounds {
  /**
   * CPU time, where the system reports it: a machine that is busy with other things must not make files fail. Elsewhere
   * it is wall-clock time.
   */
  readonly timeMaxMs: number
  /** Time without any CPU time after which the process hangs; 30 seconds when left out. */
  readonly stillMaxMs?: number
  /** CPU time on top of it for what shows while the file is read; `defaultExtra` when left out. */
  readonly extra?: ExtraTime
  readonly memoryBytesMax: number
}

/** What large files get besides, since neither is known from their bytes. */
export interface ExtraTime {
  readonly pageMs: number
  /** For each picture whose text is recognised. */
  readonly pictureMs: number
  /** For each million characters of a text that is cut. */
  readonly millionCharactersMs: number
}

/** About three times what a dense page and prose need on a slow machine. */
const defaultExtra: ExtraTime = { pageMs: 10, pictureMs: 60_000, millionCharactersMs: 2000 }

/** The process ended for a reason that lies outside of the file: the document can be read again. */
export class ReadingStopped extends Error {}

/** How an assignment is watched. */
export interface ReadingWatch {
  readonly signal: AbortSignal
  readonly bounds: ReadingBounds
  /** Called when the text has been read and is being cut. */
  readonly onChunking?: ((pages: number) => void) | undefined
}

interface Running {
  readonly onChunking: ((pages: number) => void) | undefined
  readonly extra: ExtraTime
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

function tooSlow(timeMaxMs: number): ReadFailure {
  return new ReadFailure(
    'too_complex',
    `Reading the file took longer than the ${Math.round(timeMaxMs / 1_000)} seconds that it may. Divide it into smaller files.`,
  )
}

function tooLarge(memoryBytesMax: number): ReadFailure {
  return new ReadFailure(
    'too_complex',
    `Reading the file needs more than the ${Math.round(memoryBytesMax / 1_048_576)} MiB of memory that it may. Divide it into smaller files.`,
  )
}

/** Even on a machine with a hundred times more to do than it can, a process that wants to run gets some of each second. */
const defaultStillMaxMs = 30_000

/**
 * The engine lets what is no longer needed grow with the memory of the machine, to twice what a long text needs: cutting
 * 45 MB peaked at 0.98 GB, and with this at 0.49, in the same time. It limits nothing.
 */
const collectEarly = { BUN_JSC_forceRAMSize: '1073741824' }

/** Signals that come from outside. They say nothing about the file, unlike crashes. */
const stopSignals: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

/** One process. Not for use after it has ended. */
export class ReadingChild {
  readonly #process: Bun.Subprocess<'ignore', 'ignore', 'ignore'>
  #running: Running | null = null
  #isReady = false
  #hasEnded = false
  #assignments = 0
  /** What the assignment may take on top of its time. */
  #extraMs = 0
  /** Why it was ended from here. */
  #endedBecause: Error | null = null

  /** `script` is what runs in the process; it speaks `protocol.ts`. */
  constructor(script: string) {
    this.#process = Bun.spawn([...scriptCommand(script)], {
      // Files of untrusted people are read here: no variable of the server's environment is passed on.
      env: { LANG: 'C.UTF-8', TZ: 'UTC', ...collectEarly },
      cwd: '/',
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      serialization: 'json',
      ipc: (message) => this.#take(message as Message),
      onExit: (_, exitCode, signal) => this.#exited(exitCode, signal === null ? null : String(signal)),
    })
    yieldToServer(this.#process.pid)
  }

  get pid(): number {
    return this.#process.pid
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Assignments so far. */
  get assignments(): number {
    return this.#assignments
  }

  get residentBytes(): number {
    return this.#hasEnded ? 0 : residentBytes(this.#process.pid)
  }

  /**
   * Does one assignment. Rejects with ReadFailure when it is the file's fault, with ReadingStopped or ResourceExhausted when it is
   * not, and with the signal's reason; the process is gone then, except after a failure that it reported itself.
   */
  async run(assignment: Assignment, { signal, bounds, onChunking }: ReadingWatch): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#hasEnded || this.#running !== null) throw new ReadingStopped('The reading process is not free.')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#running = { onChunking, extra: bounds.extra ?? defaultExtra, resolve, reject }
    this.#assignments += 1
    this.#extraMs = 0
    using watch = this.#watch(bounds, signal)
    void watch
    this.#process.send(assignment)
    return await promise
  }

  /** Ends the process at once; what it was doing rejects with `reason`. Resolves when it is gone. */
  async end(reason: Error): Promise<void> {
    this.#kill(reason)
    await this.#process.exited
  }

  #watch(
    { timeMaxMs, memoryBytesMax, stillMaxMs = defaultStillMaxMs }: ReadingBounds,
    signal: AbortSignal,
  ): Disposable {
    const { pid } = this.#process
    const before = cpuMs(pid)
    const timer = before === null ? setTimeout(() => this.#kill(tooSlow(timeMaxMs)), timeMaxMs) : undefined
    let last = before
    // Looks and not time are counted: while this process stands still itself, it cannot say that the other one does.
    let stillMs = 0
    const poll = setInterval(() => {
      if (this.residentBytes > memoryBytesMax) this.#kill(tooLarge(memoryBytesMax))
      const used = cpuMs(pid)
      if (before === null || used === null) return
      stillMs = used === last ? stillMs + usagePollMs : 0
      last = used
      if (used - before > timeMaxMs + this.#extraMs) this.#kill(tooSlow(timeMaxMs + this.#extraMs))
      else if (stillMs > stillMaxMs) this.#kill(new ReadingStopped('The reading process did nothing any more.'))
    }, usagePollMs)
    const abort = (): void =>
      this.#kill(signal.reason instanceof Error ? signal.reason : new ReadingStopped('Reading was cancelled.'))
    signal.addEventListener('abort', abort)
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        clearInterval(poll)
        signal.removeEventListener('abort', abort)
      },
    }
  }

  #kill(reason: Error): void {
    if (this.#hasEnded) return
    this.#endedBecause ??= reason
    this.#process.kill('SIGKILL')
  }

  #take(message: Message): void {
    if (message.kind === 'ready') {
      this.#isReady = true
      return
    }
    // What arrives while it is being ended comes too late: the reason of the end stands.
    if (this.#endedBecause !== null) return
    const running = this.#running
    if (message.kind === 'working') {
      this.#extraMs += extraMsOf(message, running?.extra ?? defaultExtra)
      return
    }
    if (message.kind === 'chunking') return running?.onChunking?.(message.pages)
    this.#running = null
    if (message.kind === 'done') running?.resolve(message.answer)
    else if (message.kind === 'exhausted') running?.reject(new ResourceExhausted(message.fault, message.detail))
    else running?.reject(new ReadFailure(message.code, message.message, message.detail ?? undefined))
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#hasEnded = true
    const running = this.#running
    this.#running = null
    running?.reject(this.#endedBecause ?? this.#crash(exitCode, signal))
  }

  #crash(exitCode: number | null, signal: string | null): Error {
    const how = signal ?? `exit code ${exitCode}`
    if (!this.#isReady) return new ReadingStopped(`The reading process could not be started (${how}).`)
    // The limit on the size of files that the process was started with.
    if (signal === 'SIGXFSZ') return new ResourceExhausted('storage_full', how)
    if (stopSignals.has(signal)) return new ReadingStopped(`The reading process was stopped from outside (${how}).`)
    // The server has not sent this one: the kernel ends the process that asks for too much memory.
    if (signal === 'SIGKILL') {
      return new ReadFailure(
        'too_complex',
        'Reading the file needs more memory than there is. Divide it into smaller files.',
        how,
      )
    }
    return new ReadFailure(
      'damaged',
      'The reader broke down on this file. Save it again or in another format and import that.',
      how,
    )
  }
}

function extraMsOf(
  { pages = 0, pictures = 0, characters = 0 }: Extract<Message, { kind: 'working' }>,
  { pageMs, pictureMs, millionCharactersMs }: ExtraTime,
): number {
  return pages * pageMs + pictures * pictureMs + (characters / 1e6) * millionCharactersMs
}

/** Less CPU than the server when both want it, and the first to go when memory runs out. Both are wishes. */
function yieldToServer(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Not permitted here, or already gone, which shows elsewhere.
  }
}
