/**
 * Reads the journals of processes that are gone, and writes what the database does not have yet. A file is taken by
 * renaming it, so that of several processes one has it; each record is stored once whatever happens in between.
 */
import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { UsageBatch } from '#store/usage/usage.ts'
import { framesIn, type Frame } from './journal-frames.ts'
import { journalFileName, ownerLives, readJournalName, type JournalFile } from './journal-owner.ts'

export interface Recovery {
  readonly directory: string
  readonly write: (batch: UsageBatch) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Journals that this process has taken and not finished: the database was away. */
const taken = new Map<string, JournalFile>()

/** Takes up all journals without a living owner. Rejects when the database is away; the next call continues. */
export async function recoverJournals({ directory, write, now }: Recovery): Promise<void> {
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
    if (isMine) taken.set(mine, file)
  }
  for (const [path, { journal }] of taken) {
    if (!path.startsWith(join(directory, '/'))) continue
    const content = await readFile(path).catch(() => null)
    if (content !== null) for (const frame of framesIn(content)) await writeFrame(frame, journal, write)
    await unlink(path).catch(() => undefined)
    taken.delete(path)
  }
}

async function writeFrame({ first, text }: Frame, journal: string, write: Recovery['write']): Promise<void> {
  await write({ text, place: { journal, first, recovering: true } })
}
