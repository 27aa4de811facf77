/** Three real processes on one PostgreSQL schema, behind nginx, each at a port of its own; they are stopped, killed and replaced. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { root, untilAnswers, type Workshop } from '../processes.ts'

/** Between the clocks of one process and the next. */
const skewMs = 30_000
/** What is started in place of the source, when it is named. */
const binary = process.env['SLUICE_TEST_BINARY']

/** `release` is the version before this one. */
export type Version = 'this' | 'next' | 'release'

export interface Place {
  readonly port: number
  readonly dataDirectory: string
}

export class Fleet {
  readonly #workshop: Workshop
  readonly #places: readonly Place[]
  readonly #environment: Readonly<Record<string, string>>
  readonly #children: (Subprocess | null)[]
  /** The command of the version before; none is started when null. */
  release: string | null = null

  constructor(workshop: Workshop, ports: readonly number[], environment: Readonly<Record<string, string>>) {
    this.#workshop = workshop
    this.#environment = environment
    const blobs = join(workshop.folder, 'blobs')
    mkdirSync(blobs)
    this.#places = ports.map((port) => {
      const dataDirectory = join(workshop.folder, `data-${port}`)
      // The files of documents are in one folder, as on a shared disk.
      mkdirSync(join(dataDirectory, 'documents'), { recursive: true, mode: 0o700 })
      symlinkSync(blobs, join(dataDirectory, 'documents', 'blobs'))
      return { port, dataDirectory }
    })
    this.#children = ports.map(() => null)
  }

  get size(): number {
    return this.#places.length
  }

  url(index: number): string {
    return `http://127.0.0.1:${this.#places[index]?.port}`
  }

  /** Addresses of the processes that run. */
  get running(): readonly string[] {
    return this.#children.flatMap((child, index) => (child === null ? [] : this.url(index)))
  }

  /** Resolves when it answers. */
  async start(index: number, version: Version = 'this'): Promise<void> {
    const place = this.#places[index]
    if (place === undefined) throw new Error(`there is no place ${index}`)
    const own = {
      SLUICE_DATA_DIR: place.dataDirectory,
      SLUICE_SERVER_PORT: String(place.port),
    }
    const clock = {
      BUN_OPTIONS: `--preload ${join(root, 'test/support/skewed-clock.ts')}`,
      SLUICE_TEST_SKEW_MS: String((index - 1) * skewMs),
    }
    const command = this.#command(version)
    // A binary follows no options of the runtime, so its clock is that of the machine.
    const isBinary = command[0] === binary
    const child = this.#workshop.start(`process-${index}`, command, {
      ...this.#environment,
      ...own,
      ...(!isBinary && clock),
    })
    await untilAnswers(`${this.url(index)}/readyz`, child, 100).catch((thrown: unknown) => {
      console.log(this.output(index).slice(-6000))
      throw thrown
    })
    this.#children[index] = child
  }

  /** Asks it to stop and waits for its end; its exit code. */
  async stop(index: number): Promise<number> {
    const child = this.#take(index)
    child?.kill('SIGTERM')
    return (await child?.exited) ?? 0
  }

  /** Stops one after the other and starts it with another version; what ended with another exit code than 0. */
  async roll(version: Version): Promise<number> {
    let failures = 0
    for (let index = 0; index < this.size; index += 1) {
      if ((await this.stop(index)) !== 0) failures += 1
      await this.start(index, version)
    }
    return failures
  }

  /** All that the processes have printed at a place. */
  output(index: number): string {
    return readFileSync(join(this.#workshop.folder, `process-${index}.log`), 'utf8')
  }

  /** Ends it at once. */
  async kill(index: number): Promise<void> {
    const child = this.#take(index)
    child?.kill('SIGKILL')
    await child?.exited
  }

  /** Resident memory of each running process, in MB. */
  residentMb(): readonly number[] {
    return this.#children.flatMap((child) => {
      if (child === null) return []
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
    })
  }

  #command(version: Version): readonly string[] {
    if (version === 'next') return [process.execPath, join(import.meta.dir, 'next-server.ts')]
    if (version === 'this') return [binary ?? join(root, 'bin/sluice'), 'start']
    if (this.release === null) throw new Error('no release is installed')
    return [this.release, 'start']
  }

  #take(index: number): Subprocess | null {
    const child = this.#children[index] ?? null
    this.#children[index] = null
    return child
  }
}
