/**
 * A directory of this process for bytes on their way: what an import receives before it is stored,
 * and what a reader makes of a file. Each process has its own; what a killed one has left behind is
 * removed by the next one that starts on the same machine.
 */
import { readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { SpooledFile } from './blob-store.ts'
import { holdPieces, removeFile, writePieces, type Pieces } from './write-pieces.ts'

const dayMs = 86_400_000

/** Directories of this process, of which it may have several. */
const own = new Set<string>()

/** A directory that is removed with all its files when it is disposed. */
export interface Workspace extends AsyncDisposable {
  readonly path: string
}

export class Spool implements AsyncDisposable {
  readonly #root: string
  #opening: Promise<string> | null = null

  /** Nothing is made below `root` before it is needed. */
  constructor(root: string) {
    this.#root = root
  }

  /** Writes the pieces to a file. Rejects with FileTooLarge, or with the error of the source; then no file is left. */
  async receive(pieces: Pieces, bytesMax: number): Promise<SpooledFile> {
    return writePieces(await this.#newPath(), pieces, bytesMax)
  }

  /** The same without a hash, for bytes that are read again at once. */
  async hold(pieces: Pieces, bytesMax: number): Promise<Omit<SpooledFile, 'sha256'>> {
    return holdPieces(await this.#newPath(), pieces, bytesMax)
  }

  /** Removes what was received; it may have been moved already. */
  discard({ path }: Pick<SpooledFile, 'path'>): Promise<void> {
    return removeFile(path)
  }

  async workspace(): Promise<Workspace> {
    const path = await mkdtemp(join(await this.#directory(), 'work.'))
    return { path, [Symbol.asyncDispose]: () => removeFolder(path) }
  }

  /** Removes what killed processes have left; there may be nothing. */
  removeAbandoned(): Promise<void> {
    return removeAbandoned(this.#root)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#opening === null) return
    const directory = await this.#opening
    await rm(directory, { recursive: true, force: true })
    own.delete(directory)
  }

  async #newPath(): Promise<string> {
    return join(await this.#directory(), crypto.randomUUID())
  }

  #directory(): Promise<string> {
    return (this.#opening ??= this.#open())
  }

  async #open(): Promise<string> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 })
    await removeAbandoned(this.#root)
    const directory = await mkdtemp(join(this.#root, `${scope()}.${process.pid}.`))
    own.add(directory)
    return directory
  }
}

/** A folder of plain files, one after the other: a recursive removal takes several times as long. */
async function removeFolder(path: string): Promise<void> {
  try {
    for (const name of await readdir(path)) await unlink(join(path, name))
    await rmdir(path)
  } catch {
    await rm(path, { recursive: true, force: true })
  }
}

/** Where process ids mean the same processes: a machine, and on Linux a container of it. */
function scope(): string {
  try {
    return `${hostname()}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''}`
  } catch {
    return hostname()
  }
}

/** Directories of processes that no longer run: where their id can be looked up by that, elsewhere by their age. */
async function removeAbandoned(root: string): Promise<void> {
  const prefix = `${scope()}.`
  for (const name of await readdir(root).catch(noneIfMissing)) {
    const path = join(root, name)
    if (own.has(path)) continue
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('.', 1)[0]) : null
    const modifiedAt = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now()
    const abandoned = pid === null ? Date.now() - modifiedAt > dayMs : !isRunning(pid)
    if (abandoned) await rm(path, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

function ignoreMissing(thrown: unknown): void {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown
}

function noneIfMissing(thrown: unknown): readonly string[] {
  ignoreMissing(thrown)
  return []
}
