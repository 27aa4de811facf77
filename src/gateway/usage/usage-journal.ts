/**
 * The local file in which finished requests wait until the database has them, so that a process that is killed loses
 * those of the last milliseconds and no others. Each process has files of its own, named after it; they are
 * read back by recover-journals.ts. What is in the files: journal-frames.ts.
 *
 * A second one has the records of requests with a budget as they are before a provider is called (`keep`), for those
 * whose end nobody sees. Nothing else is waited for by a request, and a disk that is full, slow or gone takes away this protection
 * and nothing else.
 */
import { closeSync, mkdirSync, open, unlink, utimes, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { frameOf } from './journal-frames.ts'
import { journalFileName, type JournalKind } from './journal-owner.ts'

const openFile = promisify(open)
const writeFile = promisify(write)
const removeFile = promisify(unlink)
const touchFile = promisify(utimes)

export interface JournalOptions {
  /** Names both files of a process. */
  readonly id: string
  readonly kind: JournalKind
  /** Made when it is missing. */
  readonly directory: string
  /** A write failed; called once until writes succeed again. */
  readonly onError: (error: unknown) => void
  /** The journal's records up to this number are in no file any more. */
  readonly onForget: (journal: string, upTo: number) => void
}

interface Segment {
  readonly path: string
  readonly descriptor: number
  bytes: number
  /** The last record in it. */
  last: number
}

/** Bytes after which another file is begun: files are removed as wholes. */
const segmentBytes = 1_000_000
/** Text that waits for a disk that hangs. */
const waitingMax = 8_000_000
const retryMs = 1000
/** A request waits so long for the disk. */
const keepMs = 50

export class UsageJournal implements AsyncDisposable {
  readonly #options: JournalOptions
  #next = 1
  /** Lines that are not in the file yet, and the number of the first. */
  #waiting = ''
  #waitingFirst = 1
  /** Called when what waits is in the file, or given up. */
  #keepers: (() => void)[] = []
  #segment: Segment | null = null
  /** Files that are complete, the oldest first. */
  readonly #closed: Segment[] = []
  #writing: Promise<void> | null = null
  #retryAt = -Infinity
  #failing = false
  /** All records up to this one are settled; beyond it, those in `#settled`. */
  #mark = 0
  readonly #settled = new Map<number, number>()

  constructor(options: JournalOptions) {
    this.#options = options
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  }

  /** Takes lines, each with its line feed, and returns the number of the first. They are in the file after the next `write`. */
  add(lines: string, count: number): number {
    if (this.#waiting.length > waitingMax) resolveAll(this.#skip())
    this.#waiting += lines
    this.#next += count
    return this.#next - count
  }

  /** Takes a line, and resolves with its number when the system has it, or the disk is not there for it. */
  async keep(line: string): Promise<number> {
    const number = this.add(`${line}\n`, 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#keepers.push(resolve)
    const timer = setTimeout(resolve, keepMs)
    this.write()
    await promise
    clearTimeout(timer)
    return number
  }

  get id(): string {
    return this.#options.id
  }

  /** Begins to write what was added, unless a write is under way, which then continues with it. */
  write(): void {
    if (this.#waiting === '' || this.#writing !== null) return
    if (performance.now() < this.#retryAt) return resolveAll(this.#skip())
    this.#writing = this.#write().finally(() => (this.#writing = null))
  }

  /** These records need the journal no longer: they are in the database, or were dropped. Removes files that are done. */
  settle(first: number, last: number): void {
    this.#settled.set(first, last)
    for (let end = this.#settled.get(this.#mark + 1); end !== undefined; end = this.#settled.get(this.#mark + 1)) {
      this.#settled.delete(this.#mark + 1)
      this.#mark = end
    }
    while (this.#closed[0] !== undefined && this.#closed[0].last <= this.#mark) this.#remove(this.#closed.shift())
  }

  /** Says that this process lives, for others that share the directory over a network; finds out when its file is gone. */
  async beat(now: Date): Promise<void> {
    const segment = this.#segment
    if (segment === null) return
    await touchFile(segment.path, now, now).catch(() => this.#endSegment(segment))
  }

  /** Writes what waits. Files whose records are all settled are removed; the others stay for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.write()
    await this.#writing
    const segment = this.#segment
    if (segment !== null) this.#endSegment(segment)
    this.settle(0, 0)
  }

  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const [first, count] = [this.#waitingFirst, this.#next - this.#waitingFirst]
      const frame = frameOf(first, count, this.#waiting)
      const keepers = this.#skip()
      try {
        const segment = (this.#segment ??= await this.#begin(first))
        await writeAll(segment.descriptor, frame)
        segment.bytes += frame.byteLength
        segment.last = first + count - 1
        this.#failing = false
        if (segment.bytes >= segmentBytes) this.#endSegment(segment)
      } catch (thrown) {
        this.#fail(thrown)
        return
      } finally {
        resolveAll(keepers)
      }
    }
  }

  /** A file that a write has failed on may end inside a frame: nothing may come after it. */
  #fail(thrown: unknown): void {
    if (this.#segment !== null) this.#endSegment(this.#segment)
    this.#retryAt = performance.now() + retryMs
    if (!this.#failing) this.#options.onError(thrown)
    this.#failing = true
  }

  /** The waiting lines are on their way, or given up: those who wait for them. */
  #skip(): readonly (() => void)[] {
    const keepers = this.#keepers
    this.#keepers = []
    this.#waiting = ''
    this.#waitingFirst = this.#next
    return keepers
  }

  async #begin(first: number): Promise<Segment> {
    const { directory, kind, id } = this.#options
    const path = join(directory, journalFileName({ kind, journal: id, first }))
    return { path, descriptor: await openFile(path, 'wx', 0o600), bytes: 0, last: first }
  }

  #endSegment(segment: Segment): void {
    if (this.#segment !== segment) return
    this.#segment = null
    closeSync(segment.descriptor)
    this.#closed.push(segment)
  }

  #remove(segment: Segment | undefined): void {
    if (segment === undefined) return
    void removeFile(segment.path).catch(() => undefined)
    this.#options.onForget(this.id, segment.last)
  }
}

function resolveAll(keepers: readonly (() => void)[]): void {
  for (const resolve of keepers) resolve()
}

async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.byteLength;) {
    const { bytesWritten } = (await writeFile(descriptor, bytes, start, bytes.byteLength - start, null)) as unknown as {
      bytesWritten: number
    }
    start += bytesWritten
  }
}
