/** Whose a journal file is: its name has the machine and the process, which tells whether the owner can still live. */
import { hostname } from 'node:os'
import { startOf } from '#lib/own-process.ts'

/** Records of requests that have ended, or those that were written ahead. */
export type JournalKind = 'journal' | 'ahead'

export interface JournalFile {
  readonly kind: JournalKind
  readonly journal: string
  readonly owner: string
  /** Number of its first record. */
  readonly first: number
}

const namePattern = /^([0-9a-f-]{36})@([^@]+)@(\d+)\.(journal|ahead)$/

/** The name of a file of this process. */
export function journalFileName({ kind, journal, first }: Omit<JournalFile, 'owner'>): string {
  return `${journal}@${ownOwner}@${first}.${kind}`
}

/** What a file name says; null for a file of another kind. */
export function readJournalName(name: string): JournalFile | null {
  const [, journal, owner, first, ending] = namePattern.exec(name) ?? []
  const kind = ending === 'ahead' ? 'ahead' : 'journal'
  return journal === undefined || owner === undefined ? null : { kind, journal, owner, first: Number(first) }
}

/**
 * Whether the owner is alive: known for a process of this machine; one of another machine is when it has
 * touched the file in the last minutes. A wrong guess doubles no record: what is stored is not stored again.
 */
export function ownerLives(owner: string, touchedMsAgo: number): boolean {
  if (owner === ownOwner) return true
  const [host, pid, startedAt] = owner.split('!')
  if (host !== ownHost) return touchedMsAgo < silentMs
  return startOrSign(Number(pid)) === startedAt
}

const silentMs = 180_000

/** When it was started, or where that is not known a sign that it runs; null when it does not. */
function startOrSign(pid: number): string | null {
  if (process.platform === 'linux') return startOf(pid)
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch {
    return null
  }
}

const ownHost = encodeURIComponent(hostname()).replaceAll('!', '')
const ownOwner = `${ownHost}!${process.pid}!${startOrSign(process.pid) ?? 'unknown'}`
