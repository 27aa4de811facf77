/**
 * Reads the journals of processes that are gone, and writes what the database does not have yet. A file is taken by
 * renaming it, so that of several processes one has it; each record is stored once whatever happens in between.
 * Records of requests that had not ended come last, when it is known which have.
 */
import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StoreUnavailable } from '#store/errors.ts'
import type { UsageBatch } from '#store/usage/usage.ts'
import { framesIn, joined, type Frame } from './journal-frames.ts'
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
const batchRows = 500

/** Journals that this process has taken and not finished: the database was away. */
const taken = new Map<string, TakenFile>()

/** Takes up all journals without a living owner. Rejects when the database is away; the next call continues. */
export async function recoverJournals({ directory, write, now, onRefused }: Recovery): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const file = readJournalName(name)
    if (file === null || taken.has(join(directory, name))) continue
    const { mtimeMs } = await stat(join(directory, name)).catch(() => ({ mtimeMs: now() }))
    if (ownerLives(file.owner, now() - mtimeMs)) continue
    const mine = join(directory, journalFileName(file))
    const isMine = await rename(join(directory, name), mine).then(
      () => true,
      () => false,
    )
    if (isMine) taken.set(mine, { ...file, refusals: 0 })
  }
  const own = [...taken].filter(([path]) => path.startsWith(join(directory, '/')))
  for (const [path, file] of own.toSorted(
    ([, one], [, other]) => Number(one.kind === 'ahead') - Number(other.kind === 'ahead'),
  )) {
    if (file.kind === 'ahead' && (await hasEnded(directory, file))) continue
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    try {
      await writeAll(framesIn(content), file, write)
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

/** Whether requests of this process that have ended are still to be written, here or by another process. */
async function hasEnded(directory: string, { journal }: JournalFile): Promise<boolean> {
  const names = await readdir(directory).catch(() => [])
  return names.map(readJournalName).some((file) => file?.journal === journal && file.kind === 'journal')
}

async function writeAll(
  frames: Iterable<Frame>,
  { kind, journal }: JournalFile,
  write: Recovery['write'],
): Promise<void> {
  const isAhead = kind === 'ahead'
  for (const { first, text } of joined(frames, batchRows)) {
    await write({ text, place: { journal: isAhead ? `${journal}.ahead` : journal, first, recovering: true, isAhead } })
  }
}
