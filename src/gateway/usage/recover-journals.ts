/**
 * Reads the journals of processes that are gone, and writes what the database does not have yet. A file is taken by
 * renaming it, so that of several processes one has it; each record is stored once whatever happens in between.
 */
import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StoreUnavailable } from '#store/errors.ts'
import type { UsageBatch } from '#store/usage/usage.ts'
import { framesIn, type Frame } from './journal-frames.ts'
import { journalFileName, ownerLives, readJournalName, type JournalFile } from './journal-owner.ts'

export interface Recovery {
  readonly directory: string
  readonly write: (batch: UsageBatch) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A file that the database refuses was set aside under this name, so that it holds up no other. */
  readonly onRefused: (file: string, error: unknown) => void
}

interface TakenFile extends JournalFile {
  /** How often the database has refused it. */
  refusals: number
}

const refusalsMax = 3

/** Journals that this process has taken and not finished: the database was away. */
const taken = new Map<string, TakenFile>()

/** Takes up all journals without a living owner. Rejects when the database is away; the next call continues. */
export async function recoverJournals({ directory, write, now, onRefused }: Recovery): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const file = readJournalName(name)
    if (file === null || taken.has(join(directory, name))) continue
    const { mtimeMs } = await stat(join(directory, name)).catch(() => ({ mtimeMs: now() }))
    if (ownerLives(file.owner, now() - mtimeMs)) continue
    const mine = join(directory, journalFileName(file.journal, file.first))
    const isMine = await rename(join(directory, name), mine).then(
      () => true,
      () => false,
    )
    if (isMine) taken.set(mine, { ...file, refusals: 0 })
  }
  for (const [path, file] of taken) {
    if (!path.startsWith(join(directory, '/'))) continue
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    try {
      await writeAll(framesIn(content), file.journal, write)
      await unlink(path).catch(() => undefined)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      file.refusals += 1
      if (file.refusals < refusalsMax) continue
      await rename(path, `${path}.refused`)
      onRefused(`${basename(path)}.refused`, error)
    }
    taken.delete(path)
  }
}

async function writeAll(frames: Iterable<Frame>, journal: string, write: Recovery['write']): Promise<void> {
  for (const { first, text } of frames) await write({ text, place: { journal, first, recovering: true } })
}
